"""Who may be seen by a scheduler: what partitions and the limits of accounts and QOS say, before any node is chosen.

A job is charged with the most that it can take from the moment it is handed on, and with what it really has from
its start, so that no limit is exceeded whatever the scheduler does with the jobs it sees. Who would exceed a limit is
held back, later jobs may go first; who could never meet one, alone on the site, is refused.
"""

from collections import Counter
from collections.abc import Mapping
from math import inf, isinf
from typing import Final

from msgspec.structs import replace

from windtunnel.diagnostics import too_many
from windtunnel.model import HostSet, Job, Platform
from windtunnel.model.demands import described_by
from windtunnel.model.slurm import OverSubscribe, SlurmSite
from windtunnel.schedulers.partitioned.budgets import Budgets
from windtunnel.schedulers.partitioned.limited import limits_nodes, limits_submission
from windtunnel.schedulers.partitioned.passed import Passed
from windtunnel.schedulers.partitioned.table_hosts import TableHosts
from windtunnel.schedulers.slurm.defaults import ask_of
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.jobs.tracked import tres_of
from windtunnel.schedulers.slurm.limits.refusals import LimitBook
from windtunnel.schedulers.slurm.loops.queue import TOO_SMALL, partition_refusal, too_few_tasks
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.shares.usage import Spending, billing
from windtunnel.schedulers.slurm.state import State

__all__ = ["Gate"]

_MIB: Final = 1024 * 1024
_TRES: Final = {"memory": "mem", "gpus": "gres/gpu"}


class Gate:
    """Decides which jobs a scheduler may see, and keeps count of what they hold."""

    def __init__(self, platform: Platform, site: SlurmSite, now: int) -> None:
        self.platform = platform
        self.state = State(site, now)
        self.waiting: list[Passed] = []
        """Jobs that are held back, in the order of their submission."""
        self.exhausted: list[Passed] = []
        """Jobs whose budgets are used up, and never recover."""
        self.decays = False
        """Whether some job waits for a budget to recover."""
        self._limits = self.state.limits
        self.budgets = Budgets(self.state, now)
        self._licences: Counter[str] = Counter()
        """How many of each are given to jobs that were handed on."""
        self._alone = LimitBook(self.state.cluster.qos, site.enforce, self.state.ledger)
        """Counts nothing that others hold: what it refuses while nothing was used over time can never be."""
        self._submission = limits_submission(site)
        self._counts_nodes = limits_nodes(site)
        self._never: dict[tuple[object, ...], str] = {}
        """Of jobs that are identical: the limit that they could never meet."""
        tables = self.state.cluster.partitions.values()
        self._hosts = {table.name: TableHosts(table, platform.hosts) for table in tables}
        """Of each partition."""
        self._described = described_by(platform.hosts)
        self._arrived = 0
        self._places = self.state.cluster.size
        self._spare: list[int] = []
        """Numbers of nodes beyond the site: jobs that are not placed yet are counted on nodes of their own."""

    # -- jobs come ----------------------------------------------------------------------------------------------

    def admit(self, job: Job, now: int) -> str:
        """A job is submitted: it waits here until :meth:`ready` lets it go. The reason if it is refused, else ""."""
        state = self.state
        ask = ask_of(job, state.site)
        account, member = state.tree.association(ask, state.cluster.default, bool(state.site.enforce))
        qos = state.cluster.qos.get(ask.qos or state.tree.default_qos(member))
        self._arrived += 1
        pending = PendingJob(job.id, self._arrived, ask, now, state.cluster, member, qos)
        if member is None:
            pending.account = account
        for record in pending.records:
            self._limits.submission(record, tres_of(record.demand), (), ())  # it may give a time limit
        reasons = []
        for record in pending.records:
            found = self._passed(job, record)
            if isinstance(found, Passed):
                self.waiting.append(found)
                return ""
            reasons.append(f"partition {record.table.name}: {found}")
        return "; ".join(reasons) or "there is no partition for it"

    def _passed(self, job: Job, record: Record) -> Passed | str:
        """A job in one of its partitions, or why it can never run there."""
        partition = record.table.partition
        if partition.state != "UP":
            return f"it is {partition.state}"
        reason = TOO_SMALL if too_few_tasks(record) else partition_refusal(record)
        if reason:
            return reason
        sized = self._sized(job, record)
        hosts = self._hosts[record.table.name]
        demands = hosts.demands
        need = demands.of(sized.request)
        elsewhere = self._described - demands.described
        absent = [name for name, amount in sized.request.amounts if amount > 0 and name in elsewhere]
        if absent:
            return f"it has no {' and no '.join(absent)}"
        if lacking := demands.unmeetable(need):
            return lacking
        if sized.request.processors > hosts.all_cores and not need.amounts and demands.hosts:
            return too_many(sized.request.processors, "core", hosts.all_cores)
        if partition.max_nodes is not None and need.hosts > partition.max_nodes:
            return "PartitionNodeLimit"
        if any(count > self.state.site.licences.get(name, 0) for name, count in record.job.ask.licences.items()):
            return "InvalidLicense"
        over = self.state.site.over_time_limit_of(partition) * 60.0
        ends_after = inf if sized.walltime == job.walltime else sized.walltime + over
        found = Passed(sized, record, self._most(sized, record), ends_after)
        found.resized = sized.request.hosts != job.request.hosts
        key = found.key
        never = self._never.get(key)
        if never is None:
            never = self._never[key] = self._refusal_unused(found)
        if never:
            return never
        if self._submission:
            others = [one.record.job for one in self.waiting]
            running = self.state.running.values()
            return self._limits.submission(record, found.tres, others, running) or found
        return found

    def _sized(self, job: Job, record: Record) -> Job:
        """The job with the time limit of its partition, on as many of its hosts as its processors need.

        Counted in processors it has at least ``MinNodes`` hosts; where jobs are exclusive it has them whole.
        """
        partition = record.table.partition
        given = record.job.given_minutes is not None
        limited = given or partition.max_time is not None or partition.default_time is not None
        if isinf(job.walltime) and limited:
            job = replace(job, walltime=record.limit * 60.0)
        request = job.request
        most = self._hosts[record.table.name].most_cores
        cores = dict(request.amounts).get("cores", 0.0)
        hosts = request.hosts
        if request.processors:
            if cores > most:
                hosts = -(-request.processors // most)
            hosts = max(hosts, partition.min_nodes)
        whole = partition.over_subscribe is OverSubscribe.EXCLUSIVE or record.job.ask.exclusive
        if hosts == request.hosts and not (whole and (cores or request.processors)):
            return job
        others = tuple(amount for amount in request.amounts if amount[0] != "cores")
        if not whole and cores:
            others = (("cores", float(-(-request.processors // hosts))), *others)
        processors = 0 if whole else request.processors
        return replace(job, request=replace(request, hosts=hosts, processors=processors, amounts=others))

    def _most(self, job: Job, record: Record) -> dict[str, float]:
        """What a job takes at most, wherever in its partition it runs: all CPUs of hosts that it gets whole."""
        hosts = self._hosts[record.table.name]
        need = hosts.demands.of(job.request)
        amounts = dict(job.request.amounts)
        cores = hosts.cores_of_largest(need.hosts) if need.whole else amounts.get("cores", 0.0) * need.hosts
        return self._tres(record, need.hosts, cores, amounts)

    def _tres(self, record: Record, nodes: int, cores: float, amounts: Mapping[str, float]) -> dict[str, float]:
        tres = tres_of(record.demand, nodes, int(cores))
        tres |= {"cpu": cores, "node": float(nodes)}
        for name, amount in amounts.items():
            if name in _TRES:
                tres[_TRES[name]] = amount * nodes / (_MIB if name == "memory" else 1)
        tres["billing"] = int(self._cost(record, tres))  # limits know no fractions
        return tres

    def _cost(self, record: Record, tres: Mapping[str, float]) -> float:
        flags = self.state.site.priority.flags
        return billing(tres, record.table.partition.billing_weights, "MAX_TRES" in flags)

    def _refusal_unused(self, one: Passed) -> str:
        """The Reason of the limit that a job exceeds even alone on the site, while nothing was used over time."""
        with self.budgets.unused(one.record):
            reason = self._refusal(one, self._alone)
        if reason:
            return reason
        member = one.record.job.member
        limits = [qos.limits for qos in self._limits.qos_of(one.record)]
        limits += [above.limits for above in member.path()] if member is not None else []
        return "a budget of 0 (GrpTRESMins, GrpWall)" if self.budgets.without_any(limits) else ""

    def _licences_short(self, one: Passed) -> bool:
        given, all_of = self._licences, self.state.site.licences
        return any(given[name] + count > all_of.get(name, 0) for name, count in one.record.job.ask.licences.items())

    def _refusal(self, one: Passed, book: LimitBook) -> str:
        """The Reason of the limit that a job would exceed."""
        if not book.active:
            return ""
        placed = Picked(mask_of(self._nodes(int(one.tres["node"]))), {})
        reason = book.before(one.record) or book.after(one.record, placed, one.tres)
        self._spare += list(bits(placed.nodes))
        return reason or ""

    def _nodes(self, number: int) -> list[int]:
        """So many nodes that nobody else is counted on."""
        lacking = max(0, number - len(self._spare))
        self._spare += range(self._places, self._places + lacking)
        self._places += lacking
        return [self._spare.pop() for _ in range(number)]

    # -- jobs go on, start and end ------------------------------------------------------------------------------

    def ready(self, now: int) -> list[Passed]:
        """The jobs that no limit keeps any longer, which are charged from now on."""
        self.budgets.advance(now)
        self.exhausted = []
        self.decays = False
        ready: list[Passed] = []
        still: list[Passed] = []
        refused: dict[tuple[object, ...], str] = {}
        for one in self.waiting:
            key = one.key
            reason = refused.get(key)
            if reason is None:
                reason = "Licenses" if self._licences_short(one) else self._refusal(one, self._limits)
            if reason:
                refused[key] = one.held = reason
                self._hold_back(one, still)
            else:
                self.waits(one, now)
                ready.append(one)
        self.waiting = still
        return ready

    def _hold_back(self, one: Passed, still: list[Passed]) -> None:
        """A job waits for what others hold, for a budget to recover, or it is told that it never will."""
        if self.budgets.kept and one.held != "Licenses" and self._refusal(one, self._alone):
            if not self.budgets.forgiving:
                self.exhausted.append(one)
                return
            self.decays = True
        still.append(one)

    def waits(self, one: Passed, now: int) -> None:
        """A job waits for its start: it is charged with the most that it can take."""
        self.budgets.undone(one.job.id)
        self._discharge(one)
        nodes = mask_of(self._nodes(int(one.tres["node"]))) if self._limits.active else 0
        self._charge(one, nodes, one.tres, now)

    def started(self, one: Passed, hosts: HostSet, cores: float, now: int) -> None:
        """A job has these hosts, and so many cores: it is charged with that instead."""
        tres = self._tres(one.record, len(hosts), cores, dict(one.job.request.amounts))
        if tres != one.tres or self._counts_nodes or self.budgets.kept:
            self._discharge(one)
            self._charge(one, mask_of(hosts), tres, now)
        # else it has what it was charged with, wherever that is
        if one.charge is not None:
            self.budgets.started(one.job.id, one.charge.spending)

    def gone(self, one: Passed, now: int) -> None:
        """A job has ended, or will never start."""
        self.budgets.advance(now)
        self.budgets.ended(one.job.id, now)
        self._discharge(one)

    def _charge(self, one: Passed, nodes: int, tres: Mapping[str, float], now: int) -> None:
        job = one.record.job
        factor = job.qos.usage_factor if job.qos is not None else 1.0
        spending = Spending(job.member, one.record.charged_qos, now, self._cost(one.record, tres), factor, tres)
        limit = one.record.limit
        holding = Holding(job.id, nodes, now + limit * 60, cpus={}, cores={}, memory={})
        one.charge = RunningJob(job.id, one.record, holding, now, limit, spending, None)
        self.state.running[job.id] = one.charge
        self._limits.begin(one.charge)
        self._licences.update(job.ask.licences)

    def _discharge(self, one: Passed) -> None:
        if one.charge is not None:
            self._limits.end(one.charge)
            self._licences.subtract(one.record.job.ask.licences)
            self.state.running.pop(one.charge.id, None)
            size = self.state.cluster.size
            self._spare += [node for node in bits(one.charge.holding.nodes) if node >= size]
            one.charge = None
