"""What ends a command from outside: Ctrl-C, a request to terminate, a terminal that is closed; all of them alike."""

import signal
import sys
import threading
from _thread import interrupt_main
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

__all__ = ["end_if_asked", "ended_as_by_ctrl_c", "interrupted"]

_ENDS: Final = [one for one in signal.Signals if one.name in {"SIGTERM", "SIGHUP"}]  # not all systems have both
_MET: Final[set[int]] = set()
"""The signals that came while the present command runs."""


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Within, SIGTERM and SIGHUP are met like Ctrl-C: what was recorded is kept and marked, half a file removed.

    None of them is lost: where Python cannot pass on what is raised, as while an object is freed, it is raised again.
    What ignores such a signal already (a command under ``nohup``) goes on ignoring it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *_ENDS)}
    ours = {n: usual for n, usual in before.items() if usual in (signal.SIG_DFL, signal.default_int_handler)}
    _MET.clear()
    for number in ours:
        signal.signal(number, _interrupt)
    told, sys.unraisablehook = sys.unraisablehook, _again
    try:
        yield
    finally:
        sys.unraisablehook = told
        for number, usual in ours.items():
            signal.signal(number, usual)


def interrupted(fault: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: while a class is made, Python 3.11 raises a RuntimeError from it."""
    while fault is not None and not isinstance(fault, KeyboardInterrupt):
        fault = fault.__cause__
    return fault is not None


def end_if_asked() -> None:
    """End before a long run, where a signal came into code that is written in C and forgets errors."""
    if _MET:
        raise KeyboardInterrupt


def _interrupt(number: int, frame: object) -> NoReturn:
    del frame
    _MET.add(number)
    raise KeyboardInterrupt


_SOON: Final = 0.01
"""Seconds after which what was lost is raised again: elsewhere, it is to be hoped."""


def _again(lost: Any) -> None:
    if issubclass(lost.exc_type, KeyboardInterrupt):
        later = threading.Timer(_SOON, interrupt_main)
        later.daemon = True
        later.start()
    else:
        sys.__unraisablehook__(lost)
