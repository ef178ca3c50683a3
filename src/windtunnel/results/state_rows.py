"""Rows of ``machine_states.csv`` at the least cost in pure Python: many at once.

The compiled build writes them one by one (:mod:`windtunnel.results.written_states`).
"""

from typing import Any

from windtunnel.results.job_rows import STATE_WIDTH
from windtunnel.results.rows import ENCODER

__all__ = ["rows_of", "states_at_once"]


def rows_of(values: list[Any]) -> bytes:
    """Rows from their values, one after the other; times have six significant digits, as in Batsim."""
    return states_at_once(values).encode()


def states_at_once(values: list[Any]) -> str:
    """The same as text: one format for all."""
    times = tuple(values[::STATE_WIDTH])
    count = len(times)
    quiet = all(values[place::STATE_WIDTH].count(0) == count for place in (1, 2, 3))  # on most sites always
    if quiet:
        marked: list[Any] = ["%g"] * (3 * count)
        marked[1::3], marked[2::3] = values[4::STATE_WIDTH], values[5::STATE_WIDTH]
    else:
        marked = values[:]
        marked[::STATE_WIDTH] = ["%g"] * count
    begin = b"%g,0,0,0" if quiet else b"%g"
    try:
        rows = begin + ENCODER.encode(marked)[len('["%g"') : -1].replace(b',"%g"', b"\n" + begin) + b"\n"
    except (TypeError, OverflowError):  # numbers of numpy
        return "%g,%d,%d,%d,%d,%d\n" * count % tuple(values)
    return rows.decode() % times
