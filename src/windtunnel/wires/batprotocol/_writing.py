"""What the generated writer stands on.

A message is written from its end: children before parents, so that every offset is known when it is packed. ``at`` is
how many bytes stand behind (and including) what was written last; it also names that thing. All pieces are
multiples of 4 bytes, the whole one of 8, hence distances from the end are aligned as addresses are.
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any, Final

__all__ = ["PAD", "Pieces", "Seen", "Writer", "doubles", "tables", "text", "texts", "uints", "vtables"]

Pieces = list[bytes]
"""The pieces of the message, the last one first."""
Seen = dict[bytes, int]
"""Where each vtable of the message is: equal ones are shared."""
Writer = Callable[[Any, Pieces, int, Seen], int]
"""Writes a table behind (in time; before, in bytes) what is there, and says where it is."""

PAD: Final = bytes(4)
_U32: Final = struct.Struct("<I").pack
_U32_U32: Final = struct.Struct("<II").pack
_TAILS: Final = (bytes(4), bytes(3), bytes(2), bytes(1))


def text(value: str, out: Pieces, at: int) -> int:
    """Write a string."""
    raw = value.encode()
    size = len(raw)
    tail = _TAILS[size & 3]
    out.append(_U32(size) + raw + tail)
    return at + 4 + size + len(tail)


def doubles(values: Sequence[float], out: Pieces, at: int) -> int:
    """Write a vector of 8-byte floats."""
    if at & 4:
        out.append(PAD)
        at += 4
    size = len(values)
    out.append(struct.pack(f"<I{size}d", size, *values))
    return at + 4 + 8 * size


def uints(values: Sequence[int], out: Pieces, at: int) -> int:
    """Write a vector of 4-byte unsigned integers."""
    size = len(values)
    out.append(struct.pack(f"<{size + 1}I", size, *values))
    return at + 4 + 4 * size


def texts(values: Sequence[str], out: Pieces, at: int) -> int:
    """Write a vector of strings."""
    places = []
    for value in values:
        at = text(value, out, at)
        places.append(at)
    return _offsets(places, out, at)


def tables(values: Sequence[Any], out: Pieces, at: int, seen: Seen, write: Writer) -> int:
    """Write a vector of tables."""
    places = []
    for value in values:
        at = write(value, out, at, seen)
        places.append(at)
    return _offsets(places, out, at)


def _offsets(places: list[int], out: Pieces, at: int) -> int:
    size = len(places)
    first = at + 4 * size
    if size == 1:
        out.append(_U32_U32(1, first - places[0]))
        return first + 4
    here = first
    offsets: list[int] = []
    for there in places:
        offsets.append(here - there)
        here -= 4
    out.append(struct.pack(f"<{size + 1}I", size, *offsets))
    return first + 4


def vtables(size: int, offsets: Sequence[int], absent: Sequence[int]) -> tuple[bytes, ...]:
    """The vtables of a table of so many bytes with its members at the offsets.

    ``absent`` lists the slots that may be left out; bit i of the index into the result says that the i-th is there.
    """
    found = []
    for mask in range(1 << len(absent)):
        gone = {slot for bit, slot in enumerate(absent) if not mask >> bit & 1}
        entries = [0 if slot in gone else offset for slot, offset in enumerate(offsets)]
        while entries and not entries[-1]:
            entries.pop()
        raw = struct.pack(f"<{len(entries) + 2}H", 4 + 2 * len(entries), size, *entries)
        found.append(raw + bytes(-len(raw) % 4))
    return tuple(found)
