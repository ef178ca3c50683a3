"""EASY backfilling on parts of hosts."""

from collections.abc import Iterable
from math import inf

from windtunnel.model import HostPool, HostSet
from windtunnel.model.demands import Need
from windtunnel.schedulers.availability import longest_until
from windtunnel.schedulers.easy import Easy
from windtunnel.schedulers.orders import QueueOrder, Together
from windtunnel.schedulers.packing.base import Packing
from windtunnel.schedulers.packing.later import LaterRoom
from windtunnel.schedulers.packing.room import Spare, union, without
from windtunnel.schedulers.waiting import ANY
from windtunnel.vocabulary import Decision, View

__all__ = ["PackingEasy"]


class PackingEasy(Packing):
    """EASY, where the reservation of the first job is one of parts of particular hosts.

    It holds from the earliest predicted date at which they are there; later jobs overtake if they end by then, or
    leave on these hosts what is reserved. Hosts that are busy until then are reserved rather than free ones.
    """

    name = "easy"
    rules = Easy.rules

    def __init__(
        self,
        *,
        queue_order: QueueOrder = "fcfs",
        policy: Together = "best_effort_contiguous",
    ) -> None:
        self.policy = policy
        super().__init__(queue_order)

    def schedule(self, view: View) -> Iterable[Decision]:
        """From the front; then whoever may overtake."""
        while self.waiting.count:
            job = self.waiting.first()
            need = self.demands.of(job.request)
            hosts = self.choose(need)
            if hosts is None:
                able = self.able()
                if able:
                    yield from self._backfill(view.now, need, able)
                return
            yield self.start(job, need, hosts)

    def choose(self, need: Need, *preferred: HostSet, spare: Spare | None = None) -> HostSet | None:
        """The hosts for a job that needs this, if they are there now; whole ones with consecutive numbers."""
        if need.whole and self.policy != "basic" and not preferred and not spare:
            able = HostPool(self.room.able(need))
            return able.take_together(need.hosts) if len(able) >= need.hosts else None
        return self.room.choose(need, *preferred, spare=spare)

    def _reserve(self, now: float, need: Need) -> tuple[float, HostSet, Spare]:
        """When the first job can start, on which hosts, and what it leaves of them for those who are there then."""
        room = LaterRoom(self.room, self.site, need)
        fitting, idle = self.demands.fitting(need), self.site.free.frozen()
        freed: list[HostSet] = []
        date, enough = inf, False
        for end, _, _, held in self.site.ends:
            if enough and end != date:
                break
            freed.append(room.give_back(held))
            if not enough and not fitting.isdisjoint(held.hosts):
                enough = room.holds(need)
                date = end if enough else date
        if not enough:  # not before hosts that are absent come back, or somebody without walltime ends
            return ANY, fitting, {}
        hosts = room.choose(need, union(freed) - idle, fitting - idle)
        assert hosts is not None, "so many are able"
        return max(date, now), hosts, {} if need.whole else {host: without(room.of(host), need) for host in hosts}

    def _backfill(self, now: float, first: Need, able: set[Need]) -> Iterable[Decision]:
        """Start whoever does not delay the first job; ``able``: what could be started at all."""
        shadow, reserved, left = self._reserve(now, first)
        spare: Spare = left or {host: {} for host in reserved}
        longest = longest_until(now, shadow)
        able_for_long = able.copy()
        for job in list(self.waiting):
            need = self.demands.of(job.request)
            if need not in able:
                continue
            lasts = job.walltime > longest
            if lasts and need not in able_for_long:
                continue
            hosts = self.choose(need, spare=spare) if lasts else self.room.choose(need, reserved)
            if hosts is not None:
                if lasts:
                    for host in hosts & reserved:
                        spare[host] = without(spare[host], need)
                yield self.start(job, need, hosts)
                continue
            able_for_long.discard(need)
            if not lasts:
                able.discard(need)
                if not able:
                    return
