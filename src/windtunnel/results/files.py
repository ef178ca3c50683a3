"""Small files, written whole or not at all."""

import os
from pathlib import Path

from windtunnel.diagnostics import SimulationError

__all__ = ["write_whole"]


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file atomically: readers see the old content or the new, never a part.

    Raises:
        SimulationError: it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as fault:
        beside.unlink(missing_ok=True)
        raise SimulationError(f"cannot write {path}: {fault.strerror}") from fault
