"""Jobs that are over, gathered and handed on in batches.

What is written and counted per job is the hot path of recording. Columns of a few hundred jobs at a time cost half
of what job after job does, so recorders of jobs are sinks of a :class:`JobBatches` rather than observers.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, Final, Protocol

import msgspec

from windtunnel.model import HostSet, JobRecord, JobState
from windtunnel.results.fields import names_of
from windtunnel.results.rows import BATCH
from windtunnel.vocabulary.component import Observer

__all__ = ["Batch", "JobBatches", "Sink"]


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


_WIDTH: Final = len(Batch.__struct_fields__)
_LIMIT: Final = BATCH * _WIDTH


class Sink(Protocol):
    """Takes batches of jobs."""

    def take(self, batch: Batch) -> None:
        """More jobs are over."""


class JobBatches(Observer):
    """Notes each job that is over, at once (so that what happens to the record later does not matter)."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = tuple(sinks)
        self._pending: list[Any] = []  # the fields of a batch, job by job
        self._lock = Lock()

    def on_job_ended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- the record has the dates
        """Note it: a hot path."""
        pending = self._pending
        job = record.job
        pending += (
            job.id,
            job.profile.id,
            job.submission_time,
            job.request.hosts,
            job.walltime,
            record.state,
            record.starting_time,
            record.finish_time,
            record.hosts,
            record.amounts,
            record.consumed_energy,
            record.metadata,
            job.user,
            job.group,
            job.queue,
            record.return_code,
            record.dynamic,
        )
        if len(pending) >= _LIMIT:
            self.flush()

    def on_job_suspended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- hook
        """Hand on what is over: tables of suspensions stand in the order of time, however often they are written."""
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
                batch = Batch(*(pending[rank:count:_WIDTH] for rank in range(_WIDTH)))
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
