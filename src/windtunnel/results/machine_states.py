"""``machine_states.csv``: how many compute hosts are in which state, after each change."""

from collections.abc import Sequence
from typing import Final

from windtunnel.results.layout import Layout
from windtunnel.results.rows import BATCH, Recorder

__all__ = ["MachineStatesCsv"]

_HEADER: Final = "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n"


class MachineStatesCsv(Recorder):
    """Writes ``machine_states.csv``; times have six significant digits, as in Batsim."""

    def __init__(self, layout: Layout) -> None:
        self.rows = layout.open("machine_states.csv", _HEADER)

    def on_machine_states(self, now: float, counts: Sequence[int]) -> None:
        """Write a row."""
        asleep, on, off, idle, computing = counts
        pending = self.rows.pending
        pending.append("%g,%s,%s,%s,%s,%s\n" % (now, asleep, on, off, idle, computing))  # noqa: UP031 -- fastest
        if len(pending) >= BATCH:
            self.rows.flush()
