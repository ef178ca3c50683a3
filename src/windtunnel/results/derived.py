"""What follows from the dates of jobs, found by one of two ways (both give the same to the last digit)."""

from array import array
from sys import byteorder
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError
from windtunnel.results.columns import Columns
from windtunnel.results.job_rows import COMPILED
from windtunnel.results.quantity import Figures

__all__ = ["TOO_LONG", "Derived"]

TOO_LONG: Final = "the sums of the times of this run overflowed: its jobs last too long or come too late"
"""What is said of times that are finite each, and not together."""
_COMPILED: Final = COMPILED and byteorder == "little"
"""Whether compiled code reads the bytes of columns."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Derived(Figures):
    """Times of jobs that ran (s), how slow they were and what they held.

    With ``distributed`` false only sums and maxima are there: what Batsim's figures need.
    """

    def __init__(self, columns: Columns, *, distributed: bool = True) -> None:
        super().__init__()
        self.jobs = len(columns)
        """Ended and rejected ones."""
        self.states = columns.states()
        self.ran = ran = columns.ran()
        try:
            self._find(ran, distributed)
        except OverflowError:  # each time is finite, their sum is not
            raise SimulationError(TOO_LONG) from None

    def _find(self, ran: Columns, distributed: bool) -> None:
        if _COMPILED and isinstance(ran.finish, array):
            from windtunnel.results import figures_by_number

            figures_by_number.find_figures(self, ran, distributed)
        else:
            from windtunnel.results import figures_by_column

            figures_by_column.find_figures(self, ran, distributed)
