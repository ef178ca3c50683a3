"""Workloads from data frames: a row for each job, with the columns and the rules of CSV files."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from math import inf
from typing import Annotated, Any, Protocol, runtime_checkable

import msgspec

from windtunnel.diagnostics import Findings, Severity, UsageError, did_you_mean
from windtunnel.formats.traces.mapped_csv import COLUMNS, UNITS, Mapped, read_mapping, record_of
from windtunnel.formats.traces.records import Record, replay
from windtunnel.formats.traces.rules import ReplayOptions, WalltimePolicy
from windtunnel.formats.traces.workload import TraceWorkload

__all__ = ["read_frame"]

_WHERE = "the frame"


@runtime_checkable
class PandasFrame(Protocol):
    """What is asked of a frame of pandas, which need not be installed."""

    columns: Iterable[Any]
    index: Any

    def reset_index(self) -> "PandasFrame":
        """The same with the index as columns."""

    def itertuples(self, index: bool, name: str | None) -> Iterable[tuple[Any, ...]]:
        """The rows."""


def read_frame(
    frame: Any,
    columns: Mapping[str, str] | None = None,
    *,
    units: Mapping[str, str] | None = None,
    name: str = "w0",
    walltime: WalltimePolicy = "extend",
    keep_epoch: bool = False,
    max_processors: Annotated[int, msgspec.Meta(ge=1)] | None = None,
    strict: bool = False,
) -> TraceWorkload:
    """A workload from a data frame of polars or pandas, a dictionary of columns, or a list of dictionaries.

    ::

        wt.read_frame({"submit": [0, 60], "run": [300, 120], "processors": [4, 1], "walltime": [600, 600]})

    Args:
        frame: a row for each job.
        columns: which column is what, as ``{"submit": "arrival", "processors": "ncores"}``; columns whose names
            are known need not be named. Known: id, submit, start, end, run, processors, walltime, user, group, queue,
            status, parents. Needed: submit, processors, and run (or start and end).
        units: of numbers, as ``{"walltime": "minutes"}``; otherwise seconds. Dates and durations have none.
        name: of the workload: jobs are called ``w0!1``, ``w0!2``...
        walltime: for jobs that ran longer than they requested: ``extend`` or ``kill``.
        keep_epoch: times of submission stay as they are; otherwise the first job is submitted at 0.
        max_processors: rows that request more are dropped.
        strict: rows that would be dropped or repaired are errors.

    Raises:
        InputError: rows are invalid; all faults are named with their row, counted from 1.
        UsageError: it is no frame, or columns are missing or not known.
    """
    head, rows = _rows(frame)
    given = _given(columns or {})
    known = {key: key for key in COLUMNS if key in head and key not in given and key not in given.values()}
    if absent := [theirs for theirs in given.values() if theirs not in head]:
        raise UsageError(f"the frame has no column {absent[0]!r}", did_you_mean(absent[0], head))
    mapped = read_mapping(Mapped(columns=known | given, units=dict(units or {})))
    findings = Findings(_WHERE)
    for column in sorted({column for column in head if head.count(column) > 1}):
        findings.tally(f"several columns are called {column!r}: the first one counts", code="repeated-member")
    for column in dict.fromkeys(head):
        if column not in mapped.columns.values():
            message = f"the column {column!r} has no effect: it is not mapped"
            findings.tally(message, code="history", severity=Severity.NOTE)
    options = ReplayOptions(walltime=walltime, keep_epoch=keep_epoch, max_processors=max_processors, strict=strict)
    return replay(_records(rows, mapped, findings), name=name, path=_WHERE, options=options, findings=findings)


def _given(columns: Any) -> dict[str, str]:
    """Which column is what, as it was said."""
    if not isinstance(columns, Mapping):
        raise UsageError(f"columns say which column is what, as {{'submit': 'arrival'}}, not {columns!r:.60}")
    return {str(ours): str(theirs) for ours, theirs in columns.items()}


def _rows(frame: Any) -> tuple[list[str], Iterable[Mapping[str, Any]]]:
    """The names of the columns, and the rows."""
    import polars as pl

    if isinstance(frame, pl.DataFrame):
        return frame.columns, frame.iter_rows(named=True)
    if isinstance(frame, pl.LazyFrame):  # first: to look for its columns would be to work them out
        raise UsageError("a lazy frame has no rows yet", "a lazy frame becomes one by collect()")
    if isinstance(frame, PandasFrame):
        if all(name is not None for name in frame.index.names):  # columns until somebody made them the index
            frame = frame.reset_index()
        head = list(map(str, frame.columns))
        places = {name: head.index(name) for name in head}
        rows = frame.itertuples(index=False, name=None)
        return head, ({name: row[place] for name, place in places.items()} for row in rows)
    if isinstance(frame, Mapping):
        columns = {str(name): _column(name, values) for name, values in frame.items()}
        lengths = {name: len(values) for name, values in columns.items()}
        if len({*lengths.values()}) > 1:
            told = ", ".join(f"{name}: {length}" for name, length in lengths.items())
            raise UsageError(f"the columns of the frame are of different lengths ({told})")
        head = list(lengths)
        return head, (dict(zip(head, row, strict=True)) for row in zip(*columns.values(), strict=True))
    if isinstance(frame, Sequence) and frame and all(isinstance(row, Mapping) for row in frame):
        return list(dict.fromkeys(str(name) for row in frame for name in row)), frame
    raise UsageError(
        f"a frame is one of polars or pandas, a dictionary of columns or a list of dictionaries, not {frame!r:.60}"
    )


def _column(name: Any, values: Any) -> Collection[Any]:
    """The values of a column, of whatever kind they are held in."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping):
        return values if isinstance(values, Collection) else list(values)
    raise UsageError(
        f"the column {str(name)!r} of the frame is {values!r:.60}: a list of values is expected, one for each job"
    )


def _records(rows: Iterable[Mapping[str, Any]], mapped: Mapped, findings: Findings) -> Iterator[Record]:
    for number, row in enumerate(rows, 1):
        texts = {
            ours: _text(row.get(theirs), mapped.units.get(ours, "seconds")) for ours, theirs in mapped.columns.items()
        }
        unlimited = texts.get("walltime") == "inf"
        record = record_of(texts | {"walltime": ""} if unlimited else texts, mapped, number, number, findings)
        if record is not None:
            if unlimited:
                record.walltime = inf
            yield record


def _text(value: Any, unit: str) -> str:
    """A cell as a CSV file has it, durations in the unit of its column.

    Nothing for what is missing (None, NaN, NaT, and pandas' NA, which no text is).
    """
    if value is None or type(value).__name__ == "NAType" or value != value:  # noqa: PLR0124 -- missing: not itself
        return ""
    if isinstance(value, timedelta):
        return repr(value.total_seconds() / UNITS[unit])
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # pandas makes numbers floats where one of them is missing: ids, users
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(_text(one, unit) for one in value)  # parents
    return str(value).strip()
