"""Everything the core decides on: nodes, jobs, licences, limits; and what a start changes in it."""

from collections.abc import Iterable, Mapping
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Reservation, SlurmSite
from windtunnel.schedulers.slurm.held_nodes import HeldNodes
from windtunnel.schedulers.slurm.jobs.asked_gres import gres_names
from windtunnel.schedulers.slurm.jobs.dependencies import Dependencies
from windtunnel.schedulers.slurm.jobs.kept_order import KeptOrder
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.priority import Ranking
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.limits.accrual import Accrual
from windtunnel.schedulers.slurm.limits.refusals import LimitBook
from windtunnel.schedulers.slurm.limits.tracked import Tracked
from windtunnel.schedulers.slurm.limits.used_up import Budgets
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import union
from windtunnel.schedulers.slurm.plans.het_jobs import HetPlan
from windtunnel.schedulers.slurm.plans.kept import KeptPlans
from windtunnel.schedulers.slurm.reservations import Bookings
from windtunnel.schedulers.slurm.select.gpu_counts import gpus_beyond, gpus_of_job
from windtunnel.schedulers.slurm.shares.tree import AccountTree
from windtunnel.schedulers.slurm.shares.usage import Spending, UsageLedger

__all__ = ["State"]

_BEHIND_ALL: Final = 10**9
"""Behind all jobs that were submitted."""


@mypyc_attr(allow_interpreted_subclasses=True)
class State(HeldNodes):
    """A cluster at an instant."""

    def __init__(self, site: SlurmSite, now: int = 0, reservations: Iterable[Reservation] | None = None) -> None:
        super().__init__(site)
        self.now = now
        self.tracked = Tracked(self.cluster)
        flags = set(site.priority.flags)
        self.tree = AccountTree(site.associations, not flags & {"NO_FAIR_TREE", "DEPTH_OBLIVIOUS"})
        self.ledger = UsageLedger(self.tree, site.priority, now)
        limits = [*(one.limits for one in site.qos), *(one.limits for one in site.associations)]
        self.ledger.detailed = any(one.grp_tres_mins or one.grp_wall is not None for one in limits)
        self.ledger.no_decay = frozenset(one.name for one in site.qos if one.has("NoDecay"))
        totals = {name: table.tres for name, table in self.cluster.partitions.items()}
        self.ranking = Ranking(site, self.tree, totals)
        self.limits = LimitBook(self.cluster.qos, site.enforce, self.ledger, site.priority.multifactor)
        self.budgets = Budgets(self.limits)
        self.accrual = Accrual(site)
        self._bookings = Bookings(site.reservations if reservations is None else reservations, self.cluster)
        self.running: dict[str, RunningJob] = {}
        self.pending: dict[str, PendingJob] = {}
        self.order = KeptOrder()
        """What waits, as it was last put in order."""
        self.closed_partitions = {one.name for one in site.partitions if one.state != "UP"}
        self.licences_given: dict[str, int] = {}
        self.dependencies = Dependencies()
        self.requeued: dict[str, PendingJob] = {}
        """Victims that will wait again, by their new names: as they waited before."""
        self.watched: set[str] = set()
        """Jobs that may be cancelled while they wait."""
        self.cycles = 0
        """Cycles of the backfill loop so far."""
        self.het_plans: dict[str, HetPlan] = {}
        """Starts that are known of the components of heterogeneous jobs, by their first component."""
        self.users_alone = any(one.exclusive_user for one in site.partitions)
        """Whether some jobs share nodes with jobs of their user only."""
        self.kept_plans = KeptPlans()
        """Of the backfill loop: what tests came to."""
        self._splits = 0
        """Tasks of arrays that have started."""

    @property
    def bookings(self) -> Bookings:
        """The reservations, as they are known now."""
        self._bookings.turn_to(self.now)
        return self._bookings

    @bookings.setter
    def bookings(self, bookings: Bookings) -> None:
        self._bookings = bookings

    def of_others(self, record: Record) -> int:
        """Nodes that belong to other users for as long as their jobs run (ExclusiveUser, ``--exclusive=user``)."""
        if not (self.users_alone or record.demand.exclusive_user):
            return 0
        found = 0
        for job in self.running.values():
            if job.pending.user != record.job.user and (
                record.demand.exclusive_user or job.record.demand.exclusive_user
            ):
                found |= job.holding.nodes
        return found

    def refusal_of(self, record: Record, placed: Picked) -> str | None:
        """The Reason for which limits refuse a job that would start with a placement."""
        return self.limits.before(record) or self.limits.after(record, placed, self.counted(record, placed))

    def counted(self, record: Record, placed: Picked) -> dict[str, float]:
        """What limits count of a placement: more GPUs than asked for in all, where it has more nodes than those."""
        tres, demand = self.tracked.placed(record, placed), record.demand
        if not 0 < demand.gpus_per_job < placed.nodes.bit_count() or demand.exclusive or demand.gpus_per_task:
            return tres
        count = float(sum(gpus_of_job(self.cluster, demand, placed, self.held).values()))
        names = gres_names("gpu", demand.gpu_type, demand.typed_only)
        return self.tracked.billed(record, tres | dict.fromkeys(names, count))

    def preferred(self, record: Record) -> int:
        """The nodes that a job gets before others described alike: those that limits name."""
        return self.limits.preferred(record)

    def flexible_nodes(self, record: Record) -> int:
        """The nodes that a job gets before all others: those of its reservation, where it may have others, too."""
        name = record.job.reservation
        return self.bookings.nodes_of(name) if name and self.bookings.flexible(name) else 0

    def unmeasured(self, record: Record) -> bool:
        """Whether a placement, of which none was found yet, may change the size of a job, and so its priority."""
        if not self.ranking.by_size or record.job.last_cpus:
            return False
        return record.demand.exclusive or self.selector.linear or self.selector.whole_cores

    def licences_free(self) -> dict[str, int]:
        """Licences that no running job has."""
        return {name: count - self.licences_given.get(name, 0) for name, count in self.site.licences.items()}

    def has_licences(self, wanted: Mapping[str, int]) -> bool:
        """Whether a job's licences are free now."""
        free = self.licences_free()
        return all(free.get(name, 0) >= count for name, count in wanted.items())

    def begin(
        self, record: Record, placed: Picked, now: int, limit: int | None = None, key: str | None = None
    ) -> RunningJob:
        """Start a job, or the next task of an array; it leaves what is pending."""
        job = record.job
        task = job.tasks.pop(0) if job.tasks else None
        name = key or (job.id if task is None else f"{job.id}_{task}")
        minutes = record.limit if limit is None else limit
        holding = self.holding_of(name, record, placed, now, minutes)
        return self.enter(name, record, holding, placed, now, minutes, task)

    def enter(
        self,
        name: str,
        record: Record,
        holding: Holding,
        placed: Picked,
        now: int,
        minutes: int,
        task: int | None = None,
    ) -> RunningJob:
        """A job runs with what it holds."""
        job = record.job
        self.users_alone = self.users_alone or record.demand.exclusive_user
        tres = self.tracked.placed(record, placed)
        types = self.cluster.types_among(holding.gres)
        types |= gpus_beyond(record.demand, holding.gres)
        if types:
            tres = self.tracked.billed(record, tres | types)
        spending = self.spending(record, tres, now)
        running = RunningJob(name, record, holding, now, minutes, spending, task)
        holding.order = job.order
        if task is not None:
            self._splits += 1
            job.order = _BEHIND_ALL + self._splits
            job.preempted_at = None  # the next task may ask others to go at once
        self.occupancy.add(holding)
        self.selector.took(holding)
        self.running[name] = running
        self.limits.begin(running)
        self.dependencies.start(name, job, now)
        for licence, count in running.licences.items():
            self.licences_given[licence] = self.licences_given.get(licence, 0) + count
        running.count(1)
        if not job.tasks:
            self.pending.pop(job.id, None)
            job.reason = "None"  # what is left of an array keeps its own
        job.expected, job.planned = None, 0
        return running

    def spending(self, record: Record, tres: dict[str, float], now: int | None = None) -> Spending:
        """What a job that starts uses of its account and QOS."""
        job = record.job
        factor = job.qos.usage_factor if job.qos is not None else 1.0
        start = self.now if now is None else now
        return Spending(job.member, record.charged_qos, start, self.tracked.cost(record, tres), factor, tres)

    def end(self, key: str, now: int, well: bool = True) -> RunningJob:
        """A job has ended, ``well`` or not."""
        running = self._leave(key)
        if self.limits.active and self.site.priority.multifactor:
            self.ledger.end(running.spending, now)  # else nobody is charged for what ran since the last tick
        self.dependencies.end(key, running.pending, now, well)
        return running

    def expect_end(self, key: str, end: int) -> None:
        """A running job ends at the latest at another time than by its limit."""
        holding = self.running[key].holding
        if end < holding.end:
            self.selector.gave_back(holding)
            holding.end = end
            self.selector.took(holding)

    def leave(self, running: RunningJob) -> None:
        """A job has been ended: nothing is counted as held by it, but its nodes and licences are not free at once."""
        holding = running.holding
        if not holding.leaving:
            holding.leaving = True
            self.limits.end(running)
            self.occupancy.remove(holding)
            self.selector.gave_back(holding)
            self.completing |= holding.nodes

    def put_off(self, key: str, seconds: int) -> None:
        """A job that was suspended ends so much later at the latest."""
        holding = self.running[key].holding
        self.selector.gave_back(holding)
        holding.end += seconds
        self.selector.took(holding)

    def give_up(self, key: str) -> RunningJob:
        """A job no longer runs, as if it never had."""
        running = self._leave(key)
        self.dependencies.undo(key, running.pending)
        return running

    def _leave(self, key: str) -> RunningJob:
        running = self.running.pop(key)
        if running.holding.leaving:
            self.completing = union(one.holding.nodes for one in self.running.values() if one.holding.leaving)
        else:
            self.occupancy.remove(running.holding)
            self.selector.gave_back(running.holding)
            self.limits.end(running)
        for licence, count in running.licences.items():
            self.licences_given[licence] -= count
        running.count(-1)
        return running
