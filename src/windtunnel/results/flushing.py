"""What is held back reaches the disk at least once a second, from a thread of its own."""

import atexit
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from threading import Event, Thread
from typing import Final, Protocol

from windtunnel.diagnostics import SimulationError

__all__ = ["PERIOD", "Flusher", "Flushes"]

PERIOD: Final = 1.0
"""Seconds (wall clock) after which what is held back is written."""


class Flushes(Protocol):
    """What can be told to write what it holds back."""

    def flush(self) -> None:
        """Write it."""


class Flusher:
    """Flushes things once a second from a thread of its own, as long as they live or until stopped.

    ``at_exit``, a method, is called (if its object lives) when the process ends before it is stopped.
    """

    def __init__(self, things: Sequence[Flushes], at_exit: Callable[[], None], period: float = PERIOD) -> None:
        self._stop = Event()
        self._last = partial(_call, weakref.WeakMethod(at_exit))
        atexit.register(self._last)
        refs = [weakref.ref(thing) for thing in things]
        arguments = (refs, self._stop, period, self._last)
        Thread(target=_watch, args=arguments, name="windtunnel-flusher", daemon=True).start()

    def stop(self) -> None:
        """End the thread; what is pending stays pending."""
        self._stop.set()
        atexit.unregister(self._last)


def _call(method: "weakref.WeakMethod[Callable[[], None]]") -> None:
    if (known := method()) is not None:
        known()


def _watch(refs: Sequence["weakref.ref[Flushes]"], stop: Event, period: float, last: Callable[[], None]) -> None:
    while not stop.wait(period):
        alive = [thing for ref in refs if (thing := ref()) is not None]
        if not alive:
            atexit.unregister(last)
            return
        for thing in alive:
            try:
                thing.flush()
            except SimulationError:
                continue  # the run's own thread meets the same fault, and reports it
        del alive, thing
