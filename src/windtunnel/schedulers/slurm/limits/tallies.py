"""What limits are compared with: what the running jobs of associations, QOS, users and accounts hold (§6.1)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Limits, Qos
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.shares.tree import Member
from windtunnel.schedulers.slurm.shares.usage import UsageLedger

__all__ = [
    "Tallies",
    "Tally",
    "factored",
    "fresh",
    "in_order",
    "inherited",
    "inherited_tres",
    "limit_counted",
    "limit_factor",
    "raised",
]

_PLACES: Final = {"cpu": 0, "mem": 1, "energy": 2, "node": 3, "billing": 4}
"""TRES in Slurm's order; all others come behind, as they are given."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Tally:
    """What the running jobs of an association, QOS, user or account hold together."""

    __slots__ = ("begun", "counts_nodes", "jobs", "nodes", "run_seconds", "tres")

    def __init__(self, counts_nodes: bool = True) -> None:
        self.counts_nodes = counts_nodes
        """Whether any limit is one of nodes."""
        self.jobs = 0
        self.begun = False
        """Whether any job has ever begun."""
        self.tres: dict[str, float] = {}
        """Of what anything limits."""
        self.nodes: dict[int, int] = {}
        """Of each node the jobs on it."""
        self.run_seconds: dict[str, float] = {}
        """TRES-seconds of time limits, reduced at ticks and ends only (§6.1)."""

    def add(self, job: RunningJob, counted: Mapping[str, float], sign: int) -> None:
        """A job begins (1) or ends (-1); of its TRES so much is ``counted``."""
        self.jobs += sign
        self.begun = True
        for name, count in counted.items():
            self.tres[name] = self.tres.get(name, 0.0) + sign * count
        for node in bits(job.holding.nodes) if self.counts_nodes else ():
            left = self.nodes.get(node, 0) + sign
            if left:
                self.nodes[node] = left
            else:
                self.nodes.pop(node, None)
        if job.tally:
            self.add_seconds(job.tally, sign)

    def add_seconds(self, seconds: Mapping[str, float], sign: int) -> None:
        """More, or less, of what the limits of running jobs may still use."""
        for name, count in seconds.items():
            self.run_seconds[name] = self.run_seconds.get(name, 0.0) + sign * count

    def used(self, tres: str) -> float:
        """How much of a TRES is held; nodes that several jobs share count once."""
        return float(len(self.nodes)) if tres == "node" else self.tres.get(tres, 0.0)


NO_LIMIT: Final = 0xFFFFFFFE
"""Minutes, as Slurm writes that there are none."""


def limit_counted(record: Record) -> int:
    """The minutes of a job that limits of time compare: its UsageFactor counts only with UsageFactorSafe (§6.1).

    One that has no time limit takes no end until it starts, whatever its partition allows.
    """
    minutes = record.limit if record.tested_minutes < 0 else record.tested_minutes
    if record.job.minutes is None and minutes == record.limit:
        minutes = NO_LIMIT
    return factored(record, minutes)


def factored(record: Record, minutes: int) -> int:
    """So many minutes of a job, with the UsageFactor of its QOS if that has UsageFactorSafe."""
    qos = record.job.qos
    if qos is None or qos.usage_factor == 1.0 or not qos.has("UsageFactorSafe"):
        return minutes
    return int(minutes * qos.usage_factor)


@mypyc_attr(allow_interpreted_subclasses=True)
class Tallies:
    """All tallies of a cluster, and what of them anything limits."""

    def __init__(
        self, qos: Mapping[str, Qos], enforce: Iterable[str], ledger: UsageLedger, multifactor: bool = True
    ) -> None:
        given = set(enforce)
        self.qos = qos
        self.ledger = ledger
        self.active = bool({"limits", "safe"} & given)
        self.safe = "safe" in given
        self.tallies: dict[tuple[object, ...], Tally] = {}
        self._of_jobs: dict[tuple[object, ...], list[Tally]] = {}
        """The tallies of jobs of one association, user, account and QOS."""
        groups = [*(one.limits for one in qos.values()), *(member.association.limits for member in ledger.tree)]
        tables = [getattr(one, name) for one in groups for name in Limits.__struct_fields__]
        names = {name for table in tables if isinstance(table, Mapping) for name in table}
        self.counts_nodes = "node" in names
        """Whether anything limits nodes, of which those that several jobs share count once."""
        self.counted = sorted(names)
        """The TRES of which anything limits how much is held."""
        free = Limits()
        self._bare = [member.association.limits == free for member in ledger.tree]
        """Of each association, by its place in the tree, whether it has no limits at all."""
        self._bare_above: list[bool] = []
        """The same of itself and all above it."""
        for member in ledger.tree:  # parents come before their children
            above = member.parent is None or self._bare_above[member.parent.number]
            self._bare_above.append(above and self._bare[member.number])
        self.thresholds = any(one.min_priority is not None for one in groups)
        """Whether anything has a MinPrioThreshold."""
        self.by_cpus = all(name in ("cpu", "mem") or name.startswith("gres/") for name in names) and not any(
            one.max_tres_per_node for one in groups
        )
        """Whether what jobs take of nodes, apart from their number, says all about limits."""
        self.counts_seconds = any(one.grp_tres_run_mins or (self.safe and one.grp_tres_mins) for one in groups)
        """Whether anything limits what running jobs may still use (GrpTRESRunMins; GrpTRESMins with ``safe``)."""
        self.keeps_seconds = not multifactor
        """Whether what an ended job had left stays with the QOS of its partition: priority/basic forgets that."""

    def begin(self, job: RunningJob) -> None:
        """A job starts."""
        if not self.active:
            return
        if self.counts_seconds:
            seconds = job.limit * 60.0 * job.spending.factor
            job.tally = {name: count * seconds for name, count in job.spending.tres.items()}
        self._add(job, 1)

    def end(self, job: RunningJob) -> None:
        """A job ends, or gives its place up."""
        if not self.active:
            return
        self._add(job, -1)
        qos = job.record.table.qos
        if self.keeps_seconds and qos is not None and qos is not job.record.job.qos:
            self.tally("qos", qos.name).add_seconds(job.tally, 1)

    def _add(self, job: RunningJob, sign: int) -> None:
        tres = job.spending.tres
        counted = {name: tres[name] for name in self.counted if name in tres}
        for tally in self._of(job.record):
            tally.add(job, counted, sign)

    def tick(self, jobs: Iterable[RunningJob], now: int) -> None:
        """At a tick of decay, what running jobs may still use becomes less (§6.1)."""
        if not (self.active and self.counts_seconds):
            return
        for job in jobs:
            left = max(0.0, job.start + job.limit * 60.0 - now) * job.spending.factor
            fresh = {name: count * left for name, count in job.spending.tres.items()}
            for tally in self._of(job.record):
                tally.add_seconds(job.tally, -1)
                tally.add_seconds(fresh, 1)
            job.tally = fresh

    def qos_of(self, record: Record) -> list[Qos]:
        """The job's QOS and the partition's, in the order in which they are asked."""
        own, partition = record.job.qos, record.table.qos
        found = [one for one in (own, partition) if one is not None]
        if len(found) == 2 and found[0] is found[1]:
            return found[:1]
        # The partition's own comes first unless the job's QOS is over it.
        if own is not None and partition is not None and not own.has("OverPartQOS"):
            found.reverse()
        return found

    def tally(self, *key: object) -> Tally:
        """The tally of something, made when first asked for."""
        found = self.tallies.get(key)
        if found is None:
            found = self.tallies[key] = Tally(self.counts_nodes)
        return found

    def bare(self, member: Member) -> bool:
        """Whether neither an association nor any above it has limits."""
        return self._bare_above[member.number]

    def _of(self, record: Record) -> list[Tally]:
        """All in which a job counts, but those of associations to which no limits apply."""
        job, member, qos = record.job, record.job.member, record.table.qos
        number = -1 if member is None else member.number
        own = None if job.qos is None else job.qos.name
        key = (number, job.user, job.account, own, None if qos is None else qos.name)
        found = self._of_jobs.get(key)
        if found is None:
            found = self._of_jobs[key] = []
            for one in member.path() if member is not None else ():
                if not self._bare[one.number] or (one is member and not self.bare(one)):
                    found.append(self.tally("association", one.number))
            for each in self.qos_of(record):
                found.append(self.tally("qos", each.name))
                found.append(self.tally("user", each.name, job.user))
                found.append(self.tally("account", each.name, job.account))
        return found


def fresh(limits: Mapping[str, int], kind: str, hidden: set[tuple[str, str]]) -> Sequence[tuple[str, int]]:
    """The limits of a kind that no earlier QOS has set; they are set by now (§6.1)."""
    if not limits:
        return ()
    found = [(name, most) for name, most in in_order(limits) if (kind, name) not in hidden]
    hidden.update([(kind, name) for name, _ in found])
    return found


def in_order(limits: Mapping[str, int]) -> list[tuple[str, int]]:
    """Limits by TRES in the order in which Slurm asks for them."""
    return sorted(limits.items(), key=lambda item: _PLACES.get(item[0], len(_PLACES)))


def limit_factor(listed: Sequence[Qos]) -> float | None:
    """By how much limits of associations count: the LimitFactor of the first QOS that has one."""
    return next((one.limit_factor for one in listed if one.limit_factor is not None), None)


def raised(most: int, factor: float | None) -> int:
    """A limit of an association with such a LimitFactor."""
    return most if factor is None or factor <= 0 else int(most * factor)


def inherited(member: Member, name: str) -> int | None:
    """A limit of a user: its own, or that of the nearest account above that sets it."""
    for one in member.path():
        value: int | None = getattr(one.limits, name)
        if value is not None:
            return value
    return None


def inherited_tres(member: Member, name: str) -> list[tuple[str, int]]:
    """The same of limits by TRES, each on its own."""
    found: dict[str, int] = {}
    for one in member.path():
        for tres, most in getattr(one.limits, name).items():
            found.setdefault(tres, most)
    return in_order(found) if found else []
