"""First come, first served."""

from collections.abc import Iterable
from typing import ClassVar

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.batch import BatchScheduler
from windtunnel.schedulers.batch_rules import Rules
from windtunnel.schedulers.orders import Policy, QueueOrder, pick
from windtunnel.vocabulary import Decision, View

__all__ = ["Fcfs"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Fcfs(BatchScheduler):
    """The queue is started from the front, as long as its first job fits; nothing overtakes.

    ``queue_order`` says what the front is, ``policy`` which hosts are given. Walltimes play no part.
    """

    name: ClassVar[str] = "fcfs"
    rules: ClassVar[Rules] = Rules(reservations=0, overtaking=False)

    def __init__(self, *, queue_order: QueueOrder = "fcfs", policy: Policy = "basic") -> None:
        self.policy = policy
        super().__init__(queue_order)

    def schedule(self, view: View) -> Iterable[Decision]:
        """Start the first job as long as it fits."""
        site = view.mirror
        while self.queue.count:
            hosts = pick(site.free, self.queue.first().hosts, self.policy)
            if hosts is None:
                return
            yield site.execute(self.queue.pop(), hosts)
