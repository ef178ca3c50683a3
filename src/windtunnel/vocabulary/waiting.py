"""The waiting jobs of a scheduler."""

from collections.abc import Iterator, ValuesView
from typing import Protocol

from mypy_extensions import mypyc_attr

from windtunnel.model import Job

__all__ = ["ArrivalQueue", "JobQueue"]


class JobQueue(Protocol):
    """Waiting jobs, in an order of the scheduler's own."""

    def add(self, job: Job, now: float) -> None:
        """Let a job wait, from a date (s) on."""

    def discard(self, job: Job) -> bool:
        """Take a job out, wherever it is; whether it was there."""

    def __iter__(self) -> Iterator[Job]:
        """The jobs from the front."""


@mypyc_attr(allow_interpreted_subclasses=True)
class ArrivalQueue:
    """Jobs by id, the oldest announcement first."""

    __slots__ = ("jobs",)

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}

    def add(self, job: Job, now: float) -> None:
        """Put a job at the end."""
        del now  # arrival is all that counts
        self.jobs[job.id] = job

    def discard(self, job: Job) -> bool:
        """Take a job out; whether it was there."""
        return self.jobs.pop(job.id, None) is not None

    def values(self) -> ValuesView[Job]:
        """The jobs, the oldest first."""
        return self.jobs.values()

    def __iter__(self) -> Iterator[Job]:
        return iter(self.jobs.values())
