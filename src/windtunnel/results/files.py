"""Small files, written whole or not at all."""

from pathlib import Path

from windtunnel.diagnostics import replacing

__all__ = ["write_whole"]


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file atomically: readers see the old content or the new, never a part.

    Raises:
        UsageError, SimulationError: it cannot be written; see :func:`~windtunnel.diagnostics.replacing`.
    """
    with replacing(path) as beside:
        beside.write_bytes(data)
