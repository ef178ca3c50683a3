"""batsched's sequencer (spec: schedulers.md section 5)."""

from windtunnel.model import HostSet
from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.schedulers.orders import QueueOrder

__all__ = ["Sequencer"]


class Sequencer(Batsched):
    """One job at a time, in queue order, on the lowest hosts of the machine."""

    name = "batsched/sequencer"

    def __init__(self, *, queue_order: QueueOrder = "fcfs", rjms_delay: float = 5.0) -> None:
        super().__init__(queue_order=queue_order, rjms_delay=rjms_delay)

    def _decide(self, now: float) -> None:
        del now  # dates play no part
        self._admit()
        if self._queue and not self.site.running:
            item = self._queue.pop(0)[2]
            self._execute(item.job, HostSet.span(item.size))
