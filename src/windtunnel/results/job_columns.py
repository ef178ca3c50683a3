"""The rows of ``jobs.csv`` as text, column by column: the fastest way in pure Python.

The compiled build makes the same text row by row (:mod:`windtunnel.results.written_jobs`).
"""

from collections.abc import Sequence
from math import inf
from operator import sub, truediv
from typing import Any, Final

from msgspec import ValidationError, convert

from windtunnel.model.hostset import NUMBERS, HostSet
from windtunnel.results.job_rows import SHORTEST, Texts, Times
from windtunnel.results.rows import ENCODER, joined

__all__ = ["host_texts", "rows_by_column"]

_EXACT: Final = 1 << 53
"""Up to here differences of whole numbers are the same as integers and as floats."""


class _Seconds(dict[float, str]):
    """Walltimes as fields, remembered: many jobs share one."""

    def __missing__(self, seconds: float) -> str:
        if len(self) >= 10_000:
            self.clear()
        text = self[seconds] = "-1.000000" if seconds == inf else f"{seconds:f}"
        return text


_WALLTIMES: Final = _Seconds()


def host_texts(sets: Sequence[HostSet]) -> list[str]:
    """Host sets as text."""
    numbers = NUMBERS
    texts = []
    try:
        for hosts in sets:
            runs = hosts._runs  # at hand in most sets, and half the cost of asking
            if runs is not None and len(runs) == 1:
                ((first, last),) = runs
                texts.append(f"{numbers[first]}-{numbers[last]}" if last > first else numbers[first])
            else:
                texts.append(hosts.text())
    except IndexError:  # a number that was not written before
        return [hosts.text() for hosts in sets]
    return texts


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
    columns = [*known, *derived, *rest]
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
) -> tuple[Sequence[str], Texts]:
    """The column ``submission_time``, and those from ``starting_time`` to ``stretch`` in one or two."""
    try:  # whole seconds are written faster
        texts = _whole_dates(*(convert(dates, list[int], strict=False) for dates in (submitted, start, finish)))
    except (ValidationError, OverflowError):
        texts = None
    if texts is not None:
        return texts
    execution = list(map(sub, finish, start))
    if 0.0 in execution:
        execution = [seconds or SHORTEST for seconds in execution]
        finish = [f if f > s else s + SHORTEST for f, s in zip(finish, start, strict=True)]
    turnaround = list(map(sub, finish, submitted))
    values: list[Any] = [None] * (6 * len(start))
    values[0::6] = start
    values[1::6] = execution
    values[2::6] = finish
    values[3::6] = map(sub, start, submitted)
    values[4::6] = turnaround
    values[5::6] = map(truediv, turnaround, execution)
    text = ("%f,%f,%f,%f,%f,%f\n" * len(start))[:-1] % tuple(values)
    return [f"{date + 0.0:f}" for date in submitted], [text.split("\n")]  # no -0.0


def _whole_dates(
    submitted: list[int], start: list[int], finish: list[int]
) -> tuple[Sequence[str], Texts] | None:
    """The same of whole seconds; None if a job took no time, or numbers are too large."""
    execution = list(map(sub, finish, start))
    if 0 in execution or sorted(finish)[-1] > _EXACT:  # noqa: FURB192 -- most are in order: faster than max
        return None
    turnaround = list(map(sub, finish, submitted))
    values: list[Any] = [None] * (6 * len(start))  # null is where a row ends
    values[0::6] = start
    values[1::6] = execution
    values[2::6] = finish
    values[3::6] = map(sub, start, submitted)
    values[4::6] = turnaround
    rest = ENCODER.encode(values)[1 : -len(",null]")].replace(b",null,", b".000000\n").replace(b",", b".000000,")
    first = ENCODER.encode(submitted)[1:-1].replace(b",", b".000000,").decode()
    # Jobs that start at once have 1, which need not be formatted.
    stretch = ["1.000000" if t == e else "%f" % (t / e) for t, e in zip(turnaround, execution, strict=True)]
    return f"{first}.000000".split(","), [f"{rest.decode()}.000000".split("\n"), stretch]
