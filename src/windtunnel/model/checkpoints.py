"""Checkpoints: what writing them adds to the time that jobs last."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, nextafter

import msgspec

from windtunnel.diagnostics import Finding
from windtunnel.model.abilities import (
    Report,
    has_dependencies,
    jobs_between,
    report_of,
    start_date_of,
    unused_profiles,
)
from windtunnel.model.asks import Ask, Asking, Sized, Some, Warned
from windtunnel.model.job import Job, restated
from windtunnel.model.profiles import DelayProfile, Profile, parts_of
from windtunnel.model.workload import Workload

__all__ = ["CheckpointedWorkload", "with_checkpoints"]


def with_checkpoints(job: Job, interval: float, cost: float) -> Job:
    """The job when it writes a checkpoint after each ``interval`` seconds of work, which takes ``cost`` seconds.

    Only jobs with a fixed run time (delays) can be cut so; others are returned as they are. No checkpoint is written
    at the end. The walltime grows by as much as the job.
    """
    profile = job.profile
    if not isinstance(profile, DelayProfile) or interval <= 0:
        return job
    added = _added(profile, interval, cost)
    delay, walltime = profile.delay + added, job.walltime + added
    if walltime <= delay and job.walltime > profile.delay:  # by so little that the sums are rounded to the same
        walltime = nextafter(delay, inf)
    longer = profile.lasting(delay)
    return restated(msgspec.structs.replace(job, profile=longer, walltime=walltime), job)


def _added(profile: DelayProfile, interval: float, cost: float) -> float:
    """The seconds that writing checkpoints takes."""
    return max(0, -int(-profile.delay // interval) - 1) * cost


def _profiles(profiles: Mapping[str, Profile], interval: float, cost: float) -> Mapping[str, Profile]:
    """Named profiles as jobs have them, for schedulers that are told of them or register jobs by their names.

    Parts of compositions stay as they are, since compositions write no checkpoints.
    """
    if interval <= 0:
        return profiles
    parts = {name for one in profiles.values() for name in parts_of(one)}
    return {
        name: one.lasting(one.delay + _added(one, interval, cost))
        if isinstance(one, DelayProfile) and name not in parts
        else one
        for name, one in profiles.items()
    }


class CheckpointedWorkload:
    """A workload whose jobs write checkpoints; everything else is the other workload's."""

    def __init__(self, workload: Workload, interval: float, cost: float) -> None:
        self._workload = workload
        self._interval = interval
        self._cost = cost
        self.name = workload.name
        self.path = workload.path
        self.profiles: Mapping[str, Profile] = _profiles(workload.profiles, interval, cost)

    @property
    def hosts(self) -> int:
        """The number of hosts the workload was made for; 0 when unknown."""
        return self._workload.hosts

    def __len__(self) -> int:
        return len(self._workload)

    def __getitem__(self, index: int, /) -> Job:
        """The job at this rank of submission."""
        return with_checkpoints(self._workload[index], self._interval, self._cost)

    def jobs_between(self, first: int, stop: int) -> list[Job]:
        """The jobs of these ranks."""
        return [
            with_checkpoints(job, self._interval, self._cost) for job in jobs_between(self._workload, first, stop)
        ]

    def __iter__(self) -> Iterator[Job]:
        return (with_checkpoints(job, self._interval, self._cost) for job in self._workload)

    @property
    def has_dependencies(self) -> bool:
        """Whether a job waits for others before it is submitted."""
        return has_dependencies(self._workload)

    @property
    def start_date(self) -> float | None:
        """The calendar date of time 0 (s since 1970, UTC); None when it is not known."""
        return start_date_of(self._workload)

    @property
    def report(self) -> Report | None:
        """What was read, dropped and repaired; None when there is no account of it."""
        return report_of(self._workload)

    @property
    def unused(self) -> Mapping[str, Profile]:
        """The profiles that no job uses, as far as that is known."""
        return unused_profiles(self._workload)

    @property
    def asks(self) -> Sequence[Ask]:
        """What it asks for, each ability and reason once."""
        return self._workload.asks if isinstance(self._workload, Asking) else ()

    @property
    def warnings(self) -> Sequence[Finding]:
        """What its reader found odd."""
        return self._workload.warnings if isinstance(self._workload, Warned) else ()

    def larger_than(self, hosts: int, cores: int | None) -> Some | None:
        """The jobs that want more than there is; see :class:`~windtunnel.model.asks.Sized`."""
        return self._workload.larger_than(hosts, cores) if isinstance(self._workload, Sized) else None

    def cores_in_vain(self) -> Some | None:
        """The jobs that use fewer cores than their hosts have; see :class:`~windtunnel.model.asks.Sized`."""
        return self._workload.cores_in_vain() if isinstance(self._workload, Sized) else None
