"""Actions: tasks under way, and sleeps."""

import math
from typing import Any, Final

from windtunnel.engine.sharing.tasks import Task

__all__ = ["NOW", "ROUNDING", "Action"]

DONE: Final = 1e-14
"""A smaller fraction of a task that remains is nothing."""

NOW: Final = 1e-9
"""Sleeps and latencies end together with an event that comes at most this much (s) earlier."""

ROUNDING: Final = 4.0
"""Dates this many units in the last place apart differ by rounding only (SimGrid adds up steps instead)."""


class Action:
    """A task under way, or a sleep (no task). ``tag`` is the caller's.

    ``remaining`` is the fraction that was left at ``since``; progress goes on at ``rate`` (1/s). ``due`` is the date
    of its next event: the end of its latency while it is ``latent``, else its completion. ``held`` is negative but
    while it is suspended; then it is what was left of its latency or sleep (s), or 0.
    """

    __slots__ = (
        "bound",
        "due",
        "held",
        "latent",
        "network_bound",
        "number",
        "rate",
        "remaining",
        "since",
        "tag",
        "task",
    )

    def __init__(self, number: int, task: Task | None, tag: Any, since: float, latent: bool) -> None:
        self.number = number
        self.task = task
        self.tag = tag
        self.since = since
        self.latent = latent
        self.due = math.inf
        self.remaining = 1.0
        self.rate = 0.0
        self.bound = math.inf
        self.network_bound = math.inf
        self.held = -1.0

    def __reduce__(self) -> tuple[Any, ...]:
        # What it is tagged with may lead back to it: that is filled in once it is there.
        state = (self.task, self.tag, self.due, self.remaining, self.rate, self.bound, self.network_bound, self.held)
        return Action, (self.number, None, None, self.since, self.latent), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.task, self.tag, *rest = state
        self.due, self.remaining, self.rate, self.bound, self.network_bound, self.held = rest

    def left(self, now: float) -> float:
        """The fraction that is left at a date."""
        return max(0.0, self.remaining - self.rate * (now - self.since))

    def touch(self, now: float) -> None:
        """Take off what was done since the rate changed last."""
        left = self.left(now)
        self.remaining = left if left >= DONE else 0.0
        self.since = now

    def ends_with(self, now: float) -> bool:
        """Whether what it is due for, after ``now``, comes so soon that it happens with an event at ``now``."""
        wait = self.due - now
        if self.latent or self.task is None:
            return wait < NOW
        return wait * self.rate < DONE or wait <= ROUNDING * math.ulp(now)
