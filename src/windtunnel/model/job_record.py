"""What happened to a job: the engine reads and writes it many times for each, so that this class is compiled."""

from collections.abc import Mapping
from types import FunctionType
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.model.hostset import HostSet
from windtunnel.model.job import Job, JobState

__all__ = ["JobRecord", "new_record"]

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


@mypyc_attr(allow_interpreted_subclasses=True)
class JobRecord:  # noqa: PLW1641 -- it changes: it has no hash
    """The state and history of a job. Times in seconds from the start of the simulation."""

    __slots__ = _FIELDS

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


def new_record(job: Job) -> JobRecord:
    """The record of a job just submitted: a hot path (in pure Python its initialiser costs twice as much)."""
    if _COMPILED:
        return JobRecord(job)
    new = _bare(JobRecord)
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
    return new


_COMPILED: Final = not isinstance(new_record, FunctionType)
