"""The queue of a scheduler that packs: waiting jobs in some order, and how many of them need what."""

from collections import Counter
from collections.abc import Iterator

from windtunnel.model import Job
from windtunnel.model.demands import Demands, Need
from windtunnel.schedulers.queues import waiting_queue

__all__ = ["PackingQueue"]


class PackingQueue:
    """Waiting jobs; most need what others need too, so that needs are looked at once, not job by job."""

    def __init__(self, order: str) -> None:
        self._jobs = waiting_queue(order)
        self.demands = Demands(())
        self.needs: Counter[Need] = Counter()
        """How many waiting jobs need what."""

    @property
    def count(self) -> int:
        """How many jobs wait."""
        return self._jobs.count

    def first(self) -> Job:
        """The job at the front; there must be one."""
        return self._jobs.first()

    def add(self, job: Job, now: float) -> None:
        """Let a job wait."""
        self._jobs.add(job, now)
        self.needs[self.demands.of(job.request)] += 1

    def discard(self, job: Job) -> bool:
        """Take a job out, wherever it is; whether it was there."""
        if not self._jobs.discard(job):
            return False
        need = self.demands.of(job.request)
        self.needs[need] -= 1
        if not self.needs[need]:
            del self.needs[need]
        return True

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs)
