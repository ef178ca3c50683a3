"""Which files a run was made from: their size and SHA-256, so that a result can be traced to its input."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from windtunnel.results.state import InputFile

__all__ = ["input_files"]


def input_files(paths: Iterable[str | Path]) -> list[InputFile]:
    """The files as they lie there, each once, in order; what is no file any more (a pipe, say) is left out."""
    found = []
    for path in dict.fromkeys(str(path) for path in paths if path):
        try:
            with Path(path).open("rb") as file:
                digest = hashlib.file_digest(file, "sha256")
                found.append(InputFile(path=path, size=file.tell(), sha256=digest.hexdigest()))
        except OSError:
            continue
    return found
