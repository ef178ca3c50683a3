"""Small files, written whole or not at all."""

import errno
import os
from pathlib import Path
from typing import TextIO

from windtunnel.diagnostics import SimulationError, UsageError, replacing

__all__ = ["overwrite", "text_to_be_written", "write_whole"]


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file atomically: readers see the old content or the new, never a part.

    Raises:
        UsageError, SimulationError: it cannot be written; see :func:`~windtunnel.diagnostics.replacing`.
    """
    with replacing(path) as beside:
        beside.write_bytes(data)


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
        UsageError: it cannot be written.
    """
    try:
        return path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}") from error
