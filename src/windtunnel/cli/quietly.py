"""Commands that print nothing: what is logged meanwhile is not shown either, unless it is an error."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["only_errors_logged"]

_LOG: Final = logging.getLogger("windtunnel")
_LOCK: Final = threading.Lock()
_levels: list[int] = []
"""The level to go back to, once for each command that is under way (several may be, in threads)."""


@contextmanager
def only_errors_logged(wanted: bool) -> Iterator[None]:
    """Within, warnings of ours are not logged if that is ``wanted``; afterwards they are, as before."""
    if not wanted:
        yield
        return
    with _LOCK:
        _levels.append(_levels[0] if _levels else _LOG.level)
        _LOG.setLevel(logging.ERROR)
    try:
        yield
    finally:
        with _LOCK:
            level = _levels.pop()
            if not _levels:
                _LOG.setLevel(level)
