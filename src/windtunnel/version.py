"""The version of this package; alone, so that every room may say it, and without imports: it costs nothing."""

__all__ = ["__version__"]

__version__ = "0.1.0"
