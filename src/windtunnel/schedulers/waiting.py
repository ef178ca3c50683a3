"""What every queue of waiting jobs answers: above all which is the first job that may start.

The question, for backfilling: the first job in queue order that needs at most ``free`` hosts and, besides, either
at most ``extra`` hosts or no more than ``longest`` seconds of walltime.
"""

from collections.abc import Callable, Iterable, Iterator
from sys import float_info, maxsize
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.model import Job

__all__ = ["ANY", "NO_SIZE", "WaitingQueue", "first_lasting"]

ANY: Final = float_info.max
"""Longer than every walltime but that of an endless job; as ``longest`` of :meth:`WaitingQueue.find`."""
NO_SIZE: Final = maxsize >> 1
"""More hosts than any job needs; compiled code keeps such integers as they are."""


@mypyc_attr(allow_interpreted_subclasses=True)
class WaitingQueue:
    """Waiting jobs in some order: a class rather than a protocol, whose methods compiled code calls directly."""

    def __init__(self) -> None:
        self.count = 0
        """How many jobs wait."""
        self.smallest = NO_SIZE
        """The size of the smallest of them; :data:`NO_SIZE` while there is none."""
        self.foremost = NO_SIZE
        """The size of the first of them; as above."""

    def first(self) -> Job:
        """The job at the front; there must be one."""
        raise NotImplementedError

    def add(self, job: Job, now: float) -> None:
        """Let a job wait."""
        raise NotImplementedError

    def pop(self) -> Job:
        """Take the job at the front."""
        raise NotImplementedError

    def find(self, free: int, extra: int, longest: float) -> Job | None:
        """The first job of at most ``free`` hosts that also has at most ``extra`` hosts or ``longest`` seconds."""
        raise NotImplementedError

    def find_more(self, free: int, extra: int, longest: float) -> Job | None:
        """As :meth:`find`, when it has just found a job, which may have left, and what is asked for is no more."""
        return self.find(free, extra, longest)

    def find_lasting(self, free: int, lasting: Callable[[int], float]) -> Job | None:
        """The first job of at most ``free`` hosts whose walltime is at most ``lasting(hosts)`` seconds."""
        raise NotImplementedError

    def remove(self, job: Job) -> None:
        """Take a job out of the queue, wherever it is."""
        raise NotImplementedError

    def discard(self, job: Job) -> bool:
        """Take a job out, wherever it is; whether it was there."""
        raise NotImplementedError

    def place(self, job: Job) -> Any:
        """Sorts jobs by their place in the queue."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Job]:
        """The jobs from the front; the queue must not change meanwhile."""
        raise NotImplementedError


def first_lasting(jobs: Iterable[Job], free: int, lasting: Callable[[int], float]) -> Job | None:
    """The first of some jobs of at most ``free`` hosts whose walltime is at most ``lasting(hosts)`` seconds."""
    longest: dict[int, float] = {}
    for job in jobs:
        size = job.request.hosts
        if size <= free:
            if size not in longest:
                longest[size] = lasting(size)
            if job.walltime <= longest[size]:
                return job
    return None
