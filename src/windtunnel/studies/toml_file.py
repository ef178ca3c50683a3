"""Study files: TOML whose words are those of :func:`windtunnel.study`."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import Finding, InputError, UsageError, read_input
from windtunnel.diagnostics.json_positions import Path as Way
from windtunnel.studies.faults import Faults
from windtunnel.studies.toml_places import toml_places

__all__ = ["read_toml"]

_MOST: Final = 1 << 24
_AT: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


def read_toml(path: Path) -> tuple[dict[str, Any], Faults]:
    """The words of a study file, and where faults of theirs are collected.

    Raises:
        UsageError: the file cannot be read.
        InputError: it is not TOML.
    """
    try:
        data = read_input(path, most=_MOST)
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror}") from fault
    try:
        text = data.decode()
        words = tomllib.loads(text)
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise _refused(path, f"byte {data[fault.start]:#x} is not UTF-8", line, 0) from fault
    except tomllib.TOMLDecodeError as fault:
        at = _AT.search(str(fault))
        line, column = (int(at[1] or 0), int(at[2] or 0)) if at else (0, 0)
        raise _refused(path, f"this is not TOML: {_AT.sub('', str(fault))}", line, column) from fault
    except RecursionError as fault:
        raise _refused(path, "this is not a study: tables and lists are nested too deeply", 0, 0) from fault

    @cache
    def places() -> dict[Way, tuple[int, int]]:
        return toml_places(text.replace("\r\n", "\n"))

    def place(way: Way) -> tuple[int, int]:
        """Of what is named, or of the nearest thing around it that is there."""
        return next((places()[way[:end]] for end in range(len(way), 0, -1) if way[:end] in places()), (1, 1))

    return words, Faults(str(path), place)


def _refused(path: Path, message: str, line: int, column: int) -> InputError:
    return InputError([Finding(str(path), line, column, code="toml", message=message)])
