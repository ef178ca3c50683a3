"""Rows of nothing but plain integers, read byte by byte: the fastest way where this module is compiled.

In pure Python a decoder of JSON is faster (:mod:`windtunnel.formats.traces.swf_plain`).
"""

from types import FunctionType
from typing import Final

from mypy_extensions import i64

__all__ = ["COMPILED", "WIDTH", "rows_of_digits"]

WIDTH: Final = 18
"""Fields of a row."""
_BLANK: Final[i64] = 32
_TAB: Final[i64] = 9
_END: Final[i64] = 10
_MINUS: Final[i64] = 45
_ZERO: Final[i64] = 48
_NINE: Final[i64] = 57
_MOST: Final[i64] = 1 << 53
"""Up to here an integer and the float made of it are the same number, so times may stay integers."""


def rows_of_digits(data: bytes, rows: int) -> list[int] | None:
    """The 18 fields of each of so many whole lines, one after the other; None if anything else is there."""
    values: list[int] = []
    size: i64 = len(data)
    width: i64 = WIDTH
    at: i64 = 0
    fields: i64 = 0
    lines: i64 = 0
    while at < size:
        byte: i64 = data[at]
        at += 1
        if byte in (_BLANK, _TAB):
            continue
        if byte == _END:
            if fields != width:
                return None
            fields = 0
            lines += 1
            continue
        negative = byte == _MINUS
        number: i64 = 0 if negative else byte - _ZERO
        if not negative and not _ZERO <= byte <= _NINE:
            return None
        digits: i64 = 0 if negative else 1
        zero = byte == _ZERO or (negative and at < size and data[at] == _ZERO)
        byte = _BLANK
        while at < size:
            byte = data[at]
            if not _ZERO <= byte <= _NINE:
                break
            number = number * 10 + byte - _ZERO
            digits += 1
            if number >= _MOST:
                return None
            at += 1
        if digits == 0 or (zero and digits > 1) or byte not in (_BLANK, _END, _TAB):
            return None
        values.append(-number if negative else number)
        fields += 1
    return values if fields == 0 and lines == rows else None


COMPILED: Final = not isinstance(rows_of_digits, FunctionType)
"""Whether this is the compiled build."""
