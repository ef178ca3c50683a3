"""What accounts and QOS have used, and how it decays (§7.3)."""

from collections.abc import Iterable, Mapping
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import PrioritySettings
from windtunnel.schedulers.slurm.shares.fair_share import ClassicShares, FairTree
from windtunnel.schedulers.slurm.shares.resets import Resets
from windtunnel.schedulers.slurm.shares.tree import AccountTree, Member

__all__ = ["Spending", "UsageLedger", "billing"]

_LEAST: Final = 2.2e-308
"""Decay stops at the smallest normal number."""

_SEPARATE: Final = ("cpu", "mem", "node")
"""With MAX_TRES the greatest of these and of generic resources counts, all others are added."""


def billing(tres: Mapping[str, float], weights: Mapping[str, float], largest: bool = False) -> float:
    """What a job costs per second: its CPUs, or its TRES by their weights, summed or (MAX_TRES) the largest."""
    if not weights:
        return tres.get("cpu", 0.0)
    parts = {name: weight * tres.get(name, 0.0) for name, weight in weights.items()}
    if not largest:
        return sum(parts.values())
    on_nodes = [value for name, value in parts.items() if name in _SEPARATE or name.startswith("gres/")]
    others = sum(value for name, value in parts.items() if name not in _SEPARATE and not name.startswith("gres/"))
    return max(on_nodes, default=0.0) + others


@mypyc_attr(allow_interpreted_subclasses=True)
class Spending:
    """A running job as the ledger sees it."""

    __slots__ = ("end", "factor", "member", "qos", "rate", "start", "tres")

    def __init__(
        self,
        member: Member | None,
        qos: tuple[str, ...],
        start: int,
        rate: float,
        factor: float,
        tres: Mapping[str, float],
    ) -> None:
        self.member = member
        self.qos = qos
        """Its own, and its partition's."""
        self.start = start
        self.rate = rate
        """Billing per second."""
        self.factor = factor
        """UsageFactor of its own QOS."""
        self.tres = tres


@mypyc_attr(allow_interpreted_subclasses=True)
class UsageLedger:
    """Usage of all associations and QOS, brought up to date at ticks and when jobs end."""

    def __init__(self, tree: AccountTree, settings: PrioritySettings, now: int) -> None:
        self.tree = tree
        half_life = settings.decay_half_life
        self.decay = 1 - 0.693 / half_life if half_life else 1.0
        """Per second; not exactly half after a half-life (§7.3)."""
        self.last = now
        self._charged: list[Member] | None = None
        """The associations with any usage, as far as they have been looked up."""
        self.qos_usage: dict[str, float] = {}
        self.qos_tres: dict[str, dict[str, float]] = {}
        self.qos_wall: dict[str, float] = {}
        self.no_decay: frozenset[str] = frozenset()
        """The QOS with NoDecay."""
        self._weighed = (0, 0.0)
        """A span of running, and what a second's worth of it comes to: most running jobs have the same."""
        self.detailed = True
        """Whether usage of each TRES and of time is kept, for limits of them (GrpTRESMins, GrpWall)."""
        flags = settings.flags
        oblivious = "DEPTH_OBLIVIOUS" in flags
        self.shares: ClassicShares | FairTree
        if oblivious or "NO_FAIR_TREE" in flags:
            self.shares = ClassicShares(tree, settings.dampening, oblivious)
        else:
            self.shares = FairTree(tree)
        self.resets = Resets(settings.usage_reset_period, settings.time_zone, now)
        if settings.usage_reset_period == "NOW":
            self.reset()
        self.shares.tick()

    def reset(self) -> None:
        """All usage is zero (PriorityUsageResetPeriod)."""
        self._charged = None
        for member in self.tree:
            member.usage = member.wall_usage = 0.0
            member.tres_usage.clear()
        self.qos_usage.clear()
        self.qos_tres.clear()
        self.qos_wall.clear()

    def restart(self, seconds: float) -> None:
        """What decayed while the daemon was down, applied once."""
        self._decay(seconds)
        self._after()

    def tick(self, now: int, running: Iterable[Spending]) -> None:
        """The decay thread's round: accounts by the usage before, decay, then what ran since (§7.3)."""
        self.open_round(now)
        for job in running:
            self._add(job, now)
        self.close_round(now)

    def open_round(self, now: int) -> None:
        """What comes first in a round."""
        if self.resets.over(now):
            self.reset()
        if isinstance(self.shares, ClassicShares):
            self.shares.tick()
        self._decay(now - self.last)

    def charge(self, job: Spending, now: int) -> None:
        """What ran since is charged within a round, so that priorities that follow in it see that."""
        self._add(job, now)
        if job.member is not None:
            self.tree.sum_above(job.member)

    def close_round(self, now: int) -> None:
        """All that ran has been charged."""
        self.last = now
        self._after()

    @property
    def one_pass(self) -> bool:
        """Whether jobs are charged and ranked in one pass over them; fair tree ranks when all have been charged."""
        return isinstance(self.shares, ClassicShares)

    def end(self, job: Spending, now: int) -> None:
        """A job has ended: what it used since the last tick, at once; fair tree ranks users at ticks only."""
        shares, member = self.shares, job.member
        if isinstance(shares, FairTree):
            if member is not None:
                shares.keep(member)
            self._add(job, now)
            return
        self._add(job, now)
        if member is not None:
            self.tree.sum_above(member)

    def fair_share(self, member: Member | None) -> float:
        """The fair-share factor of an association; 0 without one."""
        return self.shares.fair_share(member) if member is not None else 0.0

    def _after(self) -> None:
        if isinstance(self.shares, FairTree):
            self.shares.tick()  # it sums up what accounts have used when it has to
        else:
            self.tree.sum_usage()

    def _decay(self, seconds: float) -> None:
        if self.decay == 1.0:
            return
        by = max(self.decay**seconds, _LEAST)
        if self._charged is None:
            if self.detailed:
                self.tree.sum_usage()  # accounts are among them
            self._charged = [one for one in self.tree if one.usage or one.wall_usage]
        for member in self._charged:
            member.usage *= by
            member.wall_usage *= by
            for name in member.tres_usage:
                member.tres_usage[name] *= by
        for qos in self.qos_usage:
            if qos in self.no_decay:
                continue
            self.qos_usage[qos] *= by
            self.qos_wall[qos] *= by
            for name in self.qos_tres[qos]:
                self.qos_tres[qos][name] *= by

    def _add(self, job: Spending, now: int) -> None:
        """The whole span is weighted with the decay of its full length."""
        ran = now - max(job.start, self.last)
        if ran <= 0:
            return
        span, weighted = self._weighed
        if span != ran:
            weighted = ran * self.decay**ran
            self._weighed = (ran, weighted)
        own = job.member
        if own is None:
            return  # nobody is charged for it
        if not own.usage or (self.detailed and not own.wall_usage):
            self._charged = None
        own.usage += weighted * job.rate * job.factor
        for member in own.path() if self.detailed else ():
            member.wall_usage += weighted * job.factor
            _count(member.tres_usage, job.tres, weighted * job.factor)
        for qos in job.qos if self.detailed else ():
            seconds = (ran if qos in self.no_decay else weighted) * job.factor
            self.qos_usage[qos] = self.qos_usage.get(qos, 0.0) + seconds * job.rate
            self.qos_wall[qos] = self.qos_wall.get(qos, 0.0) + seconds
            _count(self.qos_tres.setdefault(qos, {}), job.tres, seconds)


def _count(used: dict[str, float], tres: Mapping[str, float], seconds: float) -> None:
    """So many seconds of these TRES are used."""
    for name, count in tres.items():
        used[name] = used.get(name, 0.0) + seconds * count
