"""Jobs that are over, gathered and handed on in batches.

What is written and counted per job is the hot path of recording. Columns of a thousand jobs at a time cost half
of what job after job does, so recorders of jobs are sinks of a :class:`JobBatches` rather than observers.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any

from mypy_extensions import mypyc_attr

from windtunnel.model import JobRecord
from windtunnel.results.batch import Batch, Sink
from windtunnel.results.job_rows import COMPILED
from windtunnel.results.rows import BATCH
from windtunnel.vocabulary.component import Observer

__all__ = ["JobBatches"]


@mypyc_attr(allow_interpreted_subclasses=True)
class JobBatches(Observer):
    """Keeps the record of each job that is over: nothing of it changes any more."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = tuple(sinks)
        self._begin()

    def _begin(self) -> None:
        self._pending: list[JobRecord] = []
        self.gathered_jobs = self._pending if not COMPILED and type(self) is JobBatches else None
        self._lock = Lock()

    def on_job_ended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- the record has the dates
        """Keep it: a hot path."""
        pending = self._pending
        pending.append(record)
        if len(pending) >= BATCH:
            self.flush()

    def on_job_suspended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- hook
        """Hand on what is over: tables of suspensions stand in the order of time, however often they are written."""
        self.flush()

    def on_job_rejected(self, now: float, record: JobRecord) -> None:
        """Keep it."""
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
                batch = Batch(pending[:count])
                del pending[:count]
                for sink in self._sinks:
                    sink.take(batch)

    def __getstate__(self) -> tuple[Any, ...]:
        self.flush()
        return (self._sinks,)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        (self._sinks,) = state
        self._begin()
