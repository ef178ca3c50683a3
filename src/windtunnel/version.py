"""The version of this package; alone, so that every room may say it."""

from typing import Final

__all__ = ["__version__"]

__version__: Final = "0.1.0"
