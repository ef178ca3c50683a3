"""Rows of ``machine_states.csv`` written digit by digit: a hot path of the compiled build.

In pure Python it is faster to format many rows at once (:mod:`windtunnel.results.state_rows`); this module is not
loaded there.
"""

from collections.abc import Sequence
from typing import Any, Final

from librt.strings import BytesWriter, write_i64_le
from mypy_extensions import i64, u8

from windtunnel.results.state_rows import states_at_once
from windtunnel.results.written_numbers import put_significant, put_whole

__all__ = ["WrittenStates"]

_COMMA: Final[u8] = 44
_END: Final[u8] = 10
_NONE_ODD: Final[i64] = 0x2C302C302C302C
"""``,0,0,0,``, the first character in the lowest byte: none sleeps or switches."""


class WrittenStates:
    """Rows that gather."""

    def __init__(self) -> None:
        self._out = BytesWriter()

    def add(self, date: float, counts: Sequence[int]) -> None:
        """One more row: its date (s) has six significant digits; how many hosts are in which state."""
        given: Any = counts
        numbers: list[int] = given if type(given) is list else list(given)
        try:
            sleeping, rising, falling, idle, computing = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
        except TypeError:  # numbers of numpy
            self._out.write(states_at_once([date, *counts]).encode())
            return
        out = self._out
        put_significant(out, date)
        if sleeping == 0 and rising == 0 and falling == 0:  # on most sites always
            write_i64_le(out, _NONE_ODD)
            out.truncate(i64(len(out)) - 1)
        else:
            for count in (sleeping, rising, falling):
                out.append(_COMMA)
                put_whole(out, count)
            out.append(_COMMA)
        put_whole(out, idle)
        out.append(_COMMA)
        put_whole(out, computing)
        out.append(_END)

    def take(self) -> bytes:
        """The rows, which gather anew."""
        rows = self._out.getvalue()
        self._out = BytesWriter()
        return rows
