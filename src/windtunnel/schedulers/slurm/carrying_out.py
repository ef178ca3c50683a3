"""What the loops decide, on our engine: jobs that start, take turns, leave the queue or never start."""

from collections import Counter
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model import HostSet, Job
from windtunnel.model.slurm import SlurmSite
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.slurm.jobs.amounts import Takings
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.loops.cancelling import CANCELLED
from windtunnel.schedulers.slurm.loops.passes import Pass
from windtunnel.schedulers.slurm.nodes.nodesets import union
from windtunnel.schedulers.slurm.preemption.evictions import Evictions
from windtunnel.schedulers.slurm.preemption.gang import Gang
from windtunnel.schedulers.slurm.state import State
from windtunnel.schedulers.slurm.waits import Waits, reasons_of
from windtunnel.vocabulary import Decision, ExecuteJob, Mirror, RejectJob, SetJobMetadata

__all__ = ["CarryingOut"]

_MOST_IN_VAIN: Final = 1000


@mypyc_attr(allow_interpreted_subclasses=True)
class CarryingOut(Scheduler):
    """A scheduler that has the core's state, and does what its loops decide."""

    def _reset(self) -> None:
        self.site = Mirror(follow_hosts=False)  # the state knows what jobs hold
        self.takings = Takings(self.site)
        self.state = State(SlurmSite())
        """The core's, in Slurm's time: whole seconds since 1970 where the log is dated, else since the start."""
        self.jobs: dict[str, Job] = {}
        """Jobs that wait or run, by id."""
        self.evictions = Evictions(self.state, self.jobs, self.takings)
        self.gang = Gang(self.state, self.jobs, self.takings, self.evictions.killed)
        self.waits = Waits()
        self._others: dict[str, list[str]] = {}
        """Of running heterogeneous jobs: their components but for the first."""
        self._het_waiting: set[str] = set()
        """Heterogeneous jobs that wait."""
        self._keeps_metadata = True
        self._events_over = True
        """Whether no external event is to come."""
        self._preempted_for: Counter[str] = Counter()
        """How often others have been preempted for a job that still waits."""

    def _carry_out(self, now: float, done: Pass, decisions: list[Decision]) -> None:
        """Starts, ends of victims, and jobs that can never run."""
        for job in done.failed:
            self._cancel(job, decisions)
        together: dict[str, list[RunningJob]] = {}
        for running in done.started:
            together.setdefault(running.pending.whole, []).append(running)
        ended = done.victims if self.state.cluster.ends_beneath else []
        for victim, _ in ended:  # before others start on their cores
            self.evictions.preempt(now, victim, decisions)
        if self.gang.acts and together:
            self._take_turns(now, [*together.values()], decisions)
        else:
            for key, parts in together.items():
                self._start(now, self.jobs[key], parts, decisions)
        for victim, _ in done.victims:
            self.evictions.preempt(now, victim, decisions)
        if done.victims:
            self._note_in_vain({job.whole: job for _, job in done.victims}, decisions)

    def _note_in_vain(self, preempting: dict[str, PendingJob], decisions: list[Decision]) -> None:
        """Slurm would preempt for ever where others start on what a job preempts, again and again: it is given up."""
        for key, job in preempting.items():
            if job.id not in self.state.pending:
                self._preempted_for.pop(key, None)
                continue
            self._preempted_for[key] += 1
            if self._preempted_for[key] >= _MOST_IN_VAIN:
                what = f"others start on what it preempts, {_MOST_IN_VAIN:,} times ({job.reason})"
                self._cancel(job, decisions, f"Slurm never starts it: {what}")

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

    def _cancel(self, job: PendingJob, decisions: list[Decision], why: str = "") -> None:
        """A job leaves the queue: it can never run, or not before its deadline."""
        key = job.whole
        for one in job.het.components if job.het is not None else (job,):
            self.state.pending.pop(one.id, None)
            self.waits.forget(one.id)
        self._het_waiting.discard(key)
        if self.jobs.pop(key, None) is not None:
            what = "cancels" if job.reason in CANCELLED else "refuses"
            decisions.append(RejectJob(job_id=key, reason=why or f"Slurm {what} it: {job.reason}"))
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

    def _parts(self, key: str) -> list[RunningJob]:
        """A running job, or all components of a heterogeneous one; none where it does not run."""
        running = self.state.running
        return [running[one] for one in (key, *self._others.get(key, ())) if one in running]
