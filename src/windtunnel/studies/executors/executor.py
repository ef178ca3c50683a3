"""What an executor is: so many slots, each of which simulates a point at a time."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

from windtunnel.studies.trials import Outcome, Trial

__all__ = ["Executor", "Given", "WorkerLostError"]

Given = tuple[Outcome, bytes | None]
"""What comes back: an outcome and perhaps a table of jobs."""


class WorkerLostError(Exception):
    """The worker of a point is gone, and nothing is known of the point: it has to be done again."""


class Executor(Protocol):
    """Runs trials somewhere. Closing it stops what is under way."""

    @property
    def width(self) -> int:
        """How many trials may be under way at present: slots from 0. It may change while a study runs."""

    @property
    def lacking(self) -> str:
        """What the study waits for while nothing can go on, for people; "" when there is nothing to say."""

    def submit(self, trial: Trial, slot: int, done: Callable[["Future[Given]"], None]) -> None:
        """Begin a trial; ``done`` is called when it has ended (in any thread), with :class:`WorkerLostError` as the
        future's exception when its worker is gone.
        """

    def close(self) -> None:
        """Stop everything, at once."""
