"""batsched's sleeper (spec: schedulers.md section 5)."""

from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.schedulers.orders import QueueOrder
from windtunnel.vocabulary import Mirror, SetResourceState

__all__ = ["Sleeper"]


class Sleeper(Batsched):
    """One job at a time; hosts without work are put to sleep at once and woken when the head needs them.

    ``pstate_compute`` and ``pstate_sleep`` are the power states to switch to.
    """

    name = "batsched/sleeper"

    def __init__(
        self, *, pstate_compute: int, pstate_sleep: int, queue_order: QueueOrder = "fcfs", rjms_delay: float = 5.0
    ) -> None:
        self.pstate_compute = pstate_compute
        self.pstate_sleep = pstate_sleep
        super().__init__(queue_order=queue_order, rjms_delay=rjms_delay)

    def _mirror(self) -> Mirror:
        sleeps = self.pstate_sleep != self.pstate_compute
        return Mirror(availability=False, sleep_state=self.pstate_sleep if sleeps else -1)

    def _decide(self, now: float) -> None:
        del now  # dates play no part
        self._admit()
        if self._queue and not self.site.running:
            self._start_head()
        elif not self._over:
            self._sleep()

    def _start_head(self) -> None:
        job = self._queue[0][2].job
        site = self.site
        hosts = site.free.pick(job.request.hosts)
        if hosts is not None:
            del self._queue[0]
            self._execute(job, hosts)
            self._sleep()
            return
        woken = site.asleep.lowest(job.request.hosts - len(site.free) - len(site.waking))
        if woken:
            site.switch(woken, self.pstate_compute)
            self._write(SetResourceState(hosts=woken, state=self.pstate_compute))

    def _sleep(self) -> None:
        idle = self.site.free.frozen()
        if idle:
            self._write(SetResourceState(hosts=idle, state=self.pstate_sleep))
            self.site.switch(idle, self.pstate_sleep)
