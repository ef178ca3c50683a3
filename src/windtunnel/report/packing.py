"""Columns of numbers as a page holds them: the smallest typed array that keeps them, in base64.

A third of what the digits take as text, and a browser reads them without parsing.
"""

import sys
from array import array
from base64 import b64encode
from collections.abc import Sequence
from typing import Any, Final

__all__ = ["packed", "packed_names"]

_NONE: Final = -(1 << 31)
"""What stands for no value in a column of 32-bit numbers."""
_MOST: Final = (1 << 31) - 1
_KINDS: Final = (("u1", "B", 1 << 8), ("u2", "H", 1 << 16))


def packed(values: Sequence[float | None]) -> dict[str, Any]:
    """A column: ``t`` the type, ``s`` what its numbers are divided by, ``b`` the bytes, little-endian.

    Milliseconds are enough for a picture; without a value: NaN, or the least 32-bit number.
    """
    gaps = any(value is None for value in values)
    known = [0.0 if value is None else value for value in values]
    scale = 1 if all(value == int(value) for value in known) else 1000
    whole = [round(value * scale) for value in known]
    least, most = min(whole, default=0), max(whole, default=0)
    if not gaps and least >= 0:
        for kind, code, limit in _KINDS:
            if most < limit:
                return _column(kind, scale, array(code, whole))
    if least >= -_MOST and most <= _MOST:
        if gaps:
            whole = [_NONE if value is None else number for value, number in zip(values, whole, strict=True)]
        return _column("i4", scale, array("i", whole))
    rounded = [float("nan") if value is None else round(value, 3) for value in values]
    return _column("f8", 1, array("d", rounded))


def _column(kind: str, scale: int, numbers: "array[Any]") -> dict[str, Any]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return {"t": kind, "s": scale, "b": b64encode(numbers.tobytes()).decode()}


def packed_names(ids: Sequence[str]) -> dict[str, Any]:
    """Ids of jobs: as numbers behind a common beginning where they are such (``w0!42``), else as texts."""
    start = ids[0][: ids[0].rfind("!") + 1] if ids else ""
    tails = [name[len(start) :] for name in ids]
    plain = all(tail.isascii() and tail.isdigit() and str(int(tail)) == tail for tail in tails if len(tail) < 10)
    if plain and all(name.startswith(start) and len(tail) < 10 for name, tail in zip(ids, tails, strict=True)):
        return {"start": start, "numbers": packed([float(tail) for tail in tails])}
    return {"texts": list(ids)}
