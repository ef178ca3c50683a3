"""One sequence of jobs on an empty machine, simulated from choice to choice."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from windtunnel.diagnostics import UsageError
from windtunnel.engine import Simulation
from windtunnel.formats.traces.workload import TraceWorkload
from windtunnel.model import DelayProfile, Job, Platform, Workload
from windtunnel.model.abilities import jobs_between
from windtunnel.schedulers.learned.choosing import Choosing
from windtunnel.schedulers.learned.sights import Choice

__all__ = ["Episode", "Sequences"]

_SHORT = 10.0
"""A slowdown is at most that of a job of so many seconds."""


class Sequences:
    """The sequences of ``length`` jobs that a workload holds, each as a workload of its own.

    A sequence starts at time 0 with its first job. What its jobs wait for outside of it is not waited for.

    Raises:
        UsageError: the workload has fewer jobs, or a job does not say how long it runs.
    """

    def __init__(self, workload: Workload, length: int) -> None:
        if len(workload) < length:
            raise UsageError(f"the workload has {len(workload):,} jobs, fewer than a sequence of {length:,}")
        self.length = length
        self.count = len(workload) - length + 1
        """How many there are: each job but the last ones starts one."""
        self._name = workload.name
        self._jobs = list(jobs_between(workload, 0, len(workload)))
        for job in self._jobs:
            if not isinstance(job.profile, DelayProfile):
                raise UsageError(f"learning needs run times, and job {job.id!r} has none before it is simulated")

    def check_sizes(self, hosts: int) -> None:
        """Whether every job fits on so many hosts.

        Raises:
            UsageError: one does not: it would be rejected, and count as waiting to the end of its episodes.
        """
        wide = [job for job in self._jobs if job.request.hosts > hosts]
        if wide:
            there = "1 host there is" if hosts == 1 else f"{hosts:,} hosts there are"
            message = f"{len(wide):,} jobs request more than the {there}, such as {wide[0].id!r}"
            hint = f"operations=('to_hosts({hosts})',) scales sizes; read_workload(LOG, max_processors={hosts}) drops"
            raise UsageError(f"{message} ({wide[0].request.hosts:,})", hint)

    def longest(self) -> float:
        """The longest run time of all jobs (s)."""
        return max((_runs(job) for job in self._jobs), default=0.0) or 1.0

    def sequence(self, start: int) -> TraceWorkload:
        """The sequence that starts with the job of this rank."""
        if not 0 <= start < self.count:
            raise UsageError(f"there is no sequence {start}: the first is 0 and the last {self.count - 1}")
        part = self._jobs[start : start + self.length]
        begin = part[0].submission_time
        known = {job.id for job in part}
        jobs = [
            replace(
                job,
                submission_time=job.submission_time - begin,
                dependencies=tuple(one for one in job.dependencies if one in known),
            )
            for job in part
        ]
        return TraceWorkload(self._name, jobs, in_order=True)


def _runs(job: Job) -> float:
    assert isinstance(job.profile, DelayProfile)
    return min(job.profile.delay, job.walltime)


class Episode:
    """A simulation that stops where there is a choice; times in seconds from the first submission.

    Args:
        platform: the machine.
        jobs: the sequence.
        chooser: who asks for choices (or makes them itself: then there is nothing to stop at).
    """

    def __init__(self, platform: Platform, jobs: Workload, chooser: Choosing) -> None:
        self.jobs = list(jobs)
        self.hosts = len(platform.hosts)
        self.runs = [_runs(job) for job in self.jobs]
        """How long each runs (s)."""
        self.starts: dict[str, float] = {}
        """When jobs have started (s), by id."""
        self.last_started: Sequence[Job] = ()
        """The jobs that the last choice has started, and those that overtook."""
        self.chooser = chooser
        self._engine = Simulation(platform, [jobs], [chooser])

    @property
    def now(self) -> float:
        """The date (s)."""
        return self._engine.now

    @property
    def over(self) -> bool:
        """Whether all jobs have ended."""
        return self._engine.over

    def go_on(self) -> Choice | None:
        """To the next choice; None when all is over."""
        chooser, engine, starts = self.chooser, self._engine, self.starts
        started: list[Job] = []
        while engine.step():
            if chooser.started:
                started += chooser.started
                starts.update(dict.fromkeys([job.id for job in chooser.started], engine.now))
            if chooser.choice is not None:
                break
        self.last_started = started
        return chooser.choice if not engine.over else None

    def answer(self, places: Sequence[int]) -> None:
        """Choose visible jobs by their places, the preferred first; none of them: wait."""
        self.chooser.answer = places

    def close(self) -> None:
        """Give up."""
        self._engine.close()

    # -- how it goes ---------------------------------------------------------------------------------------------

    def waits(self) -> list[float]:
        """How long each job has waited so far (s); 0 for those that are still to come."""
        now = self.now
        return [max(self.starts.get(job.id, now) - job.submission_time, 0.0) for job in self.jobs]

    def mean_wait(self) -> float:
        """Of all jobs of the sequence (s)."""
        return sum(self.waits()) / len(self.jobs)

    def mean_slowdown(self) -> float:
        """The mean bounded slowdown, max(1, (wait + run) / max(run, 10 s)); waiting jobs as if they started now."""
        pairs = zip(self.waits(), self.runs, strict=True)
        return sum(max(1.0, (wait + run) / max(run, _SHORT)) for wait, run in pairs) / len(self.jobs)

    def utilisation(self) -> float:
        """The part of the machine that was used from the first submission until now (or the last end)."""
        now, work, last = self.now, 0.0, 0.0
        for job, run in zip(self.jobs, self.runs, strict=True):
            start = self.starts.get(job.id)
            if start is not None:
                work += job.request.hosts * (min(start + run, now) - start)
                last = max(last, min(start + run, now))
        span = last if self.over else now
        return work / (self.hosts * span) if span > 0 else 0.0

    def figures(self) -> dict[str, Any]:
        """The metrics of the sequence so far."""
        return {
            "mean_wait": self.mean_wait(),
            "mean_bounded_slowdown": self.mean_slowdown(),
            "utilisation": self.utilisation(),
        }
