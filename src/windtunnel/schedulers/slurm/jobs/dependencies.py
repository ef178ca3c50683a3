"""Dependencies between jobs (§9)."""

from collections.abc import Iterable
from enum import Enum

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Dependency
from windtunnel.schedulers.slurm.jobs.pending import PendingJob

__all__ = ["Dependencies", "Verdict", "name_before"]


def name_before(name: str) -> str:
    """The job for which another stands that has come back: ``7`` of ``7#1``, ``7#1`` of ``7#2``."""
    stem, _, attempt = name.rpartition("#")
    count = int(attempt) if attempt.isdecimal() else 0
    return f"{stem}#{count - 1}" if count > 1 else stem


class Verdict(Enum):
    """Whether what a job waits for has happened."""

    MET = "met"
    OPEN = "open"
    NEVER = "never"
    """It cannot happen any more."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Dependencies:
    """What has become of jobs, for those that wait for them.

    Jobs that are yet to come may name any that has ended: when these started and how they ended is kept, and no more.
    """

    def __init__(self) -> None:
        self.started: dict[str, int] = {}
        """When jobs started (or were cancelled); of tasks ``array_task``, of arrays when all have."""
        self.ended: dict[str, bool] = {}
        """Whether jobs that have ended did so well."""
        self.names: dict[tuple[str, str], set[str]] = {}
        """Running jobs by name and user."""
        self.unfinished: dict[str, int] = {}
        """Tasks of arrays that have not ended."""
        self.failed: set[str] = set()
        """Arrays of which some task failed."""
        self.tasks: dict[str, list[str]] = {}
        """Of arrays whose tasks are jobs of their own (``123_4``): these."""
        self._alone: set[str] = set()
        """Jobs and arrays that were alone of their name once: ``singleton`` keeps them back no more."""
        self._again: dict[str, str] = {}
        """The first names of jobs that were requeued."""
        self._to_come: set[str] = set()
        """Requeued jobs that have not yet left their nodes, by their first names."""

    def come_again(self, key: str, name: str) -> None:
        """A running job is requeued, under another ``name``: whoever waits for it waits for that one."""
        self._again[name] = first = self._again.get(key, key)
        self._to_come.add(first)

    def announce(self, key: str) -> None:
        """A job is submitted that may be a task of an array."""
        array = key.rpartition("_")[0]
        if array and key not in self._again:
            self.tasks.setdefault(array, []).append(key)

    def start(self, key: str, job: PendingJob, now: int) -> None:
        """A job or task starts."""
        key = self._again.get(key, key)
        self.started[key] = now
        if not job.tasks:
            self.started[self._again.get(job.id, job.id)] = now
        self._alone.add(self._array_of(job))
        self.names.setdefault((job.ask.name, job.user), set()).add(key)

    def end(self, key: str, job: PendingJob, now: int, well: bool) -> None:
        """A job or task ends, or is cancelled before it starts; one that is requeued has not ended."""
        key = self._again.pop(key, key)
        self._runs_no_more(key, job)
        if job.ask.array is None:
            self._alone.discard(job.id)
        if key in self._to_come:
            self._to_come.discard(key)
            return
        self.started.setdefault(key, now)
        self.ended[key] = well
        if job.ask.array is None:
            return
        left = self.unfinished.pop(job.id, len(job.ask.array)) - 1
        if not well:
            self.failed.add(job.id)
        if left:
            self.unfinished[job.id] = left
            return
        self.ended[job.id] = job.id not in self.failed
        self.failed.discard(job.id)
        self._alone.discard(job.id)

    def _runs_no_more(self, key: str, job: PendingJob) -> None:
        alike = self.names.get((job.ask.name, job.user), set())
        alike.discard(key)
        if not alike:
            self.names.pop((job.ask.name, job.user), None)

    def undo(self, key: str, job: PendingJob) -> None:
        """A job did not start after all."""
        key = self._again.get(key, key)
        self.started.pop(key, None)
        self.started.pop(job.id, None)
        self._runs_no_more(key, job)

    def dates(self, job: PendingJob) -> list[int]:
        """When what a job waits for will have begun long enough ago (``after:JOB+MINUTES``)."""
        delayed = [one for one in job.ask.dependencies if one.minutes and one.job in self.started]
        return [self.started[one.job] + one.minutes * 60 for one in delayed]

    def verdict(self, job: PendingJob, now: int, pending: Iterable[PendingJob]) -> Verdict:
        """Whether a job may be looked at for all, or any, of what it waits for."""
        found = [self._one(job, one, now, pending) for one in job.ask.dependencies]
        if job.ask.any_dependency:
            order = (Verdict.MET, Verdict.OPEN, Verdict.NEVER)
        else:
            order = (Verdict.NEVER, Verdict.OPEN, Verdict.MET)
        return next(one for one in order if one in found)

    def _one(self, job: PendingJob, wanted: Dependency, now: int, pending: Iterable[PendingJob]) -> Verdict:
        if wanted.kind == "singleton":
            return Verdict.MET if self._is_alone(job, pending) else Verdict.OPEN
        key = wanted.job
        tasks = self.tasks.get(key, []) if key not in self.started else []
        if wanted.kind in ("after", "expand"):
            since = self.started.get(key)
            if tasks and all(one in self.started for one in tasks):
                since = max(self.started[one] for one in tasks)
            return Verdict.MET if since is not None and since + wanted.minutes * 60 <= now else Verdict.OPEN
        if wanted.kind == "aftercorr" and job.tasks and f"{key}_{job.tasks[0]}" in self.ended:
            key = f"{key}_{job.tasks[0]}"
        own = f"{key}_{job.id.rpartition('_')[2]}"
        if wanted.kind == "aftercorr" and own in tasks:
            tasks = [own]
        well = self.ended.get(key)
        if tasks and all(one in self.ended for one in tasks):
            well = all(self.ended[one] for one in tasks)
        if well is None:
            return Verdict.OPEN
        if wanted.kind in ("afterok", "aftercorr"):
            return Verdict.MET if well else Verdict.NEVER
        if wanted.kind == "afternotok":
            return Verdict.NEVER if well else Verdict.MET
        return Verdict.MET

    def _is_alone(self, job: PendingJob, pending: Iterable[PendingJob]) -> bool:
        """Whether no other job of a user has the same name, or none had: what is met is forgotten.

        Components of one job do not wait for each other, nor do tasks of one array.
        """
        array = self._array_of(job)
        if array in self._alone:
            return True
        if self.names.get((job.ask.name, job.user)):
            return False
        earlier = any(
            one.ask.name == job.ask.name
            and one.user == job.user
            and one.number < job.number
            and (one.het is None or one.het is not job.het)
            and self._array_of(one) != array
            for one in pending
        )
        if not earlier:
            self._alone.add(array)
        return not earlier

    def _array_of(self, job: PendingJob) -> str:
        """The array of a job that is one of its tasks; otherwise the job itself."""
        array = job.id.rpartition("_")[0]
        return array if job.tasks is None and len(self.tasks.get(array, ())) > 1 else job.id
