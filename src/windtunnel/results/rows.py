"""Text files that grow while a run goes on.

Rows gather in memory and reach the disk every few hundred rows, and at least once a second while a
:class:`~windtunnel.results.flushing.Flusher` watches, so that a killed run loses next to nothing. No file is held
open between two writes.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Final
from zlib import crc32

import msgspec

from windtunnel.diagnostics import SimulationError
from windtunnel.vocabulary.component import MOST_GATHERED, Observer

__all__ = [
    "BATCH",
    "ENCODER",
    "Recorder",
    "Rows",
    "alike",
    "as_bytes",
    "integers",
    "joined",
]

BATCH: Final = MOST_GATHERED + 1
"""Rows that gather before they are written."""
_CHUNK: Final = 1 << 20
ENCODER: Final = msgspec.json.Encoder()
"""Writes many integers faster than anything else."""


def integers(values: Sequence[Any]) -> list[str]:
    """The texts of integers."""
    if alike(values):
        return [f"{values[0]:d}"] * len(values)
    try:
        return ENCODER.encode(values)[1:-1].decode().split(",")
    except (TypeError, OverflowError):  # numbers of numpy, from a scheduler in Python, or enormous ones
        return [f"{value:d}" for value in values]


def alike(values: Sequence[Any]) -> bool:
    """Whether all of a column's are the same; quick to say where they are not."""
    return values[0] == values[-1] and values.count(values[0]) == len(values)


def joined(columns: Sequence[Sequence[str]]) -> str:
    """CSV rows from the texts of their columns, of which some are often the same in all rows."""
    rows = len(columns[0])
    parts: list[Sequence[str]] = []  # what stands in all rows, and columns, by turns
    same = ""
    for texts in columns:
        if alike(texts):
            same += f"{texts[0]},"
        else:
            parts += ([same] * rows, texts) if same != "" else (texts,)
            same = ","
    parts.append([f"{same[:-1]}\n"] * rows)
    width = len(parts)
    pieces = [""] * (width * rows)  # one join of all is faster than one of each row
    for place, part in enumerate(parts):
        pieces[place::width] = part
    return "".join(pieces)


def as_bytes(rows: Sequence[Any]) -> bytes:
    """Rows as they are written."""
    try:
        return "".join(rows).encode("utf-8", "backslashreplace")
    except TypeError:  # some are in bytes already
        return b"".join([row if isinstance(row, bytes) else as_bytes([row]) for row in rows])


class Rows:
    """One growing text file, or the same in memory when ``path`` is None.

    ``pending`` holds whole rows, as text or in bytes, or, with a ``width``, so many values for each row, which
    ``join`` makes to rows; ``more`` gives those that gather elsewhere. Whoever appends calls :meth:`flush` when there
    are ``limit`` items. With ``lazy`` the file appears with its first row. Whatever lay at ``path`` before is
    replaced.
    """

    __slots__ = (
        "__weakref__",
        "_header",
        "_join",
        "_lock",
        "_stopped",
        "_sum",
        "_width",
        "kept",
        "limit",
        "more",
        "name",
        "path",
        "pending",
        "size",
    )

    def __init__(
        self,
        name: str,
        path: Path | None = None,
        header: str = "",
        *,
        lazy: bool = False,
        width: int = 1,
        join: Callable[[list[Any]], bytes] = as_bytes,
    ) -> None:
        self.name = name
        self.path = path
        self.pending: list[Any] = []
        self.limit = BATCH * width
        self.more: Callable[[], bytes] | None = None
        """Gives rows that have gathered elsewhere, once."""
        self.kept = bytearray()
        self.size = 0
        """Bytes written; what a failed or foreign write left behind this mark is cut off before the next one."""
        self._sum = 0  # CRC of what was written when this was pickled: tells our file from another's of that name
        self._stopped = ""
        self._header = header
        self._width = width
        self._join = join
        self._lock = Lock()
        if path is not None:
            path.unlink(missing_ok=True)
        if not lazy:
            self._write(b"")

    def add(self, text: str) -> None:
        """Append one row (or several, whole ones) to a file without template."""
        self.pending.append(text)
        if len(self.pending) >= self.limit:
            self.flush()

    def flush(self) -> None:
        """Write what is pending.

        Raises:
            SimulationError: it cannot be written (disk full...); the rows are kept and the next call tries again.
        """
        with self._lock:
            if self.more is not None and (rows := self.more()):
                self.pending.append(rows)
            # The other thread may append meanwhile: take the whole rows that are there now, and drop just those.
            count = len(self.pending) // self._width * self._width
            if count:
                self._write(self._join(self.pending[:count]))
                del self.pending[:count]

    def _write(self, data: bytes) -> None:
        if self._stopped:
            raise SimulationError(f"cannot write {self.path or self.name}: {self._stopped}")
        if not self.size:
            data = self._header.encode() + data
        size = self.size + len(data)
        if self.path is None:
            self.kept += data
        else:
            try:
                with open(self.path, "ab", buffering=0) as file:  # noqa: PTH123 -- a hot path
                    if file.tell() != self.size:
                        file.truncate(self.size)
                    while data:
                        data = data[file.write(data) :]
            except OSError as fault:
                raise SimulationError(f"cannot write {self.path}: {fault.strerror}") from fault
        self.size = size

    def stop(self, reason: str) -> None:
        """Write no more: whoever tries is told why."""
        with self._lock:
            self._stopped = reason

    @property
    def exists(self) -> bool:
        """Whether anything was written (a lazy file without rows does not exist)."""
        return self.size > 0

    def read(self) -> bytes:
        """Everything written so far."""
        self.flush()
        if self.path is None:
            return bytes(self.kept)
        return self.path.read_bytes()[: self.size] if self.size else b""

    def resume(self) -> None:
        """Cut off what was written after this object was pickled.

        Raises:
            SimulationError: the file is gone, shorter than it was, another's, or cannot be changed.
        """
        if self.path is None or not self.size:
            return
        try:
            with self.path.open("r+b") as file:
                if file.seek(0, 2) < self.size:
                    raise SimulationError(
                        f"cannot continue writing {self.path}: it lost rows since the run was saved"
                    )
                if self._crc(file) != self._sum:
                    raise SimulationError(f"cannot continue writing {self.path}: it holds rows of another run")
                file.truncate(self.size)
        except OSError as fault:
            raise SimulationError(f"cannot continue writing {self.path}: {fault.strerror}") from fault

    def _crc(self, file: BinaryIO) -> int:
        """Of what should be ours in the file."""
        file.seek(0)
        total = 0
        for start in range(0, self.size, _CHUNK):
            total = crc32(file.read(min(_CHUNK, self.size - start)), total)
        return total

    def move(self, path: Path | None) -> None:
        """Go on in a copy at ``path`` (None: in memory); the file left behind stays as it is."""
        data = self.read()
        self.path = path
        self.kept = bytearray()
        if path is None:
            self.kept += data
            return
        path.unlink(missing_ok=True)
        if data:
            path.write_bytes(data)

    def __getstate__(self) -> dict[str, Any]:
        self.flush()
        if self.path is not None and self.size:
            with suppress(OSError), self.path.open("rb") as file:  # it is gone: resume() says so
                self._sum = self._crc(file)
        left_out = ("__weakref__", "_lock", "more", "pending")
        return {name: getattr(self, name) for name in self.__slots__ if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self.more = None
        self.pending = []
        self._lock = Lock()


class Recorder(Observer):
    """An observer that writes one growing file."""

    rows: Rows
