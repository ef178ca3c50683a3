"""First come, first served, and first fit, on parts of hosts."""

from collections.abc import Iterable

from windtunnel.model import HostPool, HostSet
from windtunnel.model.demands import Need
from windtunnel.schedulers.fcfs import Fcfs
from windtunnel.schedulers.orders import Policy, QueueOrder
from windtunnel.schedulers.packing.base import Packing
from windtunnel.vocabulary import Decision, View

__all__ = ["PackingFcfs", "PackingFiller"]


class _InOrder(Packing):
    """``policy``: which hosts a job gets that takes whole ones."""

    def __init__(self, *, queue_order: QueueOrder = "fcfs", policy: Policy = "basic") -> None:
        self.policy = policy
        super().__init__(queue_order)

    def choose(self, need: Need) -> HostSet | None:
        """The hosts for a job that needs this, if they are there now."""
        if need.whole and self.policy == "contiguous":
            return HostPool(self.room.able(need)).pick_contiguous(need.hosts)
        return self.room.choose(need)


class PackingFcfs(_InOrder):
    """The queue is started from the front, as long as its first job fits."""

    name = "fcfs"
    rules = Fcfs.rules

    def schedule(self, view: View) -> Iterable[Decision]:
        """Start the first job as long as it fits."""
        del view
        while self.waiting.count:
            job = self.waiting.first()
            need = self.demands.of(job.request)
            hosts = self.choose(need)
            if hosts is None:
                return
            yield self.start(job, need, hosts)


class PackingFiller(_InOrder):
    """Every waiting job that fits starts, in the order of the queue."""

    name = "filler"

    def schedule(self, view: View) -> Iterable[Decision]:
        """Start whatever fits; what nobody can start any more is not tried again."""
        del view
        able = self.able()
        for job in list(self.waiting) if able else ():
            need = self.demands.of(job.request)
            if need not in able:
                continue
            hosts = self.choose(need)
            if hosts is not None:
                yield self.start(job, need, hosts)
                continue
            able.discard(need)
            if not able:
                return
