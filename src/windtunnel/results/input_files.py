"""Which files a run was made from: their size and SHA-256, so that a result can be traced to its input."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import open_input
from windtunnel.results.state import InputFile

__all__ = ["input_files"]

_PART: Final = 1 << 20


def input_files(paths: Iterable[str | Path]) -> list[InputFile]:
    """The files as they lie there, each once, in order; what is no file any more (a pipe, say) is left out."""
    found = []
    once: dict[str, str] = {}
    for given in paths:
        if given:
            once.setdefault(str(Path(given).absolute()), str(given))
    for path in once.values():
        try:
            with open_input(path, unzip=False) as file:
                digest = hashlib.sha256()
                size = 0
                while part := file.read(_PART):
                    digest.update(part)
                    size += len(part)
            found.append(InputFile(path=path, size=size, sha256=digest.hexdigest()))
        except OSError:
            continue
    return found
