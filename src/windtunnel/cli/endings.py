"""What ends a command from outside: Ctrl-C, a request to terminate, a terminal that is closed; all of them alike."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

__all__ = ["ended_as_by_ctrl_c", "interrupted"]

_ENDS: Final = [one for one in signal.Signals if one.name in {"SIGTERM", "SIGHUP"}]  # not all systems have both


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Within, SIGTERM and SIGHUP are met like Ctrl-C: what was recorded is kept and marked, half a file removed.

    What ignores such a signal already (a command under ``nohup``) goes on ignoring it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in _ENDS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def interrupted(fault: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: while a class is made, Python 3.11 raises a RuntimeError from it."""
    while fault is not None and not isinstance(fault, KeyboardInterrupt):
        fault = fault.__cause__
    return fault is not None


def _interrupt(number: int, frame: object) -> NoReturn:
    del number, frame
    raise KeyboardInterrupt
