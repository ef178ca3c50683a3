"""What becomes of jobs that are preempted: they end, at once or after their grace, or are suspended in place (§9)."""

from collections.abc import Mapping
from math import inf
from typing import Final

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.model import Job
from windtunnel.schedulers.slurm.defaults import ask_of
from windtunnel.schedulers.slurm.jobs.amounts import Takings
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.preemption.victims import grace_of, mode_of
from windtunnel.schedulers.slurm.state import State
from windtunnel.vocabulary import Decision, KillJobs, RegisterJob

__all__ = ["Evictions"]

_FOR_EVER: Final = 365 * 86400
"""Seconds that stand for no limit."""
_REQUEUE_DELAY: Final = 121
"""Seconds until a requeued job is eligible again (§9)."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Evictions:
    """Victims on their way out, and those that wait in place until they may go on."""

    def __init__(self, state: State, jobs: Mapping[str, Job], takings: Takings) -> None:
        self.state = state
        self.jobs = jobs
        """Jobs that wait or run, by id: the component's."""
        self.takings = takings
        self.graces: dict[str, float] = {}
        """Victims that have been signalled, and when they end."""
        self.ends: dict[str, float] = {}
        """Jobs with less time than they asked for (``--deadline``, ``--time-min``, DefaultTime), and when it ends,
        ``OverTimeLimit`` included; what MaxTRESMins leaves is less, too."""
        self._time_standing: dict[str, float] = {}
        """Of those that are suspended the seconds that are left."""
        self.killed: set[str] = set()
        """Jobs that have been ended, until it is told that they have."""
        self.booked: dict[str, RunningJob] = {}
        """Jobs that run in reservations, where some of these end them."""

    def forget(self, key: str) -> None:
        """A job has ended."""
        self.killed.discard(key)
        self.graces.pop(key, None)
        self.ends.pop(key, None)
        self.booked.pop(key, None)
        self._time_standing.pop(key, None)

    def preempt(self, now: float, victim: RunningJob, decisions: list[Decision]) -> None:
        """Signal a victim, which ends at once or after its grace; who lies beneath others has none."""
        key = victim.pending.whole
        if key in self.killed or key in self.graces or key not in self.jobs:
            return
        grace = grace_of(self.state, victim)
        if grace and not victim.holding.leaving:
            self.graces[key] = now + grace
        else:
            self._end(now, victim, decisions)

    @property
    def due(self) -> float:
        """When the next of them ends."""
        if not self.graces and not self.ends:
            return inf
        return min([*self.graces.values(), *self.ends.values()])

    def watch(self, now: float, job: Job, parts: list[RunningJob]) -> None:
        """A job starts that may have less time than it asked for; the engine knows only what it asked for."""
        site = self.state.site
        limit = max(one.limit + site.over_time_limit_of(one.record.table.partition) for one in parts) * 60.0
        state = self.state
        for one in parts:
            most = state.budgets.longest(one)
            limit = limit if most is None else min(limit, most * 60.0)
        if limit < job.walltime and limit < _FOR_EVER:
            self.ends[job.id] = now + limit
        if state.bookings.end_jobs and parts[0].pending.reservation:
            self.booked[job.id] = parts[0]

    def hold(self, now: float, key: str) -> None:
        """A job is suspended: its time stands still."""
        if key in self.ends:
            self._time_standing[key] = self.ends.pop(key) - now

    def go_on(self, now: float, key: str) -> None:
        """It goes on."""
        if key in self._time_standing:
            self.ends[key] = now + self._time_standing.pop(key)

    def end_what_is_due(self, now: float, decisions: list[Decision]) -> None:
        """Victims whose grace is over end, and jobs whose limit is."""
        for key in [key for key, when in self.ends.items() if when <= now]:
            del self.ends[key]
            self._kill(key, decisions)
        for key in [key for key, when in self.graces.items() if when <= now]:
            del self.graces[key]
            if key in self.state.running:
                self._end(now, self.state.running[key], decisions)

    def end_at_once(self, job: RunningJob, decisions: list[Decision]) -> None:
        """A job ends as if its time were over."""
        key = job.pending.whole
        if key not in self.killed and key in self.jobs:
            self._kill(key, decisions)

    def _kill(self, key: str, decisions: list[Decision]) -> None:
        """A job ends now: whoever goes on or starts in the same instant has its cores already."""
        self.killed.add(key)
        self.takings.give_back(key)
        decisions.append(KillJobs(job_ids=(key,)))

    def _end(self, now: float, victim: RunningJob, decisions: list[Decision]) -> None:
        """A victim ends; requeued, it waits again: in the results as a job of its own, for Slurm the same one."""
        key = victim.pending.whole
        self._kill(key, decisions)
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
        for one in [one for one in self.state.running.values() if one.pending.whole == key]:
            new = name + one.id.removeprefix(key)
            self.state.requeued[new] = one.pending
            self.state.dependencies.come_again(one.id, new)
        decisions.append(RegisterJob(job=again))
