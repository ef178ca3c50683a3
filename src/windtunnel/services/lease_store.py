"""What a live lease service was told, in SQLite: every input is on disk before it is acknowledged.

The lease scheduler is a state machine, so its inputs (leases, cancellations, early ends, each with its instant) are
all that must be kept; after a restart they are played again.
"""

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model.lease import Lease, LeaseSite
from windtunnel.model.lease_options import LeaseOptions

__all__ = ["Input", "LeaseStore"]

VERSION = 1


class Input(NamedTuple):
    """One thing the service was told: ``kind`` is ``lease``, ``cancel`` or ``end``."""

    instant: int
    """When (ticks since the epoch of the service)."""
    kind: str
    lease_id: int
    lease: Lease | None


class Facts(msgspec.Struct, frozen=True):
    """What a service was started with; a restart must agree."""

    site: LeaseSite
    options: LeaseOptions
    epoch: datetime
    speed: float
    version: int = VERSION


class LeaseStore:
    """The inputs of one service, in a file (or in memory: ``None``)."""

    def __init__(self, path: str | Path | None) -> None:
        """Raises: UsageError: the file cannot be used, or is something else."""
        self.path = path
        try:
            self._db = sqlite3.connect(":memory:" if path is None else path, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(
                "CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY CHECK (id = 1), facts TEXT NOT NULL);"
                "CREATE TABLE IF NOT EXISTS inputs (number INTEGER PRIMARY KEY, instant INTEGER NOT NULL,"
                " kind TEXT NOT NULL, lease_id INTEGER NOT NULL, lease TEXT, UNIQUE (kind, lease_id));"
            )
        except sqlite3.Error as error:
            raise UsageError(f"{path}: not a file leases can be kept in: {error}") from error

    def facts(self, given: Facts) -> Facts:
        """The facts of the first start; the given ones are kept if this is it.

        Raises:
            UsageError: the service was started with another site, options or speed before.
        """
        row = self._db.execute("SELECT facts FROM facts").fetchone()
        if row is None:
            with self._db:
                self._db.execute("INSERT INTO facts VALUES (1, ?)", (msgspec.json.encode(given).decode(),))
            return given
        try:
            kept = msgspec.json.decode(row[0], type=Facts)
        except msgspec.DecodeError as error:
            raise UsageError(f"{self.path}: kept by another version: {error}") from error
        for name in ("version", "site", "options", "speed"):
            if getattr(kept, name) != getattr(given, name):
                raise UsageError(
                    f"{self.path} was kept with another {name}", "start with the same, or with a new file"
                )
        return kept

    def add(self, entry: Input) -> None:
        """Put an input on disk; when this returns, it is there."""
        text = None if entry.lease is None else msgspec.json.encode(entry.lease).decode()
        with self._db:
            self._db.execute(
                "INSERT INTO inputs (instant, kind, lease_id, lease) VALUES (?, ?, ?, ?)",
                (entry.instant, entry.kind, entry.lease_id, text),
            )

    def inputs(self) -> Iterator[Input]:
        """All inputs, in order."""
        for instant, kind, lease_id, text in self._db.execute(
            "SELECT instant, kind, lease_id, lease FROM inputs ORDER BY number"
        ):
            yield Input(instant, kind, lease_id, None if text is None else msgspec.json.decode(text, type=Lease))

    def close(self) -> None:
        """Close the file."""
        self._db.close()
