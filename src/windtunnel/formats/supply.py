"""A chain of power supply as JSON: ``{"levels": [{"name": ..., "hosts": 1, "converter_watts": 13, ...}, ...]}``.

Members of a level are those of :class:`windtunnel.model.supply.Level`; levels are listed from the machines upward.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Findings, did_you_mean, reading
from windtunnel.diagnostics.json_positions import duplicate_keys, json_pointer, locate
from windtunnel.formats.files import json_fault, read_bytes
from windtunnel.model.supply import Level, Supply, chain_fault, level_faults

__all__ = ["read_supply"]

_EXAMPLE: Final = 'such as {"levels": [{"name": "rectifiers", "hosts": 16, "converters": 4, "efficiency": 0.96}]}'
_MOST: Final = 1 << 24
"""Bytes of a description."""


def read_supply(given: str | Path | Supply) -> Supply:
    """Read a description; a :class:`Supply` is returned as it is.

    Raises:
        InputError: the file cannot be read, or is invalid; every fault is reported with its place.
    """
    if isinstance(given, Supply):
        return given
    path, findings = Path(given), Findings(str(given))
    with reading(path):
        return _read(read_bytes(path, findings), findings)


def _read(data: bytes, findings: Findings) -> Supply:
    try:
        document = msgspec.json.decode(data[:_MOST])
        text = data.decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        message, line, column = json_fault(error, data)
        findings.add(message, code="json", line=line, column=column)
        findings.raise_all()
    levels = document.get("levels") if isinstance(document, dict) else None
    if not isinstance(levels, list) or not levels:
        findings.add("expected an object with a list of levels", code="supply", hint=_EXAMPLE)
        findings.raise_all()
    for key in document:
        if key not in {"levels", "name", "description"}:
            _unknown(key, (key,), ("levels", "name", "description"), findings)
        elif key != "levels" and not isinstance(document[key], str):
            message = f"{key} must be a string, not {document[key]!r:.40}"
            findings.add(message, code="supply", pointer=json_pointer((key,)))
    made = [_level(level, ("levels", rank), findings) for rank, level in enumerate(levels)]
    for path, key, (line, column), _ in duplicate_keys(text):
        pointer = json_pointer((*path, key))
        findings.add(f"{key!r:.60} is given twice", code="supply", line=line, column=column, pointer=pointer)
    valid = [one for one in made if one is not None]
    if fault := chain_fault(valid):
        findings.add(fault, code="supply", pointer=json_pointer(("levels",)))
    if findings.has_errors:
        placed = Findings(findings.file)
        placed.extend(locate(text, document, findings))
        placed.raise_all()
    return Supply(levels=tuple(valid), name=findings.file)


def _level(given: Any, way: tuple[str | int, ...], findings: Findings) -> Level | None:
    """A level whose members are of the right kind and within their bounds; None: they are not."""
    if not isinstance(given, dict):
        findings.add(f"a level must be an object, not {given!r:.60}", code="supply", pointer=json_pointer(way))
        return None
    strange = [key for key in given if key not in Level.__struct_fields__]
    for key in strange:
        _unknown(key, (*way, key), Level.__struct_fields__, findings)
    faults = [("", f"{key} must not be null") for key, value in given.items() if value is None] or level_faults(given)
    for name, message in faults:
        pointer = json_pointer((*way, name) if name else way)
        findings.add(message, code="supply", pointer=pointer)
    return None if strange or faults else Level(**given)


def _unknown(key: str, way: tuple[str | int, ...], known: tuple[str, ...], findings: Findings) -> None:
    hint = did_you_mean(key, known) or f"known: {', '.join(known)}"
    findings.add(f"unknown member {key!r:.60}", code="supply", pointer=json_pointer(way), hint=hint)
