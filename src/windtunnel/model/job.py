"""Jobs: what they request, what they are given, and what happened to them."""

from collections.abc import Mapping
from enum import IntEnum
from math import inf
from typing import Any, Final

import msgspec

from windtunnel.model.hostset import HostSet
from windtunnel.model.profiles import Profile
from windtunnel.model.slurm.requests import JobAsk

__all__ = ["Allocation", "ExecutorPlacement", "Job", "JobRecord", "JobState", "PlacementStrategy", "Request"]


NO_HOSTS: Final = HostSet()


class JobState(IntEnum):
    """The life of a job (names of Batsim's outputs and protocols)."""

    NOT_SUBMITTED = 0
    SUBMITTED = 1
    RUNNING = 2
    COMPLETED_SUCCESSFULLY = 3
    COMPLETED_FAILED = 4
    COMPLETED_WALLTIME_REACHED = 5
    COMPLETED_KILLED = 6
    REJECTED = 7
    SUSPENDED = 8
    """Not in Batsim: the job was suspended, to be resumed later."""


class Request(msgspec.Struct, frozen=True, gc=False):
    """What a job requests: ``hosts`` whole hosts or, with ``amounts``, an amount of each resource on each of them.

    ``processors`` is set instead of ``hosts`` by formats that count processors (SWF); it is converted to hosts (or
    hosts and cores) when the platform is known (decisions.md 16).
    """

    hosts: int
    processors: int = 0
    amounts: tuple[tuple[str, float], ...] = ()


class Allocation(msgspec.Struct, frozen=True):
    """What a job is given: a set of hosts and, when they are shared, amounts by host and resource name."""

    hosts: HostSet
    amounts: Mapping[int, Mapping[str, float]] | None = None


class PlacementStrategy(IntEnum):
    """Predefined ways to place executors on hosts (batprotocol)."""

    SpreadOverHostsFirst = 0
    FillOneHostCoresFirst = 1


ExecutorPlacement = PlacementStrategy | tuple[int, ...]
"""A predefined placement, or for each executor the rank of its host in the allocation."""


class Job(msgspec.Struct, kw_only=True, frozen=True, gc=False):
    """One job as described by its input: schedulers can see but not change it.

    The engine's bookkeeping is in :class:`JobRecord`.
    """

    id: str
    """``workload!name``."""
    request: Request
    profile: Profile
    submission_time: float = 0.0
    """Seconds from the start of the simulation."""
    walltime: float = inf
    """Seconds after its start at which it is killed; ``inf`` if there is no limit."""
    user: str = ""
    group: str = ""
    queue: str = ""
    dependencies: tuple[str, ...] = ()
    """Ids of jobs that must have ended before this one is submitted."""
    think_time: float = 0.0
    """Seconds between the end of the last dependency and the submission."""
    extra_data: str | None = None
    source: dict[str, Any] | None = None
    """The object of the input file, as read: Batsim 4 forwards it verbatim."""
    ask: JobAsk | None = None
    """What it requested of Slurm, if its log says so."""

    @property
    def hosts(self) -> int:
        """The number of hosts requested."""
        return self.request.hosts

    @property
    def workload(self) -> str:
        """The part of the id before ``!``."""
        return self.id.partition("!")[0]

    @property
    def name(self) -> str:
        """The part of the id after ``!``."""
        return self.id.partition("!")[2]


class JobRecord(msgspec.Struct, kw_only=True, weakref=False):
    """The state and history of a job. Times in seconds from the start of the simulation."""

    job: Job
    state: JobState = JobState.SUBMITTED
    hosts: HostSet = NO_HOSTS
    amounts: Mapping[int, Mapping[str, float]] | None = None
    starting_time: float = -1.0
    finish_time: float = -1.0
    since: float = -1.0
    """When it started on its present hosts; differs from ``starting_time`` after a suspension."""
    done: float = 0.0
    """Seconds it had run before ``since``."""
    return_code: int = 0
    consumed_energy: float = -1.0
    """Joules; -1 when energy is not simulated."""
    metadata: str = ""
    execution: Any = None
    """The engine's state of the running profile, if there is one."""
    version: int = 0
    """Increased whenever what was planned for this job no longer holds."""
    owner: int = -1
    """The rank of the decision component that decides on it; -1 while any may."""
    dynamic: bool = False
    """Registered by a decision component, not read from a file."""
    kill_requests: int = 0
    announced: bool = False
    """Whether the decision components have been notified of its end."""

    def __reduce__(self) -> tuple[Any, ...]:
        """For saving a run: activities refer to their record, so the record must exist before its fields."""
        return _empty_record, (self.job,), (None, {name: getattr(self, name) for name in self.__struct_fields__})


def _empty_record(job: Job) -> JobRecord:
    return JobRecord(job=job)
