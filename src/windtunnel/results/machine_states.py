"""``machine_states.csv``: how many compute hosts are in which state, after each change."""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.results.batch import Batch
from windtunnel.results.job_rows import COMPILED, STATE_WIDTH
from windtunnel.results.layout import Layout
from windtunnel.results.rows import Recorder, Rows
from windtunnel.results.state_rows import rows_of

__all__ = ["MachineStatesCsv"]

_HEADER: Final = "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n"


@mypyc_attr(allow_interpreted_subclasses=True)
class MachineStatesCsv(Recorder):
    """Writes ``machine_states.csv``; compiled, each row at once."""

    def __init__(self, layout: Layout) -> None:
        options = {} if COMPILED else {"width": STATE_WIDTH, "join": rows_of}
        self._begin(layout.open("machine_states.csv", _HEADER, **options))

    def _begin(self, rows: Rows) -> None:
        self.rows = rows
        self._pending = rows.pending  # known here: interpreted objects are asked for their fields slowly
        self.gathered_states = rows.pending if not COMPILED and type(self) is MachineStatesCsv else None
        if COMPILED:
            from windtunnel.results.written_states import WrittenStates

            self._written: WrittenStates = WrittenStates()
            rows.more = self._written.take

    def on_machine_states(self, now: float, counts: Sequence[int]) -> None:
        """Write a row: a hot path, called twice a job."""
        if COMPILED:
            self._written.add(now, counts)
            return
        pending = self._pending
        pending.append(now)
        pending.extend(counts)

    def take(self, batch: Batch) -> None:  # noqa: ARG002 -- whichever jobs they are
        """Write what is pending: states change as jobs end (and once a second it is written anyway)."""
        self.rows.flush()

    def __getstate__(self) -> Rows:
        return self.rows

    def __setstate__(self, rows: Rows) -> None:
        self._begin(rows)
