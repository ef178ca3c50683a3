"""First fit: whatever fits starts, in the order of the queue."""

from collections.abc import Iterable
from typing import ClassVar

from mypy_extensions import mypyc_attr

from windtunnel.model import HostPool
from windtunnel.schedulers.batch import BatchScheduler
from windtunnel.schedulers.orders import Policy, QueueOrder, pick
from windtunnel.schedulers.waiting import ANY
from windtunnel.vocabulary import Decision, View

__all__ = ["Filler", "room"]


def room(pool: HostPool, policy: str) -> int:
    """The size of the largest job that fits."""
    if policy == "contiguous":
        return max((last - first + 1 for first, last in pool.frozen().runs), default=0)
    return len(pool)


@mypyc_attr(allow_interpreted_subclasses=True)
class Filler(BatchScheduler):
    """Every waiting job that fits starts, in the order of the queue, whoever it overtakes (a large job may starve).

    ``queue_order`` is the order of the queue, ``policy`` which hosts are given. Walltimes play no part.
    """

    name: ClassVar[str] = "filler"

    def __init__(self, *, queue_order: QueueOrder = "fcfs", policy: Policy = "basic") -> None:
        self.policy = policy
        super().__init__(queue_order)

    def schedule(self, view: View) -> Iterable[Decision]:
        """Start the first job that fits, as long as there is one."""
        site = view.mirror
        free = room(site.free, self.policy)
        while (job := self.queue.find(free, free, ANY)) is not None:
            hosts = pick(site.free, job.hosts, self.policy)
            assert hosts is not None
            self.queue.remove(job)
            yield site.execute(job, hosts)
            free = room(site.free, self.policy)
