"""EASY backfilling that chooses the size of moldable jobs by their estimated response."""

from collections.abc import Iterator
from typing import ClassVar

from windtunnel.model import HostPool, Job
from windtunnel.model.application import sizes_of
from windtunnel.schedulers.elastic.base import ElasticPolicy, estimate
from windtunnel.vocabulary import Decision, Execute, View

__all__ = ["MoldableEasy"]

_TRIED = 16
"""Sizes at most that are tried for a job."""


class MoldableEasy(ElasticPolicy):
    """Each job gets the size with which it is estimated to end first, waiting included.

    The first of the queue gets a reservation at its best size; others start beside it if they end before, or on hosts
    that it leaves. Estimates are walltimes, changed by the speed-up that a job names (linear if it names none).
    (W. Cirne, F. Berman: Using moldability to improve the performance of supercomputer jobs. JPDC 62(10), 2002; on
    EASY: D. A. Lifka, JSSPP 1995.)
    """

    name: ClassVar[str] = "elastic/moldable-easy"

    def start_jobs(self, view: View, free: HostPool) -> Iterator[Decision]:
        """From the front, then backfill."""
        ends = [(one.end, len(one.hosts)) for one in view.by_expected_end()]
        queue = iter(view.queue)
        for job in queue:
            start, size = self._best(view.now, job, len(free), ends)
            if not size or size > len(free):  # where an end is overdue, its hosts are expected now and not free yet
                break
            yield self._started(view.now, job, size, free, ends)
        else:
            return
        spare = self._spare(start, size, len(free), ends)
        for other in queue:
            chosen = self._beside(view.now, other, len(free), start, spare)
            if chosen:
                if view.now + estimate(other, chosen) > start:
                    spare -= chosen
                yield self._started(view.now, other, chosen, free, ends)

    def _started(self, now: float, job: Job, size: int, free: HostPool, ends: list[tuple[float, int]]) -> Decision:
        hosts = free.take(size)
        assert hosts is not None, "so many are free"
        ends.append((now + estimate(job, size), size))
        ends.sort()
        return Execute(job, hosts)

    def _sizes(self, job: Job) -> list[int]:
        least, most = sizes_of(job)
        step = max(1, -(-(most - least) // (_TRIED - 1)))
        return [*range(least, most, step), most]

    def _best(self, now: float, job: Job, free: int, ends: list[tuple[float, int]]) -> tuple[float, int]:
        """When and how large it starts to end first; the smaller of two equal ones."""
        found: list[tuple[float, int, float]] = []
        for size in self._sizes(job):
            start = self._earliest(now, size, free, ends)
            if start is not None:
                found.append((start + estimate(job, size), size, start))
        if not found:
            return now, 0
        _, size, start = min(found)
        return start, size

    def _earliest(self, now: float, size: int, free: int, ends: list[tuple[float, int]]) -> float | None:
        if size <= free:
            return now
        for end, count in ends:
            free += count
            if size <= free:
                return max(now, end)
        return None

    def _spare(self, start: float, size: int, free: int, ends: list[tuple[float, int]]) -> int:
        """Hosts that the reservation leaves."""
        return free + sum(count for end, count in ends if end <= start) - size

    def _beside(self, now: float, job: Job, free: int, start: float, spare: int) -> int:
        """The size with which another job starts now and ends first without delaying the reservation; 0: none."""
        fits = [
            (estimate(job, size), size)
            for size in self._sizes(job)
            if size <= free and (now + estimate(job, size) <= start or size <= spare)
        ]
        return min(fits)[1] if fits else 0
