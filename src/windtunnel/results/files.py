"""Small files, written whole or not at all."""

import errno
import os
import re
from pathlib import Path
from typing import Final, TextIO

from windtunnel.diagnostics import SimulationError, UsageError, replacing, spare_inputs
from windtunnel.results.layout import KNOWN_FILES

__all__ = ["overwrite", "save_page", "spare_others", "text_to_be_written", "write_whole"]

_OWN: Final = "<title| height="
"""What stands before is alike in all pages, and in all pictures, of a kind."""


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file atomically: readers see the old content or the new, never a part.

    Raises:
        UsageError, SimulationError: it cannot be written; see :func:`~windtunnel.diagnostics.replacing`.
    """
    with replacing(path) as beside:
        beside.write_bytes(data)


def save_page(path: str | Path, text: str) -> Path:
    """Write a page or a picture that was made from files, which it never replaces, nor files of any other kind.

    Raises:
        UsageError, SimulationError: it cannot be written there.
    """
    if not isinstance(path, str | Path):
        raise UsageError(f"cannot write {path!r}: it names no file")
    target = Path(path)
    spare_others(target, text)
    spare_inputs(target)
    write_whole(target, text.encode("utf-8", "replace"))
    return target


def spare_others(target: Path, text: str) -> None:
    """Refuse to replace a file that is none of the pages (or pictures) of which ``text`` is one.

    Raises:
        UsageError: it is a file of a run, or begins otherwise than they do.
    """
    if target.name in KNOWN_FILES and target.exists():
        raise UsageError(f"{target} is a file of a run: it would be overwritten", "name another file")
    if not target.is_file():
        return
    begins = re.split(_OWN, text, maxsplit=1)[0].encode()
    try:
        with target.open("rb") as file:
            found = file.read(len(begins))
    except OSError as fault:
        raise UsageError(f"{target} is there, and cannot be read: {fault.strerror}", "name another file") from fault
    if found and found != begins:
        raise UsageError(
            f"{target} holds something else, which would be overwritten", "name another file, or remove it first"
        )


def overwrite(path: Path, data: bytes) -> None:
    """Replace the content of a file in its own place, if there is room in it: on a full disk there is no other.

    Raises:
        SimulationError: there is not, or the file cannot be written.
    """
    try:
        with path.open("r+b") as file:
            if len(data) > file.seek(0, 2):
                raise SimulationError(f"cannot write {path}: {os.strerror(errno.ENOSPC)}")
            file.seek(0)
            file.write(data)
            file.truncate()
    except OSError as fault:
        raise SimulationError(f"cannot write {path}: {fault.strerror}") from fault


def text_to_be_written(path: Path) -> TextIO:
    """A text file, made anew, whose lines end as on Unix.

    Raises:
        UsageError: it cannot be written, or was read before.
    """
    spare_inputs(path)
    try:
        return path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}") from error
