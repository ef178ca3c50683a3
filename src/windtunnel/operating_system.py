"""What Linux, macOS and Windows do differently with files and processes: one meaning for all of them.

Of sockets :mod:`windtunnel.wires.sockets` says it.

The tests run on Linux. Types of the standard library are checked for the other two (``make lint``), and one test runs
the program with all taken away that Windows lacks.
"""

import os
import sys
from contextlib import suppress
from typing import Final

__all__ = [
    "AS_BYTES",
    "LIBRARY_FLAGS",
    "NO_LINK",
    "NO_WAITING",
    "PROCESSES",
    "device_of",
    "give_up",
    "host_name",
    "is_ours",
    "lock",
    "most_memory",
    "read_at",
    "usable_cores",
    "write_at",
]


def usable_cores() -> int:
    """The cores that this process may use: where nobody can tell, all of the machine."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


if sys.platform == "win32":
    import errno
    import msvcrt

    AS_BYTES: Final = os.O_BINARY
    """How :func:`os.open` opens a file in which ends of lines stay as they are."""
    NO_WAITING: Final = 0
    """How it opens what may be a pipe or a terminal, without waiting for anybody."""
    NO_LINK: Final = 0
    """How it refuses a symbolic link."""
    LIBRARY_FLAGS: Final = 0
    """How shared libraries are loaded: at once and whole, with names of their own."""
    PROCESSES: Final = "spawn"
    """How :mod:`multiprocessing` starts processes that have nothing of this one."""

    _LOCKED_BYTE: Final = 1 << 30
    """What is locked cannot be read by others: a byte far behind what is written."""

    def lock(file: int) -> None:
        """Lock an open file until it is closed, however this process ends.

        Raises:
            BlockingIOError: another process has locked it.
            OSError: the file system knows no locks.
        """
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as fault:
            if fault.errno in (errno.EACCES, errno.EDEADLK):
                raise BlockingIOError(fault.errno, fault.strerror) from None
            raise

    def give_up(file: int, path: str | None) -> None:
        """Close a file that is locked, and remove it where its ``path`` is given."""
        os.close(file)
        if path is not None:
            with suppress(OSError):  # another process has it open: then it stays
                os.unlink(path)  # noqa: PTH108 -- also at exit, where little is left to import

    def read_at(file: int, count: int, place: int) -> bytes:
        """So many bytes of an open file from a place on."""
        os.lseek(file, place, os.SEEK_SET)
        return os.read(file, count)

    def write_at(file: int, data: bytes, place: int) -> None:
        """Write over an open file from a place on."""
        os.lseek(file, place, os.SEEK_SET)
        os.write(file, data)

    def host_name() -> str:
        """The name of this machine."""
        return os.environ.get("COMPUTERNAME", "this machine")

    def most_memory() -> int:
        """The most memory (kB) that this process has had; 0: nobody can tell."""
        return 0

    def device_of(found: os.stat_result) -> int:
        """The number of a device; -1: it has none."""
        del found
        return -1

    def is_ours(found: os.stat_result) -> bool | None:
        """Whether a file belongs to this user; None: nobody can tell."""
        del found
        return None

else:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

    AS_BYTES: Final = 0
    NO_WAITING: Final = os.O_NONBLOCK | os.O_NOCTTY
    NO_LINK: Final = os.O_NOFOLLOW
    LIBRARY_FLAGS: Final = os.RTLD_NOW | os.RTLD_LOCAL
    PROCESSES: Final = "forkserver"

    def lock(file: int) -> None:
        """Lock an open file until it is closed, however this process ends.

        Raises:
            BlockingIOError: another process has locked it.
            OSError: the file system knows no locks.
        """
        flock(file, LOCK_EX | LOCK_NB)

    def give_up(file: int, path: str | None) -> None:
        """Close a file that is locked, and remove it where its ``path`` is given."""
        with suppress(OSError):
            if path is not None:
                os.unlink(path)  # noqa: PTH108 -- also at exit, where little is left to import
            flock(file, LOCK_UN)  # a child may have it open, too
        os.close(file)

    def read_at(file: int, count: int, place: int) -> bytes:
        """So many bytes of an open file from a place on."""
        return os.pread(file, count, place)

    def write_at(file: int, data: bytes, place: int) -> None:
        """Write over an open file from a place on."""
        os.pwrite(file, data, place)

    def host_name() -> str:
        """The name of this machine."""
        return os.uname().nodename

    def most_memory() -> int:
        """The most memory (kB) that this process has had; 0: nobody can tell."""
        import resource  # most runs do not ask

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most // 1024 if sys.platform == "darwin" else most

    def device_of(found: os.stat_result) -> int:
        """The number of a device; -1: it has none."""
        return found.st_rdev

    def is_ours(found: os.stat_result) -> bool | None:
        """Whether a file belongs to this user; None: nobody can tell."""
        return found.st_uid == os.geteuid()
