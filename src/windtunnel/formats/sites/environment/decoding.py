"""The text of an environment file as a JSON tree, strictly (RFC 8259): the first step of reading.

Python's decoder takes ``NaN`` and silently keeps the last of duplicate keys; here both are problems (ENV001).
"""

import json
import re
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import Severity
from windtunnel.diagnostics.json_positions import duplicate_keys, literal_constants
from windtunnel.formats.sites.environment.problems import Problem
from windtunnel.formats.sites.environment.source import Source

__all__ = ["decode"]

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def decode(name: str, data: bytes, problems: list[Problem], *, folder: Path | None = None) -> Source | None:
    """Decode ``data``; what is wrong goes to ``problems``. None if there is no tree at all."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        source = Source(name, data.decode("utf-8-sig", errors="replace"), None)
        line = data.count(b"\n", 0, error.start) + 1
        problems.append(Problem("ENV001", f"not UTF-8 text: {error.reason}", source=source, at=(line, 0)))
        return None
    return _decode_text(name, text, problems, folder)


def _decode_text(name: str, text: str, problems: list[Problem], folder: Path | None) -> Source | None:
    members = 0
    duplicates = False
    constants: list[str] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal members, duplicates
        found = dict(pairs)
        members += len(pairs)
        duplicates |= len(found) != len(pairs)
        return found

    def constant(word: str) -> int:
        constants.append(word)
        return 1  # Any value will do to go on looking for other faults: 1 breaks the fewest rules.

    try:
        tree = json.loads(text, object_pairs_hook=collect, parse_constant=constant)
    except json.JSONDecodeError as error:
        place = (error.lineno, error.colno)
        problems.append(Problem("ENV001", f"not JSON: {error.msg}", source=Source(name, text, None), at=place))
        return None
    except RecursionError:
        problems.append(Problem("ENV001", "nested too deeply to be read", source=Source(name, text, None), at=(1, 1)))
        return None
    except ValueError as error:  # an integer of thousands of digits
        problems.append(Problem("ENV001", f"not readable: {error}", source=Source(name, text, None), at=(1, 1)))
        return None
    source = Source(name, text, tree, folder=folder)
    source.members = members
    if constants:
        _report_constants(source, problems)
    if duplicates:
        _report_duplicates(source, problems)
    if _SURROGATE.search(text) and (lone := _lone_surrogate(tree)):
        problems.append(
            Problem("ENV001", f"{lone!r} holds half a surrogate pair: not text", source=source, at=(1, 1))
        )
        return None
    return source


def _report_constants(source: Source, problems: list[Problem]) -> None:
    for word, place in literal_constants(source.text):
        hint = "leave the property out, or write a number"
        problems.append(Problem("ENV001", f"{word} is not JSON", hint=hint, source=source, at=place))


def _report_duplicates(source: Source, problems: list[Problem]) -> None:
    for path, key, place, first in duplicate_keys(source.text):
        message = f"the key {key!r} was there before, at line {first[0]}; the last one counts"
        problem = Problem("ENV001", message, source=source, path=(*path, key), at=place, severity=Severity.WARNING)
        problems.append(problem)


def _lone_surrogate(tree: Any) -> str:
    """A text of the tree that cannot be encoded, if there is one."""
    todo = [tree]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            todo += value
        elif isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                return value
    return ""
