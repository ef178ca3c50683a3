"""The version of this package and its build, in a separate module so that any other may import it."""

TYPE_CHECKING = False  # typing is slow to load, and this is loaded before Ctrl-C is a message
if TYPE_CHECKING:
    from typing import Final

__all__ = ["__version__", "build"]

__version__: "Final" = "0.2.0"


def build() -> str:
    """Which build of the package is running: ``compiled`` (its hot modules are libraries) or ``pure Python``."""
    from importlib.machinery import EXTENSION_SUFFIXES
    from pathlib import Path

    folder = Path(__file__).parent / "model"
    compiled = any((folder / f"hostset{suffix}").exists() for suffix in EXTENSION_SUFFIXES)
    return "compiled" if compiled else "pure Python"
