"""What is happening, or has happened, to a job."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.model.hostset import HostSet
from windtunnel.model.job import Job, JobState

__all__ = ["JobRecord"]

_NO_HOSTS: Final = HostSet()
_SUBMITTED: Final = JobState.SUBMITTED


@mypyc_attr(allow_interpreted_subclasses=True)
class JobRecord:
    """What is happening, or has happened, to a job. Times in seconds from the start of the simulation.

    Two records are equal when all they say is.
    """

    # No slots: what a record does not say itself, its class does, so that a new one costs little in pure Python.

    job: Job
    state: JobState = _SUBMITTED
    hosts: HostSet = _NO_HOSTS
    amounts: Mapping[int, Mapping[str, float]] | None = None
    starting_time: float = -1.0
    finish_time: float = -1.0
    since: float = -1.0
    """Since when it has been on its present hosts; differs from ``starting_time`` after a suspension."""
    done: float = 0.0
    """Seconds it had run before ``since``."""
    return_code: int = 0
    consumed_energy: float = -1.0
    """Joules; -1 when energy is not simulated."""
    metadata: str = ""
    execution: Any = None
    """The engine's own state of the running profile, while there is one."""
    version: int = 0
    """Raised whenever what was planned for this job no longer holds."""
    owner: int = -1
    """The rank of the decision component that decides on it; -1 as long as any may."""
    dynamic: bool = False
    """Registered by a decision component, not read from a file."""
    kill_requests: int = 0
    announced: bool = False
    """Whether its end was told to the decision components."""

    _FIELDS: ClassVar[tuple[str, ...]] = (
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

    def __init__(self, job: Job, **fields: Any) -> None:
        self.job = job
        for name, value in fields.items():
            if name not in JobRecord._FIELDS:
                raise TypeError(f"a JobRecord has no {name!r}")
            setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JobRecord):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in JobRecord._FIELDS)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"JobRecord({', '.join(f'{name}={getattr(self, name)!r}' for name in JobRecord._FIELDS)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """For saving a run: what is under way refers to its record, so the record must be there before its fields."""
        return JobRecord, (self.job,), (None, {name: getattr(self, name) for name in JobRecord._FIELDS})
