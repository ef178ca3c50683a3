"""The rows of ``jobs.csv`` as text, column by column: the fastest way in pure Python.

The compiled build makes the same text row by row (:mod:`windtunnel.results.written_jobs`).
"""

from collections.abc import Sequence
from math import inf
from typing import Any, Final

from msgspec import ValidationError, convert

from windtunnel.results.job_rows import SHORTEST, Texts, Times
from windtunnel.results.rows import ENCODER, joined

__all__ = ["rows_by_column"]


class _Seconds(dict[float, str]):
    """Walltimes as fields, remembered: many jobs share one."""

    def __missing__(self, seconds: float) -> str:
        if len(self) >= 10_000:
            self.clear()
        text = self[seconds] = "-1.000000" if seconds == inf else f"{seconds:f}"
        return text


_WALLTIMES: Final = _Seconds()


def rows_by_column(known: Texts, times: Times, rest: Texts, omit_rejected: bool) -> str:
    """Rows from columns.

    Args:
        known: name, workload, profile, requested resources; success and final state in one.
        times: walltimes and dates.
        rest: hosts, energy and metadata.
        omit_rejected: jobs that never started have no row.
    """
    walltimes, *dates = times
    starts = dates[1]
    submitted, derived = _dates(*dates)
    limits = list(map(_WALLTIMES.__getitem__, walltimes))
    known = [*known[:3], submitted, known[3], limits, known[4]]
    columns = [*known, derived, *rest]
    if -1.0 not in starts:
        return joined(columns)
    rows = zip(starts, zip(*columns, strict=True), strict=True)
    return "".join(
        f"{','.join(row)}\n" if start >= 0.0 else f"{','.join(row[: len(known)])},,,,,,,,,{row[-1]}\n"
        for start, row in rows
        if start >= 0.0 or not omit_rejected
    )


def _dates(
    submitted: Sequence[float], start: Sequence[float], finish: Sequence[float]
) -> tuple[Sequence[str], Sequence[str]]:
    """The column ``submission_time``, and those from ``starting_time`` to ``stretch`` in one."""
    execution = [f - s for f, s in zip(finish, start, strict=True)]
    if 0.0 in execution:
        execution = [seconds or SHORTEST for seconds in execution]
        finish = [f if f > s else s + SHORTEST for f, s in zip(finish, start, strict=True)]
    turnaround = [f - q for f, q in zip(finish, submitted, strict=True)]
    stretch = tuple([t / e for t, e in zip(turnaround, execution, strict=True)])
    values: list[Any] = [None] * (6 * len(start))
    values[0::6] = start
    values[1::6] = execution
    values[2::6] = finish
    values[3::6] = [s - q for s, q in zip(start, submitted, strict=True)]
    values[4::6] = turnaround
    try:  # whole seconds are written faster; null is where a row ends
        first = ENCODER.encode(convert(submitted, list[int], strict=False))[1:-1]
        rest = ENCODER.encode(convert(values, list[int | None], strict=False))[1 : -len(",null]")]
    except (ValidationError, OverflowError):
        values[5::6] = stretch
        text = ("%f,%f,%f,%f,%f,%f\n" * len(stretch))[:-1] % tuple(values)
        return [f"{date + 0.0:f}" for date in submitted], text.split("\n")  # no -0.0
    text = rest.replace(b",null,", b"]").replace(b",", b".000000,").replace(b"]", b".000000,%f\n").decode()
    dates = first.replace(b",", b".000000,").decode()
    return f"{dates}.000000".split(","), (f"{text}.000000,%f" % stretch).split("\n")
