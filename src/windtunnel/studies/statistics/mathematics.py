"""Where scipy is loaded: it is an extra, and takes time to load."""

from functools import cache
from typing import Any

from windtunnel.diagnostics import MissingExtraError

__all__ = ["numpy_arrays", "scipy_stats"]


@cache
def numpy_arrays() -> Any:
    """``numpy``, which scipy brings along."""
    scipy_stats()
    import numpy as np

    return np


@cache
def scipy_stats() -> Any:
    """``scipy.stats``.

    Raises:
        MissingExtraError: scipy is not installed.
    """
    try:
        from scipy import stats
    except ImportError as fault:
        raise MissingExtraError("scipy", "study") from fault
    return stats
