"""What a page is told of a run while it goes on: what is over, since it last asked, and what there is now.

A log is made when somebody begins to watch, from what was recorded until then, and goes on as an observer; when
nobody watches any more it is dropped, so that a run that nobody watches pays nothing.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final

from windtunnel.model import HostSet, Job, JobRecord
from windtunnel.report.conditions import conditions, markers
from windtunnel.results.run import Run
from windtunnel.vocabulary import Notice, Observer

__all__ = ["Log"]

_LATE: Final = 1e15
"""When what has not ended ends (s)."""
_MOST_WAITING: Final = 500
"""So many waiting jobs are told one by one; the others are counted."""


class Log(Observer):
    """The jobs that are over, and where they were; rows are only added."""

    def __init__(self, run: Run, hosts: int) -> None:
        self.hosts = hosts
        self.jobs: list[list[Any]] = []
        """Rows: id, submission, start and end (None: rejected), hosts asked for, walltime, state, user."""
        self.stretches: list[list[Any]] = []
        """Rows: id, from, until, first host, number of hosts, first host..."""
        self._since: dict[str, float] = {}
        self.changes = 1
        """Counts what happened to hosts, and events."""
        columns = (
            "id",
            "submission_time",
            "starting_time",
            "finish_time",
            "requested_number_of_resources",
            "requested_time",
            "final_state",
            "user",
        )
        if run.file("jobs.csv"):
            self.jobs = [list(row) for row in run.jobs.select(columns).iter_rows()]
            self.stretches = [_row(s.job, s.start, s.finish, s.hosts) for s in run.stretches()]
        energy = run.frame("consumed_energy.csv")
        self.energy: list[list[float]] = []
        """Rows: time, joules so far."""
        if energy is not None:
            self.energy = [list(row) for row in energy.select("time", "energy").iter_rows()]

    def on_job_started(self, now: float, record: JobRecord) -> None:
        """It is on its hosts from now on."""
        self._since[record.job.id] = now

    def on_job_ended(self, now: float, record: JobRecord) -> None:
        """A job and its last stretch."""
        job = record.job
        self.jobs.append(
            [
                job.id,
                job.submission_time,
                record.starting_time,
                now,
                job.request.hosts,
                _walltime(job),
                record.state.name,
                job.user,
            ]
        )
        self._stretch(now, record, record.hosts)
        self._since.pop(job.id, None)

    def on_job_rejected(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- hook
        """A job that never ran."""
        job = record.job
        ended = (None, None)
        row = [job.id, job.submission_time, *ended, job.request.hosts, _walltime(job), record.state.name, job.user]
        self.jobs.append(row)

    def on_job_suspended(self, now: float, record: JobRecord) -> None:
        """A stretch ends."""
        self._stretch(now, record, record.hosts)

    def on_job_resumed(self, now: float, record: JobRecord) -> None:
        """Another begins."""
        self._since[record.job.id] = now

    def on_job_resized(self, now: float, record: JobRecord, before: Sequence[int], after: Sequence[int]) -> None:  # noqa: ARG002
        """A stretch on the hosts before ends, another begins."""
        self._stretch(now, record, HostSet(before))
        self._since[record.job.id] = now

    def on_external(self, now: float, notice: Notice) -> None:  # noqa: ARG002 -- hook
        """Something happened to hosts, or was forwarded."""
        self.changes += 1

    def on_pstate(self, now: float, hosts: HostSet, pstate: int) -> None:  # noqa: ARG002 -- hook
        """Hosts are switched."""
        self.changes += 1

    def on_energy(self, now: float, joules: float, kind: str, epsilon_watts: float) -> None:  # noqa: ARG002 -- hook
        """A meter was read."""
        self.energy.append([now, joules])

    def since(self, record: JobRecord) -> float:
        """Since when a running job has been on its hosts (s)."""
        known = self._since.get(record.job.id)
        return known if known is not None else record.since if record.since >= 0.0 else record.starting_time

    def _stretch(self, now: float, record: JobRecord, hosts: HostSet) -> None:
        if hosts and now > self.since(record):
            self.stretches.append(_row(record.job.id, self.since(record), now, hosts))

    def told(self, jobs: int, stretches: int, energy: int) -> dict[str, Any]:
        """What came after so many rows of each."""
        return {
            "rows": [len(self.jobs), len(self.stretches), len(self.energy)],
            "jobs": self.jobs[jobs:],
            "stretches": self.stretches[stretches:],
            "energy": self.energy[energy:],
        }

    def present(self, records: Sequence[JobRecord]) -> dict[str, Any]:
        """The jobs that run, and those that wait."""
        running, waiting, submitted = [], [], []
        for record in records:
            job = record.job
            known = [job.id, job.submission_time, job.request.hosts, _walltime(job)]
            if record.state.name == "RUNNING":
                runs = [number for low, high in record.hosts.runs for number in (low, high - low + 1)]
                running.append([*known, job.user, record.starting_time, self.since(record), *runs])
            elif record.starting_time < 0.0 and record.state.name == "SUBMITTED":
                submitted.append(job.submission_time)
                waiting.append(known)
        return {"running": running, "waiting": waiting[:_MOST_WAITING], "submitted": submitted}

    def conditions(self, run: Run, known: int) -> dict[str, Any]:
        """What hosts were besides busy, and events, where more has happened than is known."""
        told: dict[str, Any] = {"changes": self.changes}
        if known != self.changes:
            told |= {"conditions": conditions(run, _LATE), "events": markers(run)}
        return told


def _walltime(job: Job) -> float:
    return job.walltime if isfinite(job.walltime) else -1.0


def _row(job: str, start: float, finish: float, hosts: HostSet) -> list[Any]:
    return [job, start, finish, *(number for low, high in hosts.runs for number in (low, high - low + 1))]
