"""What became of points, written line by line as they end: whatever happens to the driver, no result is lost.

A line that was only half written when a process was killed, or a disk was full, is passed over when the journal is
read, and what is written next begins a line of its own.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from windtunnel.diagnostics import SimulationError, read_input
from windtunnel.operating_system import AS_BYTES, read_at
from windtunnel.studies.trials import Outcome

__all__ = ["Journal", "read_journal"]

_MOST: Final = 1 << 36


class Journal:
    """Adds lines to a journal. The bytes are with the system when :meth:`add` returns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | AS_BYTES, 0o666)
            size = os.fstat(self._file).st_size
            if size and read_at(self._file, 1, size - 1) != b"\n":
                self._write(b"\n")
        except OSError as fault:
            raise SimulationError(f"cannot write {path}: {fault.strerror}") from fault

    def add(self, outcome: Outcome) -> None:
        """One more point has ended.

        Raises:
            SimulationError: the disk is full.
        """
        try:
            self._write(msgspec.json.encode(outcome) + b"\n")
        except OSError as fault:
            raise SimulationError(f"cannot write {self._path}: {fault.strerror}") from fault

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._file)
        os.close(self._file)


def read_journal(path: Path) -> dict[str, Outcome]:
    """The last outcome of each trial by key; nothing when there is no journal.

    Raises:
        SimulationError: it cannot be read.
    """
    return {outcome.key: outcome for outcome in _outcomes(path)}


def _outcomes(path: Path) -> Iterator[Outcome]:
    try:
        data = read_input(path, most=_MOST)
    except FileNotFoundError:
        return
    except OSError as fault:
        raise SimulationError(f"{path} cannot be read: {fault.strerror}") from fault
    decoder = msgspec.json.Decoder(Outcome)
    for line in data.splitlines():
        try:
            yield decoder.decode(line)
        except msgspec.DecodeError:  # the last line of somebody who was killed
            continue
