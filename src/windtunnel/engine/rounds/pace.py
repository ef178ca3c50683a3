"""Pacing: how fast simulated time may pass against the wall clock (law 8)."""

import threading
from time import monotonic

from mypy_extensions import mypyc_attr

__all__ = ["Pacer"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Pacer:
    """Lets simulated time pass ``speed`` times as fast as the wall clock; can be paused, and woken by injections."""

    def __init__(self, speed: float = 1.0, start: float = 0.0) -> None:
        if not speed > 0:
            raise ValueError(f"the speed must be positive, not {speed}")
        self._speed = speed
        self._origin = (start, monotonic())
        self._paused_at: float | None = None
        self._event = threading.Event()

    def date(self) -> float:
        """The simulated time that should have been reached by now."""
        if self._paused_at is not None:
            return self._paused_at
        simulated, wall = self._origin
        return simulated + (monotonic() - wall) * self._speed

    def pause(self) -> None:
        """Stop the clock."""
        self._paused_at = self.date()
        self.wake()

    def go_on(self, speed: float | None = None) -> None:
        """Start the clock again, or change its speed."""
        self._origin = (self.date(), monotonic())
        self._speed = speed or self._speed
        self._paused_at = None
        self.wake()

    def wake(self) -> None:
        """Interrupt a wait: something was injected, or the clock changed."""
        self._event.set()

    def wait(self, date: float) -> bool:
        """Wait until the simulated time ``date`` is due; False when woken before."""
        while True:
            if self._event.is_set():
                self._event.clear()
                return False
            due = self.date()
            if due >= date:
                return True
            timeout = None if self._paused_at is not None else (date - due) / self._speed
            self._event.wait(timeout)
