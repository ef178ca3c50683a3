"""Names that stand twice in one object of a JSON text: a decoder keeps the last, and says nothing."""

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from windtunnel.diagnostics.json_positions import Path, Place, duplicate_keys

__all__ = ["NAME_ENDS", "repeated_members"]

NAME_ENDS: Final = b'":'
"""How a name ends; in a string it has a backslash before it, and is counted on both sides alike."""
_ODD: Final = (b" :", b"\t:", b"\n:", b"\r:", b"\\u0022")
"""With blanks before a colon, or with quotes written as escapes, names cannot be counted by their ends."""
_SLICE: Final = 10_000
"""Elements of an array that are encoded at a time."""

_encode: Final = msgspec.json.Encoder().encode


def repeated_members(data: bytes, document: Any) -> Iterator[tuple[Path, str, Place, Place]]:
    """Path of the object, name, its place and the place before, of every member that stands there again.

    Where as many names stand in the text as in what was decoded, as nearly always, it is not read again.
    """
    if _is_plain(data) and data.count(NAME_ENDS) == _names_in(document):
        return
    text = data.decode("utf-8", "replace")
    if _has_repeated(text):
        yield from duplicate_keys(text)


def _is_plain(data: bytes) -> bool:
    """Whether names in the text can be counted by their ends."""
    return not any(odd in data for odd in _ODD)


def _names_in(document: Any) -> int:
    """How many names stand in the JSON text of a document; -1 if it has no such text (numbers beyond 64 bits)."""
    parts = document.values() if isinstance(document, dict) else [document]
    found = 0
    try:
        if isinstance(document, dict):
            found = _encode(dict.fromkeys(document)).count(NAME_ENDS)
        for part in parts:
            if isinstance(part, list):
                for start in range(0, len(part), _SLICE):
                    found += _encode(part[start : start + _SLICE]).count(NAME_ENDS)
            else:
                found += _encode(part).count(NAME_ENDS)
    except (OverflowError, RecursionError, ValueError):
        return -1
    return found


def _has_repeated(text: str) -> bool:
    found = False

    def collect(pairs: list[tuple[str, Any]]) -> None:
        nonlocal found
        found = found or len({key for key, _ in pairs}) < len(pairs)

    try:
        json.JSONDecoder(object_pairs_hook=collect).decode(text)
    except (ValueError, RecursionError):
        return False  # more digits than Python reads, or more depth
    return found
