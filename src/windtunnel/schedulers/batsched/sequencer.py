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

    def _reset(self) -> None:
        super()._reset()
        self._busy = False

    def _decide(self, now: float) -> None:
        del now  # dates play no part
        if self._ended:
            self._busy = False
        self._admit()
        if not self._busy and self._queue:
            item = self._queue.pop(0)[2]
            self._execute(item.job, HostSet.span(item.size))
            self._busy = True
