"""Columns of numbers in temporary files: as long as the disk has room for, of which next to nothing is in memory.

They are read and added to as an ``array`` is, and typed as one where both may stand; nothing else of it is there. The
files have no names, and are gone with the columns whatever ends the process; they are where the environment says
(``TMPDIR``).
"""

from array import array
from collections.abc import Iterator, Sequence
from itertools import chain
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, Final, Never, SupportsIndex, overload
from weakref import finalize

from windtunnel.diagnostics import SimulationError, UsageError

__all__ = ["DiskColumn"]

_PENDING: Final = 1 << 16
"""Bytes that are gathered before they are written."""
_MANY: Final = 8192
"""Numbers that are read at once when all are gone through."""


class DiskColumn(Sequence[Any]):
    """Numbers of one type (a code of ``array``): they can be added at the end, and read anywhere.

    Threads may share it. Methods raise SimulationError when the disk cannot be written or read.
    """

    def __init__(self, typecode: str) -> None:
        self.typecode: Final = typecode
        self.itemsize: Final = array(typecode).itemsize
        self._file = TemporaryFile(buffering=0)  # noqa: SIM115 -- closed with the column
        finalize(self, self._file.close)
        self._written = 0
        self._pending = bytearray()
        self._lock = Lock()

    def __len__(self) -> int:
        return (self._written + len(self._pending)) // self.itemsize

    def frombytes(self, data: bytes | bytearray) -> None:
        """Add numbers as they lie in an array."""
        with self._lock:
            self._pending += data
            if len(self._pending) >= _PENDING:
                self._write()

    def append(self, value: float) -> None:
        """Add a number."""
        self.frombytes(array(self.typecode, (value,)).tobytes())

    def _write(self) -> None:
        left = memoryview(bytes(self._pending))
        try:
            self._file.seek(self._written)
            while left:
                left = left[self._file.write(left) :]
        except OSError as fault:
            raise SimulationError(f"cannot write a temporary file: {fault.strerror or fault}") from fault
        self._written += len(self._pending)
        self._pending.clear()

    def _read(self, first: int, stop: int) -> "array[Any]":
        """The numbers of these places."""
        found = array(self.typecode)
        begin, end = first * self.itemsize, stop * self.itemsize
        with self._lock:
            if end > self._written:
                self._write()
            try:
                self._file.seek(begin)
                while begin < end and (data := self._file.read(end - begin)):
                    found.frombytes(data)
                    begin += len(data)
            except OSError as fault:
                raise SimulationError(f"cannot read a temporary file: {fault.strerror or fault}") from fault
        return found

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> "array[Any]": ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            first, stop, step = index.indices(len(self))
            if step != 1:
                raise ValueError("a column on disk is read without leaving places out")
            return self._read(first, max(first, stop))
        place = range(len(self))[index]
        return self._read(place, place + 1)[0]

    def _parts(self) -> Iterator["array[Any]"]:
        return (self[at : at + _MANY] for at in range(0, len(self), _MANY))

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self._parts())

    def __contains__(self, value: object) -> bool:
        return any(value in part for part in self._parts())

    def count(self, value: Any) -> int:
        """How often a number is there."""
        return sum(part.count(value) for part in self._parts())

    def __reduce__(self) -> Never:
        raise UsageError(
            "a streamed simulation can be neither saved nor forked: its columns are in temporary files",
            "leave --stream out (stream=False)",
        )
