"""Short forms of the decisions that schedulers make most: of jobs, or their ids, and of whatever lists hosts."""

from collections.abc import Iterable, Mapping
from typing import Any

from windtunnel.model import HostSet, Job
from windtunnel.vocabulary.decisions import ExecuteJob, KillJobs, RejectJob, ResizeJob

__all__ = ["Execute", "Kill", "Reject", "Resize"]


def _id(job: Job | str) -> str:
    if isinstance(job, str):
        return job
    if isinstance(job, Job):
        return job.id
    raise TypeError(f"expected a job or its id, not {type(job).__name__} {job!r:.50}")


def _hosts(hosts: HostSet | Iterable[int]) -> HostSet:
    if isinstance(hosts, HostSet):
        return hosts
    if isinstance(hosts, Mapping):  # its values would be lost
        raise TypeError(f"expected a HostSet or host ids, not {hosts!r:.50}: amounts=... says how much of each host")
    if isinstance(hosts, str) or not isinstance(hosts, Iterable):
        raise TypeError(f"expected a HostSet or host ids, not {type(hosts).__name__} {hosts!r:.50}")
    return HostSet(hosts)


def Execute(job: Job | str, hosts: HostSet | Iterable[int], **options: Any) -> ExecuteJob:  # noqa: N802 -- reads as the decision it makes
    """``ExecuteJob`` for a job or its id."""
    return ExecuteJob(job_id=_id(job), hosts=_hosts(hosts), **options)


def Reject(job: Job | str, reason: str = "") -> RejectJob:  # noqa: N802 -- reads as the decision it makes
    """``RejectJob`` for a job or its id."""
    return RejectJob(job_id=_id(job), reason=reason)


def Resize(job: Job | str, hosts: HostSet | Iterable[int], **options: Any) -> ResizeJob:  # noqa: N802 -- reads as the decision it makes
    """``ResizeJob`` for a job or its id."""
    return ResizeJob(job_id=_id(job), hosts=_hosts(hosts), **options)


def Kill(*jobs: Job | str) -> KillJobs:  # noqa: N802 -- reads as the decision it makes
    """``KillJobs`` for jobs or their ids."""
    return KillJobs(job_ids=tuple(_id(job) for job in jobs))
