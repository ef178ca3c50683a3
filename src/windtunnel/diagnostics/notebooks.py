"""Whether code runs in a notebook."""

import sys
from typing import Any

__all__ = ["in_notebook"]


def in_notebook() -> bool:
    """Whether there is an IPython with a kernel, which can show more than text."""
    if "ipykernel" not in sys.modules:
        return False
    import IPython

    untyped: Any = IPython
    return untyped.get_ipython() is not None
