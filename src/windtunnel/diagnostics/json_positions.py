"""Where things stand in a JSON text: a second scan, made only when a finding needs a line and a column.

Only the values on the way to a wanted place are walked in Python; all others are skipped by the C decoder.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from windtunnel.diagnostics.findings import Finding

__all__ = ["Path", "Place", "duplicate_keys", "json_pointer", "literal_constants", "locate", "place_of", "positions"]

Path = tuple[str | int, ...]
"""The way from the root of a document: member names and array indexes."""

Place = tuple[int, int]
"""Line and column, both from 1."""

_BLANK = re.compile(r"[ \t\n\r]*").match
_DECODE = json.JSONDecoder().raw_decode
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')
_NEWLINE = re.compile("\n")


class _Lines:
    """Turns offsets into places."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def __call__(self, offset: int) -> Place:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def json_pointer(path: Path) -> str:
    """The path as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)


def place_of(text: str, offset: int) -> Place:
    """Line and column of an offset."""
    return _Lines(text)(offset)


def locate(text: str, document: Any, findings: Iterable[Finding]) -> list[Finding]:
    """The findings with line and column, found by their pointers; ``document`` is the decoded ``text``.

    What a pointer names but the document lacks is placed at the nearest object around it.
    """
    found = list(findings)
    paths = [_path(document, finding.pointer) for finding in found]
    places = positions(text, paths)
    return [
        finding if finding.line else msgspec.structs.replace(finding, line=place[0], column=place[1])
        for finding, path in zip(found, paths, strict=True)
        for place in [places.get(path, ((0, 0), (0, 0)))[1]]
    ]


def _path(document: Any, pointer: str) -> Path:
    """The path of a pointer as far as the document has it."""
    path: list[str | int] = []
    for text in pointer.split("/")[1:]:
        token: str | int = text.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list):
            token = int(text) if text.isdecimal() and int(text) < len(document) else -1
        elif not isinstance(document, dict) or token not in document:
            break
        if token == -1:
            break
        path.append(token)
        document = document[token]
    return tuple(path)


def positions(text: str, wanted: Iterable[Path]) -> dict[Path, tuple[Place, Place]]:
    """For each wanted path that exists: the places of its key (or of the value, in arrays) and of its value.

    ``text`` must be valid JSON. With duplicate keys the last one counts, as when decoding.
    """
    tree: dict[Any, Any] = {}
    for path in wanted:
        branch = tree
        for token in path:
            branch = branch.setdefault(token, {})
    found: dict[Path, tuple[int, int]] = {}
    start = _blank(text, 0)
    _visit(text, start, start, (), tree, found)
    lines = _Lines(text)
    return {path: (lines(key), lines(value)) for path, (key, value) in found.items()}


def duplicate_keys(text: str) -> Iterator[tuple[Path, str, Place, Place]]:
    """Every key that stands twice in an object: path of the object, key, its place, and the place before."""
    lines = _Lines(text)
    found: list[tuple[Path, str, int, int]] = []
    _probe_duplicates(text, _blank(text, 0), (), found)
    for path, key, again, first in found:
        yield path, key, lines(again), lines(first)


def literal_constants(text: str) -> Iterator[tuple[str, Place]]:
    """Every ``NaN``, ``Infinity`` and ``-Infinity`` that stands outside strings."""
    lines = _Lines(text)
    for match in _TOKEN.finditer(text):
        if text[match.start()] != '"':
            yield match.group(), lines(match.start())


def _visit(text: str, key: int, at: int, path: Path, tree: dict[Any, Any], found: dict[Path, tuple[int, int]]) -> int:
    """Note the value at ``at`` and walk into it as far as ``tree`` asks; the offset after it."""
    found[path] = key, at
    if not tree or text[at] not in "{[":
        return _skip(text, at)

    def visit(token: str | int, key_at: int, value_at: int) -> int:
        if token in tree:
            return _visit(text, key_at, value_at, (*path, token), tree[token], found)
        return _skip(text, value_at)

    return _each(text, at, visit)


def _probe_duplicates(text: str, at: int, path: Path, found: list[tuple[Path, str, int, int]]) -> int:
    """Walk into containers that hold a duplicate key somewhere, skip the others."""
    seen: dict[str, int] = {}
    is_object = text[at] == "{"

    def visit(token: str | int, key_at: int, value_at: int) -> int:
        if is_object:
            if token in seen:
                found.append((path, str(token), key_at, seen[str(token)]))
            seen[str(token)] = key_at
        dirty: list[bool] = []
        end = _hooked(dirty)(text, value_at)[1]
        if dirty:
            _probe_duplicates(text, value_at, (*path, token), found)
        return end

    return _each(text, at, visit)


def _hooked(dirty: list[bool]) -> Callable[[str, int], tuple[Any, int]]:
    """A decoder that notes in ``dirty`` when it meets a duplicate key."""

    def collect(pairs: list[tuple[str, Any]]) -> None:
        if len(dict(pairs)) != len(pairs):
            dirty.append(True)

    return json.JSONDecoder(object_pairs_hook=collect).raw_decode


def _each(text: str, at: int, visit: Callable[[str | int, int, int], int]) -> int:
    """Call ``visit(token, offset of key, offset of value)``, which answers the value's end, for each child."""
    is_object = text[at] == "{"
    at = _blank(text, at + 1)
    index = 0
    while text[at] not in "]}":
        key_at = at
        token: str | int = index
        if is_object:
            token, at = _DECODE(text, at)
            at = _blank(text, _blank(text, at) + 1)
        at = _blank(text, visit(token, key_at, at))
        if text[at] == ",":
            at = _blank(text, at + 1)
        index += 1
    return at + 1


def _blank(text: str, at: int) -> int:
    """The offset of the next character that is not blank (the text is valid, so there is one, or its end)."""
    match = _BLANK(text, at)
    return match.end() if match else at


def _skip(text: str, at: int) -> int:
    return _DECODE(text, at)[1]
