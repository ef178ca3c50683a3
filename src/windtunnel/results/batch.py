"""A batch of jobs that are over, by column, and what takes such batches."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Protocol

import msgspec

from windtunnel.model import HostSet, Job, JobState
from windtunnel.results.fields import names_of

__all__ = ["NOTED", "Batch", "Sink"]

NOTED: Final = 10
"""Values that are noted of each job: the job itself, and what its record says (see :meth:`Batch.of`)."""


class Batch(msgspec.Struct, dict=True):
    """Jobs that are over, by column, in the order in which they ended or were rejected. Times in s."""

    ids: list[str]
    profiles: list[str]
    """Their full ids."""
    submitted: list[float]
    requested: list[int]
    walltime: list[float]
    states: list[JobState]
    start: list[float]
    """-1 when it never ran."""
    finish: list[float]
    hosts: list[HostSet]
    amounts: list[Mapping[int, Mapping[str, float]] | None]
    energy: list[float]
    metadata: list[str]
    users: list[str]
    groups: list[str]
    queues: list[str]
    return_codes: list[int]
    dynamic: list[bool]

    @classmethod
    def of(cls, noted: list[Any]) -> "Batch":
        """From what is noted of the jobs, one after the other.

        Of each: the job, its state, start, end, hosts, amounts, energy, metadata and return code, and whether it is
        dynamic. What a job itself says is read only here, where that is cheap in both builds.
        """
        jobs: list[Job] = noted[::NOTED]
        return cls(
            ids=[job.id for job in jobs],
            profiles=[job.profile.id for job in jobs],
            submitted=[job.submission_time for job in jobs],
            requested=[job.request.hosts for job in jobs],
            walltime=[job.walltime for job in jobs],
            states=noted[1::NOTED],
            start=noted[2::NOTED],
            finish=noted[3::NOTED],
            hosts=noted[4::NOTED],
            amounts=noted[5::NOTED],
            energy=noted[6::NOTED],
            metadata=noted[7::NOTED],
            users=[job.user for job in jobs],
            groups=[job.group for job in jobs],
            queues=[job.queue for job in jobs],
            return_codes=noted[8::NOTED],
            dynamic=noted[9::NOTED],
        )

    @cached_property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        """The ids as fields of CSV rows: jobs, and their workloads."""
        return names_of(self.ids)

    @cached_property
    def shared(self) -> bool:
        """Whether any job took amounts of its hosts instead of whole ones."""
        return self.amounts.count(None) < len(self.amounts)


class Sink(Protocol):
    """Takes batches of jobs."""

    def take(self, batch: Batch) -> None:
        """More jobs are over."""
