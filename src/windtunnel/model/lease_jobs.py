"""Leases as jobs: what a job cannot say (reservations, deadlines, images) travels in its ``extra_data``, as JSON."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from windtunnel.diagnostics import Finding
from windtunnel.model.job import Job, Request
from windtunnel.model.lease import Lease, LeaseWorkload
from windtunnel.model.profiles import DelayProfile, Profile

__all__ = ["LeaseJobs", "job_of_lease", "lease_in"]


class _Extra(msgspec.Struct):
    """What ``extra_data`` of a job that is a lease holds; other members are ignored."""

    lease: Lease | None = None


def job_of_lease(lease: Lease, name: str) -> Job:
    """A lease as a job ``name!id`` that lasts as long as the lease really runs, one host per virtual node."""
    real = lease.duration if lease.real_duration is None else min(lease.real_duration, lease.duration)
    return Job(
        id=f"{name}!{lease.id}",
        request=Request(hosts=lease.numnodes),
        profile=DelayProfile(id=f"{name}!{real:g}", delay=float(real)),
        submission_time=float(lease.submit),
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


class LeaseJobs:
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
    ) -> None:
        """``lost``: what these jobs do not say for a scheduler that does not know leases, in words."""
        self.name, self.path, self.hosts, self.lost = name, path, hosts, tuple(lost)
        self.warnings: tuple[Finding, ...] = ()
        """What the reader found odd in the input."""
        jobs = [job_of_lease(lease, name) for lease in leases]
        self.profiles: Mapping[str, Profile] = {job.profile.id: job.profile for job in jobs}
        self._jobs = sorted(jobs, key=lambda job: job.submission_time)

    def __len__(self) -> int:
        return len(self._jobs)

    def __getitem__(self, index: int, /) -> Job:
        return self._jobs[index]

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs)
