"""Limits of QOS and associations: what is counted, what is refused, and the Reason (§6)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Limits, Qos
from windtunnel.schedulers.slurm.jobs import PendingJob, Picked, Record, RunningJob
from windtunnel.schedulers.slurm.node_limits import most_nodes
from windtunnel.schedulers.slurm.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.tree import Member
from windtunnel.schedulers.slurm.usage import UsageLedger

__all__ = ["LimitBook", "Tally"]

_GROUP: Final = {"cpu": "CpuLimit", "mem": "MemLimit", "node": "NodeLimit", "billing": "Billing"}
_MINUTES: Final = {
    "cpu": "CPU{}MinutesLimit",
    "mem": "Mem{}Minutes",
    "node": "Node{}Minutes",
    "billing": "Billing{}Minutes",
}
_ASSOC_JOB: Final = {
    "cpu": "CpuPerJobLimit",
    "mem": "MemPerJob",
    "node": "NodePerJobLimit",
    "billing": "BillingPerJob",
}
_QOS_JOB: Final = {
    "cpu": "CpuPerJobLimit",
    "mem": "MemoryPerJob",
    "node": "NodePerJobLimit",
    "billing": "BillingPerJob",
}
_QOS_USER: Final = {
    "cpu": "CpuPerUserLimit",
    "mem": "MemoryPerUser",
    "node": "NodePerUserLimit",
    "billing": "BillingPerUser",
}
_JOB_MINUTES: Final = {"cpu": "CpuMinutesPerJobLimit", "mem": "MemMinutesPerJob", "node": "NodeMinutesPerJobLimit"}
_SHORT: Final = {"cpu": "Cpu", "mem": "Mem", "node": "Node", "billing": "Billing"}

_NONE: Final[Mapping[str, float]] = {}


def _named(table: Mapping[str, str], tres: str, rest: str = "GRES") -> str:
    """How a Reason spells a TRES."""
    if tres in table:
        return table[tres]
    return rest if tres.startswith("gres/") else "License" if tres.startswith("license/") else "Unknown"


@mypyc_attr(allow_interpreted_subclasses=True)
class Tally:
    """What the running jobs of an association, QOS, user or account hold together."""

    __slots__ = ("counts_nodes", "jobs", "nodes", "run_seconds", "tres")

    def __init__(self, counts_nodes: bool = True) -> None:
        self.counts_nodes = counts_nodes
        """Whether any limit is one of nodes."""
        self.jobs = 0
        self.tres: dict[str, float] = {}
        self.nodes: dict[int, int] = {}
        """Of each node the jobs on it."""
        self.run_seconds: dict[str, float] = {}
        """TRES-seconds of time limits, reduced at ticks and ends only (§6.1)."""

    def add(self, job: RunningJob, sign: int) -> None:
        """A job begins (1) or ends (-1)."""
        self.jobs += sign
        for name, count in job.spending.tres.items():
            self.tres[name] = self.tres.get(name, 0.0) + sign * count
        for node in bits(job.holding.nodes) if self.counts_nodes else ():
            left = self.nodes.get(node, 0) + sign
            if left:
                self.nodes[node] = left
            else:
                self.nodes.pop(node, None)
        self.add_seconds(job.tally, sign)

    def add_seconds(self, seconds: Mapping[str, float], sign: int) -> None:
        """More, or less, of what the limits of running jobs may still use."""
        for name, count in seconds.items():
            self.run_seconds[name] = self.run_seconds.get(name, 0.0) + sign * count

    def used(self, tres: str) -> float:
        """How much of a TRES is held; nodes that several jobs share count once."""
        return float(len(self.nodes)) if tres == "node" else self.tres.get(tres, 0.0)


@mypyc_attr(allow_interpreted_subclasses=True)
class LimitBook:
    """All tallies, and the checks before and after a placement."""

    def __init__(self, qos: Mapping[str, Qos], enforce: Iterable[str], ledger: UsageLedger) -> None:
        given = set(enforce)
        self.qos = qos
        self.ledger = ledger
        self.active = bool({"limits", "safe"} & given)
        self.safe = "safe" in given
        self.tallies: dict[tuple[object, ...], Tally] = {}
        groups = [*(one.limits for one in qos.values()), *(member.association.limits for member in ledger.tree)]
        tables = [getattr(one, name) for one in groups for name in Limits.__struct_fields__]
        self.counts_nodes = any("node" in table for table in tables if isinstance(table, Mapping))
        """Whether anything limits nodes, of which those that several jobs share count once."""
        self.thresholds = any(one.min_priority is not None for one in groups)
        """Whether anything has a MinPrioThreshold."""
        self.counts_seconds = any(one.grp_tres_run_mins for one in groups)
        """Whether anything limits what running jobs may still use (GrpTRESRunMins)."""

    def begin(self, job: RunningJob) -> None:
        """A job starts."""
        if not self.active:
            return
        if self.counts_seconds:
            seconds = job.limit * 60.0 * job.spending.factor
            job.tally = {name: count * seconds for name, count in job.spending.tres.items()}
        for tally in self._of(job.record):
            tally.add(job, 1)

    def end(self, job: RunningJob) -> None:
        """A job ends, or gives its place up."""
        if not self.active:
            return
        for tally in self._of(job.record):
            tally.add(job, -1)

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

    def before(self, record: Record) -> str | None:
        """The Reason for which a job may not even be placed (§6.1)."""
        if not self.active:
            return None
        hidden: set[str] = set()
        for qos in self.qos_of(record):
            reason = self._qos_before(record, qos, hidden)
            if reason:
                return reason
        return self._member_before(record, hidden)

    def bound(self, record: Record) -> str | None:
        """The Reason of a job that needs more nodes than limits would ever let it have; others look for no more."""
        if not (self.active and self.counts_nodes):
            return None
        if record.node_refusal == "":
            found = most_nodes(self.qos_of(record), record.job.member)
            record.node_refusal = None if found is None or found[0] >= record.demand.min_nodes else found[1]
            if found is not None and not record.node_refusal:
                record.demand.bound(found[0])
                record.kind = -1
        return record.node_refusal

    def after(self, record: Record, placed: Picked, tres: Mapping[str, float]) -> str | None:
        """The Reason for which a job may not have that placement (§6.1)."""
        if not self.active:
            return None
        hidden: set[tuple[str, str]] = set()
        for qos in self.qos_of(record):
            reason = self._qos_after(record, qos, placed, tres, hidden)
            if reason:
                return reason
        return self._member_after(record, placed, tres, hidden)

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

    def least_priority(self, record: Record, otherwise: int) -> int:
        """Below it a job is given no plan, and lets its partition not fail: MinPrioThreshold of a QOS or account."""
        if not self.thresholds:
            return otherwise
        for qos in self.qos_of(record):
            if qos.limits.min_priority is not None:
                return qos.limits.min_priority
        member = record.job.member
        found = _inherited(member, "min_priority") if member is not None else None
        return otherwise if found is None else found

    def preferred(self, record: Record) -> int:
        """The nodes that QOS, user or accounts use whose number is limited: they cost nothing, and go first."""
        if not (self.active and self.counts_nodes):
            return 0
        job, found = record.job, 0
        limited: set[str] = set()
        for qos in self.qos_of(record):
            limits = qos.limits
            for kind, table, key in (
                ("group", limits.grp_tres, ("qos", qos.name)),
                ("user", limits.max_tres_per_user, ("user", qos.name, job.user)),
                ("account", limits.max_tres_per_account, ("account", qos.name, job.account)),
            ):
                if "node" in table and kind not in limited:
                    limited.add(kind)
                    found |= mask_of(self.tally(*key).nodes)
        for one in job.member.path() if job.member is not None and "group" not in limited else ():
            if "node" in one.limits.grp_tres:
                return found | mask_of(self.tally("association", one.number).nodes)
        return found

    def tally(self, *key: object) -> Tally:
        """The tally of something, made when first asked for."""
        found = self.tallies.get(key)
        if found is None:
            found = self.tallies[key] = Tally(self.counts_nodes)
        return found

    def _of(self, record: Record) -> Iterator[Tally]:
        job = record.job
        if job.member is not None:
            for member in job.member.path():
                yield self.tally("association", member.number)
        for qos in self.qos_of(record):
            yield self.tally("qos", qos.name)
            yield self.tally("user", qos.name, job.user)
            yield self.tally("account", qos.name, job.account)

    def _qos_before(self, record: Record, qos: Qos, hidden: set[str]) -> str | None:
        job, limits = record.job, qos.limits
        checks: tuple[tuple[str, int | None, float, str], ...] = (
            ("grp_jobs", limits.grp_jobs, self.tally("qos", qos.name).jobs + 1, "QOSGrpJobsLimit"),
            (
                "grp_wall",
                limits.grp_wall,
                self._wall(self.ledger.qos_wall.get(qos.name, 0.0), record),
                "QOSGrpWallLimit",
            ),
            (
                "max_jobs_account",
                limits.max_jobs_per_account,
                self.tally("account", qos.name, job.account).jobs + 1,
                "MaxJobsPerAccount",
            ),
            (
                "max_jobs",
                limits.max_jobs_per_user,
                self.tally("user", qos.name, job.user).jobs + 1,
                "QOSMaxJobsPerUserLimit",
            ),
            ("max_wall", limits.max_wall_per_job, record.limit, "QOSMaxWallDurationPerJobLimit"),
        )
        for kind, most, value, reason in checks:
            if most is None or kind in hidden:
                continue
            hidden.add(kind)
            if value > most:
                return reason
        return None

    def _member_before(self, record: Record, hidden: set[str]) -> str | None:
        member = record.job.member
        if member is None:
            return None
        for one in member.path():
            limits = one.limits
            most = None if "grp_jobs" in hidden else limits.grp_jobs
            if most is not None and self.tally("association", one.number).jobs >= most:
                return "AssocGrpJobsLimit"
            wall = None if "grp_wall" in hidden else limits.grp_wall
            if wall is not None and self._wall(one.wall_usage, record) > wall:
                return "AssocGrpWallLimit"
            if one is member:
                reason = self._own_before(record, member, hidden)
                if reason:
                    return reason
        return None

    def _own_before(self, record: Record, member: Member, hidden: set[str]) -> str | None:
        """Limits of the user's own record, values inherited."""
        most = None if hidden & {"max_jobs", "max_jobs_account"} else _inherited(member, "max_jobs")
        if most is not None and self.tally("association", member.number).jobs >= most:
            return "AssocMaxJobsLimit"
        wall = _inherited(member, "max_wall_per_job")
        if wall is not None and "max_wall" not in hidden and record.limit > wall:
            return "AssocMaxWallDurationPerJobLimit"
        return None

    def _wall(self, used: float, record: Record) -> float:
        """Decayed minutes; with ``safe`` the job's limit is added. What is used up refuses alone."""
        minutes = used / 60
        if self.safe:
            return minutes + record.limit
        return minutes + 1e-9 if minutes else 0.0

    def _qos_after(
        self, record: Record, qos: Qos, placed: Picked, tres: Mapping[str, float], hidden: set[tuple[str, str]]
    ) -> str | None:
        job, limits = record.job, qos.limits
        group = self.tally("qos", qos.name)
        minutes = record.limit * (job.qos.usage_factor if job.qos is not None else 1.0)
        used = self.ledger.qos_tres.get(qos.name, _NONE)
        reason = self._group("QOSGrp", group, limits, placed, tres, minutes, used, hidden)
        if reason:
            return reason
        for name, most in _fresh(limits.max_tres_mins_per_job, "mins_job", hidden):
            if tres.get(name, 0) * minutes > most:
                return f"QOSMax{_named(_JOB_MINUTES, name, 'GRESMinutesPerJob')}"
        for name, most in _fresh(limits.max_tres_per_job, "per_job", hidden):
            if tres.get(name, 0) > most:
                return f"QOSMax{_named(_QOS_JOB, name, 'GRESPerJob')}"
        for name, most in _fresh(limits.max_tres_per_node, "per_node", hidden):
            if tres.get(name, 0) > most * tres["node"]:
                return f"QOSMax{_named(_SHORT, name)}PerNode"
        for name, least in limits.min_tres_per_job.items():
            if tres.get(name, 0) < least:
                return (
                    f"QOSMin{_named(_SHORT, name)}NotSatisfied" if name == "cpu" else f"QOSMin{_named(_SHORT, name)}"
                )
        account = self.tally("account", qos.name, job.account)
        for name, most in _fresh(limits.max_tres_per_account, "per_account", hidden):
            if self._with(account, name, placed, tres) > most:
                return f"Max{_named(_SHORT, name)}PerAccount"
        user = self.tally("user", qos.name, job.user)
        for name, most in _fresh(limits.max_tres_per_user, "per_user", hidden):
            if self._with(user, name, placed, tres) > most:
                return f"QOSMax{_named(_QOS_USER, name, 'GRESPerUser')}"
        return None

    def _member_after(
        self, record: Record, placed: Picked, tres: Mapping[str, float], hidden: set[tuple[str, str]]
    ) -> str | None:
        member = record.job.member
        if member is None:
            return None
        factor = record.job.qos.usage_factor if record.job.qos is not None else 1.0
        minutes = record.limit * factor
        for one in member.path():
            group = self.tally("association", one.number)
            reason = self._group("AssocGrp", group, one.limits, placed, tres, minutes, one.tres_usage, set(hidden))
            if reason:
                return reason
            if one is member:
                reason = self._own_after(member, tres, minutes, hidden)
                if reason:
                    return reason
        return None

    def _own_after(
        self,
        member: Member,
        tres: Mapping[str, float],
        minutes: float,
        hidden: set[tuple[str, str]],
    ) -> str | None:
        for name, most in _inherited_tres(member, "max_tres_mins_per_job").items():
            if ("mins_job", name) not in hidden and tres.get(name, 0) * minutes > most:
                return f"AssocMax{_named(_JOB_MINUTES, name, 'GRESMinutesPerJob')}"
        for name, most in _inherited_tres(member, "max_tres_per_job").items():
            if ("per_job", name) not in hidden and tres.get(name, 0) > most:
                return f"AssocMax{_named(_ASSOC_JOB, name, 'GRESPerJob')}"
        for name, most in _inherited_tres(member, "max_tres_per_node").items():
            if ("per_node", name) not in hidden and tres.get(name, 0) > most * tres["node"]:
                return f"AssocMax{_named(_SHORT, name)}PerNode"
        return None

    def _group(
        self,
        word: str,
        tally: Tally,
        limits: Limits,
        placed: Picked,
        tres: Mapping[str, float],
        minutes: float,
        used: Mapping[str, float],
        hidden: set[tuple[str, str]],
    ) -> str | None:
        """GrpTRESMins, GrpTRES and GrpTRESRunMins, in that order."""
        for name, most in _fresh(limits.grp_tres_mins, "grp_mins", hidden):
            spent = used.get(name, 0.0) / 60
            asked = tres.get(name, 0) * minutes
            if asked > most or spent >= most or (self.safe and spent + asked > most):
                return word + _named(_MINUTES, name, "GRES{}Minutes").format("")
        for name, most in _fresh(limits.grp_tres, "grp", hidden):
            if self._with(tally, name, placed, tres) > most:
                return word + _named(_GROUP, name)
        for name, most in _fresh(limits.grp_tres_run_mins, "grp_run", hidden):
            if tally.run_seconds.get(name, 0.0) / 60 + tres.get(name, 0) * minutes > most:
                return word + _named(_MINUTES, name, "GRES{}Minutes").format("Run")
        return None

    @staticmethod
    def _with(tally: Tally, name: str, placed: Picked, tres: Mapping[str, float]) -> float:
        """What would be held with this job; nodes already used are free of charge."""
        if name == "node":
            return len(tally.nodes) + sum(1 for node in bits(placed.nodes) if node not in tally.nodes)
        return tally.used(name) + tres.get(name, 0)

    def submission(self, record: Record, waiting: Iterable[PendingJob], running: Iterable[RunningJob]) -> str | None:
        """The Reason for which a job is refused when it is submitted (§6.3)."""
        if not self.active:
            return None
        job = record.job
        member = job.member
        if not self._limits_submission(record):
            return None
        others = [*waiting, *(one.pending for one in running)]
        if member is not None:
            for one in member.path():
                most = one.limits.grp_submit_jobs
                if most is not None and _tasks(_under(others, one)) + _tasks([job]) > most:
                    return "AssocGrpSubmitJobsLimit"
            own = _inherited(member, "max_submit_jobs")
            if own is not None and _tasks([one for one in others if one.member is member]) + _tasks([job]) > own:
                return "AssocMaxSubmitJobLimit"
        for qos in self.qos_of(record):
            same = [one for one in others if one.qos is not None and one.qos.name == qos.name]
            limits = qos.limits
            for most, kin, reason in (
                (limits.grp_submit_jobs, same, "QOSGrpSubmitJobsLimit"),
                (
                    limits.max_submit_jobs_per_user,
                    [one for one in same if one.user == job.user],
                    "QOSMaxSubmitJobPerUserLimit",
                ),
                (
                    limits.max_submit_jobs_per_account,
                    [one for one in same if one.account == job.account],
                    "MaxSubmitJobsPerAccount",
                ),
            ):
                if most is not None and _tasks(kin) + _tasks([job]) > most:
                    return reason
            if qos.has("DenyOnLimit"):
                reason_now = self._deny(record, qos)
                if reason_now:
                    return reason_now
        return None

    def _limits_submission(self, record: Record) -> bool:
        """Whether anything limits how many jobs are submitted, or a QOS refuses at once."""
        member = record.job.member
        for one in member.path() if member is not None else ():
            if one.limits.grp_submit_jobs is not None or one.limits.max_submit_jobs is not None:
                return True
        return any(
            qos.has("DenyOnLimit")
            or qos.limits.grp_submit_jobs is not None
            or qos.limits.max_submit_jobs_per_user is not None
            or qos.limits.max_submit_jobs_per_account is not None
            for qos in self.qos_of(record)
        )

    @staticmethod
    def _deny(record: Record, qos: Qos) -> str | None:
        """What the request alone exceeds, of a QOS with DenyOnLimit."""
        limits = qos.limits
        tres = record.demand.tres()
        if limits.max_wall_per_job is not None and record.limit > limits.max_wall_per_job:
            return "QOSMaxWallDurationPerJobLimit"
        for table, words in ((limits.max_tres_per_job, _QOS_JOB), (limits.max_tres_per_user, _QOS_USER)):
            for name, most in table.items():
                if tres.get(name, 0) > most:
                    return f"QOSMax{_named(words, name)}"
        for name, least in limits.min_tres_per_job.items():
            if tres.get(name, 0) < least:
                return f"QOSMin{_named(_SHORT, name)}NotSatisfied"
        return None


def _tasks(jobs: Iterable[PendingJob]) -> int:
    return sum(1 if job.tasks is None else max(1, len(job.tasks)) for job in jobs)


def _under(jobs: Iterable[PendingJob], member: Member) -> list[PendingJob]:
    return [job for job in jobs if job.member is not None and member in job.member.path()]


def _fresh(limits: Mapping[str, int], kind: str, hidden: set[tuple[str, str]]) -> Iterator[tuple[str, int]]:
    """The limits of a kind that no earlier QOS has set; they are set by now (§6.1)."""
    for name, most in limits.items():
        if (kind, name) not in hidden:
            hidden.add((kind, name))
            yield name, most


def _inherited(member: Member, name: str) -> int | None:
    """A limit of a user: its own, or that of the nearest account above that sets it."""
    for one in member.path():
        value: int | None = getattr(one.limits, name)
        if value is not None:
            return value
    return None


def _inherited_tres(member: Member, name: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in member.path():
        for tres, most in getattr(one.limits, name).items():
            found.setdefault(tres, most)
    return found
