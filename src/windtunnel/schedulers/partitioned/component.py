"""A scheduler of any kind on a Slurm site, kept to its partitions and limits.

Partitions of the same nodes share one copy of the scheduler; those of other nodes have their own. Copies whose nodes
overlap hear of each other's jobs, and decide one after the other, those of the highest ``PriorityTier`` first.
"""

from collections.abc import Sequence
from copy import deepcopy
from math import inf
from typing import Final

from msgspec.structs import replace

from windtunnel.diagnostics import UsageError
from windtunnel.model import HostSet, Job, Platform
from windtunnel.model.abilities import start_date_of
from windtunnel.model.slurm import SlurmSite
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.partitioned.gate import Gate
from windtunnel.schedulers.partitioned.part import Part, whole_of
from windtunnel.schedulers.partitioned.passed import Passed
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.vocabulary import (
    Ability,
    AllStaticJobsHaveBeenSubmitted,
    CallMeLater,
    Component,
    Decision,
    DecisionRefused,
    ExecuteJob,
    Hello,
    JobCompleted,
    JobSubmitted,
    KillJobs,
    MessageFromJob,
    Notice,
    RejectJob,
    Reply,
    RequestedCall,
    SetJobMetadata,
    SimulationBegins,
    StopCallMeLater,
    honoured_by,
)
from windtunnel.vocabulary.probes import OneShot

__all__ = ["Partitioned", "can_be_partitioned"]

_TICK: Final = "tick:"
"""The call at which budgets have recovered a little."""
_LIMIT: Final = "limit:"
"""How the calls begin at which jobs without a time limit reach that of their partition."""


def can_be_partitioned(component: Component) -> bool:
    """Whether a scheduler can be kept to partitions: it is in process, and goes on without unavailable hosts."""
    honours = honoured_by(component)
    others = {Ability.QUEUES, Ability.DESCRIBED_SCHEDULERS, Ability.EXACT_STARTS}
    return isinstance(component, Scheduler) and Ability.UNAVAILABLE_HOSTS in honours and not others & honours


class Partitioned:
    """Keeps a scheduler to the partitions of a Slurm site, and its jobs to the limits of accounts and QOS."""

    def __init__(self, scheduler: Component) -> None:
        self.scheduler = scheduler
        """As it was given: copies of it decide."""
        self._reset()

    @property
    def name(self) -> str:
        """That of the scheduler."""
        return self.scheduler.name if isinstance(self.scheduler, Scheduler) else ""

    @property
    def honours(self) -> frozenset[Ability]:
        """What the scheduler honours, and partitions and limits."""
        return honoured_by(self.scheduler) | {Ability.QUEUES, Ability.ACCOUNT_LIMITS}

    def _reset(self) -> None:
        self._parts: list[Part] = []
        self._of_partition: dict[str, Part] = {}
        self._gate: Gate | None = None
        self._jobs: dict[str, tuple[Job, Passed]] = {}
        """Jobs that were handed on, as they are and as they were admitted."""
        self._heard: dict[str, list[Part]] = {}
        """Of running jobs: the other parts that have heard of them."""
        self._start_date = 0
        self._last: Notice | None = None
        """The notice that there are no more jobs, while some are held back."""
        self._keeps_metadata = True
        self._called = inf
        """When budgets are looked at next."""

    def hello(self) -> Hello:
        """How the scheduler presents itself; forgets an earlier run."""
        self._reset()
        return self.scheduler.hello()

    def stop(self) -> None:
        """Stop all copies."""
        for part in self._parts:
            part.component.stop()

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Tell each part what concerns it, let go who may, and collect what they decide."""
        decisions: list[Decision] = []
        for notice in notices:
            if isinstance(notice, SimulationBegins):
                self._begin(now, notice)
            else:
                self._hand_on(now, notice, decisions)
        while True:
            self._let_go(now, decisions)
            rejected = self._decided(now, decisions)
            if not rejected:
                self._wait_for_budgets(now, decisions)
                return Reply(now, decisions)

    # -- notices ------------------------------------------------------------------------------------------------

    def _begin(self, now: float, notice: SimulationBegins) -> None:
        dates = [date for one in notice.workloads if (date := start_date_of(one)) is not None]
        self._start_date = int(min(dates, default=0.0))
        self._keeps_metadata = notice.keeps_metadata
        site = _site(notice.platform)
        self._gate = gate = Gate(notice.platform, site, self._date(now))
        tables = sorted(gate.state.cluster.partitions.values(), key=lambda one: -one.partition.priority_tier)
        by_nodes: dict[tuple[int, int | None], Part] = {}
        for table in tables:
            alike = table.mask, table.partition.max_cpus_per_node
            part = by_nodes.get(alike)
            if part is None:
                hosts = HostSet(bits(table.mask))
                part = Part(len(self._parts), hosts, deepcopy(self.scheduler), table.partition.max_cpus_per_node)
                part.begin(notice)
                by_nodes[alike] = part
                self._parts.append(part)
            self._of_partition[table.name] = part

    def _date(self, now: float) -> int:
        return int(now) + self._start_date

    def _hand_on(self, now: float, notice: Notice, decisions: list[Decision]) -> None:
        gate = self._gate
        assert gate is not None, "it has begun"
        if isinstance(notice, JobSubmitted):
            reason = gate.admit(notice.job, self._date(now))
            if reason:
                decisions.append(RejectJob(job_id=notice.job.id, reason=reason))
        elif isinstance(notice, JobCompleted):
            self._completed(now, notice)
        elif isinstance(notice, RequestedCall):
            rank, _, call = notice.call_me_later_id.partition(":")
            if notice.call_me_later_id == _TICK:
                self._called = inf
            elif f"{rank}:" == _LIMIT:
                if call in self._heard:
                    decisions.append(KillJobs(job_ids=(call,)))
            else:
                self._parts[int(rank)].tell(replace(notice, call_me_later_id=call))
        elif isinstance(notice, DecisionRefused):
            self._refused(now, notice)
        elif isinstance(notice, MessageFromJob) and notice.job_id in self._jobs:
            self._part(notice.job_id).tell(notice)
        elif isinstance(notice, AllStaticJobsHaveBeenSubmitted):
            self._last = notice
        else:
            for part in self._parts:
                part.tell(notice)

    def _part(self, job_id: str) -> Part:
        return self._of_partition[self._jobs[job_id][1].partition]

    def _completed(self, now: float, notice: JobCompleted) -> None:
        job_id = notice.job.id
        if job_id not in self._jobs:
            return
        self._part(job_id).tell(notice)
        for part in self._heard.pop(job_id, ()):
            part.ended(notice)
        self._forget(now, job_id)

    def _forget(self, now: float, job_id: str) -> None:
        _, passed = self._jobs.pop(job_id)
        assert self._gate is not None, "it has begun"
        self._gate.gone(passed, self._date(now))

    def _refused(self, now: float, notice: DecisionRefused) -> None:
        """The engine has not done what a part decided: the part hears it, and who had heard that a job started."""
        decision = notice.decision
        if isinstance(decision, CallMeLater | StopCallMeLater):
            rank, _, call = decision.call_me_later_id.partition(":")
            if f"{rank}:" != _LIMIT and decision.call_me_later_id != _TICK:
                told = replace(decision, call_me_later_id=call)
                self._parts[int(rank)].tell(replace(notice, decision=told))
        elif isinstance(decision, ExecuteJob | RejectJob):
            if decision.job_id in self._jobs:
                job, passed = self._jobs[decision.job_id]
                self._part(decision.job_id).tell(notice)
                for part in self._heard.pop(decision.job_id, ()):
                    part.undone(now, job, decision)
                assert self._gate is not None, "it has begun"
                self._gate.waits(passed, self._date(now))
        else:
            for part in self._parts:
                part.tell(notice)

    # -- decisions ----------------------------------------------------------------------------------------------

    def _wait_for_budgets(self, now: float, decisions: list[Decision]) -> None:
        """Budgets recover at the ticks of decay: the next one is looked at if a job waits for that."""
        gate = self._gate
        assert gate is not None, "it has begun"
        when = float(gate.budgets.next_tick - self._start_date)
        if gate.decays and when < self._called:
            self._called = max(when, now)
            decisions.append(CallMeLater(call_me_later_id=_TICK, when=OneShot(self._called)))

    def _let_go(self, now: float, decisions: list[Decision]) -> None:
        """Jobs that no limit holds back any longer are submitted to the scheduler of their partition."""
        gate = self._gate
        assert gate is not None, "it has begun"
        for passed in gate.ready(self._date(now)):
            job = passed.job
            self._jobs[job.id] = job, passed
            self._of_partition[passed.partition].tell(JobSubmitted(now, job, job.submission_time))
        for passed in gate.exhausted:
            decisions.append(RejectJob(job_id=passed.job.id, reason=f"its budget is used up: {passed.held}"))
        if self._last is not None and not gate.waiting:
            for part in self._parts:
                part.tell(self._last)
            self._last = None

    def _decided(self, now: float, decisions: list[Decision]) -> bool:
        """Ask all parts; whether one has rejected a job, so that others may be let go."""
        rejected = False
        for part in self._parts:
            for decision in part.decide(now):
                if isinstance(decision, ExecuteJob):
                    self._execute(now, part, decision, decisions)
                    continue
                decisions.append(decision)
                if isinstance(decision, RejectJob) and decision.job_id in self._jobs:
                    self._forget(now, decision.job_id)
                    rejected = True
        return rejected

    def _execute(self, now: float, part: Part, decision: ExecuteJob, decisions: list[Decision]) -> None:
        """A job starts: it is charged with what it has, and the other parts hear of it."""
        known = self._jobs.get(decision.job_id)
        if known is None:
            decisions.append(decision)
            return
        job, passed = known
        gate = self._gate
        assert gate is not None, "it has begun"
        if passed.resized and decision.amounts is None:
            whole = {host: whole_of(gate.platform.hosts[host]) for host in decision.hosts}
            decision = replace(decision, amounts=whole)
        gate.started(passed, decision.hosts, self._cores(decision), self._date(now))
        if passed.held and self._keeps_metadata:
            told = f"Held back for a limit: {passed.held}"
            decisions.append(SetJobMetadata(job_id=decision.job_id, metadata=told))
        decisions.append(decision)
        others = [one for one in self._parts if one is not part]
        self._heard[decision.job_id] = [one for one in others if one.started(now, job, decision)]
        ends = passed.ends_after
        if ends < inf:
            call = CallMeLater(call_me_later_id=f"{_LIMIT}{decision.job_id}", when=OneShot(now + ends))
            decisions.append(call)

    def _cores(self, decision: ExecuteJob) -> float:
        gate = self._gate
        assert gate is not None, "it has begun"
        if decision.amounts is not None:
            return sum(taken.get("cores", 0.0) for taken in decision.amounts.values())
        return float(sum(gate.platform.hosts[host].cores for host in decision.hosts))


def _site(platform: Platform) -> SlurmSite:
    if not isinstance(platform.site, SlurmSite):
        raise UsageError("partitions require a Slurm site, and this platform is not one")
    return platform.site
