"""batprotocol as JSON text, in flatbuffers' own mapping.

A union ``x`` is two members, ``x_type`` (a name) and ``x``; enums are names. Read as well: numbers for both, NUL at
the end, members in any order, defaults left out, null for members that may be absent. Written: every scalar; null
only for an absent walltime, as upstream does.
"""

import math
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import ProtocolError, did_you_mean
from windtunnel.wires.batprotocol.binary import explain
from windtunnel.wires.batprotocol.schema import JSON_FORM, Message
from windtunnel.wires.repeated import repeated_member

__all__ = ["decode", "encode"]

_TAG: Final = "@type"
_WALLTIME_ABSENT: Final = b'"walltime":null'
_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


def decode(text: bytes) -> Message:
    """The message in a JSON text; raises ProtocolError, with the path of the member, for whatever is wrong."""
    unknown: list[str] = []  # names of enums that there are not
    try:
        bare = bytes(text).rstrip(b"\0")
        found = _decode(bare)
        twice = repeated_member(bare, found)
        _to_struct(found, "Message", unknown)
        message = msgspec.convert(found, Message, strict=False)
    except RecursionError:
        raise ProtocolError("malformed batprotocol message: JSON text nested too deep") from None
    except (msgspec.MsgspecError, ValueError) as error:
        reason = str(error).replace(f".{_TAG}`", "_type`").replace(f"`{_TAG}`", "`..._type`")
        if unknown:
            reason = reason.replace("Expected `int`, got `str`", unknown[0])
        raise ProtocolError(f"malformed batprotocol message: JSON text: {reason}") from error
    if twice:
        raise ProtocolError(f"malformed batprotocol message: JSON text: `$` has the member {twice}")
    return message


def encode(message: Message, *, check: bool = True) -> bytes:
    """The JSON text of a message, without a final NUL.

    ``check`` looks at the type and range of each member; without it only what JSON cannot write is refused.

    Raises:
        ProtocolError: a value does not fit its member, or JSON has no form for it.
    """
    try:
        found = msgspec.to_builtins(message)
        if check:
            msgspec.convert(found, Message)
    except (TypeError, RecursionError, msgspec.ValidationError) as error:
        raise ProtocolError(f"cannot encode batprotocol message: {explain(message, error)}") from error
    _to_text(found, "Message")
    text = _encode(found)
    if b"null" in text and b"null" in text.replace(
        _WALLTIME_ABSENT, b""
    ):  # msgspec writes null where JSON has no number
        for path, value in _floats(found, "$"):
            if not math.isfinite(value):
                raise ProtocolError(f"cannot encode batprotocol message: JSON has no {value} - at `{path}`")
    return text


def _floats(found: Any, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(found, float):
        yield path, found
    elif isinstance(found, dict):
        for name, value in found.items():
            yield from _floats(value, f"{path}.{name}")
    elif isinstance(found, list | tuple):
        for index, value in enumerate(found):
            yield from _floats(value, f"{path}[{index}]")


def _to_struct(found: Any, table: str, unknown: list[str]) -> None:
    """Bring what JSON holds of a table into the form of its Struct; leave what is wrong to the conversion."""
    if type(found) is not dict:
        return
    for step, name, needs in JSON_FORM[table]:
        value = found.get(name)
        if step == "union":
            kind = found.pop(name + "_type", None)
            if type(kind) is int and 0 < kind < len(needs):
                kind = needs[kind]
            if type(value) is dict:
                if kind is not None:
                    value[_TAG] = kind
                if type(kind) is str and kind in JSON_FORM:
                    _to_struct(value, kind, unknown)
        elif step == "enum":
            if value in needs:
                found[name] = needs.index(value)
            elif type(value) is str:
                unknown.append(f"unknown {name} {value!r:.60}; {did_you_mean(value, needs)}")
        elif step == "table":
            _to_struct(value, needs, unknown)
        elif step == "each" and type(value) is list:
            for element in value:
                _to_struct(element, needs, unknown)


def _to_text(found: dict[str, Any], table: str) -> None:
    """The other way."""
    for step, name, needs in JSON_FORM[table]:
        value = found.get(name)
        if value is None:
            found.pop(name, None)
        elif step == "union":
            kind = found[name + "_type"] = value.pop(_TAG)
            found[name] = found.pop(name)  # its type goes first
            if kind in JSON_FORM:
                _to_text(value, kind)
        elif step == "enum":
            found[name] = needs[value]
        elif step == "table":
            _to_text(value, needs)
        elif step == "each":
            for element in value:
                _to_text(element, needs)
