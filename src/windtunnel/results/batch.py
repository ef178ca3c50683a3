"""A batch of jobs that are over, by column, and what takes such batches."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Protocol

from windtunnel.model import HostSet, Job, JobRecord, JobState
from windtunnel.results.fields import names_of
from windtunnel.results.job_rows import COMPILED

__all__ = ["Batch", "Sink"]


_AT_ONCE: Final = (
    *("ids", "submitted", "requested", "walltime", "states", "start", "finish", "hosts", "amounts", "energy"),
    *("metadata", "return_codes", "users", "groups", "queues", "profiles"),
)
"""The columns that every batch is asked for in pure Python."""


class Batch:
    """Jobs that are over, in the order in which they ended or were rejected, and columns of them. Times in s.

    In pure Python most columns are made at once: each record is read once, while it is in the cache. Others are made
    when they are asked for. The compiled build asks for few but those of what a job itself says, which interpreted
    code reads faster; the rest it takes from the records.
    """

    def __init__(self, records: list[JobRecord]) -> None:
        self.records = records
        if not COMPILED:
            self.__dict__.update(_at_once(records))

    @cached_property
    def _jobs(self) -> list[Job]:
        if COMPILED:
            from windtunnel.results.written_jobs import jobs_of

            return jobs_of(self.records)
        return [record.job for record in self.records]

    @cached_property
    def ids(self) -> list[str]:
        """Full ids."""
        return [record.job_id for record in self.records]

    @cached_property
    def profiles(self) -> list[str]:
        """Their full ids."""
        return [job.profile.id for job in self._jobs]

    @cached_property
    def submitted(self) -> list[float]:
        """Dates of submission."""
        return [record.submission for record in self.records]

    @cached_property
    def requested(self) -> list[int]:
        """Hosts."""
        return [record.size for record in self.records]

    @cached_property
    def walltime(self) -> list[float]:
        """Limits; inf when there is none."""
        return [record.walltime for record in self.records]

    @cached_property
    def states(self) -> list[JobState]:
        """How they ended."""
        return [record.state for record in self.records]

    @cached_property
    def start(self) -> list[float]:
        """Dates; -1 when it never ran."""
        return [record.starting_time for record in self.records]

    @cached_property
    def finish(self) -> list[float]:
        """Dates; -1 when it never ran."""
        return [record.finish_time for record in self.records]

    @cached_property
    def hosts(self) -> list[HostSet]:
        """Those it had last."""
        return [record.hosts for record in self.records]

    @cached_property
    def amounts(self) -> list[Mapping[int, Mapping[str, float]] | None]:
        """What it took of them, if not whole ones."""
        return [record.amounts for record in self.records]

    @cached_property
    def energy(self) -> list[float]:
        """Joules; -1 when energy is not simulated."""
        return [record.consumed_energy for record in self.records]

    @cached_property
    def metadata(self) -> list[str]:
        """What decision components attached."""
        return [record.metadata for record in self.records]

    @cached_property
    def users(self) -> list[str]:
        """Their names, or nothing at all."""
        return [job.user for job in self._jobs]

    @cached_property
    def groups(self) -> list[str]:
        """Their names, or nothing at all."""
        return [job.group for job in self._jobs]

    @cached_property
    def queues(self) -> list[str]:
        """Their names, or nothing at all."""
        return [job.queue for job in self._jobs]

    @cached_property
    def return_codes(self) -> list[int]:
        """0 for success."""
        return [record.return_code for record in self.records]

    @cached_property
    def dynamic(self) -> list[bool]:
        """Whether a decision component registered it."""
        return [record.dynamic for record in self.records]

    @cached_property
    def owners(self) -> tuple[list[str], list[str], list[str]]:
        """Users, groups and queues."""
        return self.users, self.groups, self.queues

    @cached_property
    def names(self) -> tuple[list[str], list[str]]:
        """The ids as fields of CSV rows: jobs, and their workloads."""
        return names_of(self.ids)

    @cached_property
    def shared(self) -> bool:
        """Whether any job took amounts of its hosts instead of whole ones."""
        if COMPILED:
            from windtunnel.results.written_jobs import shared

            return shared(self.records)
        amounts = self.amounts
        return amounts.count(None) < len(amounts)


def _at_once(records: list[JobRecord]) -> dict[str, list[Any]]:
    cells: list[Any] = []
    for record in records:
        job = record.job
        cells += (
            record.job_id,
            record.submission,
            record.size,
            record.walltime,
            record.state,
            record.starting_time,
            record.finish_time,
            record.hosts,
            record.amounts,
            record.consumed_energy,
            record.metadata,
            record.return_code,
            job.user,
            job.group,
            job.queue,
            job.profile.id,
        )
    width = len(_AT_ONCE)
    return {name: cells[place::width] for place, name in enumerate(_AT_ONCE)}


class Sink(Protocol):
    """Takes batches of jobs."""

    def take(self, batch: Batch) -> None:
        """More jobs are over."""
