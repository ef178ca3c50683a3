"""Numbers as the bytes of a column: a hot path of the compiled build, which alone loads this module.

In pure Python ``struct`` is faster (:mod:`windtunnel.model.arrays`).
"""

from typing import Any, Final

from librt.strings import BytesWriter, write_f64_le, write_i16_le, write_i32_le, write_i64_le
from mypy_extensions import i16, i32, i64, u8

__all__ = ["packed"]

_LIMITS: Final = {"b": 0x7F, "h": 0x7FFF, "i": 0x7FFFFFFF, "q": 0xFFFFFFFFFFFFFFF}
"""The largest number that is written here in a column of a type; the least is its negative."""


def packed(typecode: str, values: list[Any]) -> bytes | None:
    """Numbers in 1, 2, 4 or 8 bytes each, the lowest first; None where one does not fit in, or is no integer."""
    if typecode == "d":
        return _as_floats(values)
    given = _LIMITS.get(typecode)
    if given is None:
        return None
    limit: i64 = given
    out = BytesWriter()
    for value in values:
        if type(value) is not int:
            return None
        number: int = value
        if not -0xFFFFFFFFFFFFFFF <= number <= 0xFFFFFFFFFFFFFFF:
            return None
        small: i64 = number
        if not -limit <= small <= limit:
            return None
        if limit == 0x7F:
            out.append(u8(small & 0xFF))
        elif limit == 0x7FFF:
            write_i16_le(out, i16(small))
        elif limit == 0x7FFFFFFF:
            write_i32_le(out, i32(small))
        else:
            write_i64_le(out, small)
    return out.getvalue()


def _as_floats(values: list[Any]) -> bytes | None:
    out = BytesWriter()
    for value in values:
        if type(value) is int:
            whole: int = value
            if not -0xFFFFFFFFFFFFFFF <= whole <= 0xFFFFFFFFFFFFFFF:
                return None
            write_f64_le(out, float(whole))
        elif type(value) is float:
            exact: float = value
            write_f64_le(out, exact)
        else:
            return None
    return out.getvalue()
