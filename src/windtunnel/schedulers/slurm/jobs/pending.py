"""Waiting jobs as the core keeps them, with a record for each of their partitions."""

from collections.abc import Mapping
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import JobAsk, Qos
from windtunnel.schedulers.slurm.jobs.asked_tasks import named_nodes
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.together import HetJob, Siblings
from windtunnel.schedulers.slurm.jobs.whole_nodes import keep_whole
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.features import Constraint
from windtunnel.schedulers.slurm.nodes.nodesets import lowest, union
from windtunnel.schedulers.slurm.nodes.partition_table import PartitionTable
from windtunnel.schedulers.slurm.shares.tree import Member

__all__ = ["PendingJob"]

_NO_LIMIT: Final = 2**32 - 1
"""Minutes, where even the partition allows any."""


@mypyc_attr(allow_interpreted_subclasses=True)
class PendingJob:
    """A job that waits, or an array of which some tasks wait."""

    __slots__ = (
        "account",
        "accrued_from",
        "active_tasks",
        "all_look",
        "alone",
        "ask",
        "asked_minutes",
        "begin",
        "blocking_qos",
        "constraint",
        "deadline",
        "default_time",
        "dependent",
        "eligible",
        "excluded",
        "expected",
        "few_switches",
        "fixed_priority",
        "given_minutes",
        "held",
        "het",
        "id",
        "last_cpus",
        "last_gpus",
        "last_nodes",
        "licences",
        "lifts_time",
        "member",
        "most_time",
        "named",
        "nice",
        "noted_reason",
        "number",
        "order",
        "planned",
        "preempted_at",
        "preference",
        "qos",
        "reason",
        "records",
        "reservation",
        "reservations",
        "shares",
        "siblings",
        "site_factor",
        "submitted",
        "switch_wait_from",
        "tasks",
        "threshold",
        "time_min",
        "user",
    )

    def __init__(
        self,
        key: str,
        number: int,
        ask: JobAsk,
        submitted: int,
        cluster: Cluster,
        member: Member | None = None,
        qos: Qos | None = None,
    ) -> None:
        self.id = key
        self.number = number
        """Its place among all jobs: Slurm's job id (of an array the array's)."""
        self.order = number
        """Its place in Slurm's list of jobs: when a task of an array starts, the others go to the end of the list."""
        self.ask = ask
        self.asked_minutes = ask.time_limit
        """The time limit that it asks for; None: it has one of its partition or of limits."""
        self.user = ask.user
        self.account = member.account if member is not None else ask.account
        self.member = member
        self.qos = qos
        self.submitted = submitted
        self.begin = ask.begin or 0
        self.eligible: int | None = submitted if not ask.begin and not ask.held and not ask.dependencies else None
        """Since when nothing but the queue keeps it waiting; None: something does."""
        self.accrued_from: int | None = self.eligible
        self.held = ask.held or ask.priority == 0
        self.fixed_priority = ask.priority
        self.nice = ask.nice
        self.site_factor = ask.site_factor
        self.threshold = qos.usage_threshold if qos is not None and qos.has("EnforceUsageThreshold") else None
        """The fair share below which it has to wait."""
        self.lifts_time = qos is not None and qos.has("PartitionTimeLimit")
        """Whether its QOS lifts the time limits of partitions."""
        self.licences: Mapping[str, int] = ask.licences
        """Licences it needs, so many of each."""
        self.tasks: list[int] | None = list(ask.array) if ask.array is not None else None
        """Of an array: the tasks that wait."""
        self.active_tasks = 0
        self.siblings: Siblings | None = None
        """Where the tasks of an array are jobs of their own: all of them."""
        self.het: HetJob | None = None
        """Of a component of a heterogeneous job: this job."""
        names = tuple(filter(None, ask.reservation.split(",")))
        self.reservation = names[0] if names else ""
        """The one that it is tried in: of several each in turn."""
        self.reservations: tuple[str, ...] = names if len(names) > 1 else ()
        """All that it asks for, if it asks for several."""
        self.time_min = ask.time_min
        self.deadline = ask.deadline
        """When it must have ended."""
        self.dependent = bool(ask.dependencies)
        """Whether it waits for other jobs."""
        self.alone = not (ask.dependencies or ask.array is not None or ask.array_limit)
        """Whether it neither waits for other jobs nor starts with them, and is no array."""
        self.named = lowest(cluster.named(ask.nodes), named_nodes(ask))
        self.excluded = cluster.named(ask.exclude)
        self.constraint = Constraint(ask.features, cluster)
        self.shares = ask.over_subscribe
        """Whether it shares cores where a partition leaves that to jobs: another one may have said so."""
        self._begin_to_wait(ask)
        self._make_records(ask, cluster)

    def _begin_to_wait(self, ask: JobAsk) -> None:
        """What changes while it waits."""
        self.reason = "None"
        """Slurm's Reason."""
        self.noted_reason = "None"
        """The one that was last taken down."""
        self.expected: int | None = None
        """Its expected start."""
        self.planned = 0
        """The nodes of its plan."""
        self.switch_wait_from: int | None = self.submitted if ask.switches and not ask.held else None
        """Since when it has waited for nodes below few switches: since nodes were first looked for."""
        self.last_cpus = 0
        """The CPUs of the last placement found for it: limits count them while there is none; 0: none yet."""
        self.last_gpus: float | None = None
        """The GPUs with which that placement counts (total_gres), if it asks for some for each socket."""
        self.last_nodes = 0
        """The nodes of that placement."""
        self.few_switches = True
        """Whether the last nodes found were below as few switches as it wants."""
        self.preempted_at: int | None = None
        """When jobs first had to go for it."""
        self.blocking_qos = ""
        """The QOS whose limit refused it last."""

    def _make_records(self, ask: JobAsk, cluster: Cluster) -> None:
        """A record for each of its partitions, those of higher tiers first."""
        self.all_look = cluster.site.enforce_partition_limits in ("ALL", "YES")
        """Whether all of its partitions have looked at it when it was submitted."""
        listed = ask.partitions or (cluster.default,)
        first = cluster.partitions.get(listed[0]) if ask.time_limit is None else None
        self.default_time: int | None = first.partition.default_time if first is not None else None
        """Minutes that it gets as it names none, whichever of its partitions it then runs in: of the first listed."""
        self.most_time: int | None = first.partition.max_time if first is not None else None
        """The most that partition allows; once priorities were worked out, that of the last of its partitions."""
        self.given_minutes: int | None = None
        """The time limit that limits of QOS and associations gave it, as it has no other."""
        self.records: list[Record] = []
        for name in listed:
            if name in cluster.partitions:
                self.records.append(Record(self, cluster.partitions[name], cluster))
        for record in self.records:
            record.demand.billing_weights = self.records[0].demand.billing_weights
        self.preference = preference = Constraint(ask.prefer, cluster) if ask.prefer else None
        """The features that it prefers, if it does any."""
        ignored = cluster.site.main.ignore_prefer_validation
        array = ask.array is not None  # which is not tried again
        if preference is not None and (union(preference.alternatives) or array or not ignored):
            for record in self.records:
                record.liking = record.as_preferred(preference, cluster.site)
        self.records.sort(key=lambda record: -record.table.partition.priority_tier)
        keep_whole(self, cluster)

    def move_to(self, table: PartitionTable, cluster: Cluster) -> Record:
        """It is in another partition from now on, and in none besides."""
        before, record = self.records[0], Record(self, table, cluster)
        record.priority = before.priority
        if self.given_minutes is not None:
            record.limit = self.given_minutes
        self.records = [record]
        keep_whole(self, cluster)
        return record

    @property
    def minutes(self) -> int | None:
        """The time limit that it asks for, or was given; None: that of whatever partition it runs in."""
        if self.asked_minutes is not None:
            return self.asked_minutes
        return self.given_minutes if self.default_time is None else self.default_time

    @property
    def minutes_for_size(self) -> int:
        """The time that its size is related to: what a partition allows where it has none."""
        minutes = self.most_time if self.minutes is None else self.minutes
        return _NO_LIMIT if minutes is None else minutes

    def relate_to_last(self) -> None:
        """From now on its size is related to what its last partition allows: Slurm has just looked at that."""
        most = self.records[-1].table.partition.max_time if self.records else self.most_time
        if most != self.most_time:
            self.most_time = most
            for record in self.records:
                record.lasting = None

    def give_time(self, minutes: int) -> None:
        """A limit gives it so many minutes, as it has no time limit of its own."""
        self.given_minutes = minutes
        for record in self.records:
            record.limit = minutes

    def take_place_of(self, before: "PendingJob") -> None:
        """It is requeued: it has the place, the time limit and the priorities that it had."""
        self.order = before.order
        known = {record.table.name: record for record in before.records}
        for record in self.records:
            own = known.get(record.table.name, before.records[0])  # it may have been moved
            record.priority, record.limit = own.priority, own.limit
        self.given_minutes = before.given_minutes

    @property
    def count(self) -> int:
        """As how many jobs it counts: the tasks of an array that wait."""
        return 1 if self.tasks is None else max(1, len(self.tasks))

    @property
    def whole(self) -> str:
        """The id of the job, or of the heterogeneous one that it is a component of."""
        return self.id if self.het is None else self.het.leader

    @property
    def startable_tasks(self) -> int:
        """Tasks that may start: of an array as many as its limit leaves."""
        if self.tasks is None:
            return 1 if self.siblings is None or self.siblings.active < self.siblings.limit else 0
        limit = self.ask.array_limit
        return len(self.tasks) if limit is None else min(len(self.tasks), max(0, limit - self.active_tasks))
