"""A batch of jobs that are over, by column, and what takes such batches."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Protocol

from windtunnel.model import HostSet, Job, JobState
from windtunnel.results.fields import names_of

__all__ = ["NOTED", "Batch", "Sink"]

NOTED: Final = 10
"""Values that are noted of each job: the job itself, and what its record says (see :class:`Batch`)."""


class Batch:
    """Jobs that are over, in the order in which they ended or were rejected, and columns of them. Times in s.

    ``noted`` has of each job, one after the other: the job, its state, start (-1 when it never ran), end, hosts,
    amounts, energy, metadata and return code, and whether it is dynamic. Columns are made when they are asked for:
    the compiled build asks for few but those of what a job itself says, which interpreted code reads faster.
    """

    def __init__(self, noted: list[Any]) -> None:
        self.noted = noted

    @cached_property
    def _jobs(self) -> list[Job]:
        return self.noted[::NOTED]

    @cached_property
    def ids(self) -> list[str]:
        """Full ids."""
        return [job.id for job in self._jobs]

    @cached_property
    def profiles(self) -> list[str]:
        """Their full ids."""
        return [job.profile.id for job in self._jobs]

    @cached_property
    def submitted(self) -> list[float]:
        """Dates of submission."""
        return [job.submission_time for job in self._jobs]

    @cached_property
    def requested(self) -> list[int]:
        """Hosts."""
        return [job.request.hosts for job in self._jobs]

    @cached_property
    def walltime(self) -> list[float]:
        """Limits; inf when there is none."""
        return [job.walltime for job in self._jobs]

    @cached_property
    def states(self) -> list[JobState]:
        """How they ended."""
        return self.noted[1::NOTED]

    @cached_property
    def start(self) -> list[float]:
        """Dates; -1 when it never ran."""
        return self.noted[2::NOTED]

    @cached_property
    def finish(self) -> list[float]:
        """Dates; -1 when it never ran."""
        return self.noted[3::NOTED]

    @cached_property
    def hosts(self) -> list[HostSet]:
        """Those it had last."""
        return self.noted[4::NOTED]

    @cached_property
    def amounts(self) -> list[Mapping[int, Mapping[str, float]] | None]:
        """What it took of them, if not whole ones."""
        return self.noted[5::NOTED]

    @cached_property
    def energy(self) -> list[float]:
        """Joules; -1 when energy is not simulated."""
        return self.noted[6::NOTED]

    @cached_property
    def metadata(self) -> list[str]:
        """What decision components attached."""
        return self.noted[7::NOTED]

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
        return self.noted[8::NOTED]

    @cached_property
    def dynamic(self) -> list[bool]:
        """Whether a decision component registered it."""
        return self.noted[9::NOTED]

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
        amounts = self.amounts
        return amounts.count(None) < len(amounts)


class Sink(Protocol):
    """Takes batches of jobs."""

    def take(self, batch: Batch) -> None:
        """More jobs are over."""
