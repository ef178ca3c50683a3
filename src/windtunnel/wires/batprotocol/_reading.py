"""What the generated reader stands on: tables, texts and vectors of a flatbuffer, checked while they are read.

A vtable is verified once per distinct content and kept as a *layout*: one ``struct`` that fetches all members of
such a table at a time. Positions are bytes from the start of the buffer.
"""

import logging
import struct
from collections.abc import Callable
from operator import itemgetter
from typing import Any, Final, NoReturn

from windtunnel.diagnostics import ProtocolError

__all__ = [
    "Budget",
    "Reader",
    "Shape",
    "budget_for",
    "doubles",
    "fault",
    "fields",
    "nothing",
    "tables",
    "text",
    "texts",
    "uints",
    "unknown",
]

_log: Final = logging.getLogger("windtunnel.wires.batprotocol")
_I32: Final = struct.Struct("<i").unpack_from
_U16: Final = struct.Struct("<H").unpack_from
_U32: Final = struct.Struct("<I").unpack_from
_FEW: Final = tuple(struct.Struct(f"<{n}I").unpack_from for n in range(33))

Budget = list[int]
"""What may still be spent on decoding one message, and how many recursive tables may still be nested."""
Reader = Callable[[bytes, int, Budget], Any]
Unpack = Callable[[bytes, int], tuple[Any, ...]]
Layout = tuple[Unpack, tuple[Any, ...], Callable[[tuple[Any, ...]], Any]]
"""Fetches what is there; what to add for the rest; picks out the members in order."""

MAX_NESTING: Final = 59
"""Recursive tables; with four above the outermost and one inside the last this is the official verifier's 64."""
_ELEMENT_COST: Final = 128
_LAYOUTS_KEPT: Final = 256


def budget_for(size: int) -> Budget:
    """A budget for a message of so many bytes.

    Offsets may point to one thing many times, so a small hostile buffer can stand for an enormous message.
    No honest writer comes near this: it allows 128 references to one thing from one vector of 4-byte offsets.
    """
    return [256 * size + 1_000_000, MAX_NESTING]


def fault(where: str, what: str) -> NoReturn:
    """Raise the one error of this codec."""
    raise ProtocolError(f"malformed batprotocol message: {where}: {what}")


def nothing(_buffer: bytes, at: int, _budget: Budget, where: str = "union") -> NoReturn:
    """A required member is written as offset 0."""
    fault(where, f"the table at byte {at} has an empty offset for a required member")


def unknown(where: str, number: int) -> NoReturn:
    """A number that no name of an enum or type of a union has (or a union without a value)."""
    fault(where, f"{number} is not one of its values")


class Shape:
    """The members of a table, in the order of its vtable, and the layouts met so far."""

    __slots__ = ("later", "layouts", "name", "slots")

    def __init__(self, name: str, *slots: tuple[str, str, Any, bool]) -> None:
        """Each slot: name, letter of the ``struct`` module (``o`` for an offset), default, required."""
        self.name = name
        self.slots = slots
        self.layouts: dict[bytes, Layout] = {}
        self.later: set[int] = set()
        """The members of later schemas that were met, by their place in the table; each is told once."""

    def learn(self, vtable: bytes, at: int) -> Layout:
        """Verify a vtable not seen before (found at a position) and make its layout."""
        if len(vtable) < 4 or len(vtable) % 2 or _U16(vtable)[0] != len(vtable):
            fault(self.name, f"the vtable at byte {at} is cut off or has an impossible size")
        # The table's size is not believed: older official writers share a vtable between tables of several sizes.
        _, _, *offsets = struct.unpack(f"<{len(vtable) // 2}H", vtable)
        if any(offsets[len(self.slots) :]):
            self._tell_later([k for k, offset in enumerate(offsets) if offset and k >= len(self.slots)])
        offsets += [0] * (len(self.slots) - len(offsets))  # members that the writer did not know, or left out
        present = []
        for index, (slot, offset) in enumerate(zip(self.slots, offsets, strict=False)):
            if offset:
                present.append((offset, index))
            elif slot[3]:
                fault(f"{self.name}.{slot[0]}", f"a required member is missing from the table (vtable at byte {at})")
        unpack = self._unpacker(sorted(present), at)
        rank = {index: k for k, (_, index) in enumerate(sorted(present))}
        constants: list[Any] = []
        order = []
        for index, (_, letter, default, _) in enumerate(self.slots):
            if index not in rank:
                rank[index] = len(present) + len(constants)
                constants.append(default)
            order.append(rank[index])
            if letter == "o":  # its value is relative to where it stands
                order.append(len(present) + len(constants))
                constants.append(offsets[index])
        pick = itemgetter(*order) if order else itemgetter(slice(0))
        if len(self.layouts) >= _LAYOUTS_KEPT:
            self.layouts.clear()
        layout = self.layouts[vtable] = (unpack, tuple(constants), pick)
        return layout

    def _tell_later(self, places: list[int]) -> None:
        new = [place for place in places if place not in self.later]
        if new:
            self.later.update(new)
            what = "member" if len(new) == 1 else "members"
            ranks = ", ".join(str(place + 1) for place in new[:8])
            _log.warning("%s has %s %s, of a later batprotocol than ours: no effect", self.name, what, ranks)

    def _unpacker(self, present: list[tuple[int, int]], at: int) -> Unpack:
        form, cursor = "<", 0
        for offset, index in present:
            letter = self.slots[index][1].replace("o", "I")
            if offset < max(cursor, 4):
                fault(f"{self.name}.{self.slots[index][0]}", f"overlaps another member (vtable at byte {at})")
            form += f"{offset - cursor}x{letter}"
            cursor = offset + struct.calcsize("<" + letter)
        return struct.Struct(form).unpack_from


def fields(buffer: bytes, at: int, shape: Shape) -> Any:
    """The members of the table at a position: values, and for offsets also where they stand in the table.

    Members that are absent have their default (offsets: 0). A table of one plain member gives it bare.
    """
    try:
        back: int = _I32(buffer, at)[0]
        vtable = at - back
        if vtable < 0:
            fault(shape.name, f"the table at byte {at} has its vtable before the start of the message")
        size: int = _U16(buffer, vtable)[0]
        key = buffer[vtable : vtable + size]
        layout = shape.layouts.get(key)
        if layout is None:
            layout = shape.learn(key, vtable)
        return layout[2](layout[0](buffer, at) + layout[1])
    except struct.error:
        fault(shape.name, f"the table at byte {at} or its vtable reaches beyond the end ({len(buffer)} bytes)")


def text(buffer: bytes, at: int, budget: Budget, where: str) -> str:
    """The string at a position."""
    try:
        size: int = _U32(buffer, at)[0]
        start = at + 4
        end = start + size
        if buffer[end]:
            fault(where, f"the text at byte {at} does not end with NUL")
        if size > 255:
            _spend(budget, size, where)
        return buffer[start:end].decode()
    except (struct.error, IndexError):
        fault(where, f"the text at byte {at} reaches beyond the end ({len(buffer)} bytes)")
    except UnicodeDecodeError as error:
        fault(where, f"the text at byte {at} is not UTF-8 ({error.reason} at its byte {error.start})")


def doubles(buffer: bytes, at: int, budget: Budget, where: str) -> tuple[float, ...]:
    """The vector of 8-byte floats at a position."""
    size = _length(buffer, at, 8, where)
    _spend(budget, 8 * size, where)
    return struct.unpack_from(f"<{size}d", buffer, at + 4)


def uints(buffer: bytes, at: int, budget: Budget, where: str) -> tuple[int, ...]:
    """The vector of 4-byte unsigned integers at a position."""
    size = _length(buffer, at, 4, where)
    _spend(budget, 8 * size, where)
    return struct.unpack_from(f"<{size}I", buffer, at + 4)


def texts(buffer: bytes, at: int, budget: Budget, where: str) -> tuple[str, ...]:
    """The vector of strings at a position."""
    size = _length(buffer, at, 4, where)
    if not size:
        return ()
    return tuple([text(buffer, place, budget, where) for place in _places(buffer, at, size, budget, where)])


def tables(buffer: bytes, at: int, budget: Budget, read: Reader, where: str) -> tuple[Any, ...]:
    """The vector of tables at a position."""
    size = _length(buffer, at, 4, where)
    if not size:
        return ()
    return tuple([read(buffer, place, budget) for place in _places(buffer, at, size, budget, where)])


def _length(buffer: bytes, at: int, width: int, where: str) -> int:
    try:
        size: int = _U32(buffer, at)[0]
    except struct.error:
        fault(where, f"the vector at byte {at} lies beyond the end ({len(buffer)} bytes)")
    if at + 4 + size * width > len(buffer):
        fault(where, f"the vector at byte {at} has {size} elements and reaches beyond the end ({len(buffer)} bytes)")
    return size


def _places(buffer: bytes, at: int, size: int, budget: Budget, where: str) -> list[int]:
    """Where the elements of a vector of offsets are."""
    _spend(budget, size * _ELEMENT_COST, where)
    start = at + 4
    places: list[int] = []
    for offset in _FEW[size](buffer, start) if size < 33 else struct.unpack_from(f"<{size}I", buffer, start):
        if not offset:
            fault(where, f"the vector at byte {at} has an empty element")
        places.append(start + offset)
        start += 4
    return places


def _spend(budget: Budget, cost: int, where: str) -> None:
    budget[0] -= cost
    if budget[0] < 0:
        fault(where, "the message refers to the same bytes again and again, far more often than its size allows")
