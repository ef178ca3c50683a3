"""The rules under which the rows of a log become jobs: what is dropped, what is repaired, and the account of it."""

from array import array
from collections import Counter
from itertools import compress
from math import inf, isfinite
from typing import Final, cast

from windtunnel.diagnostics import Findings
from windtunnel.formats.ingestion import IngestionReport
from windtunnel.formats.swf_lines import STRIDE, Chunk, SwfLines
from windtunnel.formats.swf_workload import SwfWorkload
from windtunnel.model.arrays import extend

__all__ = ["EPOCH_LIKE", "STATUS", "Replay"]

STATUS: Final = {
    -1: "unknown",
    0: "failed",
    1: "completed",
    2: "partial, to be continued",
    3: "partial, last, completed",
    4: "partial, last, failed",
    5: "cancelled",
}
EPOCH_LIKE: Final = 1e8
"""Dates from here on (1973) are calendar dates; smaller ones count from an unknown day."""

Columns = tuple[
    list[int],  # 0 number
    list[float],  # 1 submit
    list[float],  # 2 wait
    list[float],  # 3 run
    list[int],  # 4 allocated processors
    list[int],  # 5 requested processors
    list[float],  # 6 requested time
    list[int],  # 7 status
    list[int],  # 8 user
    list[int],  # 9 group
    list[int],  # 10 queue
    list[int],  # 11 preceding job
    list[float],  # 12 think time
]
_KEPT: Final = ("numbers", "submits", "waits", "runs", "processors", "walltimes", "users", "groups", "queues")
_SOURCE: Final = (0, 1, 2, 3, 5, 6, 8, 9, 10)
"""Which column of a chunk each kept column is."""


class _Integers(dict[str, int]):
    """Text -> integer, for fields of few distinct values; ValueError when it is none of less than 19 digits."""

    def __missing__(self, text: str) -> int:
        if len(self) > 1 << 16:
            self.clear()
        value = int(text)
        if "_" in text or abs(value) >= 10**18:
            raise ValueError(text)
        self[text] = value
        return value


class _Times(dict[str, float]):
    """Text -> seconds, for fields of few distinct values; ValueError when it is not a finite number."""

    def __missing__(self, text: str) -> float:
        if len(self) > 1 << 16:
            self.clear()
        value = float(text)
        if "_" in text or not isfinite(value):
            raise ValueError(text)
        self[text] = value
        return value


def _columns(tokens: list[str], integers: _Integers, times: _Times) -> Columns:
    """The columns that matter, as numbers; ValueError when a text is not one."""
    integer, seconds = integers.__getitem__, times.__getitem__
    columns = (
        list(map(int, tokens[0::STRIDE])),
        list(map(float, tokens[1::STRIDE])),
        list(map(float, tokens[2::STRIDE])),
        list(map(float, tokens[3::STRIDE])),
        list(map(integer, tokens[4::STRIDE])),
        list(map(integer, tokens[7::STRIDE])),
        list(map(seconds, tokens[8::STRIDE])),
        list(map(integer, tokens[10::STRIDE])),
        list(map(integer, tokens[11::STRIDE])),
        list(map(integer, tokens[12::STRIDE])),
        list(map(integer, tokens[14::STRIDE])),
        list(map(integer, tokens[16::STRIDE])),
        list(map(seconds, tokens[17::STRIDE])),
    )
    if not isfinite(sum(columns[1]) + sum(columns[2]) + sum(columns[3])):
        raise ValueError("not finite")
    if max(columns[0]) >= 10**18 or min(columns[0]) <= -(10**18):
        raise ValueError("too large")
    return columns


class Replay:
    """Applies the replay rules to chunks of rows and appends what is kept to the columns of the workload."""

    def __init__(
        self,
        workload: SwfWorkload,
        lines: SwfLines,
        findings: Findings,
        *,
        dependencies: bool,
        limit: int | None,
        strict: bool,
    ) -> None:
        self._workload = workload
        self._lines = lines
        self._findings = findings
        self._limit = limit
        self._strict = strict
        self._dropped: Counter[str] = Counter()
        self._repaired: Counter[str] = Counter()
        self._noted: Counter[str] = Counter()
        self._statuses: Counter[int] = Counter()
        self._integers = _Integers()
        self._times = _Times()
        self._rows = 0
        self._sorted = True
        self._ascending = True
        if dependencies:
            workload.preceding = array("q")

    def take(self, chunk: Chunk) -> None:
        """Apply the rules to one chunk."""
        if not chunk[0]:
            return
        try:
            columns = _columns(chunk[0], self._integers, self._times)
        except ValueError:
            chunk = self._lines.mend(chunk)
            if not chunk[0]:
                return
            columns = _columns(chunk[0], self._integers, self._times)
        if self._limit is None:
            self._limit = self._lines.header.integer("MaxProcs") or -1
        self._rows += len(columns[0])
        self._statuses.update(columns[7])
        self._noted["run time is 0"] += columns[3].count(0.0)
        self._noted["requested processors unknown"] += columns[5].count(-1)
        keep = self._judge(columns, chunk[1])
        if keep is not None:
            columns = cast("Columns", tuple(list(compress(column, keep)) for column in columns))
        self._append(columns)

    def _judge(self, columns: Columns, places: list[int] | range) -> bytearray | None:
        """Repair the odd rows in place; says which rows to keep, or None for all."""
        limit = self._limit if self._limit is not None and self._limit > 0 else inf
        _, submits, _, runs, allocated, requested, times, statuses, *_ = columns
        if min(submits) < 0:
            odd: list[int] | range = range(len(submits))
        else:
            judged = zip(runs, allocated, requested, times, statuses, strict=True)
            odd = [
                row
                for row, (run, given, wanted, time, status) in enumerate(judged)
                if not (0 < run <= time and given == wanted <= limit and given > 0 and status <= 1)
            ]
        keep = None
        for row in odd:
            reason = self._drop_reason(columns, row, limit)
            if not reason:
                self._repair(columns, row, places[row])
                continue
            self._dropped[reason] += 1
            if self._strict:
                self._findings.add(f"the row cannot be replayed: {reason}", code="dropped", line=places[row])
            if keep is None:
                keep = bytearray(b"\1") * len(submits)
            keep[row] = 0
        return keep

    @staticmethod
    def _drop_reason(columns: Columns, row: int, limit: float) -> str:
        _, submits, _, runs, allocated, requested, _, statuses, *_ = columns
        status = statuses[row]
        run = runs[row]
        processors = requested[row] if requested[row] > 0 else allocated[row]
        if 2 <= status <= 4:
            return "burst of a checkpointed job (status 2 to 4)"
        if submits[row] < 0:
            return "no submit time"
        if status == 5 and run <= 0:
            return "cancelled before it ran"
        if run < 0:
            return "no run time"
        if processors <= 0:
            return "no processors"
        if processors > limit:
            return "more processors than there are"
        return ""

    def _repair(self, columns: Columns, row: int, line: int) -> None:
        _, _, _, runs, allocated, requested, times, *_ = columns
        run, given, wanted, time = runs[row], allocated[row], requested[row], times[row]
        if wanted <= 0:
            requested[row] = given
            self._mended("requested processors unknown: allocated ones taken", line)
        elif given != wanted:
            self._noted["requested and allocated processors differ" if given > 0 else "allocated unknown"] += 1
        if time <= 0:
            times[row] = run
            self._mended("requested time unknown: run time taken", line)
        elif run > time:
            if self._workload.extend:
                times[row] = run
                self._mended("run time beyond requested time: walltime extended", line)
            else:
                self._noted["run time beyond requested time: killed at it"] += 1

    def _mended(self, rule: str, line: int) -> None:
        self._repaired[rule] += 1
        if self._strict:
            self._findings.add(rule, code="repaired", line=line)

    def _append(self, columns: Columns) -> None:
        numbers, submits = columns[0], columns[1]
        if not numbers:
            return
        workload = self._workload
        before = workload.submits
        if submits != sorted(submits) or (before and before[-1] > submits[0]):
            self._sorted = False
        if self._ascending:
            last = workload.numbers[-1] if workload.numbers else numbers[0] - 1
            self._ascending = last < numbers[0] and numbers == sorted(set(numbers))
        for attribute, source in zip(_KEPT, _SOURCE, strict=True):
            extend(getattr(workload, attribute), columns[source])
        if workload.preceding is not None:
            extend(workload.preceding, columns[11])
            extend(workload.think_times, columns[12])
        else:
            preceding = columns[11]
            self._noted["preceding job, ignored"] += len(preceding) - preceding.count(-1) - preceding.count(0)

    def finish(self, *, keep_epoch: bool) -> None:
        """Sort, number, re-base; write the account."""
        workload = self._workload
        warnings = []
        if not self._rows and not self._findings.has_errors:
            self._findings.add("no job in this file", code="empty", hint="is it an SWF log? rows have 18 fields")
        if not self._sorted:
            warnings.append("rows are not in order of submit time: sorted")
            self._reorder()
        if not self._ascending:
            self._renumber()
        if workload.preceding is not None:
            self._check_dependencies()
        base = workload.submits[0] if workload.submits and not keep_epoch else 0.0
        if base:
            workload.submits = array("d", [submit - base for submit in workload.submits])
        start = (self._lines.header.integer("UnixStartTime") or 0) + base
        first = start + (workload.submits[0] if workload.submits else 0.0)
        workload.start_date = start if first >= EPOCH_LIKE else None
        if self._lines.extra_fields:
            self._repaired["more than 18 fields: the first 18 taken"] += self._lines.extra_fields
        records = self._lines.header.integer("MaxRecords")
        if records is not None and records != self._rows:
            warnings.append(f"MaxRecords is {records}, but there are {self._rows} rows")
        workload.report = IngestionReport(
            file=workload.path,
            rows=self._rows,
            kept=len(workload),
            dropped=dict(self._dropped),
            repaired=dict(self._repaired),
            noted=dict(+self._noted),
            statuses={STATUS.get(code, f"code {code}"): count for code, count in sorted(self._statuses.items())},
            warnings=tuple(warnings),
        )

    def _reorder(self) -> None:
        workload = self._workload
        order = sorted(range(len(workload)), key=workload.submits.__getitem__)
        columns = [*_KEPT, *(("preceding", "think_times") if workload.preceding is not None else ())]
        for attribute in columns:
            column = getattr(workload, attribute)
            setattr(workload, attribute, array(column.typecode, map(column.__getitem__, order)))

    def _renumber(self) -> None:
        """Give every number that was met before a fresh one: job ids are unique."""
        numbers = self._workload.numbers
        seen: set[int] = set()
        fresh = max(numbers) + 1
        for rank, number in enumerate(numbers):
            if number in seen:
                numbers[rank] = fresh
                fresh += 1
                self._repaired["job number met before: a fresh one given"] += 1
                if self._strict:
                    self._findings.add(f"job number {number} is met more than once", code="repaired")
            seen.add(number)

    def _check_dependencies(self) -> None:
        """Ignore preceding jobs that are not submitted before: waiting for them could last for ever."""
        workload = self._workload
        assert workload.preceding is not None
        seen: set[int] = set()
        for rank, (number, before) in enumerate(zip(workload.numbers, workload.preceding, strict=True)):
            if before in seen:
                self._noted["preceding job, honoured"] += 1
                workload.think_times[rank] = max(workload.think_times[rank], 0.0)
            else:
                workload.preceding[rank] = -1
                if before > 0:
                    self._noted["preceding job not submitted before: ignored"] += 1
            seen.add(number)
