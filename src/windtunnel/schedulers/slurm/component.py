"""The ``slurm`` scheduler on our engine: it keeps the core's state up to date, and runs the loops at their clocks."""

from collections.abc import Sequence
from math import inf, isfinite
from typing import ClassVar, Final

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.model import HostSet, Job, JobState
from windtunnel.model.abilities import start_date_of
from windtunnel.model.slurm import SlurmSite
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.slurm.amounts import Takings
from windtunnel.schedulers.slurm.backfill import backfill_pass
from windtunnel.schedulers.slurm.clocks import Clocks
from windtunnel.schedulers.slurm.defaults import ask_of, site_of, without_sharing
from windtunnel.schedulers.slurm.jobs import PendingJob, RunningJob, Siblings
from windtunnel.schedulers.slurm.main_loop import Pass, main_pass
from windtunnel.schedulers.slurm.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.preemption import grace_of, mode_of
from windtunnel.schedulers.slurm.state import State
from windtunnel.schedulers.slurm.submission import first_reason, refusal
from windtunnel.schedulers.slurm.tree import Member
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
    KillJobs,
    Mirror,
    Notice,
    RegisterJob,
    RejectJob,
    Reply,
    ResumeJob,
    SetJobMetadata,
    SimulationBegins,
    SuspendJob,
    View,
)
from windtunnel.vocabulary.probes import OneShot

__all__ = ["Slurm"]

_REQUEUE_DELAY: Final = 121
"""Seconds until a requeued job is eligible again (§9)."""


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
            Ability.SLURM_DECISIONS,
            Ability.SLURM_REQUESTS,
            Ability.UNAVAILABLE_HOSTS,
        }
    )

    def __init__(self) -> None:
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self.site = Mirror()
        self.view = View(self.site)
        self.takings = Takings(self.site)
        self.state = State(SlurmSite())
        """The core's, in Slurm's time: whole seconds since 1970 where the log is dated, else since the start."""
        self.clocks = Clocks(self.state.site, 0.0)
        self.start_date = 0
        self.jobs: dict[str, Job] = {}
        """Jobs that wait or run, by id."""
        self.reasons: dict[str, list[tuple[float, str]]] = {}
        """The Reasons of waiting jobs, with the dates from which on they held."""
        self.numbers = 0
        self.arrays: dict[str, Siblings] = {}
        """Of arrays with a limit of tasks that run at once, by what their tasks' names have in common."""
        self._killed: set[str] = set()
        self._graces: dict[str, float] = {}
        """Victims that have been signalled, and when they end."""
        self._suspended: dict[str, RunningJob] = {}
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
        self._tick(now)
        decisions: list[Decision] = []
        self._take_in(now, notices, decisions)
        self._end_graces(now, decisions)
        if self._suspended and self.site.changed:
            self._resume(decisions)
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
            if clocks.backfill_due <= now:
                clocks.ran_backfill(second)
                self._carry_out(now, backfill_pass(self.state), decisions)
            self._note_reasons(now)
        self._expect(now)
        due = min(clocks.due, *self._graces.values()) if self._graces else clocks.due
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
        site = without_sharing(site_of(notice.platform))
        self.state = State(site, int(now) + self.start_date)
        self.clocks = Clocks(site, now)

    def _tick(self, now: float) -> None:
        """The decay thread's rounds up to now, and the priorities they give (§7.1, §7.3)."""
        clocks, state = self.clocks, self.state
        ticked = False
        while clocks.next_tick <= now:
            when = clocks.next_tick + self.start_date
            state.ledger.tick(when, [job.spending for job in state.running.values()])
            state.limits.tick(state.running.values(), when)
            clocks.next_tick += clocks.calc_period
            state.now = when
            ticked = True
        if ticked:
            for job in state.pending.values():
                self._rank(job)

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
        absent = mask_of(host for host in site.absent if host < state.cluster.size)
        state.unusable = state.cluster.unusable | absent
        for refused in site.refused:
            self._refused(now, refused.job, decisions)
        for job in site.arrived:
            self._submitted(now, job, decisions)
        if site.changed or site.shifted:
            self.clocks.changed(now)

    def _submitted(self, now: float, job: Job, decisions: list[Decision]) -> None:
        """A job is checked for validity, never started at once (§3.1)."""
        state = self.state
        ask = ask_of(job, state.site)
        if ask.components:
            decisions.append(RejectJob(job_id=job.id, reason="is a heterogeneous job, which is not simulated"))
            return
        self.numbers += 1
        account = ask.account or state.tree.default_account(ask.user)
        member = state.tree.find(account, ask.user, ask.partitions[0] if ask.partitions else "")
        qos = state.cluster.qos.get(ask.qos or self._default_qos(member))
        pending = PendingJob(job.id, self.numbers, ask, state.now, state.cluster, member, qos)
        if pending.member is None:
            pending.account = account
        if ask.array_limit:
            array = job.id.rpartition("_")[0] or job.id
            pending.siblings = self.arrays.setdefault(array, Siblings(ask.array_limit))
        self._rank(pending)
        reason = refusal(state, pending)
        if reason is not None:
            decisions.append(RejectJob(job_id=job.id, reason=f"Slurm refuses it: {reason}"))
            return
        self.jobs[job.id] = job
        state.pending[job.id] = pending
        state.dependencies.announce(job.id)
        pending.reason = first_reason(state, pending)
        self.clocks.changed(now)

    @staticmethod
    def _default_qos(member: Member | None) -> str:
        """The QOS of jobs that name none: the association's, or the nearest above that has one."""
        above = member.path() if member is not None else ()
        return next((one.association.default_qos for one in above if one.association.default_qos), "normal")

    def _rank(self, job: PendingJob) -> None:
        """Priorities of a job in each of its partitions (§7.1)."""
        state = self.state
        if not state.site.priority.multifactor:
            for record in job.records:
                record.priority = 4294901759 - job.number
            return
        share = state.ledger.fair_share(job.member)
        always = "ACCRUE_ALWAYS" in state.site.priority.flags
        since = job.submitted if always else job.accrued_from
        age = state.now - since if since is not None else 0
        for record in job.records:
            if job.fixed_priority is not None:
                record.priority = job.fixed_priority
                continue
            found = state.ranking.factors(
                record.demand, record.table.partition, job.qos, job.member, share, age, record.limit
            )
            priority = state.ranking.total(found, job.ask.site_factor, job.nice)
            kept = "INCR_ONLY" in state.site.priority.flags
            record.priority = max(priority, record.priority) if kept else priority

    def _ended(self, now: float, notice: JobCompleted) -> None:
        """A job has ended: what it held is free, and what waits for it may go on."""
        key = notice.job.id
        self.jobs.pop(key, None)
        self._killed.discard(key)
        self._graces.pop(key, None)
        self._suspended.pop(key, None)
        if key in self.state.running:
            self.state.end(key, self.state.now, notice.state is JobState.COMPLETED_SUCCESSFULLY)
        self.clocks.changed(now)

    def _refused(self, now: float, job: Job, decisions: list[Decision]) -> None:
        """The engine did not start a job: its hosts went at the same instant, or it is rejected."""
        running = self.state.running.get(job.id)
        if running is None:
            return
        self.state.give_up(job.id)
        if running.holding.nodes & self.state.unusable:
            self.state.pending[job.id] = running.pending
            self.clocks.changed(now)
        else:
            self.jobs.pop(job.id, None)
            decisions.append(RejectJob(job_id=job.id, reason="its execution was refused"))

    # -- what is decided ----------------------------------------------------------------------------------------

    def _carry_out(self, now: float, done: Pass, decisions: list[Decision]) -> None:
        """Starts, ends of victims, and jobs that can never run."""
        for job in done.failed:
            self.jobs.pop(job.id, None)
            self.reasons.pop(job.id, None)
            decisions.append(RejectJob(job_id=job.id, reason="Slurm refuses it: BadConstraints"))
        for running in done.started:
            self._start(running, decisions)
        for victim, _ in done.victims:
            self._preempt(now, victim, decisions)

    def _start(self, running: RunningJob, decisions: list[Decision]) -> None:
        job = self.jobs[running.id]
        hosts = HostSet.of_bits(running.holding.nodes)
        # A job that is alone on as many hosts as it asks for has them whole: every wire can say that.
        whole = running.holding.exclusive and job.request.hosts == hosts.size and not job.request.processors
        amounts = None if whole else self.takings.of(running.holding, job, hosts)
        history = self.reasons.pop(running.id, [])
        if history and self._keeps_metadata:
            waits = "; ".join(f"{reason} from {when:g} s" for when, reason in history)
            decisions.append(SetJobMetadata(job_id=running.id, metadata=f"Slurm's Reason: {waits}"))
        self.site.start(job, hosts, amounts)
        decisions.append(ExecuteJob(job_id=running.id, hosts=hosts, amounts=amounts))

    def _preempt(self, now: float, victim: RunningJob, decisions: list[Decision]) -> None:
        """A victim is signalled: it ends at once, or after its grace; or it is suspended in place (§9)."""
        if victim.id in self._killed or victim.id in self._graces or victim.id not in self.jobs:
            return
        if mode_of(self.state, victim) == "SUSPEND":
            self.state.give_up(victim.id)
            self._suspended[victim.id] = victim
            decisions.append(SuspendJob(job_id=victim.id))
            self.clocks.changed(now + 1)
            return
        grace = grace_of(self.state, victim)
        if grace:
            self._graces[victim.id] = now + grace
        else:
            self._end_victim(now, victim, decisions)

    def _end_victim(self, now: float, victim: RunningJob, decisions: list[Decision]) -> None:
        """A victim ends; requeued, it waits again under a name of its own."""
        self._killed.add(victim.id)
        decisions.append(KillJobs(job_ids=(victim.id,)))
        if mode_of(self.state, victim) != "REQUEUE":
            return
        job = self.jobs[victim.id]
        stem, _, count = job.id.partition("#")
        ask = ask_of(job, self.state.site)
        name = f"{stem}#{int(count or 1) + 1}"
        again = replace(
            job,
            id=name,
            profile=replace(job.profile, id=f"{job.profile.id}#{name}"),
            submission_time=now,
            ask=replace(ask, begin=self.state.now + _REQUEUE_DELAY),
        )
        decisions.append(RegisterJob(job=again))

    def _end_graces(self, now: float, decisions: list[Decision]) -> None:
        for key in [key for key, when in self._graces.items() if when <= now]:
            del self._graces[key]
            if key in self.state.running:
                self._end_victim(now, self.state.running[key], decisions)

    def _resume(self, decisions: list[Decision]) -> None:
        """Suspended jobs go on where they were, as soon as nobody else has their cores."""
        for key, victim in list(self._suspended.items()):
            if self.state.could_resume(victim):
                del self._suspended[key]
                self.state.resume(victim)
                decisions.append(ResumeJob(job_id=key, hosts=HostSet(bits(victim.holding.nodes))))

    def _note_reasons(self, now: float) -> None:
        for job in self.state.pending.values():
            history = self.reasons.setdefault(job.id, [])
            if job.reason != "None" and (not history or history[-1][1] != job.reason):
                history.append((now, job.reason))

    def _give_up(self, decisions: list[Decision]) -> None:
        """Jobs that still wait when nothing more can happen never start: that is said, with their Reasons."""
        state, site = self.state, self.site
        if state.running or self._suspended or not (site.all_submitted and self._events_over):
            return
        for job in list(state.pending.values()):
            decisions.append(RejectJob(job_id=job.id, reason=f"Slurm never starts it: {job.reason}"))
            self.jobs.pop(job.id, None)
            self.reasons.pop(job.id, None)
        state.pending.clear()

    def _expect(self, now: float) -> None:
        """The next date at which waiting jobs may be better off though nothing happens."""
        state = self.state
        if not state.pending:
            return
        dates = [job.begin - self.start_date for job in state.pending.values() if job.begin > state.now]
        for one in state.bookings.reservations.values():
            dates += [when - self.start_date for when in (one.start, one.end) if when > state.now]
        if state.site.priority.multifactor and state.running:
            dates.append(self.clocks.next_tick)
        soonest = min((float(date) for date in dates if date > now), default=inf)
        if isfinite(soonest):
            self.clocks.expect(soonest)
