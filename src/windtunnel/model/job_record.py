"""What is happening, or has happened, to a job."""

from collections.abc import Mapping
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.model.hostset import HostSet
from windtunnel.model.job import Job, JobState

__all__ = ["JobRecord"]

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
"""In the order in which they are shown."""


@mypyc_attr(allow_interpreted_subclasses=True)
class JobRecord:
    """What is happening, or has happened, to a job. Times in seconds from the start of the simulation.

    Two records are equal when all they say is.
    """

    __slots__ = (
        "amounts",
        "announced",
        "consumed_energy",
        "done",
        "dynamic",
        "execution",
        "finish_time",
        "hosts",
        "job",
        "kill_requests",
        "metadata",
        "owner",
        "return_code",
        "since",
        "starting_time",
        "state",
        "version",
    )

    def __init__(self, job: Job, **fields: Any) -> None:
        self.job = job
        self.state: JobState = _SUBMITTED
        self.hosts: HostSet = _NO_HOSTS
        self.amounts: Mapping[int, Mapping[str, float]] | None = None
        self.starting_time = -1.0
        self.finish_time = -1.0
        self.since = -1.0
        """Since when it has been on its present hosts; differs from ``starting_time`` after a suspension."""
        self.done = 0.0
        """Seconds it had run before ``since``."""
        self.return_code = 0
        self.consumed_energy = -1.0
        """Joules; -1 when energy is not simulated."""
        self.metadata = ""
        self.execution: Any = None
        """The engine's own state of the running profile, while there is one."""
        self.version = 0
        """Raised whenever what was planned for this job no longer holds."""
        self.owner = -1
        """The rank of the decision component that decides on it; -1 as long as any may."""
        self.dynamic = False
        """Registered by a decision component, not read from a file."""
        self.kill_requests = 0
        self.announced = False
        """Whether its end was told to the decision components."""
        if fields:
            for name, value in fields.items():
                if name not in _FIELDS:
                    raise TypeError(f"a JobRecord has no {name!r}")
                setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JobRecord):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"JobRecord({', '.join(f'{name}={getattr(self, name)!r}' for name in _FIELDS)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """For saving a run: what is under way refers to its record, so the record must be there before its fields."""
        return JobRecord, (self.job,), (None, {name: getattr(self, name) for name in _FIELDS})
