"""Jobs that are over, gathered and handed on in batches.

What is written and counted per job is the hot path of recording. Columns of a few hundred jobs at a time cost half
of what job after job does, so recorders of jobs are sinks of a :class:`Ledger` rather than observers.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, Protocol

import msgspec
from msgspec.structs import astuple

from windtunnel.model import HostSet, Job, JobRecord, JobState
from windtunnel.results.fields import names_of
from windtunnel.results.rows import BATCH
from windtunnel.vocabulary.component import Observer

__all__ = ["Batch", "Ledger", "Sink"]


class Batch(msgspec.Struct, dict=True):
    """Jobs that are over, by column, in the order in which they ended or were rejected. Times in s."""

    ids: Sequence[str]
    profiles: Sequence[str]
    """Their full ids."""
    submitted: Sequence[float]
    requested: Sequence[int]
    walltime: Sequence[float]
    states: Sequence[JobState]
    start: Sequence[float]
    """-1 when it never ran."""
    finish: Sequence[float]
    hosts: Sequence[HostSet]
    amounts: Sequence[Mapping[int, Mapping[str, float]] | None]
    energy: Sequence[float]
    metadata: Sequence[str]
    users: Sequence[str]
    groups: Sequence[str]
    queues: Sequence[str]
    return_codes: Sequence[int]
    dynamic: Sequence[bool]

    @cached_property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        """The ids as fields of CSV rows: jobs, and their workloads."""
        return names_of(self.ids)


class Sink(Protocol):
    """Takes batches of jobs."""

    def take(self, batch: Batch) -> None:
        """More jobs are over."""


class Ledger(Observer):
    """Notes each job that is over, at once (so that what happens to the record later does not matter)."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = tuple(sinks)
        self._pending: list[tuple[Any, ...]] = []
        self._lock = Lock()

    def on_job_ended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- the record has the dates
        """Note it: a hot path."""
        pending = self._pending
        pending.append(astuple(record))
        if len(pending) >= BATCH:
            self.flush()

    def on_job_rejected(self, now: float, record: JobRecord) -> None:
        """Note it."""
        self.on_job_ended(now, record)

    def flush(self) -> None:
        """Hand on what is pending.

        Raises:
            SimulationError: a sink cannot write.
        """
        with self._lock:
            pending = self._pending
            count = len(pending)  # the other thread may append meanwhile
            if count:
                batch = _batch(pending[:count])
                del pending[:count]
                for sink in self._sinks:
                    sink.take(batch)

    def __getstate__(self) -> tuple[Any, ...]:
        self.flush()
        return (self._sinks,)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        (self._sinks,) = state
        self._pending = []
        self._lock = Lock()


def _batch(rows: Sequence[tuple[Any, ...]]) -> Batch:
    """The columns of ended jobs, from the fields of their records."""
    fields = dict(zip(JobRecord.__struct_fields__, zip(*rows, strict=True), strict=True))
    jobs: tuple[Job, ...] = fields["job"]
    return Batch(
        ids=[job.id for job in jobs],
        profiles=[job.profile.id for job in jobs],
        submitted=[job.submission_time for job in jobs],
        requested=[job.request.hosts for job in jobs],
        walltime=[job.walltime for job in jobs],
        states=fields["state"],
        start=fields["starting_time"],
        finish=fields["finish_time"],
        hosts=fields["hosts"],
        amounts=fields["amounts"],
        energy=fields["consumed_energy"],
        metadata=fields["metadata"],
        users=[job.user for job in jobs],
        groups=[job.group for job in jobs],
        queues=[job.queue for job in jobs],
        return_codes=fields["return_code"],
        dynamic=fields["dynamic"],
    )
