"""First come, first served."""

from bisect import insort
from collections import deque

from windtunnel.model import Job
from windtunnel.schedulers.orders import ORDERS, Policy, QueueOrder, pick
from windtunnel.schedulers.site import BatchScheduler
from windtunnel.vocabulary import Decision

__all__ = ["Fcfs"]


class Fcfs(BatchScheduler):
    """The queue is started from the front, as long as its first job fits; nothing overtakes.

    ``queue_order`` says what the front is, ``policy`` which hosts are given. Walltimes play no part.
    """

    name = "fcfs"

    def __init__(self, *, queue_order: QueueOrder = "fcfs", policy: Policy = "basic") -> None:
        self.queue_order = queue_order
        self.policy = policy
        super().__init__()

    def _reset(self) -> None:
        super()._reset()
        self._queue: deque[tuple[float, int, Job]] = deque()
        self._arrivals = 0

    def _arrived(self, now: float, job: Job, decisions: list[Decision]) -> None:
        queue = self._queue
        self._arrivals += 1
        if self.queue_order == "fcfs":
            queue.append((0.0, self._arrivals, job))
        else:
            insort(queue, (ORDERS[self.queue_order](job, now, job.walltime), self._arrivals, job))
        if queue[0][2] is job:
            self._changed(now, decisions)

    def _changed(self, now: float, decisions: list[Decision]) -> None:
        queue = self._queue
        while queue:
            job = queue[0][2]
            hosts = pick(self._pool, job.request.hosts, self.policy)
            if hosts is None:
                return
            queue.popleft()
            self._start(now, job, hosts, decisions)
