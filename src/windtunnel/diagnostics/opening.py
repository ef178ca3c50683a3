"""Opening input files, in the one way for all of them: ordinary files only, unzipped if need be, bounded, remembered.

A pipe or a device would be waited for, or read, indefinitely; a small gzip file may unzip to more than the disk
holds; a file without line breaks is one endless line. All of these are refused with an ``OSError`` whose
``strerror`` says so, as the system's own refusals do: whoever opens a file catches ``OSError`` and nothing else.
"""

import errno
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, Final, TextIO

from windtunnel.diagnostics.errors import UsageError
from windtunnel.operating_system import AS_BYTES, NO_WAITING, device_of

__all__ = [
    "MOST_BYTES",
    "files_read",
    "open_input",
    "open_lines",
    "read_input",
    "read_stream",
    "read_text",
    "spare_inputs",
]

GZIP: Final = b"\x1f\x8b"
"""How gzipped files begin."""
_PACKED: Final = (
    (b"\xfd7zXZ\0", "is compressed by xz, and only gzip is read here: xz -dk FILE unpacks it"),
    *((b"BZh%d1AY&" % level, "is compressed by bzip2, and only gzip is read here: bzip2 -dk FILE unpacks it")
      for level in range(1, 10)),
    (b"\x28\xb5\x2f\xfd", "is compressed by zstd, and only gzip is read here: zstd -d FILE unpacks it"),
    (b"\x1f\x9d", "is compressed by compress, and only gzip is read here: uncompress FILE unpacks it"),
    (b"PK\x03\x04", "is a zip archive: unpack it, and name the file in it"),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive: unpack it, and name the file in it"),
)
"""How files begin that would have to be unpacked, and what is said of them."""

_STANDARD_INPUT: Final = (
    "there is no file of that name, and standard input is not read here, as inputs are read more than once: "
    "write it to a file first"
)
"""What is said of ``-``."""

MOST_BYTES: Final = 1 << 31
"""A file that is read as a whole holds no more than this."""

LONGEST_LINE: Final = 1 << 26
"""Nor does a line of a file that is read line by line."""

_RATIO: Final = 100
"""No data that somebody has written unzips to so many times its size..."""
_SMALL: Final = 1 << 26
"""... beyond this size."""
_BUFFER: Final = 1 << 18

_READ: ContextVar[list[str] | None] = ContextVar("_READ", default=None)


@contextmanager
def files_read() -> Iterator[list[str]]:
    """The files opened within, as they are opened, after those of what stands around: what a run must not write over.

    The command line stands around all that a command reads; a simulation around what it reads itself.
    """
    outer = _READ.get()
    found: list[str] = [] if outer is None else outer
    token = _READ.set(found)
    try:
        yield found
    finally:
        _READ.reset(token)


def spare_inputs(path: str | Path) -> None:
    """Refuse to write over one of the :func:`files_read`.

    Raises:
        UsageError: it is one of them.
    """
    for one in _READ.get() or ():
        with suppress(OSError):  # one of them is not there (any more)
            if os.path.samefile(one, path):  # noqa: PTH121 -- texts too
                raise UsageError(f"{path} is an input of this: it would be overwritten", "name another file")


def open_input(path: str | Path, *, longest_line: int = 0, unzip: bool = True) -> io.BufferedReader:
    """Open a file for reading, unzipped if it is gzipped (which its first bytes tell).

    Args:
        path: the file.
        unzip: False: its bytes as they are.
        longest_line: lines of more bytes are refused when they are met; 0 for no bound.

    Raises:
        OSError: it cannot be opened, is not an ordinary file, or would have to be unpacked otherwise (reading may
            raise it as well).
    """
    raw = _opened(path)
    try:
        head = raw.read(8) if unzip else b""
        if (packed := next((said for begins, said in _PACKED if head.startswith(begins)), "")) != "":
            raise OSError(errno.EINVAL, packed, str(path))
        zipped = head.startswith(GZIP)
        raw.seek(0)
        size = os.fstat(raw.fileno()).st_size
        if (note := _READ.get()) is not None:
            note.append(os.fspath(path))
        return io.BufferedReader(_Bounded(raw, str(path), size if zipped else None, longest_line), _BUFFER)
    except BaseException:
        raw.close()
        raise


def open_lines(path: str | Path, encoding: str = "utf-8-sig", errors: str = "replace") -> TextIO:
    """Open a text file that is read line by line.

    Raises:
        OSError: as for :func:`open_input`.
    """
    return io.TextIOWrapper(open_input(path, longest_line=LONGEST_LINE), encoding=encoding, errors=errors)


def read_input(path: str | Path, *, most: int = MOST_BYTES) -> bytes:
    """The whole content, unzipped.

    Raises:
        OSError: it cannot be read, is not an ordinary file, or holds more than ``most`` bytes.
    """
    with open_input(path) as file:
        return read_stream(file, most=most, name=str(path))


def read_text(path: str | Path, *, encoding: str = "utf-8", errors: str = "strict", most: int = MOST_BYTES) -> str:
    """The whole content as a text, with line breaks as they come (universal newlines).

    Raises:
        OSError: as for :func:`read_input`.
        UnicodeDecodeError: it is not such a text.
    """
    data = read_input(path, most=most)
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors=errors).read()


def read_stream(file: IO[bytes], *, most: int = MOST_BYTES, name: str = "") -> bytes:
    """All that a stream (such as standard input) has to give.

    Raises:
        OSError: that is more than ``most`` bytes.
    """
    parts = []
    left = most
    while part := file.read(min(left + 1, _BUFFER)):
        left -= len(part)
        if left < 0:
            raise OSError(errno.EFBIG, f"more than {_amount(most)}", name)
        parts.append(part)
    return b"".join(parts)


def _opened(path: str | Path) -> io.FileIO:
    """An ordinary file; nothing is waited for."""
    try:
        number = os.open(path, os.O_RDONLY | AS_BYTES | NO_WAITING)
    except FileNotFoundError as error:
        if str(path) == "-":
            raise OSError(errno.ENOENT, _STANDARD_INPUT, "-") from error
        raise
    except ValueError as error:  # a NUL, or half a surrogate pair
        raise OSError(errno.EINVAL, "that is not a name of a file", str(path)) from error
    try:
        found = os.fstat(number)
        if (what := _refused(found)) is not None:
            raise OSError(errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL, what, str(path))
        return io.FileIO(number, "rb")
    except BaseException:
        os.close(number)
        raise


def _refused(found: os.stat_result) -> str | None:
    """Why something is not read."""
    mode = found.st_mode
    if stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and device_of(found) == _NULL):
        return None
    if stat.S_ISDIR(mode):
        return os.strerror(errno.EISDIR)
    if stat.S_ISFIFO(mode):
        return "is a pipe, which can be read only once: write it to a file first"
    return "is a socket, not a file" if stat.S_ISSOCK(mode) else "is a device, not a file"


try:
    _NULL: int | None = device_of(os.stat(os.devnull))  # noqa: PTH116 -- the one device that is an empty file
except OSError:
    _NULL = None


class _Bounded(io.RawIOBase):
    """The bytes of a file, unzipped, as long as there are not too many of them."""

    def __init__(self, raw: io.FileIO, name: str, zipped: int | None, longest_line: int) -> None:
        super().__init__()
        self._raw = raw
        self._name = name
        self._source: Any = raw if zipped is None else gzip.GzipFile(fileobj=raw)
        self._left = None if zipped is None else max(_SMALL, _RATIO * zipped)
        self._longest = longest_line
        self._line = 0

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def readinto(self, buffer: Any) -> int:
        try:
            count: int = self._source.readinto(buffer)
        except EOFError as error:
            raise OSError(errno.EIO, "its gzip data end early: a part is missing", self._name) from error
        except (zlib.error, gzip.BadGzipFile) as error:
            raise OSError(errno.EIO, f"its gzip data are damaged: {error}", self._name) from error
        if self._left is not None:
            self._left -= count
            if self._left < 0:
                message = f"unzips to more than {_RATIO} times its size: unzip it first if that is intended"
                raise OSError(errno.EFBIG, message, self._name)
        if self._longest:
            self._bound_line(bytes(memoryview(buffer)[:count]))
        return count

    def _bound_line(self, data: bytes) -> None:
        end = data.rfind(b"\n")
        self._line = self._line + len(data) if end < 0 else len(data) - end - 1
        if self._line > self._longest:
            raise OSError(errno.EFBIG, f"a line of more than {_amount(self._longest)}", self._name)

    def close(self) -> None:
        if not self.closed:
            self._source.close()
            self._raw.close()
        super().close()


def _amount(count: int) -> str:
    return f"{count >> 30} GiB" if count >> 30 else f"{count >> 20} MiB" if count >> 20 else f"{count} bytes"
