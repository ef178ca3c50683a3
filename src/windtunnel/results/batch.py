"""A batch of jobs that are over, by column, and what takes such batches."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Protocol

import msgspec

from windtunnel.model import HostSet, JobState
from windtunnel.results.fields import names_of

__all__ = ["Batch", "Sink"]


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
