"""Rows of ``machine_states.csv`` written digit by digit: a hot path of the compiled build.

In pure Python it is faster to format many rows at once (:mod:`windtunnel.results.machine_states`); this module is not
loaded there.
"""

from typing import Any, Final

from librt.strings import StringWriter
from mypy_extensions import i32

from windtunnel.results.job_rows import STATE_WIDTH
from windtunnel.results.written_numbers import put_significant, put_whole

__all__ = ["state_rows"]

_END: Final[i32] = 10


def state_rows(values: list[Any]) -> str:
    """Rows from their values, one after the other; dates have six significant digits.

    Raises:
        TypeError: a count is no ``int`` of Python (when compiled).
    """
    out = StringWriter()
    for at in range(0, len(values), STATE_WIDTH):
        date = values[at]
        put_significant(out, date if isinstance(date, float) else float(date))
        sleeping: int = values[at + 1]
        rising: int = values[at + 2]
        falling: int = values[at + 3]
        if sleeping == 0 and rising == 0 and falling == 0:  # on most sites always
            out.write(",0,0,0")
        else:
            put_whole(out, sleeping)
            put_whole(out, rising)
            put_whole(out, falling)
        put_whole(out, values[at + 4])
        put_whole(out, values[at + 5])
        out.append(_END)
    return out.getvalue()
