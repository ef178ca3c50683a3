"""``machine_states.csv``: how many compute hosts are in which state, after each change."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from mypy_extensions import mypyc_attr

from windtunnel.results.batch import Batch
from windtunnel.results.job_rows import COMPILED, STATE_WIDTH
from windtunnel.results.layout import Layout
from windtunnel.results.rows import ENCODER, Recorder, Rows

__all__ = ["MachineStatesCsv", "rows_of", "states_at_once"]

_HEADER: Final = "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n"


def rows_of(values: list[Any]) -> str:
    """Rows from their values, one after the other; times have six significant digits, as in Batsim."""
    if COMPILED:
        from windtunnel.results.written_states import state_rows

        with suppress(TypeError):  # numbers of numpy
            return state_rows(values)
    return states_at_once(values)


def states_at_once(values: list[Any]) -> str:
    """The same at the least cost in pure Python: one format for all."""
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


@mypyc_attr(allow_interpreted_subclasses=True)
class MachineStatesCsv(Recorder):
    """Writes ``machine_states.csv``."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("machine_states.csv", _HEADER, width=STATE_WIDTH, join=rows_of)
        self._pending = self.rows.pending  # known here: interpreted objects are asked for their fields slowly

    def on_machine_states(self, now: float, counts: Sequence[int]) -> None:
        """Write a row: a hot path, called twice a job."""
        pending = self._pending
        pending.append(now)
        pending.extend(counts)

    def take(self, batch: Batch) -> None:  # noqa: ARG002 -- whichever jobs they are
        """Write what is pending: states change as jobs end (and once a second it is written anyway)."""
        self.rows.flush()

    def __getstate__(self) -> Rows:
        return self.rows

    def __setstate__(self, rows: Rows) -> None:
        self.rows = rows
        self._pending = rows.pending
