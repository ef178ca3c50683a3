"""Judges of the codec: flatbuffers' official Python runtime, its C++ library, and arbitrary messages to put to them."""

import random
import struct
import subprocess
from pathlib import Path

import flatbuffers
from flatbuffers import number_types as numbers
from flatbuffers.table import Table as Raw
from hypothesis import strategies as st

from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.idl import SCHEMA_FILE, Field, parse

SCHEMA = parse(SCHEMA_FILE.read_text())
EVENTS = SCHEMA.unions["Event"].members
FLAGS = {
    "bool": numbers.BoolFlags,
    "int32": numbers.Int32Flags,
    "uint32": numbers.Uint32Flags,
    "uint64": numbers.Uint64Flags,
    "float64": numbers.Float64Flags,
}


def flags(field: Field):
    return FLAGS.get(field.type, numbers.Int8Flags)


def default(field: Field):
    if field.optional:
        return None
    if field.type in SCHEMA.enums:
        return getattr(s, field.type)(0)
    if field.type == "bool":
        return field.default == "True"
    return float(field.default) if field.type == "float64" else int(field.default)


# ---- the official Python runtime ---------------------------------------------------------------------------------


def official_read(buffer: bytes) -> s.Message:
    """A message, read with the official runtime, driven by the schema."""
    root = struct.unpack_from("<I", buffer)[0]
    return _read_table("Message", Raw(bytearray(buffer), root))


def _read_table(name: str, raw: Raw):
    return getattr(s, name)(**{field.name: _read_field(field, raw) for field in SCHEMA.tables[name].fields})


def _read_field(field: Field, raw: Raw):
    offset = raw.Offset(4 + 2 * field.slot)
    if field.vector:
        return _read_vector(field, raw, offset) if offset else None
    if field.type == "string":
        return raw.String(offset + raw.Pos).decode() if offset else None
    if field.type in SCHEMA.tables:
        return _read_table(field.type, Raw(raw.Bytes, raw.Indirect(offset + raw.Pos))) if offset else None
    if field.type in SCHEMA.unions:
        number = raw.Get(numbers.Uint8Flags, raw.Offset(2 + 2 * field.slot) + raw.Pos)
        inner = Raw(raw.Bytes, 0)
        raw.Union(inner, offset)
        return _read_table(SCHEMA.unions[field.type].members[number - 1], inner)
    if not offset:
        return default(field)
    value = raw.Get(flags(field), offset + raw.Pos)
    return getattr(s, field.type)(value) if field.type in SCHEMA.enums else value


def _read_vector(field: Field, raw: Raw, offset: int):
    start, size = raw.Vector(offset), raw.VectorLen(offset)
    if field.type in FLAGS:
        width = flags(field).bytewidth
        return tuple(raw.Get(flags(field), start + width * i) for i in range(size))
    if field.type == "string":
        return tuple(raw.String(start + 4 * i).decode() for i in range(size))
    return tuple(_read_table(field.type, Raw(raw.Bytes, raw.Indirect(start + 4 * i))) for i in range(size))


def official_write(message: s.Message) -> bytes:
    """A message, written with the official runtime, driven by the schema."""
    builder = flatbuffers.Builder(64)
    builder.Finish(_write_table(builder, message))
    return bytes(builder.Output())


def _write_table(builder: flatbuffers.Builder, value) -> int:
    table = SCHEMA.tables[type(value).__name__]
    offsets = {}
    for field in table.fields:
        inner = getattr(value, field.name)
        if inner is None:
            continue
        if field.vector:
            offsets[field.slot] = _write_vector(builder, field, inner)
        elif field.type == "string":
            offsets[field.slot] = builder.CreateString(inner)
        elif field.type in SCHEMA.tables or field.type in SCHEMA.unions:
            offsets[field.slot] = _write_table(builder, inner)
    builder.StartObject(table.slots)
    for field in table.fields:
        inner = getattr(value, field.name)
        if field.type in SCHEMA.unions:
            number = SCHEMA.unions[field.type].members.index(type(inner).__name__) + 1
            builder.PrependUint8Slot(field.slot - 1, number, 0)
        if field.slot in offsets:
            builder.PrependUOffsetTRelativeSlot(field.slot, offsets[field.slot], 0)
        elif inner is not None and (field.optional or inner != default(field)):
            builder.Prepend(flags(field), int(inner) if field.type in SCHEMA.enums else inner)
            builder.Slot(field.slot)
    return builder.EndObject()


def _write_vector(builder: flatbuffers.Builder, field: Field, values) -> int:
    if field.type in FLAGS:
        width = flags(field).bytewidth
        builder.StartVector(width, len(values), width)
        for value in reversed(values):
            builder.Prepend(flags(field), value)
    else:
        write = builder.CreateString if field.type == "string" else lambda v: _write_table(builder, v)
        places = [write(value) for value in values]
        builder.StartVector(4, len(values), 4)
        for place in reversed(places):
            builder.PrependUOffsetTRelative(place)
    return builder.EndVector()


# ---- the C++ library ---------------------------------------------------------------------------------------------


class Cpp:
    """The program ``oracle.cpp``, running."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen([program, SCHEMA_FILE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, letter: bytes, payload: bytes) -> tuple[bool, bytes]:
        self.process.stdin.write(letter + struct.pack("<I", len(payload)) + payload)
        self.process.stdin.flush()
        verdict, size = struct.unpack("<cI", self.process.stdout.read(5))
        return verdict == b"+", self.process.stdout.read(size)

    def accepts(self, buffer: bytes) -> bool:
        return self.ask(b"v", buffer)[0]

    def to_json(self, buffer: bytes) -> bytes:
        good, text = self.ask(b"j", buffer)
        assert good, text
        return text

    def from_json(self, text: bytes) -> bytes:
        good, buffer = self.ask(b"b", text)
        assert good, buffer
        return buffer

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


# ---- arbitrary messages ------------------------------------------------------------------------------------------

SCALARS = {
    "bool": st.booleans(),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "uint32": st.integers(0, 2**32 - 1),
    "uint64": st.integers(0, 2**64 - 1),
}
ANY_FLOAT = st.floats(allow_nan=False)
SHORT_FLOAT = st.integers(-(10**6), 10**6).map(lambda n: n / 8)
"""The C++ library prints 12 digits only."""


def messages(event: str, floats=ANY_FLOAT) -> st.SearchStrategy:
    """Messages of one to three events of a kind."""
    made: dict[str, st.SearchStrategy] = {}

    def table(name: str) -> st.SearchStrategy:
        if name not in made:
            made[name] = st.deferred(lambda: build(name))
        return made[name]

    def build(name: str) -> st.SearchStrategy:
        fields = {field.name: member(field) for field in SCHEMA.tables[name].fields}
        return st.builds(getattr(s, name), **fields)

    def member(field: Field) -> st.SearchStrategy:
        if field.type in SCHEMA.unions:
            return st.one_of([table(name) for name in SCHEMA.unions[field.type].members])
        if field.type in SCHEMA.enums:
            return st.sampled_from(getattr(s, field.type))
        if field.type in SCHEMA.tables:
            one = table(field.type)
        elif field.type == "string":
            one = st.text(max_size=8)
        else:
            one = floats if field.type == "float64" else SCALARS[field.type]
        if field.vector:
            one = st.lists(one, max_size=3).map(tuple)
        elif field.type in SCALARS or field.type == "float64":
            return st.none() | one if field.optional else one
        return one if field.required else st.none() | one

    stamped = st.builds(s.EventAndTimestamp, timestamp=floats, event=table(event))
    return st.builds(s.Message, now=floats, events=st.lists(stamped, min_size=1, max_size=3).map(tuple))


def sample(event: str, chance: random.Random) -> s.Message:
    """A message of one event of a kind with every member present."""

    def table(name: str):
        return getattr(s, name)(**{field.name: member(field) for field in SCHEMA.tables[name].fields})

    def member(field: Field):
        return tuple(element(field) for _ in range(2)) if field.vector else element(field)

    def element(field: Field):
        if field.type in SCHEMA.unions:
            return table(chance.choice(SCHEMA.unions[field.type].members))
        if field.type in SCHEMA.enums:
            return chance.choice(tuple(getattr(s, field.type)))
        if field.type in SCHEMA.tables:
            return table(field.type)
        if field.type == "bool":
            return chance.choice((False, True))
        return f"{field.name}-é" if field.type == "string" else chance.choice((0, 1))

    return s.Message(now=2.0, events=(s.EventAndTimestamp(timestamp=1.0, event=table(event)),))
