"""EASY backfilling on a machine whose idle hosts sleep."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

import msgspec

from windtunnel.model import HostSet
from windtunnel.schedulers.easy import Easy
from windtunnel.schedulers.idle_hosts import IdleHosts, Seconds
from windtunnel.schedulers.orders import QueueOrder
from windtunnel.vocabulary import Notice, Reply

__all__ = ["EnergyIdleSleeper"]


class EnergyIdleSleeper(Easy):
    """EASY; a host that was idle for ``idle_time`` seconds is switched off, and on again when waiting jobs need it.

    No host is switched off while a job waits, and ``keep_awake`` hosts without work stay awake. Hosts are switched on
    as soon as the waiting jobs together ask for more hosts than are free or on their way; the reservation counts with
    those that are on their way. How hosts sleep, and how long switching takes, is what the platform says of each;
    behind a protocol that does not tell how long (Batsim 4), it is what it took the last time, and before that
    ``switch_on_time`` and ``switch_off_time`` (s).

    Raises (while running):
        UsageError: no host of the platform can sleep.
    """

    name = "energy-idle-sleeper"
    switches_hosts: ClassVar[bool] = True

    def __init__(
        self,
        *,
        idle_time: Seconds = 300.0,
        keep_awake: Annotated[int, msgspec.Meta(ge=0)] = 0,
        switch_on_time: Seconds = 0.0,
        switch_off_time: Seconds = 0.0,
        queue_order: QueueOrder = "fcfs",
    ) -> None:
        self.idle_time = idle_time
        self.switch_on_time = switch_on_time
        self.switch_off_time = switch_off_time
        self.keep_awake = keep_awake
        super().__init__(queue_order=queue_order, policy="basic")  # the highest numbers are those that sleep

    def _reset(self) -> None:
        super()._reset()
        self._idle = IdleHosts(
            self.site,
            self.name,
            idle_time=self.idle_time,
            keep_awake=self.keep_awake,
            switch_on_time=self.switch_on_time,
            switch_off_time=self.switch_off_time,
        )

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """As EASY does; then see which hosts are to be switched."""
        reply = super().decide(now, notices)
        switched = self._idle.switch(now, notices, self._wanted if self.queue.count else None)
        if switched:
            self._extra = -1
        return Reply(reply.now, [*reply.decisions, *switched])

    def _wanted(self, asleep: HostSet) -> HostSet:
        """The hosts to be switched on: as many as the waiting jobs ask for beyond those that are free, or will be."""
        site = self.site
        missing = -site.free.size - len(site.waking)
        for job in self.queue:
            missing += job.request.hosts
            if missing >= len(asleep):
                break
        return asleep.lowest(missing) if missing > 0 else HostSet()
