"""batsched's sleeper (spec: schedulers.md section 5)."""

from windtunnel.model import HostPool, HostSet
from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.schedulers.orders import QueueOrder
from windtunnel.vocabulary import (
    HostsPStateChanged,
    HostsTurnedOnOff,
    Notice,
    ResourceStateChanged,
    SetResourceState,
    SimulationBegins,
)

__all__ = ["Sleeper"]


class Sleeper(Batsched):
    """One job at a time; hosts without work are put to sleep at once and woken when the head needs them.

    ``pstate_compute`` and ``pstate_sleep`` are the power states to switch to.
    """

    name = "sleeper"

    def __init__(
        self, *, pstate_compute: int, pstate_sleep: int, queue_order: QueueOrder = "fcfs", rjms_delay: float = 5.0
    ) -> None:
        self.pstate_compute = pstate_compute
        self.pstate_sleep = pstate_sleep
        super().__init__(queue_order=queue_order, rjms_delay=rjms_delay)

    def _reset(self) -> None:
        super()._reset()
        self._asleep = HostPool()
        self._switching_on = 0
        self._switched: list[tuple[HostSet, int]] = []
        self._running = False

    def _on_begin(self, notice: SimulationBegins) -> None:
        for k, host in enumerate(notice.platform.hosts):
            if host.pstates and host.pstate == self.pstate_sleep != self.pstate_compute:
                self._free -= HostSet([k])
                self._asleep |= HostSet([k])

    def _on_other(self, notice: Notice) -> None:
        if isinstance(notice, ResourceStateChanged | HostsTurnedOnOff):
            self._switched.append((notice.hosts, notice.state))
        elif isinstance(notice, HostsPStateChanged):
            self._switched.append((notice.hosts, notice.pstate))

    def _decide(self, now: float) -> None:
        del now  # dates play no part
        self._give_back()
        if self._ended:
            self._running = False
        self._admit()
        for hosts, state in self._switched:
            if state == self.pstate_compute:
                self._free |= hosts
                self._switching_on -= len(hosts)
            else:
                self._asleep |= hosts
        self._switched.clear()
        if self._queue and not self._running:
            self._start_head()
        elif not self._over:
            self._sleep()

    def _start_head(self) -> None:
        job = self._queue[0][2].job
        hosts = self._free.take(job.request.hosts)
        if hosts is not None:
            del self._queue[0]
            self._execute(job, hosts)
            self._running = True
            self._sleep()
            return
        missing = job.request.hosts - len(self._free) - self._switching_on
        woken = self._asleep.take(min(len(self._asleep), missing)) if missing > 0 else None
        if woken:
            self._switching_on += len(woken)
            self._write(SetResourceState(hosts=woken, state=self.pstate_compute))

    def _sleep(self) -> None:
        if self._free:
            self._write(SetResourceState(hosts=self._free.frozen(), state=self.pstate_sleep))
            self._free = HostPool()
