"""Rows of nothing but plain integers, read eight bytes at a time: the fastest way where this module is compiled.

In pure Python a decoder of JSON is faster (:mod:`windtunnel.formats.traces.swf_plain`); this module is not loaded
there.
"""

from typing import Final

from librt.strings import read_i64_le
from mypy_extensions import i64

__all__ = ["rows_of_digits"]

_WIDTH: Final[i64] = 18
"""Fields of a row."""
_BLANK: Final[i64] = 32
_TAB: Final[i64] = 9
_END: Final[i64] = 10
_MINUS: Final[i64] = 45
_ZERO: Final[i64] = 48
_NINE: Final[i64] = 57
_MOST: Final[i64] = 1 << 53
"""Up to here an integer and the float made of it are the same number, so times may stay integers."""
_LONGEST: Final[i64] = 16
"""Digits of that number."""
_BEHIND: Final = b" " * 9
"""So that eight bytes can be read wherever a byte is looked at."""


def rows_of_digits(data: bytes, rows: int) -> list[int] | None:
    """The 18 fields of each of so many whole lines, one after the other; None if anything else is there."""
    values: list[int] = []
    size: i64 = len(data)
    data += _BEHIND
    at: i64 = 0
    fields: i64 = 0
    lines: i64 = 0
    while at < size:
        word: i64 = read_i64_le(data, at)
        byte: i64 = word & 255
        if byte in (_BLANK, _TAB):
            at += 1
            continue
        if byte == _END:
            if fields != _WIDTH:
                return None
            at += 1
            fields = 0
            lines += 1
            continue
        negative = byte == _MINUS
        if negative:
            at += 1
            word = read_i64_le(data, at)
            byte = word & 255
        zero = byte == _ZERO
        number: i64 = 0
        digits: i64 = 0
        while _ZERO <= byte <= _NINE:
            number = number * 10 + byte - _ZERO
            digits += 1
            if digits & 7 == 0:  # all of the word was digits
                if digits > _LONGEST:
                    return None
                word = read_i64_le(data, at + digits)
            else:
                word >>= 8
            byte = word & 255
        if digits == 0 or digits > _LONGEST or number >= _MOST or (zero and digits > 1):
            return None
        if byte not in (_BLANK, _END, _TAB):
            return None
        at += digits
        values.append(-number if negative else number)
        fields += 1
    return values if fields == 0 and lines == rows else None
