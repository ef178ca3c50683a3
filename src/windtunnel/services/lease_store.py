"""What a live lease service was told, in SQLite: every input is on disk before it is acknowledged.

The lease scheduler is a state machine, so its inputs (leases, cancellations, early ends, each with its instant) are
kept, and after a restart they are played again. So is the latest instant at which anything happened: a wall clock
that was put back meanwhile does not revive leases that clients have seen end.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model.lease import Lease, LeaseSite
from windtunnel.model.lease_options import LeaseOptions

__all__ = ["Input", "LeaseStore"]

VERSION = 1
LATEST: Final = 24 * 10**12
"""Ticks: no date is later than the year 9999."""


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
        """Raises: UsageError: the file cannot be used, is used by another service, is damaged, or something else."""
        self.path = path
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        if path is not None:
            self._db.close()
            try:
                if Path(path).exists() and not Path(path).is_file():
                    raise UsageError(f"{path}: not a file that leases can be stored in: it is not an ordinary file")
                self._db = sqlite3.connect(path, timeout=1.0, check_same_thread=False)
            except (sqlite3.Error, ValueError) as error:
                raise UsageError(f"{path}: not a file that leases can be stored in: {error}") from error
        try:
            with self._naming():
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        """Make the tables where they are missing; lock the file, so that a second service is refused."""
        db = self._db
        db.execute("PRAGMA locking_mode=EXCLUSIVE")
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA trusted_schema=OFF")
        db.executescript(
            "BEGIN IMMEDIATE;"
            "CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY CHECK (id = 1), facts TEXT NOT NULL);"
            "CREATE TABLE IF NOT EXISTS inputs (number INTEGER PRIMARY KEY, instant INTEGER NOT NULL,"
            " kind TEXT NOT NULL, lease_id INTEGER NOT NULL, lease TEXT, UNIQUE (kind, lease_id));"
            "CREATE TABLE IF NOT EXISTS reached (id INTEGER PRIMARY KEY CHECK (id = 1), instant INTEGER NOT NULL);"
            "COMMIT;"
        )
        if (found := db.execute("PRAGMA quick_check(1)").fetchone()) != ("ok",):
            raise sqlite3.DatabaseError(str(found[0]) if found else "it is damaged")

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """What SQLite finds wrong is said with the name of the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise UsageError(
                    f"{self.path} is in use by another service", "stop that one, or keep these leases in another file"
                ) from error
            raise UsageError(f"{self.path}: leases cannot be kept in it: {error}") from error
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise UsageError(f"{self.path}: not a file that leases can be stored in: {error}") from error

    def _damaged(self, what: str) -> UsageError:
        return UsageError(f"{self.path} is damaged: {what}", "take a copy of it, or begin with a new file")

    def facts(self, given: Facts) -> Facts:
        """The facts of the first start; the given ones are kept if this is it.

        Raises:
            UsageError: the service was started with another site, options or speed before; the file is damaged.
        """
        with self._naming():
            row = self._db.execute("SELECT facts FROM facts").fetchone()
            if row is None:
                with self._db:
                    self._db.execute("INSERT INTO facts VALUES (1, ?)", (msgspec.json.encode(given).decode(),))
                return given
        if not isinstance(row[0], str):
            raise self._damaged("what the service was started with is not text")
        try:
            kept = msgspec.json.decode(row[0], type=Facts)
        except (msgspec.DecodeError, ValueError, UsageError) as error:
            raise UsageError(f"{self.path}: kept by another version, or damaged: {error}") from error
        for name in ("version", "site", "options", "speed"):
            if getattr(kept, name) != getattr(given, name):
                raise UsageError(
                    f"{self.path} was kept with another {name}", "start with the same, or with a new file"
                )
        return kept

    def add(self, entry: Input) -> None:
        """Put an input on disk; when this returns, it is there.

        Raises:
            UsageError: it cannot be put there (a full disk).
        """
        text = None if entry.lease is None else msgspec.json.encode(entry.lease).decode()
        with self._naming(), self._db:
            self._db.execute(
                "INSERT INTO inputs (instant, kind, lease_id, lease) VALUES (?, ?, ?, ?)",
                (entry.instant, entry.kind, entry.lease_id, text),
            )

    def reach(self, instant: int) -> None:
        """Put on disk that this instant is past; whatever happened until then stays so.

        Raises:
            UsageError: it cannot be put there (a full disk).
        """
        with self._naming(), self._db:
            self._db.execute("INSERT OR REPLACE INTO reached VALUES (1, ?)", (instant,))

    def reached(self) -> int:
        """The latest instant that was put there; 0 if none was.

        Raises:
            UsageError: it is not an instant.
        """
        with self._naming():
            row = self._db.execute("SELECT instant FROM reached").fetchone()
        if row is None:
            return 0
        (instant,) = row
        if not isinstance(instant, int) or not 0 <= instant <= LATEST:
            raise self._damaged("the instant it has reached is invalid")
        return instant

    def inputs(self) -> Iterator[Input]:
        """All inputs, in order.

        Raises:
            UsageError: they are not such as a service has kept.
        """
        with self._naming():
            rows = self._db.execute("SELECT instant, kind, lease_id, lease FROM inputs ORDER BY number").fetchall()
        past, known = 0, 0
        for instant, kind, lease_id, text in rows:
            entry = self._input(instant, kind, lease_id, text)
            if entry.instant < past or (entry.lease is None and not 0 < entry.lease_id <= known):
                raise self._damaged(f"the entry {kind!r} of lease {lease_id!r} is out of order")
            past, known = entry.instant, max(known, entry.lease_id)
            yield entry

    def _input(self, instant: Any, kind: Any, lease_id: Any, text: Any) -> Input:
        """One row, checked."""
        sensible = isinstance(instant, int) and isinstance(lease_id, int) and kind in ("lease", "cancel", "end")
        if not sensible or instant > LATEST or (kind == "lease") != isinstance(text, str):
            raise self._damaged(f"an entry of lease {lease_id!r:.50} is invalid")
        try:
            lease = None if text is None else msgspec.json.decode(text, type=Lease)
        except (msgspec.DecodeError, ValueError, UsageError) as error:
            raise self._damaged(f"lease {lease_id} cannot be read: {error}") from error
        return Input(instant, kind, lease_id, lease)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __del__(self) -> None:
        if hasattr(self, "_db"):
            self._db.close()
