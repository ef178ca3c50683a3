"""Multifactor priority: the factors of a job and their sum (§7.1, §7.2)."""

from collections.abc import Iterable, Mapping
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Partition, PrioritySettings, Qos, SlurmSite
from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.tracked import tres_of
from windtunnel.schedulers.slurm.shares.tree import AccountTree, Member
from windtunnel.schedulers.slurm.shares.usage import billing

__all__ = ["HIGHEST", "Factors", "Lasting", "Ranking"]

HIGHEST: Final = 2**32 - 1
_YEAR: Final = 365 * 24 * 60

Lasting = tuple[float, float, float, float, float]
"""The weighted factors of a job that stay as they are while it waits: association, size, partition, QOS, TRES."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Factors:
    """The factors of a job, each as ``sprio -n`` prints it, and the weighted sum."""

    __slots__ = ("age", "assoc", "fair_share", "partition", "priority", "qos", "size", "tres")

    def __init__(self) -> None:
        self.age = self.assoc = self.fair_share = self.size = self.partition = self.qos = 0.0
        self.tres: dict[str, float] = {}
        """Weighted already."""
        self.priority = 1


@mypyc_attr(allow_interpreted_subclasses=True)
class Ranking:
    """Computes priorities on one site."""

    def __init__(self, site: SlurmSite, tree: AccountTree, totals: Mapping[str, Mapping[str, float]]) -> None:
        self.settings: PrioritySettings = site.priority
        self.totals = {name: dict(tres) for name, tres in totals.items()}
        """TRES of each partition (by name), with what they cost in it."""
        for one in site.partitions:
            if one.name in self.totals:
                self.totals[one.name]["billing"] = self._cost(self.totals[one.name], one.billing_weights)
        self.nodes = len(site.nodes)
        self.cpus = sum(node.cpus - node.cores_reserved * node.threads_per_core for node in site.nodes)
        self.best_partition = max((one.priority_job_factor for one in site.partitions), default=1)
        self.best_qos = max((one.priority for one in site.qos), default=0)
        self.best_assoc = max((member.priority for member in tree), default=0)
        self.ages_always = "ACCRUE_ALWAYS" in site.priority.flags
        self.only_rises = "INCR_ONLY" in site.priority.flags
        self.by_size = site.priority.weight_job_size != 0
        """Whether the size of a job counts."""
        self._weight_age = float(site.priority.weight_age)
        self._weight_fair_share = float(site.priority.weight_fair_share)
        self._max_age = float(site.priority.max_age)

    def factors(
        self,
        demand: Demand,
        partition: Partition,
        qos: Qos | None,
        member: Member | None,
        fair_share: float,
        age: float,
        limit: int | None,
        cpus: int = 0,
    ) -> Factors:
        """All factors of a job; ``age`` is the seconds that have accrued, ``limit`` minutes.

        Of a job for which a placement was found its ``cpus`` count, else (0) those that it asks for.
        """
        known = self.settings
        found = Factors()
        if known.weight_age:
            found.age = min(1.0, max(0.0, age) / known.max_age) if known.max_age else 1.0
        if known.weight_fair_share:
            found.fair_share = fair_share
        if known.weight_job_size:
            found.size = self._size(demand.counted_nodes, cpus or demand.cpus, limit)
        if known.weight_partition:
            found.partition = self._share(partition.priority_job_factor, self.best_partition, "NO_NORMAL_PART")
        if known.weight_qos and qos is not None:
            found.qos = self._share(qos.priority, self.best_qos, "NO_NORMAL_QOS")
        if known.weight_assoc and member is not None:
            found.assoc = self._share(member.priority, self.best_assoc, "NO_NORMAL_ASSOC")
        if known.weight_tres:
            found.tres = dict(self._tres(self._wanted(demand), partition.name))
        return found

    def lasting(
        self,
        demand: Demand,
        partition: Partition,
        qos: Qos | None,
        member: Member | None,
        limit: int | None,
        cpus: int = 0,
    ) -> Lasting:
        """What of a job's priority stays as it is while it waits, unless a placement of another size is found."""
        known, found = self.settings, self.factors(demand, partition, qos, member, 0.0, 0.0, limit, cpus)
        return (
            known.weight_assoc * found.assoc,
            known.weight_job_size * found.size,
            known.weight_partition * found.partition,
            known.weight_qos * found.qos,
            sum(found.tres.values()),
        )

    def priority(self, lasting: Lasting, fair_share: float, age: float, site_factor: int, nice: int) -> int:
        """A job's priority, as :meth:`total` sums it up."""
        aged = 0.0
        if self._weight_age:
            aged = min(1.0, max(0.0, age) / self._max_age) if self._max_age else 1.0
        share = self._weight_fair_share * fair_share if self._weight_fair_share else 0.0
        assoc, size, partition, qos, tres = lasting
        value = self._weight_age * aged + assoc + share + size + partition + qos + tres + site_factor - nice
        return int(min(HIGHEST, max(1, value)))

    def total(self, found: Factors, site_factor: int = 0, nice: int = 0) -> int:
        """The sum, truncated once at the end (§7.1)."""
        known = self.settings
        value = (
            known.weight_age * found.age
            + known.weight_assoc * found.assoc
            + known.weight_fair_share * found.fair_share
            + known.weight_job_size * found.size
            + known.weight_partition * found.partition
            + known.weight_qos * found.qos
            + sum(found.tres.values())
            + site_factor
            - nice
        )
        return int(min(HIGHEST, max(1, value)))

    def _normal(self, flag: str) -> bool:
        return flag not in self.settings.flags and "NO_NORMAL_ALL" not in self.settings.flags

    def _share(self, value: int, best: int, flag: str) -> float:
        if not value:
            return 0.0
        return value / best if self._normal(flag) else float(value)

    def _size(self, nodes: int, cpus: int, limit: int | None) -> float:
        """The size factor: large jobs first, small ones, or small ones relative to their time (§7.2)."""
        if "SMALL_RELATIVE_TO_TIME" in self.settings.flags:
            relative = max(nodes * self.cpus / self.nodes, cpus) / (limit or _YEAR) / self.cpus
            value = 1 - relative if self.settings.favor_small else relative
        elif self.settings.favor_small:
            value = ((self.nodes - nodes) / self.nodes + (self.cpus - cpus) / self.cpus) / 2
        else:
            value = (nodes / self.nodes + cpus / self.cpus) / 2
        return min(1.0, max(0.0, value))

    def _wanted(self, demand: Demand) -> dict[str, float]:
        """TRES of a request as they are kept of it: with what they cost, in whole numbers."""
        tres = tres_of(demand)
        return tres | {"billing": self._cost(tres, demand.billing_weights)}

    def _cost(self, tres: Mapping[str, float], weights: Mapping[str, float]) -> int:
        return int(billing(tres, weights, "MAX_TRES" in self.settings.flags))

    def _tres(self, wanted: Mapping[str, float], partition: str) -> Iterable[tuple[str, float]]:
        normal = self._normal("NO_NORMAL_TRES")
        for name, weight in self.settings.weight_tres.items():
            count = wanted.get(name, 0.0)
            total = self.totals.get(partition, {}).get(name, 0.0)
            if normal and total:
                yield name, weight * (count / total)
            else:
                yield name, 0.0 if normal else weight * count
