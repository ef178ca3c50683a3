"""Leases as jobs: what a job cannot say (reservations, deadlines, images) travels in its ``extra_data``, as JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Final, Self

import msgspec

from windtunnel.diagnostics import Finding
from windtunnel.model.job import Job, Request
from windtunnel.model.lease import Lease, LeaseWorkload
from windtunnel.model.profiles import DelayProfile, Profile
from windtunnel.model.workload import ShownWorkload

__all__ = ["AT_LEAST", "LeaseJobs", "job_of_lease", "lease_in"]

AT_LEAST: Final = 0.004
"""A job that lasts as long as its lease was asked for has so many seconds more before it is killed: less than half of
the hundredths of a second in which leases are planned."""


class _Extra(msgspec.Struct):
    """What ``extra_data`` of a job that is a lease holds; other members are ignored."""

    lease: Lease | None = None


def job_of_lease(lease: Lease, name: str, lasts: tuple[float, float | None] | None = None) -> Job:
    """A lease as a job ``name!id`` that lasts as long as the lease really runs, one host per virtual node.

    Its walltime is the lease's duration (a lease that runs just as long as was asked for is not killed by it).
    ``lasts``: duration and real duration (s), if they differ from what the lease says.
    """
    asked, real = lasts or (lease.duration, lease.real_duration)
    delay = asked if real is None else min(real, asked)
    return Job(
        id=f"{name}!{lease.id}",
        request=Request(hosts=lease.numnodes),
        profile=DelayProfile(id=f"{name}!{delay:.10g}", delay=float(delay)),
        submission_time=float(lease.submit),
        walltime=float(asked) if delay < asked else asked + AT_LEAST,
        user="" if lease.user is None else str(lease.user),
        queue=lease.kind.value,
        extra_data=msgspec.json.encode({"lease": lease}).decode(),
    )


def lease_in(job: Job) -> Lease | None:
    """The lease a job stands for; ``None`` if it stands for itself.

    Raises:
        msgspec.DecodeError: its extra data look like a lease and are none.
    """
    if not job.extra_data or '"lease"' not in job.extra_data:
        return None
    return msgspec.json.decode(job.extra_data, type=_Extra).lease


class LeaseJobs(ShownWorkload):
    """A workload of leases as a workload of jobs; leases submitted at the same time keep their order."""

    work: LeaseWorkload | None = None
    """The workload as it was read, to be written again as it was."""

    def __init__(
        self,
        leases: Sequence[Lease],
        name: str = "leases",
        *,
        hosts: int = 0,
        path: str = "",
        lost: Sequence[str] = (),
        attributes: Mapping[str, str] = {},
        lasts: Callable[[Lease], tuple[float, float | None]] | None = None,
    ) -> None:
        """``lost``: what these jobs do not say for a scheduler that does not know leases, in words.

        ``attributes``: those of the workload of leases; ``lasts``: see :func:`job_of_lease`.
        """
        self.name, self.path, self.hosts, self.lost = name, path, hosts, tuple(lost)
        self.attributes = dict(attributes)
        self.warnings: tuple[Finding, ...] = ()
        """What the reader found odd in the input."""
        self._leases = leases
        self.leases: Mapping[str, Lease] = {f"{name}!{lease.id}": lease for lease in leases}
        """The lease each job stands for."""
        if lasts is not None:
            self._jobs = self._made(lasts)

    def lasting(self, lasts: Callable[[Lease], tuple[float, float | None]]) -> Self:
        """The same leases, as jobs that last so long (see :func:`job_of_lease`)."""
        made = copy(self)
        made.__dict__.pop("profiles", None)
        made._jobs = made._made(lasts)
        return made

    @cached_property
    def _jobs(self) -> list[Job]:
        return self._made(None)

    def _made(self, lasts: Callable[[Lease], tuple[float, float | None]] | None) -> list[Job]:
        jobs = [job_of_lease(lease, self.name, None if lasts is None else lasts(lease)) for lease in self._leases]
        return sorted(jobs, key=lambda job: job.submission_time)

    @cached_property
    def profiles(self) -> Mapping[str, Profile]:
        """By id."""
        return {job.profile.id: job.profile for job in self._jobs}

    def __len__(self) -> int:
        return len(self._leases)

    def __getitem__(self, index: int, /) -> Job:
        return self._jobs[index]

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs)
