"""Text files that grow while a run goes on.

Rows gather in memory and reach the disk every few hundred rows, and at least once a second while a
:class:`Flusher` watches, so that a killed run loses next to nothing. No file is held open between two writes.
"""

import weakref
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final

from windtunnel.diagnostics import SimulationError
from windtunnel.vocabulary.component import Observer

__all__ = ["BATCH", "PERIOD", "Flusher", "Recorder", "Rows"]

BATCH: Final = 500
"""Rows that gather before they are written."""
PERIOD: Final = 1.0
"""Seconds (wall clock) after which they are written anyway."""


class Rows:
    """One growing text file, or the same in memory when ``path`` is None.

    A recorder appends whole rows to ``pending`` and calls :meth:`flush` when there are :data:`BATCH` of them.
    With ``lazy`` the file appears with its first row. Whatever lay at ``path`` before is replaced.
    """

    __slots__ = ("__weakref__", "_header", "_lock", "kept", "name", "path", "pending", "size")

    def __init__(self, name: str, path: Path | None = None, header: str = "", *, lazy: bool = False) -> None:
        self.name = name
        self.path = path
        self.pending: list[str] = []
        self.kept = bytearray()
        self.size = 0
        """Bytes written; what a failed or foreign write left behind this mark is cut off before the next one."""
        self._header = header
        self._lock = Lock()
        if path is not None:
            path.unlink(missing_ok=True)
        if not lazy:
            self._write("")

    def add(self, text: str) -> None:
        """Append one row (or several, whole ones)."""
        pending = self.pending
        pending.append(text)
        if len(pending) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is pending.

        Raises:
            SimulationError: it cannot be written (disk full...); the rows are kept and the next call tries again.
        """
        with self._lock:
            # The other thread may append meanwhile: take what is there now, and drop just that.
            count = len(self.pending)
            if count:
                self._write("".join(self.pending[:count]))
                del self.pending[:count]

    def _write(self, text: str) -> None:
        if not self.size:
            text = self._header + text
        data = text.encode("utf-8", "backslashreplace")
        if self.path is None:
            self.kept += data
        else:
            try:
                with self.path.open("ab") as file:
                    if file.tell() != self.size:
                        file.truncate(self.size)
                    file.write(data)
            except OSError as fault:
                raise SimulationError(f"cannot write {self.path}: {fault.strerror}") from fault
        self.size += len(data)

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
            SimulationError: the file is gone, shorter than it was, or cannot be changed.
        """
        if self.path is None or not self.size:
            return
        try:
            with self.path.open("r+b") as file:
                if file.seek(0, 2) < self.size:
                    raise SimulationError(f"cannot go on writing {self.path}: it lost rows since the run was saved")
                file.truncate(self.size)
        except OSError as fault:
            raise SimulationError(f"cannot go on writing {self.path}: {fault.strerror}") from fault

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

    def __getstate__(self) -> tuple[Any, ...]:
        self.flush()
        return (self.name, self.path, bytes(self.kept), self.size, self._header)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.name, self.path, kept, self.size, self._header = state
        self.kept = bytearray(kept)
        self.pending = []
        self._lock = Lock()


class Recorder(Observer):
    """An observer that writes one growing file."""

    rows: Rows


class Flusher:
    """Writes pending rows once a second from a thread of its own, as long as the rows live or until stopped."""

    def __init__(self, files: Sequence[Rows], period: float = PERIOD) -> None:
        self._stop = Event()
        refs = [weakref.ref(rows) for rows in files]
        Thread(target=_watch, args=(refs, self._stop, period), name="windtunnel-flusher", daemon=True).start()

    def stop(self) -> None:
        """End the thread; what is pending stays pending."""
        self._stop.set()


def _watch(refs: Sequence["weakref.ref[Rows]"], stop: Event, period: float) -> None:
    while not stop.wait(period):
        alive = [rows for ref in refs if (rows := ref()) is not None]
        if not alive:
            return
        for rows in alive:
            try:
                rows.flush()
            except SimulationError:
                continue  # the run's own thread meets the same fault, and reports it
        del alive, rows
