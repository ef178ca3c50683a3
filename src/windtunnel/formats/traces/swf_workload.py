"""The jobs of a log held as columns of numbers, from which jobs are made on demand."""

import copy
from array import array
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final, cast

from windtunnel.diagnostics import Finding, UsageError
from windtunnel.formats.traces.ingestion import IngestionReport
from windtunnel.formats.traces.swf_columns import STATUS
from windtunnel.formats.traces.swf_jobs import JobColumns, JobMaker
from windtunnel.formats.traces.swf_lines import first_integer
from windtunnel.model import Job, JobRecord, Profile
from windtunnel.model.asks import Ask, Asks, Some
from windtunnel.model.job_record import records_of
from windtunnel.model.workload import ShownWorkload

__all__ = ["SwfWorkload"]

_AHEAD: Final = 64
"""Jobs that are made at once when all are gone through."""
_NO_PROFILES: Final[Mapping[str, Profile]] = {}


class SwfWorkload(ShownWorkload):
    """The jobs of an SWF log in order of submission: columns of numbers, from which jobs are made on demand.

    With ``stream`` the columns are on disk.
    """

    def __init__(self, name: str, path: str, *, stream: bool = False) -> None:
        self.name = name
        self.path = path
        self.streamed = stream
        self.header: dict[str, list[str]] = {}
        """Header key -> its values, in order."""
        self.report = IngestionReport(file=path)
        self.start_date: float | None = None
        """Seconds since 1970 at simulated time 0; None when the log does not tell."""
        self.extend = True
        """Whether a job whose run time reaches its walltime still ends by itself."""
        self.cores_per_host = 1
        # Types get wider as far as the numbers of the log need it (model.arrays.extended).
        self.numbers = self._column_of_integers()
        self.submits = self.column_of_times()
        self.waits = self._column_of_seconds()
        """The waiting times of the log (s, -1 unknown), for comparison; they are not simulated."""
        self.runs = self._column_of_seconds()
        self.processors = self._column_of_integers()
        self.walltimes = self._column_of_seconds()
        self.users = self._column_of_integers()
        self.groups = self._column_of_integers()
        self.queues = self._column_of_integers()
        self.statuses = self._column_of_integers()
        """What became of them in the log (field 11)."""
        self.preceding: array[int] | None = None
        """Numbers of the jobs to wait for (-1: none), when dependencies are honoured."""
        self.think_times = array("d")
        self._forget()

    def _column_of_integers(self) -> "array[Any]":
        return _on_disk("q") if self.streamed else array("b")

    def _column_of_seconds(self) -> "array[Any]":
        """Of durations (s), which are integers in most logs."""
        return _on_disk("d") if self.streamed else array("b")

    def column_of_times(self) -> "array[float]":
        """An empty column of times (s), where this log has its columns."""
        return _on_disk("d") if self.streamed else array("d")

    def _forget(self) -> None:
        self._maker = JobMaker(self.name, self.cores_per_host)

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key != "_maker"}  # which holds caches

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """Empty: each job of a log stands for itself."""
        return _NO_PROFILES

    @property
    def has_dependencies(self) -> bool:
        """Whether jobs may wait for others (read with ``dependencies=True``)."""
        return self.preceding is not None

    @property
    def outcomes(self) -> list[str]:
        """What became of the jobs in the log, in words."""
        words = {code: STATUS.get(code, f"code {code}") for code in {*self.statuses}}
        return [words[code] for code in self.statuses]

    @property
    def hosts(self) -> int:
        """MaxProcs (or MaxNodes) of the header, in hosts of ``cores_per_host`` cores; 0 when it has neither."""
        for key in ("MaxProcs", "MaxNodes"):
            number = first_integer(self.header.get(key, ()))
            if number is not None and 0 <= number < 10**15:
                return -(-number // self.cores_per_host)
        return 0

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What is not simulated as the log has it, with counts."""
        return self.report.findings()

    @cached_property
    def asks(self) -> tuple[Ask, ...]:
        """The queues that jobs name, if there are several."""
        asks = Asks()
        if len({*self.queues} - {-1}) > 1:
            named = len(self.queues) - self.queues.count(-1)
            first = next(rank for rank, queue in enumerate(self.queues) if queue >= 0)
            asks.note("queues", "jobs name a queue (field 15)", f"{self.name}!{self.numbers[first]}", named)
        return asks.found()

    def larger_than(self, hosts: int, cores: int | None) -> Some | None:
        """The jobs that want more than there is; see :class:`~windtunnel.model.asks.Sized`."""
        limit = hosts * self.cores_per_host if cores is None else cores
        most = max(self.processors, default=0)
        if most <= limit:
            return None
        ranks = [rank for rank, count in enumerate(self.processors) if count > limit]
        unit = self.cores_per_host if cores is None else 1
        return Some(len(ranks), f"{self.name}!{self.numbers[ranks[0]]}", -(-most // unit))

    def cores_in_vain(self) -> Some | None:
        """The jobs that use fewer cores than their hosts have; see :class:`~windtunnel.model.asks.Sized`."""
        cores = self.cores_per_host
        if cores == 1:
            return None
        ranks = [rank for rank, count in enumerate(self.processors) if count % cores]
        if not ranks:
            return None
        vain = sum(-self.processors[rank] % cores for rank in ranks)
        return Some(len(ranks), f"{self.name}!{self.numbers[ranks[0]]}", vain)

    def with_cores(self, cores_per_host: int) -> "SwfWorkload":
        """The same log for hosts of so many cores: n processors become ceil(n / cores) hosts (decisions.md 16)."""
        if cores_per_host < 1:
            raise UsageError(f"a host has at least one core, not {cores_per_host}")
        new = copy.copy(self)
        new.cores_per_host = cores_per_host
        new._forget()
        return new

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Job]:
        for first in range(0, len(self), _AHEAD):
            yield from self.jobs_between(first, first + _AHEAD)

    def __getitem__(self, index: int, /) -> Job:
        """The job at this rank of submission; see :meth:`jobs_between`."""
        count = len(self.numbers)
        if index < 0:
            index += count
        if not 0 <= index < count:
            raise IndexError(index)
        return self.jobs_between(index, index + 1)[0]

    def jobs_between(self, first: int, stop: int) -> list[Job]:
        """The jobs of these ranks: many at a time cost less than one by one."""
        part = slice(first, stop)
        columns = self._columns(part)
        if self.preceding is None:
            return self._maker.make(columns, extend=self.extend)
        return self._maker.make(columns, self.preceding[part], self.think_times[part], extend=self.extend)

    def records_between(self, first: int, stop: int) -> list[JobRecord]:
        """The records of these jobs, which will be submitted."""
        if self.preceding is None:
            return self._maker.records(self._columns(slice(first, stop)), extend=self.extend)
        return records_of(self.jobs_between(first, stop))

    def _columns(self, part: slice) -> JobColumns:
        return (
            self.numbers[part],
            self.processors[part],
            self.runs[part],
            self.submits[part],
            self.walltimes[part],
            self.users[part],
            self.groups[part],
            self.queues[part],
        )


def _on_disk(typecode: str) -> "array[Any]":
    """A column that reads as an array: few logs are streamed."""
    from windtunnel.model.disk_columns import DiskColumn

    return cast("array[Any]", DiskColumn(typecode))
