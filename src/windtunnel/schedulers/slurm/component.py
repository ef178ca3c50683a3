"""The ``slurm`` scheduler on our engine: it keeps the core's state up to date, and runs the loops at their clocks."""

from collections.abc import Sequence
from math import inf
from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.model import HostSet, Job, JobState
from windtunnel.model.abilities import start_date_of
from windtunnel.model.slurm import SlurmSite
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.slurm.admission import Admission, tick
from windtunnel.schedulers.slurm.defaults import site_of
from windtunnel.schedulers.slurm.jobs.amounts import Takings
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.cancelling import CANCELLED
from windtunnel.schedulers.slurm.loops.clocks import Clocks
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.loops.outlook import look_ahead
from windtunnel.schedulers.slurm.loops.passes import Pass
from windtunnel.schedulers.slurm.nodes.nodesets import mask_of, union
from windtunnel.schedulers.slurm.preemption.evictions import Evictions
from windtunnel.schedulers.slurm.preemption.gang import Gang
from windtunnel.schedulers.slurm.state import State
from windtunnel.schedulers.slurm.waits import Waits, reasons_of
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    PARTS,
    Ability,
    AllStaticExternalEventsHaveBeenInjected,
    CallMeLater,
    Decision,
    ExecuteJob,
    Features,
    FinishRegistration,
    Hello,
    JobCompleted,
    Mirror,
    Notice,
    RejectJob,
    Reply,
    SetJobMetadata,
    SimulationBegins,
)
from windtunnel.vocabulary.probes import OneShot

__all__ = ["Slurm"]

_HET_CYCLES: Final = 2
"""What is known of heterogeneous jobs is forgotten in every second cycle: after two it is known again."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Slurm(Scheduler):
    """What Slurm 22.05 decides: partitions, priorities, limits, backfill, preemption; on the site that is described.

    On a platform without a Slurm site all hosts are one partition, with Slurm's defaults.
    """

    name: ClassVar[str] = "slurm"
    features: ClassVar[Features] = Features(dynamic_registration=True, acknowledge_dynamic_jobs=True)
    honours: ClassVar[frozenset[Ability]] = (
        HONOURED_BY_ALL
        | PARTS
        | {
            Ability.ACCOUNT_LIMITS,
            Ability.PROCESSORS,
            Ability.QUEUES,
            Ability.SHARED_CORES,
            Ability.SLURM_DECISIONS,
            Ability.SLURM_REQUESTS,
            Ability.UNAVAILABLE_HOSTS,
        }
    )

    def __init__(self) -> None:
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self.site = Mirror(follow_hosts=False)  # the state knows what jobs hold
        self.takings = Takings(self.site)
        self.state = State(SlurmSite())
        """The core's, in Slurm's time: whole seconds since 1970 where the log is dated, else since the start."""
        self.clocks = Clocks(self.state.site, 0.0)
        self.start_date = 0
        self.jobs: dict[str, Job] = {}
        """Jobs that wait or run, by id."""
        self.admission = Admission(self.state)
        self.evictions = Evictions(self.state, self.jobs, self.takings)
        self.gang = Gang(self.state, self.jobs, self.takings)
        self.waits = Waits()
        self._others: dict[str, list[str]] = {}
        """Of running heterogeneous jobs: their components but for the first."""
        self._het_waiting: set[str] = set()
        """Heterogeneous jobs that wait."""
        self._het_again = 0
        """Cycles of backfill that may still come to something else though nothing happens."""
        self._changed = 0
        """When a job last came or ended."""
        self._called = inf
        self._finished = False
        self._keeps_metadata = True
        self._events_over = True
        """Whether no external event is to come."""

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run."""
        hello = super().hello()
        self._reset()
        return hello

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, run the loops that are due, and ask to be called for the next."""
        for notice in notices:
            if isinstance(notice, SimulationBegins):
                self._begin(now, notice)
        ticked = self._tick(now)
        decisions: list[Decision] = []
        self._take_in(now, notices, decisions)
        self.evictions.end_what_is_due(now, decisions)
        if ticked or self.site.changed:
            self._end_what_is_used_up(decisions)
        if self.gang.acts and (self.site.changed or self.gang.due <= now):
            self._take_turns(now, [], decisions)
        second = int(now)
        clocks = self.clocks
        if not self.state.pending:
            clocks.rest()
        elif clocks.due <= now:
            self.state.now = second + self.start_date
            if min(clocks.main_due, clocks.full_due) <= now:
                full = clocks.full_due <= now
                clocks.ran_main(second, full)
                self._carry_out(now, main_pass(self.state, full), decisions)
                if full and self._het_waiting:
                    clocks.again()  # only backfill starts them
            if clocks.backfill_due <= now:
                clocks.ran_backfill(second)
                self._carry_out(now, backfill_pass(self.state, all_plans=False), decisions)
                if self._het_waiting and self._het_again:
                    self._het_again -= 1
                    clocks.again()  # the next cycle plans with the starts that this one found
            self.waits.note(now, self.state.pending.values())
        if self.state.pending:
            look_ahead(self.state, clocks, now, self.start_date, self._changed)
        due = min(clocks.due, self.gang.due, self.evictions.due)
        if self.state.budgets.acts and self.state.running:
            due = min(due, clocks.next_tick)  # what is used up ends jobs
        if due < inf and due != self._called:
            self._called = due
            decisions.append(CallMeLater(call_me_later_id="slurm", when=OneShot(max(due, now))))
        elif due == inf:
            self._give_up(decisions)
        if self.site.all_submitted and not self.jobs and not self._finished:
            self._finished = True
            decisions.append(FinishRegistration())
        return Reply(now, decisions)

    # -- what happens -------------------------------------------------------------------------------------------

    def _begin(self, now: float, notice: SimulationBegins) -> None:
        dates = [date for one in notice.workloads if (date := start_date_of(one)) is not None]
        self.start_date = int(min(dates, default=0.0))
        self._keeps_metadata = notice.keeps_metadata
        self._events_over = not notice.event_lists
        self.takings.begin(notice.platform.hosts)
        site = site_of(notice.platform)
        self.state = State(site, int(now) + self.start_date)
        self.admission = Admission(self.state)
        self.evictions = Evictions(self.state, self.jobs, self.takings)
        self.gang = Gang(self.state, self.jobs, self.takings)
        self.clocks = Clocks(site, now)

    def _tick(self, now: float) -> bool:
        """The decay thread's rounds up to now, and the priorities they give (§7.1, §7.3); whether there were any."""
        clocks = self.clocks
        ticked = clocks.next_tick <= now
        while clocks.next_tick <= now:
            self.state.now = clocks.next_tick + self.start_date
            tick(self.state, self._charged(), last=clocks.next_tick + clocks.calc_period > now)
            clocks.next_tick += clocks.calc_period
        return ticked

    def _end_what_is_used_up(self, decisions: list[Decision]) -> None:
        """Jobs end whose QOS or accounts have used up what they may over time; suspended ones do not yet."""
        for job in self.state.budgets.exceeded(self.state.running.values()):
            if job.pending.whole not in self.gang.suspended:
                self.evictions.end_at_once(job, decisions)

    def _charged(self) -> list[RunningJob]:
        """Who uses of accounts and QOS at present: jobs that are suspended are charged as if they ran."""
        return list(self.state.running.values())

    def _take_in(self, now: float, notices: Sequence[Notice], decisions: list[Decision]) -> None:
        site, state = self.site, self.state
        site.apply(now, notices)
        state.now = int(now) + self.start_date
        if site.called and self._called <= now:
            self._called = inf
        for notice in notices:
            if isinstance(notice, JobCompleted):
                self._ended(now, notice)
            elif isinstance(notice, AllStaticExternalEventsHaveBeenInjected):
                self._events_over = True
        absent = mask_of(host for host in site.absent if host < state.cluster.size) if site.absent else 0
        state.unusable = state.cluster.unusable | absent
        for refused in site.refused:
            self._refused(now, refused.job, decisions)
        for job in site.arrived:
            self._submitted(now, job, decisions)
        if site.changed or site.shifted:
            self.clocks.changed(now)
        if site.changed or site.arrived:
            self._het_again = _HET_CYCLES
            self._changed = state.now

    def _submitted(self, now: float, job: Job, decisions: list[Decision]) -> None:
        made, reason = self.admission.submit(job)
        if reason is not None:
            decisions.append(RejectJob(job_id=job.id, reason=f"Slurm refuses it: {reason}"))
            return
        if len(made) > 1:
            self._het_waiting.add(job.id)
        self.jobs[job.id] = job
        self.clocks.changed(now)

    def _ended(self, now: float, notice: JobCompleted) -> None:
        """A job has ended: what it held is free, and what waits for it may go on."""
        key = notice.job.id
        self.jobs.pop(key, None)
        self.evictions.forget(key)
        self.gang.forget(key)
        for one in self._parts(key):
            self.takings.give_back(one.id)
            self.state.end(one.id, self.state.now, notice.state is JobState.COMPLETED_SUCCESSFULLY)
        self._others.pop(key, None)
        self.clocks.changed(now)

    def _parts(self, key: str) -> list[RunningJob]:
        """A running job, or all components of a heterogeneous one; none where it does not run."""
        running = self.state.running
        return [running[one] for one in (key, *self._others.get(key, ())) if one in running]

    def _refused(self, now: float, job: Job, decisions: list[Decision]) -> None:
        """The engine did not start a job: its hosts went at the same instant, or it is rejected."""
        parts = self._parts(job.id)
        if not parts:
            return
        for one in parts:
            self.takings.give_back(one.id)
            self.state.give_up(one.id)
        self._others.pop(job.id, None)
        if any(one.holding.nodes & self.state.unusable for one in parts):
            for one in parts:
                self.state.pending[one.id] = one.pending
            self.clocks.changed(now)
        else:
            self.jobs.pop(job.id, None)
            decisions.append(RejectJob(job_id=job.id, reason="its execution was refused"))

    # -- what is decided ----------------------------------------------------------------------------------------

    def _carry_out(self, now: float, done: Pass, decisions: list[Decision]) -> None:
        """Starts, ends of victims, and jobs that can never run."""
        for job in done.failed:
            self._cancel(job, decisions)
        together: dict[str, list[RunningJob]] = {}
        for running in done.started:
            together.setdefault(running.pending.whole, []).append(running)
        if self.gang.acts and together:
            self._take_turns(now, [*together.values()], decisions)
        else:
            for key, parts in together.items():
                self._start(now, self.jobs[key], parts, decisions)
        for victim, _ in done.victims:
            self.evictions.preempt(now, victim, decisions)

    def _take_turns(self, now: float, started: list[list[RunningJob]], decisions: list[Decision]) -> None:
        """Of jobs that have the same cores some run: those that give way stop first, and others go on last."""
        gang = self.gang
        gang.turn(now)
        stopped, going = gang.settle(now)
        fresh = {parts[0].pending.whole for parts in started}
        gang.suspend([key for key in stopped if key not in fresh], decisions)
        for parts in started:
            self._start(now, self.jobs[parts[0].pending.whole], parts, decisions)
        late = [key for key in stopped if key in fresh]
        for key in late:
            for one in self._parts(key):
                self.takings.give_back(one.id)
        gang.suspend(late, decisions)
        gang.go_on(now, going, decisions)
        for key in stopped:
            self.evictions.hold(now, key)
        for key in going:
            self.evictions.go_on(now, key)

    def _cancel(self, job: PendingJob, decisions: list[Decision]) -> None:
        """A job leaves the queue: it can never run, or not before its deadline."""
        key = job.whole
        for one in job.het.components if job.het is not None else (job,):
            self.state.pending.pop(one.id, None)
            self.waits.forget(one.id)
        self._het_waiting.discard(key)
        if self.jobs.pop(key, None) is not None:
            what = "cancels" if job.reason in CANCELLED else "refuses"
            decisions.append(RejectJob(job_id=key, reason=f"Slurm {what} it: {job.reason}"))
            self.state.dependencies.end(key, job, self.state.now, well=False)

    def _start(self, now: float, job: Job, parts: list[RunningJob], decisions: list[Decision]) -> None:
        """A job starts, with all its components if there are several: no two of them share a node."""
        if len(parts) > 1:
            parts = sorted(parts, key=lambda one: one.pending.number)  # the first component is the leader
            self._others[job.id] = [one.id for one in parts[1:]]
            self._het_waiting.discard(job.id)
        hosts = HostSet.of_bits(union(one.holding.nodes for one in parts))
        # A job that is alone on as many hosts as it asks for has them whole: every wire can say that.
        alone = all(one.holding.exclusive and not one.holding.shares for one in parts)
        whole = alone and job.request.hosts == hosts.size and not job.request.processors
        amounts = None if whole else self.takings.of([one.holding for one in parts], job, hosts)
        told = self.waits.told(parts, self.state.cluster)
        if told and self._keeps_metadata:
            decisions.append(SetJobMetadata(job_id=job.id, metadata=told))
        self.site.start(job, hosts, amounts)
        decisions.append(ExecuteJob(job_id=job.id, hosts=hosts, amounts=amounts))
        self.evictions.watch(now, job, parts)

    def _give_up(self, decisions: list[Decision]) -> None:
        """Jobs that still wait when nothing more can happen never start: that is said, with their Reasons."""
        state, site = self.state, self.site
        if state.running or not (site.all_submitted and self._events_over):
            return
        for one in state.pending.values():
            self.waits.forget(one.id)
        for key, why in reasons_of(state).items():
            decisions.append(RejectJob(job_id=key, reason=f"Slurm never starts it: {why}"))
            self.jobs.pop(key, None)
        self._het_waiting.clear()
        state.pending.clear()
