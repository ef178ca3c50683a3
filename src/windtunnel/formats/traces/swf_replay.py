"""The rows of an SWF log, chunk by chunk: those that are odd are judged, and all that is kept becomes columns."""

from array import array
from collections import Counter
from collections.abc import Iterable
from itertools import compress
from operator import le, lt, ne
from typing import Final, cast

from windtunnel.diagnostics import Findings, UsageError
from windtunnel.formats.traces.ingestion import IngestionReport
from windtunnel.formats.traces.rules import ReplayOptions, Rule, start_date
from windtunnel.formats.traces.swf_columns import ASKED, HISTORY, PARTITION, STATUS, Columns, Reader
from windtunnel.formats.traces.swf_lines import Chunk, SwfLines
from windtunnel.formats.traces.swf_workload import SwfWorkload
from windtunnel.model.arrays import extend, extended

__all__ = ["SwfReplay"]

_FEW: Final = 16
_ANY: Final = 10**18
"""More processors than a row can ask for."""
_TAKEN: Final = "requested processors unknown: allocated ones used"
_ALLOCATED: Final = "allocated processors (field 5)"
_PRECEDING: Final = "preceding job (field 17)"
_KEPT: Final = (
    *("numbers", "submits", "waits", "runs", "processors", "walltimes", "users", "groups", "queues"),
    "statuses",
)
_SOURCE: Final = (0, 1, 2, 3, 5, 6, 8, 9, 10, 7)
"""Which column of a chunk each kept column is."""


def _counts(values: list[int]) -> dict[int, int]:
    """How often each is there: few different ones are counted faster one by one than all at once."""
    distinct = set(values)
    return {value: values.count(value) for value in distinct} if len(distinct) <= _FEW else Counter(values)


def _ascend(numbers: list[int]) -> bool:
    """Whether each is larger than the one before; most logs count."""
    first, last = numbers[0], numbers[-1]
    if last - first == len(numbers) - 1 and numbers == [*range(first, last + 1)]:
        return True
    return numbers == sorted(set(numbers))


class SwfReplay:
    """Applies the replay rules to chunks of rows and appends what is kept to the columns of the workload."""

    def __init__(
        self,
        workload: SwfWorkload,
        lines: SwfLines,
        findings: Findings,
        *,
        options: ReplayOptions,
        dependencies: bool,
    ) -> None:
        self._workload = workload
        self._lines = lines
        self._findings = findings
        self._rule = Rule(options, findings)
        self._limit = options.max_processors
        self._noted = self._rule.noted
        self._ignored: Counter[str] = Counter()
        self._history: Counter[str] = Counter()
        self._partition = -1
        self._several_partitions = False
        self._first = self._rule.first
        self._statuses: Counter[int] = Counter()
        self._reader = Reader()
        self._rows = 0
        self._sorted = True
        self._ascending = True
        if dependencies:
            workload.preceding = array("q")

    def take(self, chunk: Chunk) -> None:
        """Apply the rules to one chunk."""
        if not chunk.lines:
            return
        try:
            columns = self._reader.columns(chunk)
        except ValueError:
            chunk = self._lines.mend(chunk)
            if not chunk.lines:
                return
            columns = self._reader.columns(chunk)
        if self._limit is None:
            self._limit = self._lines.header.integer("MaxProcs") or -1
            self._rule.most = self._limit if self._limit > 0 else None
        self._rows += len(columns[0])
        statuses = _counts(columns[7])
        self._statuses.update(statuses)
        self._noted["run time is 0"] += columns[3].count(0)
        self._noted["requested processors unknown"] += columns[5].count(-1)
        self._count_ignored(chunk, columns)
        keep = self._judge(columns, chunk.lines, max(statuses))
        if keep is not None:
            columns = cast("Columns", tuple([list(compress(column, keep)) for column in columns]))
        self._compare(columns[4], columns[5])
        self._append(columns)

    def _count_ignored(self, chunk: Chunk, columns: Columns) -> None:
        """Note in how many rows there is something that no job says."""
        for fields, counts in ((ASKED, self._ignored), (HISTORY, self._history)):
            for field, what in fields.items():
                found = self._reader.left_out(chunk, field)
                if found.given:
                    counts[what] += found.given
                    self._first.setdefault(what, chunk.lines[found.rank])
                    if field == PARTITION:
                        self._several_partitions |= not found.uniform or self._partition not in {-1, found.value}
                        self._partition = found.value
        self._history["wait time (field 3)"] += len(columns[2]) - columns[2].count(-1)
        if self._workload.preceding is None:
            self._history["think time (field 18)"] += len(columns[12]) - columns[12].count(-1)

    def _judge(self, columns: Columns, places: list[int] | range, worst: int) -> list[bool] | None:
        """Repair the odd rows in place; says which rows to keep, or None for all. ``worst`` is the highest status."""
        _, submits, _, runs, allocated, requested, times, statuses, *_ = columns
        odd = self._odd(columns, worst)
        keep = None
        rule = self._rule
        for row in odd:
            submit, run, line = submits[row], runs[row], places[row]
            wanted = requested[row] if requested[row] > 0 else allocated[row]
            known = None if submit < 0 else submit
            status = statuses[row]
            if rule.drops(known, run, wanted, line, cancelled=status == 5, burst=2 <= status <= 4):
                if keep is None:
                    keep = [True] * len(submits)
                keep[row] = False
            else:
                requested[row] = rule.processors(requested[row], allocated[row], line)
                times[row] = rule.walltime(run, times[row], line)
        return keep

    def _odd(self, columns: Columns, worst: int) -> Iterable[int]:
        """The rows in which something is to be repaired or dropped, by whole columns: most chunks have hardly any."""
        limit = self._limit if self._limit is not None and self._limit > 0 else _ANY
        _, submits, _, runs, _, requested, times, statuses, *_ = columns
        if min(submits) < 0:
            return range(len(submits))
        odd: set[int] = set()
        if min(runs) <= 0:
            odd.update([row for row, run in enumerate(runs) if run <= 0])
        if min(requested) <= 0 or max(requested) > limit:
            odd.update([row for row, wanted in enumerate(requested) if not 0 < wanted <= limit])
        if not all(map(le, runs, times)):
            odd.update([row for row, shorter in enumerate(map(lt, times, runs)) if shorter])
        if worst > 1:
            odd.update([row for row, status in enumerate(statuses) if status > 1])
        return sorted(odd)

    def _compare(self, allocated: list[int], requested: list[int]) -> None:
        """Note how many of the kept rows, after repair, were given other processors than they asked for."""
        self._history[_ALLOCATED] += len(allocated)
        if allocated != requested:
            unknown = sum([given <= 0 for given in allocated])
            self._noted["allocated unknown"] += unknown
            self._history[_ALLOCATED] -= unknown
            differing = list(map(ne, allocated, requested)).count(True)
            self._noted["requested and allocated processors differ"] += differing - unknown

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
            self._ascending = last < numbers[0] and _ascend(numbers)
        for attribute, source in zip(_KEPT, _SOURCE, strict=True):
            setattr(workload, attribute, extended(getattr(workload, attribute), columns[source]))
        if workload.preceding is not None:
            extend(workload.preceding, columns[11])
            extend(workload.think_times, columns[12])
        else:
            preceding = columns[11]
            self._ignored[_PRECEDING] += len(preceding) - preceding.count(-1) - preceding.count(0)

    def finish(self, *, keep_epoch: bool) -> None:
        """Sort, number, re-base; write the account."""
        workload = self._workload
        warnings = list(self._lines.odd)
        warnings += self._lines.header.unreadable("MaxProcs", "MaxNodes", "UnixStartTime", "MaxRecords")
        if not self._rows and not self._findings.has_errors:
            self._findings.add("no job in this file", code="empty", hint="is it an SWF log? rows have 18 fields")
        if workload.streamed and not self._findings.has_errors:
            self._check_streamed()
        if not self._sorted:
            warnings.append("rows are not in order of submit time: sorted")
            self._reorder()
        if not self._ascending:
            self._renumber()
        if workload.preceding is not None:
            self._check_dependencies()
        base = workload.submits[0] if workload.submits and not keep_epoch else 0.0
        if base:
            later, workload.submits = workload.submits, workload.column_of_times()
            extend(workload.submits, (submit - base for submit in later))
        start = (self._lines.header.integer("UnixStartTime") or 0) + base
        workload.start_date = start_date(start, start + (workload.submits[0] if workload.submits else 0.0))
        if self._lines.extra_fields:
            self._rule.repaired["more than 18 fields: the first 18 used"] += self._lines.extra_fields
        records = self._lines.header.integer("MaxRecords")
        if records is not None and records != self._rows:
            warnings.append(f"MaxRecords is {records}, but there are {self._rows} rows")
        self._history[_ALLOCATED] -= self._rule.repaired[_TAKEN]
        if not self._several_partitions:  # all of it is one: nobody is kept from anywhere
            self._history[ASKED[PARTITION]] = self._ignored.pop(ASKED[PARTITION], 0)
        for key in ("TimeZone", "TimeZoneString"):  # dates of a run are UTC, whatever the clocks of the site showed
            self._history[f"{key} of the header (dates are UTC)"] += any(self._lines.header.values.get(key, ()))
        self._history["status (field 11)"] += self._rows - self._statuses[-1]
        workload.report = IngestionReport(
            file=workload.path,
            rows=self._rows,
            kept=len(workload),
            dropped=dict(self._rule.dropped),
            repaired=dict(+self._rule.repaired),
            ignored=dict(+self._ignored),
            history=dict(+self._history),
            first=self._first,
            noted=dict(+self._noted),
            statuses={STATUS.get(code, f"code {code}"): count for code, count in sorted(self._statuses.items())},
            warnings=tuple(warnings),
            shifted=base,
        )

    def _check_streamed(self) -> None:
        """What takes all jobs in memory cannot be done for a log that is not kept there."""
        if not self._sorted:
            what = "its rows are not in order of submit time (field 2)"
        elif not self._ascending:
            what = "its job numbers (field 1) do not ascend: only all of them together tell whether one comes twice"
        else:
            return
        raise UsageError(f"{self._workload.path} cannot be streamed: {what}", "sort the log, or leave out --stream")

    def _reorder(self) -> None:
        workload = self._workload
        order = sorted(range(len(workload)), key=workload.submits.__getitem__)
        columns = [*_KEPT, *(("preceding", "think_times") if workload.preceding is not None else ())]
        for attribute in columns:
            column = getattr(workload, attribute)
            setattr(workload, attribute, array(column.typecode, map(column.__getitem__, order)))

    def _renumber(self) -> None:
        """Give every number that was met before a fresh one: job ids are unique."""
        numbers = self._workload.numbers = array("q", self._workload.numbers)  # fresh ones may need more room
        seen: set[int] = set()
        fresh = max(numbers) + 1
        for rank, number in enumerate(numbers):
            if number in seen:
                numbers[rank] = fresh
                fresh += 1
                self._rule.mended("job number used before: a new one assigned", 0)
            seen.add(number)

    def _check_dependencies(self) -> None:
        """Ignore preceding jobs that are not submitted before: waiting for them could last indefinitely."""
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
                    self._ignored["preceding job (field 17) that is not submitted before"] += 1
            seen.add(number)
