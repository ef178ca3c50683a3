"""First fit: whatever fits starts, in the order of the queue."""

from windtunnel.model import HostPool, Job
from windtunnel.schedulers.orders import Policy, QueueOrder, pick
from windtunnel.schedulers.queues import ANY
from windtunnel.schedulers.site import BatchScheduler
from windtunnel.vocabulary import Decision

__all__ = ["Filler", "room"]


def room(pool: HostPool, policy: str) -> int:
    """The size of the largest job that fits."""
    if policy == "contiguous":
        return max((last - first + 1 for first, last in pool.frozen().runs), default=0)
    return len(pool)


class Filler(BatchScheduler):
    """Every waiting job that fits starts, in the order of the queue, whoever it overtakes (a large job may starve).

    ``queue_order`` is the order of the queue, ``policy`` which hosts are given. Walltimes play no part.
    """

    name = "filler"

    def __init__(self, *, queue_order: QueueOrder = "fcfs", policy: Policy = "basic") -> None:
        self.policy = policy
        super().__init__(queue_order)

    def _arrived(self, now: float, job: Job, decisions: list[Decision]) -> None:
        hosts = pick(self._pool, job.request.hosts, self.policy)
        if hosts is None:
            self._queue.add(job, now)
        else:
            self._start(now, job, hosts, decisions)

    def _changed(self, now: float, decisions: list[Decision]) -> None:
        queue = self._queue
        free = room(self._pool, self.policy)
        while (job := queue.find(free, free, ANY)) is not None:
            hosts = pick(self._pool, job.request.hosts, self.policy)
            assert hosts is not None
            queue.remove(job)
            self._start(now, job, hosts, decisions)
            free = room(self._pool, self.policy)
