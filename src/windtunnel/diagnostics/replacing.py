"""Writing a file whole or not at all."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from windtunnel.diagnostics.errors import SimulationError, UsageError

__all__ = ["replacing"]

_BROKEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EPIPE)
"""What goes wrong with a path that was well chosen."""


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A path to write to; what is written there takes the place of ``path`` at the end, atomically.

    Readers see the old content or the new, never a part, and an error leaves the old. Symbolic links are followed;
    what is not a regular file (a device, a pipe) is written to directly.

    Raises:
        UsageError: nothing can be written at that path (no such folder, a folder itself, no permission).
        SimulationError: the disk is full or broken.
    """
    if not isinstance(path, str | Path) or not Path(path).name:
        raise UsageError(f"cannot write {str(path)!r}: it names no file")
    target = Path(os.path.realpath(path)) if Path(path).is_symlink() else Path(path)
    direct = target.exists() and not target.is_file() and not target.is_dir()
    beside = target if direct else target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield beside
        if not direct:
            beside.replace(target)
    except OSError as fault:
        kind = SimulationError if fault.errno in _BROKEN else UsageError
        raise kind(f"cannot write {path}: {fault.strerror}") from fault
    finally:
        if not direct:
            with suppress(OSError):  # it was put in its place, or could not be made, which is said already
                beside.unlink()
