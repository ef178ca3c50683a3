"""Jobs that end with their reservation, or with an occurrence of one that comes again (§8)."""

from collections.abc import Mapping
from math import inf
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.state import State

__all__ = ["Occurrences"]

_INTERVAL: Final = 30
"""Seconds from one look for jobs that are over their time to the next."""
_FOR_EVER: Final = 365 * 86400
"""Seconds beyond the end that stand for ResvOverRun without limit."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Occurrences:
    """When Slurm looks for jobs whose reservation has ended, and which of them it ends.

    Each half minute it does (job_time_limit); a job ends if its reservation has ended by then, with ResvOverRun. One
    that comes again has not once its next occurrence is known, and that is noted whenever a job that waits is tested,
    and at the end of each look.
    """

    def __init__(self, state: State, start: int, booked: Mapping[str, RunningJob]) -> None:
        self.state = state
        self.start = start
        """Slurm's time when it began."""
        self.booked = booked
        """The jobs that run in reservations."""
        state.bookings.note(start)

    @property
    def due(self) -> float:
        """When (Slurm's time) a job may next be ended for that."""
        if not self.booked:
            return inf
        bookings, now = self.state.bookings, self.state.now
        over_run = self.state.site.reservation_over_run * 60
        if over_run >= _FOR_EVER:
            return inf
        names = {job.pending.reservation for job in self.booked.values()}
        ends = [
            end + (0 if bookings.comes_again(name) else over_run)
            for name in names
            if (end := bookings.end_of_occurrence(name)) is not None
        ]
        return min([float(self._look_after(max(end, now))) for end in ends], default=inf)

    def ended(self) -> list[RunningJob]:
        """The jobs that end now because their reservation has, if this is the time to look for them."""
        state, now = self.state, self.state.now
        if not self.booked or (now - self.start) % _INTERVAL:
            return []
        bookings, over_run = state.bookings, state.site.reservation_over_run * 60
        found: list[RunningJob] = []
        for job in self.booked.values():
            end = bookings.end_of_occurrence(job.pending.reservation)
            if end is not None and end + over_run < now:
                found.append(job)
        bookings.note(now)
        return found

    def _look_after(self, when: int) -> int:
        return self.start + ((when - self.start) // _INTERVAL + 1) * _INTERVAL
