"""EASY on parts of hosts, on a machine whose idle hosts sleep."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from windtunnel.model import HostSet
from windtunnel.schedulers.idle_hosts import IdleHosts, Seconds
from windtunnel.schedulers.orders import QueueOrder
from windtunnel.schedulers.packing.easy import PackingEasy
from windtunnel.schedulers.packing.later import LaterRoom
from windtunnel.schedulers.packing.room import Room, lowest_of
from windtunnel.vocabulary import Notice, Reply

__all__ = ["PackingSleeper"]


class PackingSleeper(PackingEasy):
    """As ``energy-idle-sleeper``: hosts of which nobody has a part sleep, and wake when a waiting job needs them."""

    name = "energy-idle-sleeper"

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
        self.keep_awake = keep_awake
        self.switch_on_time = switch_on_time
        self.switch_off_time = switch_off_time
        super().__init__(queue_order=queue_order, policy="basic")

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
        switched = self._idle.switch(now, notices, self._wanted if self.waiting.count else None)
        return Reply(reply.now, [*reply.decisions, *switched])

    def _wanted(self, asleep: HostSet) -> HostSet:
        """The hosts to be switched on: those that waiting jobs need beside what is free, or will be."""
        room = LaterRoom(Room.now(self.site, self.demands), self.site)
        room.free.add(self.site.waking)
        room.absent = room.absent - self.site.waking
        wanted = HostSet()
        for job in self.waiting:
            need = self.demands.of(job.request)
            able = room.able(need)
            missing = need.hosts - len(able)
            more = (asleep & self.demands.fitting(need)).lowest(missing) if missing > 0 else HostSet()
            if len(able) + len(more) >= need.hosts:
                room.free.add(more)
                room.note(more)
                room.take(need, lowest_of(able | more, need.hosts))
            asleep -= more
            wanted |= more
            if not asleep:
                break
        return wanted
