"""``machine_states.csv``: how many compute hosts are in which state, after each change."""

from collections.abc import Sequence
from typing import Final

from windtunnel.results.layout import Layout
from windtunnel.results.rows import INTEGERS, Recorder

__all__ = ["MachineStatesCsv"]

_HEADER: Final = "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n"
_FORMS: Final = ("%g", INTEGERS)


class MachineStatesCsv(Recorder):
    """Writes ``machine_states.csv``; times have six significant digits, as in Batsim."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("machine_states.csv", _HEADER, forms=_FORMS)

    def on_machine_states(self, now: float, counts: Sequence[int]) -> None:
        """Write a row: a hot path, called twice a job."""
        pending = self.rows.pending
        pending += (now, tuple(counts))
        if len(pending) >= self.rows.limit:
            self.rows.flush()
