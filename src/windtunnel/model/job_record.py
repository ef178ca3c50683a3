"""What happened to a job: the engine reads and writes it many times for each, so that this class is compiled."""

from collections.abc import Mapping, Sequence
from itertools import repeat
from types import FunctionType
from typing import Any, Final

from msgspec.structs import astuple
from mypy_extensions import mypyc_attr

from windtunnel.model.hostset import HostSet
from windtunnel.model.job import Job, JobState
from windtunnel.model.profiles import DelayProfile

__all__ = ["JobRecord", "new_record", "record_of", "records_of"]

_NO_HOSTS: Final = HostSet()
_SUBMITTED: Final = JobState.SUBMITTED

_FIELDS: Final = (
    "job",
    "state",
    "hosts",
    "amounts",
    "starting_time",
    "finish_time",
    "since",
    "done",
    "return_code",
    "consumed_energy",
    "metadata",
    "execution",
    "version",
    "owner",
    "dynamic",
    "kill_requests",
    "announced",
)

_FACTS: Final = ("job_id", "submission", "size", "walltime", "delay", "code")


@mypyc_attr(allow_interpreted_subclasses=True)
class JobRecord:  # noqa: PLW1641 -- it changes: it has no hash
    """The state and history of a job. Times in seconds from the start of the simulation.

    What the engine asks of each job again and again is beside it: to compiled code a field of a job, which is not
    compiled, costs thirty times as much as one of its own.
    """

    __slots__ = (*_FIELDS, *_FACTS)

    def __init__(
        self,
        job: Job,
        state: JobState = _SUBMITTED,
        hosts: HostSet = _NO_HOSTS,
        amounts: Mapping[int, Mapping[str, float]] | None = None,
        starting_time: float = -1.0,
        finish_time: float = -1.0,
        since: float = -1.0,
        done: float = 0.0,
        return_code: int = 0,
        consumed_energy: float = -1.0,
        metadata: str = "",
        execution: Any = None,
        version: int = 0,
        owner: int = -1,
        dynamic: bool = False,
        kill_requests: int = 0,
        announced: bool = False,
        job_id: str = "",
        submission: float = 0.0,
        size: int = -1,
        walltime: float = 0.0,
        delay: float = -1.0,
        code: int = 0,
    ) -> None:
        self.job = job
        self.state = state
        self.hosts = hosts
        self.amounts = amounts
        self.starting_time = starting_time
        self.finish_time = finish_time
        self.since = since
        """When it started on its present hosts; differs from ``starting_time`` after a suspension."""
        self.done = done
        """Seconds it had run before ``since``."""
        self.return_code = return_code
        self.consumed_energy = consumed_energy
        """Joules; -1 when energy is not simulated."""
        self.metadata = metadata
        self.execution = execution
        """The engine's state of the running profile, if there is one."""
        self.version = version
        """Increased whenever what was planned for this job no longer holds."""
        self.owner = owner
        """The rank of the decision component that decides on it; -1 while any may."""
        self.dynamic = dynamic
        """Registered by a decision component, not read from a file."""
        self.kill_requests = kill_requests
        self.announced = announced
        """Whether the decision components have been notified of its end."""
        if size < 0:
            job_id, submission, size, walltime = job.id, job.submission_time, job.request.hosts, job.walltime
            delay, code = job.profile.delay if type(job.profile) is DelayProfile else -1.0, job.profile.return_code
        self.job_id = job_id
        self.submission = submission
        """When the job says that it is submitted (s)."""
        self.size = size
        """How many hosts it requests."""
        self.walltime = walltime
        self.delay = delay
        """How long it lasts (s), if that is all that its profile says; otherwise -1."""
        self.code = code
        """The return code of a complete run."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    def __repr__(self) -> str:
        fields = ", ".join([f"{name}={getattr(self, name)!r}" for name in _FIELDS])
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        """For saving a run: activities refer to their record, so the record must exist before its fields."""
        return type(self), (self.job,), {name: getattr(self, name) for name in _FIELDS}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


_bare: Final = JobRecord.__new__
# Bound once: compiled code looks up what comes from other modules each time.
_Job: Final = Job
_DelayProfile: Final = DelayProfile
_astuple: Final = astuple


def new_record(job: Job) -> JobRecord:
    """The record of a job just submitted."""
    return JobRecord(job)


def records_of(jobs: Sequence[Job]) -> list[JobRecord]:
    """The records of jobs that will be submitted: a hot path."""
    if not _COMPILED:
        return _blank_and_filled(jobs)
    records: list[JobRecord] = []
    for job in jobs:
        if type(job) is _Job:
            fields: tuple[Any, ...] = _astuple(job)  # all at once: each one costs as much
            job_id, request, profile, submission, walltime = fields[0], fields[1], fields[2], fields[3], fields[4]
            delay: Any = profile.delay if type(profile) is _DelayProfile else -1.0
            records.append(record_of(job, job_id, submission, request.hosts, walltime, delay, profile.return_code))
        else:
            records.append(JobRecord(job))
    return records


def _blank_and_filled(jobs: Sequence[Job]) -> list[JobRecord]:
    """The same in pure Python, where the initialiser costs twice as much."""
    records = list(map(_bare, repeat(JobRecord, len(jobs))))
    for new, job in zip(records, jobs, strict=True):
        new.job = job
        new.state = _SUBMITTED
        new.hosts = _NO_HOSTS
        new.amounts = None
        new.starting_time = -1.0
        new.finish_time = -1.0
        new.since = -1.0
        new.done = 0.0
        new.return_code = 0
        new.consumed_energy = -1.0
        new.metadata = ""
        new.execution = None
        new.version = 0
        new.owner = -1
        new.dynamic = False
        new.kill_requests = 0
        new.announced = False
        new.job_id = job.id
        new.submission = job.submission_time
        new.size = job.request.hosts
        new.walltime = job.walltime
        merely = job.profile
        new.delay = merely.delay if type(merely) is _DelayProfile else -1.0
        new.code = merely.return_code
    return records


def record_of(
    job: Job, job_id: str, submission: float, size: int, walltime: float, delay: float, code: int
) -> JobRecord:
    """The record of a job of which all this is known."""
    new = JobRecord(job, size=0)
    new.job_id = job_id
    new.submission = submission
    new.size = size
    new.walltime = walltime
    new.delay = delay
    new.code = code
    return new


_COMPILED: Final = not isinstance(new_record, FunctionType)
