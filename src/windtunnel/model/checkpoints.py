"""Checkpoints: what writing them adds to the time that jobs last."""

from collections.abc import Iterator, Mapping
from math import inf, nextafter

import msgspec

from windtunnel.model.job import Job
from windtunnel.model.profiles import DelayProfile, Profile
from windtunnel.model.workload import Workload

__all__ = ["CheckpointedWorkload", "with_checkpoints"]


def with_checkpoints(job: Job, interval: float, cost: float) -> Job:
    """The job when it writes a checkpoint after each ``interval`` seconds of work, which takes ``cost`` seconds.

    Only jobs that merely last (delays) can be cut so; others are returned as they are. No checkpoint is written at
    the end. The walltime grows by as much as the job.
    """
    profile = job.profile
    if not isinstance(profile, DelayProfile) or interval <= 0:
        return job
    count = max(0, -int(-profile.delay // interval) - 1)
    delay, walltime = profile.delay + count * cost, job.walltime + count * cost
    if walltime <= delay and job.walltime > profile.delay:  # by so little that the sums are rounded to the same
        walltime = nextafter(delay, inf)
    longer = msgspec.structs.replace(profile, delay=delay)
    return msgspec.structs.replace(job, profile=longer, walltime=walltime)


class CheckpointedWorkload:
    """A workload whose jobs write checkpoints; everything else is the other workload's."""

    def __init__(self, workload: Workload, interval: float, cost: float) -> None:
        self._workload = workload
        self._interval = interval
        self._cost = cost
        self.name = workload.name
        self.path = workload.path

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """All named profiles."""
        return self._workload.profiles

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
        return [self[index] for index in range(first, stop)]

    def __iter__(self) -> Iterator[Job]:
        return (with_checkpoints(job, self._interval, self._cost) for job in self._workload)

    def __getattr__(self, name: str) -> object:
        """Whatever a format knows besides (its report, its start date)."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._workload, name)
