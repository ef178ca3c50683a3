"""Jobs: what they request, and what they are given."""

from collections.abc import Mapping
from enum import IntEnum
from math import inf
from typing import Any, Final

import msgspec

from windtunnel.model.hostset import HostSet
from windtunnel.model.profiles import Profile
from windtunnel.model.slurm.requests import JobAsk

__all__ = ["Allocation", "ExecutorPlacement", "Job", "JobState", "PlacementStrategy", "Request", "restated"]

_MOST: Final = 1e15
"""Larger numbers are written as they are."""


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

    def on_hosts_of(self, cores: int, *, parts: bool = False) -> "Request":
        """Of processors: the same for hosts of this many ``cores``; with ``parts`` it takes some of them only."""
        hosts = -(-self.processors // cores)
        if not parts or not hosts:
            return msgspec.structs.replace(self, hosts=hosts)
        others = tuple(amount for amount in self.amounts if amount[0] != "cores")
        amounts = (("cores", float(-(-self.processors // hosts))), *others)
        return msgspec.structs.replace(self, hosts=hosts, amounts=amounts)


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

    The engine's bookkeeping is in :class:`~windtunnel.model.job_record.JobRecord`.
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


def restated(made: Job, before: Job) -> Job:
    """A job made from another one: the object of the input file states its values, not those of the other."""
    source = before.source
    if source is None:
        return made
    said: dict[str, Any] = {}
    if made.submission_time != before.submission_time:
        said["subtime"] = _number(made.submission_time)
    if made.request.hosts != before.request.hosts:
        said["res"] = made.request.hosts
    if made.walltime != before.walltime:
        said["walltime"] = -1 if made.walltime == inf else _number(made.walltime)
    if made.profile.id != before.profile.id:
        said["profile"] = made.profile.name
    return msgspec.structs.replace(made, source={**source, **said}) if said else made


def _number(value: float) -> float:
    """An int where it is a whole number, as most are written."""
    return int(value) if abs(value) < _MOST and int(value) == value else value
