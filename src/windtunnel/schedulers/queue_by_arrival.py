"""The queue in order of arrival: few jobs are gone through one by one, of many an index is kept.

On a site that is not overloaded some dozen jobs wait at most, and an index of them costs more than it saves.
"""

from collections.abc import Callable, Iterator
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model import Job
from windtunnel.schedulers.indexed_queue import IndexedQueue
from windtunnel.schedulers.waiting import ANY, NO_SIZE, WaitingQueue, first_lasting

__all__ = ["QueueByArrival"]

_FEW: Final = 80
"""If more jobs wait, an index is made of them."""
_FEWER: Final = 24
"""If so few of them are left, it is given up."""


@mypyc_attr(allow_interpreted_subclasses=True)
class QueueByArrival(WaitingQueue):
    """In order of arrival."""

    def __init__(self) -> None:
        super().__init__()
        self._index: IndexedQueue | None = None
        """All jobs, if they are many: then nothing is in what follows."""
        self._jobs: list[Job] = []
        self._sizes: list[int] = []
        """The hosts that each requests."""
        self._walltimes: list[float] = []
        """Of each, at most :data:`ANY`."""
        self._found = 0
        """Where the job is that was found last, which is most often the one that leaves."""

    def first(self) -> Job:
        """The job at the front."""
        return self._jobs[0] if self._index is None else self._index.first()

    def add(self, job: Job, now: float) -> None:
        """Put a job at the end."""
        index = self._index
        if index is not None:
            index.add(job, now)
            self.count, self.smallest = index.count, index.smallest
            return
        size = job.request.hosts
        walltime = job.walltime
        self._jobs.append(job)
        self._sizes.append(size)
        # An endless job is longer than every other one, and still there.
        self._walltimes.append(walltime if walltime < ANY else ANY)  # noqa: FURB136 -- a call costs more
        if not self.count:
            self.foremost = size
        if size < self.smallest:  # noqa: PLR1730 -- a call costs more
            self.smallest = size
        self.count += 1
        if self.count > _FEW:
            self._begin_index(now)

    def pop(self) -> Job:
        """Take the job at the front."""
        job = self._jobs[0] if self._index is None else self._index.first()  # a call less
        self._found = 0
        self.remove(job)
        return job

    def find(self, free: int, extra: int, longest: float) -> Job | None:
        """The first job of at most ``free`` hosts that also has at most ``extra`` hosts or ``longest`` seconds."""
        index = self._index
        if index is not None:
            return index.find(free, extra, longest)
        for place, size in enumerate(self._sizes):
            if size <= free and (size <= extra or self._walltimes[place] <= longest):
                self._found = place
                return self._jobs[place]
        return None

    def find_more(self, free: int, extra: int, longest: float) -> Job | None:
        """As :meth:`find`, which has found a job just before and was asked for no less: no job before it will do."""
        index = self._index
        if index is not None:
            return index.find(free, extra, longest)
        place = self._found
        for size in self._sizes[place:]:
            if size <= free and (size <= extra or self._walltimes[place] <= longest):
                self._found = place
                return self._jobs[place]
            place += 1
        return None

    def find_lasting(self, free: int, lasting: Callable[[int], float]) -> Job | None:
        """The first job of at most ``free`` hosts whose walltime is at most ``lasting(hosts)`` seconds."""
        if self._index is not None:
            return self._index.find_lasting(free, lasting)
        return first_lasting(self._jobs, free, lasting)

    def discard(self, job: Job) -> bool:
        """Take a job out; whether it was there."""
        found = self._place_of(job.id) >= 0 if self._index is None else self._index.holds(job)
        if found:
            self.remove(job)
        return found

    def remove(self, job: Job) -> None:
        """Take a job out of the queue."""
        index = self._index
        if index is not None:
            index.remove(job)
            self.count, self.smallest, self.foremost = index.count, index.smallest, index.foremost
            if self.count <= _FEWER:
                self._end_index(index)
            return
        place, jobs, sizes = self._found, self._jobs, self._sizes
        if place >= len(jobs) or jobs[place] is not job:
            place = self.place(job)
        size = sizes[place]
        del jobs[place], sizes[place], self._walltimes[place]
        self.count -= 1
        if not place:
            self.foremost = sizes[0] if sizes else NO_SIZE
        if size == self.smallest:
            self.smallest = min(sizes, default=NO_SIZE)

    def place(self, job: Job) -> int:
        """Sorts jobs by their place in the queue."""
        if self._index is not None:
            return self._index.place(job)
        place = self._place_of(job.id)
        if place < 0:
            raise KeyError(job.id)
        return place

    def _place_of(self, job_id: str) -> int:
        """Where a job is among few; -1 if it is not there."""
        for place, job in enumerate(self._jobs):
            if job.id == job_id:
                return place
        return -1

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs if self._index is None else self._index)

    def _begin_index(self, now: float) -> None:
        """There are many now."""
        self._index = index = IndexedQueue()
        for job in self._jobs:
            index.add(job, now)
        self._jobs, self._sizes, self._walltimes = [], [], []

    def _end_index(self, index: IndexedQueue) -> None:
        """There are few now."""
        self._index = None
        self._found = 0
        self._jobs = list(index)
        self._sizes = [job.request.hosts for job in self._jobs]
        self._walltimes = [min(job.walltime, ANY) for job in self._jobs]
