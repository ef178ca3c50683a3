"""Rows of nothing but plain integers, as most logs are made of, decoded all at once by a decoder of JSON.

With commas for its blanks a chunk of such rows is the inside of a JSON array, and decoding that takes a third of the
time of splitting the chunk into texts and making an integer of each. There is a way for rows with one blank between
fields, one for aligned columns (the archive's logs) and one for what is neither. Whatever is not plain integers is no
JSON either, or does not come out as 18 integers for each line; then the answer is None, and others go through it.
"""

import re
from typing import Annotated, Final, cast

import msgspec

from windtunnel.model.arrays import COMPILED

__all__ = ["END", "STRIDE", "WIDTH", "plain", "spaced"]

WIDTH: Final = 18
"""Fields of a row."""
STRIDE: Final = WIDTH + 1
"""The fields of a row as texts, and what marks its end."""
END: Final = "null"

# Up to here an integer and the float made of it are the same number, so times may stay integers.
_BOUND: Final = 1 << 53
_decode_any: Final = msgspec.json.Decoder(list[int | None]).decode
_decode_bound: Final = msgspec.json.Decoder(list[Annotated[int, msgspec.Meta(gt=-_BOUND, lt=_BOUND)] | None]).decode
_LOOK: Final = 512
_FIELD_END: Final = re.compile(rb"\S(?=\s)")
_SAME_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
_LONG: Final = b"0" * len(str(_BOUND))


def _decode(items: bytes) -> list[int | None]:
    """The numbers of a JSON array. Bounds are looked at one by one, so only if a number has enough digits."""
    return (_decode_bound if _LONG in items.translate(_SAME_DIGITS) else _decode_any)(items)


def plain(text: str, rows: int) -> list[int] | None:
    """The 18 fields of each of so many whole lines, one after the other."""
    if _odd(text):
        return None
    try:
        if COMPILED:
            from windtunnel.formats.traces.swf_digits import rows_of_digits

            return rows_of_digits(text.encode(), rows)
        return _aligned(text, rows) if text.find("  ", 0, _LOOK) >= 0 else _compact(text, rows)
    except ValueError:
        return None


def spaced(text: str, tokens: list[str], rows: int) -> list[int] | None:
    """As :func:`plain`, in any layout; ``tokens`` are the fields of the text with an :data:`END` for a newline."""
    if _odd(text):
        return None
    try:
        return _unmarked(_decode(f"[{','.join(tokens)}]".encode()), rows)
    except ValueError:
        return None


def _odd(text: str) -> bool:
    """Whether there are comments or fractions, which spares an attempt, or what JSON would take in another sense."""
    return ";" in text or "." in text or "," in text or "n" in text


def _compact(text: str, rows: int) -> list[int] | None:
    items = text.replace(" ", ",").replace("\n", f",{END},")
    return _unmarked(_decode(f"[{items[:-1]}]".encode()), rows)


def _unmarked(values: list[int | None], rows: int) -> list[int] | None:
    """Without the end marks, if there is one behind each 18 fields."""
    if len(values) != STRIDE * rows or values[WIDTH::STRIDE].count(None) != rows:
        return None
    del values[WIDTH::STRIDE]
    return cast("list[int]", values)


def _aligned(text: str, rows: int) -> list[int] | None:
    """Where fields end in the same place on all lines, a few excepted, commas are put there on all lines at once."""
    data = text.encode()
    line = data.find(b"\n") + 1
    grid = bytearray(data)
    apart = _cut(grid, line, rows // 16)
    count = rows - len(apart)
    if len(grid) != line * count or grid[line - 1 :: line] != b"\n" * count:
        return None
    blanks, commas = b" " * count, b"," * count
    for found in _FIELD_END.finditer(data, 0, line):
        end = found.end()
        if end < line - 1 and grid[end::line] != blanks:
            return None
        grid[end::line] = commas
    values = _decode(b"[" + grid.rstrip(b", \n") + b"]")
    for row, fields in apart:
        others = _decode(b"[%b]" % b",".join(fields))
        if len(others) != WIDTH:
            return None
        values[row * WIDTH : row * WIDTH] = others
    return cast("list[int]", values) if len(values) == WIDTH * rows else None


def _cut(grid: bytearray, line: int, most: int) -> list[tuple[int, list[bytearray]]]:
    """Take lines of another length out, at most so many; answers which lines they are, and their fields."""
    apart: list[tuple[int, list[bytearray]]] = []
    while len(apart) < most:
        ends = grid[line - 1 :: line]
        same = len(ends) - len(ends.lstrip(b"\n"))
        start = same * line
        if start == len(grid):
            break
        stop = grid.find(b"\n", start) + 1
        apart.append((same + len(apart), grid[start:stop].split()))
        del grid[start:stop]
    return apart
