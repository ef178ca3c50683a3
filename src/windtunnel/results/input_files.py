"""Which files a run was made from: their size and SHA-256, so that a result can be traced to its input."""

import hashlib
import os
import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import open_input
from windtunnel.results.state import InputFile

__all__ = ["input_file", "input_files"]

_PART: Final = 1 << 18
_SETTLED: Final = 2.0
"""A file that was changed within so many seconds may be changed again without its date telling."""


def input_files(paths: Iterable[str | Path]) -> list[InputFile]:
    """The files as they lie there, each once, in order; what is not a file any more (a pipe, say) is left out."""
    found = []
    once: dict[str, str] = {}
    for given in paths:
        if given:
            once.setdefault(str(Path(given).absolute()), str(given))
    for path in once.values():
        try:
            found.append(input_file(path))
        except OSError:
            continue
    return found


def input_file(path: str) -> InputFile:
    """A file as it lies there. One that has not changed is not read again: many runs are made from the same files.

    Raises:
        OSError: it is not a file that can be read.
    """
    known = os.stat(path)  # noqa: PTH116 -- the path as it was given
    if abs(time.time() - known.st_mtime) < _SETTLED:
        return _read(path)
    return _read_once(path, known.st_dev, known.st_ino, known.st_size, known.st_mtime_ns)


@lru_cache(maxsize=1000)
def _read_once(path: str, *_: int) -> InputFile:
    return _read(path)


def _read(path: str) -> InputFile:
    with open_input(path, unzip=False) as file:
        digest = hashlib.sha256()
        size = 0
        part = memoryview(bytearray(_PART))  # one for all of them: fresh memory costs more than what is put into it
        while count := file.readinto(part):
            digest.update(part[:count])
            size += count
    return InputFile(path=path, size=size, sha256=digest.hexdigest())
