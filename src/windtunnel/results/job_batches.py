"""Jobs that are over, gathered and handed on in batches.

What is written and counted per job is the hot path of recording. Columns of a few hundred jobs at a time cost half
of what job after job does, so recorders of jobs are sinks of a :class:`JobBatches` rather than observers.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.model import JobRecord
from windtunnel.results.batch import NOTED, Batch, Sink
from windtunnel.results.rows import BATCH
from windtunnel.vocabulary.component import Observer

__all__ = ["JobBatches"]

_LIMIT: Final = BATCH * NOTED


@mypyc_attr(allow_interpreted_subclasses=True)
class JobBatches(Observer):
    """Notes each job that is over, at once (so that what happens to the record later does not matter)."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = tuple(sinks)
        self._pending: list[Any] = []  # what is noted, job by job
        self._lock = Lock()

    def on_job_ended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- the record has the dates
        """Note it: a hot path."""
        pending = self._pending
        pending.extend(  # in pure Python cheaper than +=
            (
                record.job,
                record.state,
                record.starting_time,
                record.finish_time,
                record.hosts,
                record.amounts,
                record.consumed_energy,
                record.metadata,
                record.return_code,
                record.dynamic,
            )
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
                batch = Batch(pending[:count])
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
