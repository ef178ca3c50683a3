"""What Slurm's commands print with ``--json`` (21.08 to 24.11): numbers, lists and texts in their several forms."""

from collections.abc import Iterator
from math import inf
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Findings
from windtunnel.diagnostics.json_positions import positions
from windtunnel.entities.json_members import kind_of
from windtunnel.formats.files import json_fault
from windtunnel.formats.repeated_members import tell_repeated

__all__ = ["duration_text", "entries", "listed", "number", "number_text", "text", "time_text"]


_ACCOUNTS: Final = "accounts and QOS are read as text beside the site: sacctmgr -P show assoc > sacctmgr-assoc.txt"
_ELSEWHERE: Final = {
    "partitions": "put it beside the nodes (scontrol show node --json) as scontrol-partition.json",
    "reservations": "put what scontrol show reservation prints beside the site as scontrol-reservation.txt",
    **dict.fromkeys(("associations", "accounts", "users", "qos"), _ACCOUNTS),
}
"""What else Slurm prints as JSON, and how its content is read."""


def number(value: Any) -> float | None:
    """A number, or Slurm's object of one: ``{"set": true, "infinite": false, "number": 60}``."""
    if isinstance(value, dict):
        if value.get("infinite"):
            return inf
        return float(value["number"]) if value.get("set", True) else None
    return None if value is None else float(value)


def number_text(value: Any, endless: str = "") -> str:
    """A whole number as Slurm's commands print it; empty where it is not set."""
    found = number(value)
    if found is None:
        return ""
    return endless if found == inf else str(int(found))


def time_text(value: Any) -> str:
    """A date in seconds since 1970; 0 and what is not set are ``Unknown``; empty where nothing is said."""
    if value is None:
        return ""
    found = number(value)
    return "Unknown" if not found or found == inf else str(int(found))


def duration_text(value: Any, unit: int = 60) -> str:
    """A time limit in minutes (or another ``unit`` of seconds) as ``HH:MM:SS``; empty where it is not set."""
    found = number(value)
    if found is None:
        return ""
    if found == inf:
        return "UNLIMITED"
    seconds = int(found) * unit
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def text(value: Any) -> str:
    """A text; lists and flags are joined by commas; empty where it is null.

    Raises:
        TypeError: it is an object.
    """
    if isinstance(value, dict):
        raise TypeError("an object stands where a text is expected")
    if isinstance(value, list):
        return ",".join(text(one) for one in value)
    if isinstance(value, bool):
        return "1" if value else "0"
    return "" if value is None else str(value)


def listed(data: bytes, names: tuple[str, ...], findings: Findings) -> tuple[str, list[Any]] | None:
    """The first of some lists that a document has, with its name; what is no such document is noted (None)."""
    try:
        document = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message, line, column = json_fault(error, data)
        findings.add(message, code="json", line=line, column=column)
        return None
    if not isinstance(document, dict):
        findings.add(f"it is {kind_of(document)}, an object is expected", code="type", pointer="")
        return None
    tell_repeated(data, document, findings)
    name = next((one for one in names if one in document), names[0])
    found = document.get(name)
    if name not in document:
        told = f"there is no {name!r} in it: it has {', '.join(map(repr, list(document)[:6])) or 'nothing'}"
        hint = next((_ELSEWHERE[key] for key in document if key in _ELSEWHERE), "")
        findings.add(told, code="listing", pointer="", hint=hint)
        return None
    if not isinstance(found, list):
        findings.add(f"{name!r} is {kind_of(found)}, an array is expected", code="type", pointer=f"/{name}")
        return None
    return name, found


def entries(data: bytes, names: tuple[str, ...], findings: Findings) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The objects of the first of some lists that a document has, with line and pointer of each.

    What is no such document, and what is no object in it, is noted.
    """
    found = listed(data, names, findings)
    if found is None:
        return
    name, values = found
    whole = data.decode("utf-8", "replace")
    places = positions(whole, ((name, index) for index in range(len(values))))
    for index, value in enumerate(values):
        (line, _), _ = places.get((name, index), ((0, 0), (0, 0)))
        pointer = f"/{name}/{index}"
        if isinstance(value, dict):
            yield line, pointer, value
        else:
            findings.add(f"it is {kind_of(value)}, an object is expected", code="type", pointer=pointer, line=line)
