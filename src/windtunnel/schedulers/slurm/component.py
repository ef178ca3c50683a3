"""The ``slurm`` scheduler on our engine: it keeps the core's state up to date, and runs the loops at their clocks."""

from collections.abc import Sequence
from math import inf
from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.model import Job, JobState
from windtunnel.model.abilities import start_date_of
from windtunnel.schedulers.slurm.admission import Admission, tick
from windtunnel.schedulers.slurm.carrying_out import CarryingOut
from windtunnel.schedulers.slurm.defaults import site_of
from windtunnel.schedulers.slurm.jobs.dependencies import name_before
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.loops.backfill import backfill_pass
from windtunnel.schedulers.slurm.loops.clocks import Clocks
from windtunnel.schedulers.slurm.loops.main_loop import main_pass
from windtunnel.schedulers.slurm.loops.outlook import look_ahead
from windtunnel.schedulers.slurm.nodes.nodesets import mask_of
from windtunnel.schedulers.slurm.preemption.evictions import Evictions
from windtunnel.schedulers.slurm.preemption.gang import Gang
from windtunnel.schedulers.slurm.preemption.occurrences import Occurrences
from windtunnel.schedulers.slurm.state import State
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    PARTS,
    Ability,
    AllStaticExternalEventsHaveBeenInjected,
    CallMeLater,
    Decision,
    Features,
    FinishRegistration,
    Hello,
    JobCompleted,
    Notice,
    RejectJob,
    Reply,
    SimulationBegins,
)
from windtunnel.vocabulary.probes import OneShot

__all__ = ["Slurm"]

_LOST: Final = (JobState.COMPLETED_FAILED, JobState.COMPLETED_KILLED)
"""How jobs end whose machine fails, halts or is maintained."""
_HET_CYCLES: Final = 2
"""What is known of heterogeneous jobs is forgotten in every second cycle: after two it is known again."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Slurm(CarryingOut):
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
        super()._reset()
        self.clocks = Clocks(self.state.site, 0.0)
        self.start_date = 0
        self.admission = Admission(self.state)
        self.occurrences = Occurrences(self.state, 0, self.evictions.booked)
        self._het_again = 0
        """Cycles of backfill that may still come to something else though nothing happens."""
        self._changed = 0
        """When a job last came or ended."""
        self._called = inf
        self._finished = False

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
                    clocks.again()  # only backfill starts them, and not in its first cycle
                    self._het_again = _HET_CYCLES
            if clocks.backfill_due <= now:
                clocks.ran_backfill(second)
                self._carry_out(now, backfill_pass(self.state, all_plans=False), decisions)
                if self._het_waiting and self._het_again:
                    self._het_again -= 1
                    clocks.again()  # the next cycle plans with the starts that this one found
            self.waits.note(now, self.state.pending.values())
        for job in self.occurrences.ended():
            if job.pending.whole not in self.gang.suspended:
                self.evictions.end_at_once(job, decisions)
        if self.state.pending:
            look_ahead(self.state, clocks, now, self.start_date, self._changed)
        due = min(clocks.due, self.gang.due, self.evictions.due, self.occurrences.due - self.start_date)
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
        if site.select.counts == "SOCKET":
            self.takings.threads = self.state.cluster.threads
        self.admission = Admission(self.state)
        self.evictions = Evictions(self.state, self.jobs, self.takings)
        self.gang = Gang(self.state, self.jobs, self.takings, self.evictions.killed)
        self.occurrences = Occurrences(self.state, self.state.now, self.evictions.booked)
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
        again = {name_before(job.id): job.id for job in site.arrived if "#" in job.id}
        for notice in notices:
            if isinstance(notice, JobCompleted):
                if notice.job.id in again and notice.state in _LOST:
                    self._comes_again(notice.job.id, again[notice.job.id])
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
        self.state.bookings.note(self.state.now)  # whose nodes it might have is looked at
        if reason is not None:
            decisions.append(RejectJob(job_id=job.id, reason=f"Slurm refuses it: {reason}"))
            return
        if len(made) > 1:
            self._het_waiting.add(job.id)
        self.jobs[job.id] = job
        self.clocks.changed(now)

    def _comes_again(self, key: str, name: str) -> None:
        """A job whose machine is gone has come back, under another name: whoever waits for it waits for that one."""
        for one in self._parts(key):
            self.state.dependencies.come_again(one.id, name + one.id.removeprefix(key))

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
