"""First come, first served."""

from windtunnel.model import Job
from windtunnel.schedulers.orders import Policy, QueueOrder, pick
from windtunnel.schedulers.site import BatchScheduler
from windtunnel.vocabulary import Decision

__all__ = ["Fcfs"]


class Fcfs(BatchScheduler):
    """The queue is started from the front, as long as its first job fits; nothing overtakes.

    ``queue_order`` says what the front is, ``policy`` which hosts are given. Walltimes play no part.
    """

    name = "fcfs"

    def __init__(self, *, queue_order: QueueOrder = "fcfs", policy: Policy = "basic") -> None:
        self.policy = policy
        super().__init__(queue_order)

    def _arrived(self, now: float, job: Job, decisions: list[Decision]) -> None:
        self._queue.add(job, now)
        if self._queue.count == 1:
            self._changed(now, decisions)

    def _changed(self, now: float, decisions: list[Decision]) -> None:
        queue = self._queue
        while queue.count:
            hosts = pick(self._pool, queue.first().request.hosts, self.policy)
            if hosts is None:
                return
            self._start(now, queue.pop(), hosts, decisions)
