"""batprotocol as flatbuffers: bytes to Messages and back.

Decoding verifies whatever it touches (offsets, vtables, lengths, union types, required members, UTF-8, nesting, and
how much a message stands for); encoding writes every scalar, defaults too, and shares equal vtables.
"""

import struct
from typing import Any

import msgspec

from windtunnel.diagnostics import ProtocolError
from windtunnel.wires.batprotocol._reader import read_message
from windtunnel.wires.batprotocol._reading import budget_for, fault
from windtunnel.wires.batprotocol._writer import write_message
from windtunnel.wires.batprotocol._writing import Pieces
from windtunnel.wires.batprotocol.schema import Message

__all__ = ["decode", "encode", "explain"]


def decode(buffer: bytes) -> Message:
    """The message in a buffer; raises ProtocolError, naming member and byte, for whatever is malformed."""
    if len(buffer) < 8:
        fault("Message", f"{len(buffer)} bytes are too few")
    buffer = bytes(buffer)
    return read_message(buffer, int.from_bytes(buffer[:4], "little"), budget_for(len(buffer)))


def encode(message: Message) -> bytes:
    """The buffer of a message; raises ProtocolError, naming the member, where a value does not fit its type."""
    out: Pieces = []
    try:
        root = write_message(message, out, 0, {})
    except (struct.error, TypeError, ValueError, AttributeError, KeyError, OverflowError, RecursionError) as error:
        raise ProtocolError(f"cannot encode batprotocol message: {explain(message, error)}") from error
    size = root + 4
    out.append(bytes(-size % 8))
    out.append((size - root + len(out[-1])).to_bytes(4, "little"))
    out.reverse()
    return b"".join(out)


def explain(message: Any, error: Exception) -> str:
    """Which member of a message that could not be written is at fault."""
    try:
        msgspec.convert(msgspec.to_builtins(message), Message)
    except (msgspec.ValidationError, TypeError, RecursionError) as found:
        return str(found).replace("Object missing required field `@type`", "not a table that may stand here")
    return str(error)
