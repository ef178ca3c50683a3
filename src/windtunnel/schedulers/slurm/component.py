"""The ``slurm`` scheduler on our engine: it keeps the core's state up to date, and runs the loops at their clocks."""

from collections.abc import Sequence
from math import inf, isfinite
from typing import ClassVar, Final

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.model import HostSet, Job, JobState
from windtunnel.model.abilities import start_date_of
from windtunnel.model.slurm import JobAsk, SlurmSite
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.slurm.amounts import Takings
from windtunnel.schedulers.slurm.backfill import backfill_pass
from windtunnel.schedulers.slurm.cancelling import CANCELLED, last_start, may_be_dropped
from windtunnel.schedulers.slurm.clocks import Clocks
from windtunnel.schedulers.slurm.defaults import ask_of, site_of, without_sharing
from windtunnel.schedulers.slurm.het_jobs import component_asks, component_id
from windtunnel.schedulers.slurm.jobs import HetJob, PendingJob, RunningJob, Siblings
from windtunnel.schedulers.slurm.main_loop import Pass, main_pass
from windtunnel.schedulers.slurm.names import folded
from windtunnel.schedulers.slurm.nodesets import bits, mask_of, union
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

_HET_CYCLES: Final = 2
"""What is known of heterogeneous jobs is forgotten in every second cycle: after two it is known again."""
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
        self._suspended: dict[str, list[RunningJob]] = {}
        self._others: dict[str, list[str]] = {}
        """Of running heterogeneous jobs: their components but for the first."""
        self._het_waiting: set[str] = set()
        """Heterogeneous jobs that wait."""
        self._het_again = 0
        """Cycles of backfill that may still come to something else though nothing happens."""
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
                if full and self._het_waiting:
                    clocks.again()  # only backfill starts them
            if clocks.backfill_due <= now:
                clocks.ran_backfill(second)
                self._carry_out(now, backfill_pass(self.state), decisions)
                if self._het_waiting and self._het_again:
                    self._het_again -= 1
                    clocks.again()  # the next cycle plans with the starts that this one found
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
        if site.changed or site.arrived:
            self._het_again = _HET_CYCLES

    def _submitted(self, now: float, job: Job, decisions: list[Decision]) -> None:
        """A job is checked for validity, never started at once (§3.1)."""
        state = self.state
        asks = component_asks(ask_of(job, state.site))
        het = HetJob(job.id) if len(asks) > 1 else None
        made: list[PendingJob] = []
        for offset, ask in enumerate(asks):
            pending = self._pending(component_id(job.id, offset), ask)
            if het is not None:
                het.add(pending)
            reason = refusal(state, pending)
            if reason is not None:
                for one in made:
                    del state.pending[one.id]
                decisions.append(RejectJob(job_id=job.id, reason=f"Slurm refuses it: {reason}"))
                return
            state.pending[pending.id] = pending
            made.append(pending)
            if may_be_dropped(state, pending):
                state.watched.add(pending.id)
        if het is not None:
            self._het_waiting.add(job.id)
        self.jobs[job.id] = job
        state.dependencies.announce(job.id)
        for one in made:
            one.reason = first_reason(state, one)
        self.clocks.changed(now)

    def _pending(self, key: str, ask: JobAsk) -> PendingJob:
        """A job, or a component of one, as it waits: with its association, QOS and priority."""
        state = self.state
        self.numbers += 1
        account = ask.account or state.tree.default_account(ask.user)
        member = state.tree.find(account, ask.user, ask.partitions[0] if ask.partitions else "")
        qos = state.cluster.qos.get(ask.qos or self._default_qos(member))
        pending = PendingJob(key, self.numbers, ask, state.now, state.cluster, member, qos)
        if pending.member is None:
            pending.account = account
        if ask.array_limit:
            array = key.rpartition("_")[0] or key
            pending.siblings = self.arrays.setdefault(array, Siblings(ask.array_limit))
        self._rank(pending)
        return pending

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
        for one in self._parts(key):
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
            together.setdefault(_whole(running.pending), []).append(running)
        for key, parts in together.items():
            self._start(self.jobs[key], parts, decisions)
        for victim, _ in done.victims:
            self._preempt(now, victim, decisions)

    def _cancel(self, job: PendingJob, decisions: list[Decision]) -> None:
        """A job leaves the queue: it can never run, or not before its deadline."""
        key = _whole(job)
        for one in job.het.components if job.het is not None else (job,):
            self.state.pending.pop(one.id, None)
            self.reasons.pop(one.id, None)
        self._het_waiting.discard(key)
        if self.jobs.pop(key, None) is not None:
            what = "cancels" if job.reason in CANCELLED else "refuses"
            decisions.append(RejectJob(job_id=key, reason=f"Slurm {what} it: {job.reason}"))
            self.state.dependencies.end(key, job, self.state.now, well=False)

    def _start(self, job: Job, parts: list[RunningJob], decisions: list[Decision]) -> None:
        """A job starts, with all its components if there are several: no two of them share a node."""
        if len(parts) > 1:
            parts = sorted(parts, key=lambda one: one.pending.number)  # the first component is the leader
            self._others[job.id] = [one.id for one in parts[1:]]
            self._het_waiting.discard(job.id)
        hosts = HostSet.of_bits(union(one.holding.nodes for one in parts))
        # A job that is alone on as many hosts as it asks for has them whole: every wire can say that.
        alone = all(one.holding.exclusive for one in parts)
        whole = alone and job.request.hosts == hosts.size and not job.request.processors
        amounts = None if whole else self.takings.of([one.holding for one in parts], job, hosts)
        told = self._told(parts)
        if told and self._keeps_metadata:
            decisions.append(SetJobMetadata(job_id=job.id, metadata=told))
        self.site.start(job, hosts, amounts)
        decisions.append(ExecuteJob(job_id=job.id, hosts=hosts, amounts=amounts))

    def _told(self, parts: list[RunningJob]) -> str:
        """What a job's record says of its start: for what reasons it waited, and which component is where."""
        waits = [
            "; ".join(f"{reason} from {when:g} s" for when, reason in self.reasons.pop(one.id, [])) for one in parts
        ]
        if len(parts) == 1:
            return f"Slurm's Reason: {waits[0]}" if waits[0] else ""
        found = []
        for offset, (one, why) in enumerate(zip(parts, waits, strict=True)):
            nodes = folded(self.state.cluster.names[node] for node in bits(one.holding.nodes))
            found.append(f"+{offset} on {nodes}" + (f" ({why})" if why else ""))
        return "Components, with Slurm's Reasons: " + ", ".join(found)

    def _preempt(self, now: float, victim: RunningJob, decisions: list[Decision]) -> None:
        """A victim is signalled: it ends at once, or after its grace; or it is suspended in place (§9)."""
        key = _whole(victim.pending)
        if key in self._killed or key in self._graces or key in self._suspended or key not in self.jobs:
            return
        if mode_of(self.state, victim) == "SUSPEND":
            self._suspended[key] = self._parts(key)
            for one in self._suspended[key]:
                self.state.give_up(one.id)
            decisions.append(SuspendJob(job_id=key))
            self.clocks.changed(now + 1)
            return
        grace = grace_of(self.state, victim)
        if grace:
            self._graces[key] = now + grace
        else:
            self._end_victim(now, victim, decisions)

    def _end_victim(self, now: float, victim: RunningJob, decisions: list[Decision]) -> None:
        """A victim ends; requeued, it waits again under a name of its own."""
        key = _whole(victim.pending)
        self._killed.add(key)
        decisions.append(KillJobs(job_ids=(key,)))
        if mode_of(self.state, victim) != "REQUEUE":
            return
        job = self.jobs[key]
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
        for key, parts in list(self._suspended.items()):
            if all(self.state.could_resume(one) for one in parts):
                del self._suspended[key]
                for one in parts:
                    self.state.resume(one)
                hosts = HostSet.of_bits(union(one.holding.nodes for one in parts))
                decisions.append(ResumeJob(job_id=key, hosts=hosts))

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
        waiting: dict[str, list[str]] = {}
        for one in state.pending.values():
            waiting.setdefault(_whole(one), []).append(one.reason)
            self.reasons.pop(one.id, None)
        for key, reasons in waiting.items():
            why = ", ".join(dict.fromkeys(reasons))
            decisions.append(RejectJob(job_id=key, reason=f"Slurm never starts it: {why}"))
            self.jobs.pop(key, None)
        self._het_waiting.clear()
        state.pending.clear()

    def _expect(self, now: float) -> None:
        """The next date at which waiting jobs may be better off though nothing happens."""
        state = self.state
        if not state.pending:
            return
        dates = [job.begin - self.start_date for job in state.pending.values() if job.begin > state.now]
        for key in state.watched:
            latest = last_start(state.pending[key]) if key in state.pending else None
            if latest is not None:
                dates.append(latest + 1 - self.start_date)
        for one in state.bookings.reservations.values():
            dates += [when - self.start_date for when in (one.start, one.end) if when > state.now]
        if state.site.priority.multifactor and state.running:
            dates.append(self.clocks.next_tick)
        soonest = min((float(date) for date in dates if date > now), default=inf)
        if isfinite(soonest):
            self.clocks.expect(soonest)


def _whole(job: PendingJob) -> str:
    """The id of a job, or of the heterogeneous one that it is a component of."""
    return job.id if job.het is None else job.het.leader
