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
_UNKNOWN: Final[i64] = 0x20312D
"""``-1`` and a blank, the first character in the lowest byte: where nothing is known."""
_THREE: Final[i64] = 0xFFFFFF
_BEHIND: Final = b" " * 9
"""So that eight bytes can be read wherever a byte is looked at."""


def rows_of_digits(data: bytes, rows: int) -> list[int] | None:
    """The 18 fields of each of so many whole lines, one after the other; None if anything else is there."""
    values = [-1] * (int(_WIDTH) * rows)  # what most fields of most logs are
    size: i64 = len(data)
    data += _BEHIND
    at: i64 = 0
    row: i64 = 0  # where the fields of the line begin
    fields: i64 = 0
    end = i64(len(values))
    while at < size:
        word: i64 = read_i64_le(data, at)
        if word & _THREE == _UNKNOWN and fields < _WIDTH:
            fields += 1
            at += 3
            continue
        byte: i64 = word & 255
        if byte in (_BLANK, _TAB):
            at += 1
            continue
        if byte == _END:
            if fields != _WIDTH:
                return None
            at += 1
            fields = 0
            row += _WIDTH
            continue
        if fields == _WIDTH or row == end:
            return None
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
        if byte == _BLANK:
            at += digits + 1
        elif byte in (_END, _TAB):
            at += digits
        else:
            return None
        values[row + fields] = -number if negative else number
        fields += 1
    return values if fields == 0 and row == end else None
