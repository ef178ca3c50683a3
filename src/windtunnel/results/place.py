"""The place of a run on disk: one writer at a time, no file of anybody else's, and an earlier run replaced whole.

``run.json`` is the marker: where it is, the files of a run are ours to replace, and until it says ``complete`` they
are not a whole run. A lock beside it (which goes with its process, however that ends) keeps a second
writer away, and is removed at the end.
"""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Self
from weakref import WeakMethod, WeakValueDictionary

import msgspec

from windtunnel.diagnostics import SimulationError, UsageError, read_input
from windtunnel.operating_system import AS_BYTES, NO_LINK, NO_WAITING, give_up, host_name, read_at, write_at
from windtunnel.operating_system import lock as lock_file
from windtunnel.results.layout import DERIVED_FILES, KNOWN_FILES, STUDY_FILE, Dialect, Layout
from windtunnel.results.state import MOST_STATE, RunState

__all__ = ["Place"]

_BATSIM: Final = frozenset((
    "jobs.csv",
    "schedule.csv",
    "schedule.json",
    "schedule.trace",
    "machine_states.csv",
    "pstate_changes.csv",
    "consumed_energy.csv",
    "estimates.csv",
    "probes.csv",
    "real_exec_info.json",
    "run.json",
))  # fmt: skip
"""What is written in Batsim's dialects, over whatever is there, as Batsim does."""

_HELD: "WeakValueDictionary[str, Place]" = WeakValueDictionary()
"""Who in this process holds which lock."""


class Place:
    """A layout that this process may write to, until :meth:`release`.

    ``token`` tells the places of this process apart; ``lost`` is called when a restored run takes this one over.
    """

    def __init__(self, layout: Layout, token: str, path: str = "", lock: int | None = None) -> None:
        self.layout = layout
        self.token = token
        self._lost: WeakMethod[Callable[[], None]] | None = None
        self._lock = lock
        self._path = path
        self._holds = 1
        if lock is not None:
            _HELD[path] = self

    @classmethod
    def take(cls, layout: Layout, *, inputs: Iterable[str | Path] = (), force: bool = False) -> Self:
        """Become the only writer there. Nothing is changed yet but for the lock.

        Args:
            layout: where to write.
            inputs: files that are read for the run: none of them may lie where the run writes.
            force: replace also files that no run of ours has written.

        Raises:
            UsageError: another process writes there, a file there is an input or not ours, or the folder cannot be
                written to.
        """
        new = cls.take_again(layout, os.urandom(8).hex())
        try:
            new._check(inputs, force=force)
        except BaseException:
            new.release()
            raise
        return new

    @classmethod
    def take_again(cls, layout: Layout, token: str) -> Self:
        """Become the writer there for a run that goes on; if this process holds the place for that run, instead of
        whoever does.

        Raises:
            UsageError: somebody else writes there, or nobody can.
        """
        if layout.stem is None:
            return cls(layout, token)
        path = _lock_path(layout.stem)
        holder = _HELD.get(path)
        if holder is None or holder.token != token or holder._lock is None:
            return cls(layout, token, path, _locked(path, layout.stem))
        lock, holder._lock = holder._lock, None
        lost = holder._lost and holder._lost()
        if lost:
            lost()
        return cls(layout, token, path, lock)

    def when_lost(self, call: Callable[[], None]) -> None:
        """Call a method (of an object that may die before) when another run of this process takes over."""
        self._lost = WeakMethod(call)

    def _check(self, inputs: Iterable[str | Path], *, force: bool) -> None:
        files = self.files()
        folder = os.path.dirname(self.layout.stem or "")  # noqa: PTH120 -- a text, perhaps with a prefix
        if self.layout.stem is not None and os.path.isfile(os.path.join(folder, STUDY_FILE)):  # noqa: PTH113, PTH118
            raise UsageError(
                f"{folder} is the directory of a study: a run would be mixed with its files",
                f"write to another directory, such as {os.path.join(folder, 'run')}",  # noqa: PTH118
            )
        known = [(one, Path(one).stat()) for one in inputs if os.path.isfile(one)]  # noqa: PTH113 -- texts too
        for path in files.values():
            with suppress(OSError):  # a link that leads nowhere is no input
                found = path.stat()
                for one, stat in known:
                    if os.path.samestat(found, stat):
                        raise UsageError(
                            f"{path} is an input of this run ({one}): it would be overwritten",
                            "write to another directory",
                        )
        if force or not files or self.layout.dialect is not Dialect.WINDTUNNEL:
            return
        foreign = sorted(files.keys() - _ours(self.layout))
        if foreign:
            raise UsageError(
                f"{folder} holds files that were not written by a run: {', '.join(foreign)}",
                "write to another directory, or overwrite them with --force (force=True in Python)",
            )

    def files(self) -> dict[str, Path]:
        """The files lying there that count as a run's, by name."""
        if self.layout.stem is None:
            return {}
        paths = ((name, _path(self.layout, name)) for name in _names(self.layout))
        return {n: p for n, p in paths if os.path.lexists(p) and (n != "nodes" or any(_snapshots(p)))}

    def clear(self, kept: Collection[str] = ()) -> None:
        """Remove what an earlier run left, so that none of it passes for this run's; the marker and ``kept`` stay.

        Raises:
            SimulationError: a file cannot be removed.
        """
        for name, path in self.files().items():
            if name == "run.json" or name in kept:
                continue
            try:
                if path.is_dir() and not path.is_symlink():
                    for snapshot in _snapshots(path):
                        snapshot.unlink(missing_ok=True)
                    with suppress(OSError):  # what else is in it is not ours
                        path.rmdir()
                else:
                    path.unlink(missing_ok=True)
            except OSError as fault:
                raise SimulationError(f"{path} of an earlier run cannot be removed: {fault.strerror}") from fault

    def check_ours(self) -> None:
        """Raises SimulationError: the directory was removed or taken over by another process meanwhile."""
        if self._lock is not None and not _same(self._lock, self._path):
            raise SimulationError(
                f"{os.path.dirname(self._path)} was removed or taken by another process while this run wrote there"  # noqa: PTH120
            )

    def hold(self) -> None:
        """Stay the only writer until one more :meth:`release`."""
        self._holds += 1

    def release(self) -> None:
        """Let others write there."""
        self._holds -= 1
        if self._holds > 0 or self._lock is None:
            return
        lock, self._lock = self._lock, None
        ours = False
        with suppress(OSError):
            ours = _same(lock, self._path)
        give_up(lock, self._path if ours else None)

    def __del__(self) -> None:
        self._holds = 0
        self.release()


def _names(layout: Layout) -> Iterable[str]:
    """The names that count as a run's files in this layout."""
    return _BATSIM if layout.dialect is not Dialect.WINDTUNNEL else (*KNOWN_FILES, *DERIVED_FILES)


def _path(layout: Layout, name: str) -> Path:
    path = layout.path(name)
    assert path is not None, "a layout in memory has no files"
    return path


def _snapshots(folder: Path) -> Iterator[Path]:
    return folder.glob("nodes-*.xml")


def _ours(layout: Layout) -> set[str]:
    """The files that the run lying there says it has written, and what is made from them afterwards."""
    try:
        state = msgspec.json.decode(read_input(_path(layout, "run.json"), most=MOST_STATE), type=RunState)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return set()
    if not state.windtunnel:
        return set()
    written = KNOWN_FILES if state.files is None else state.files
    return {"run.json", *written, *DERIVED_FILES}


def _lock_path(stem: str) -> str:
    folder, _, prefix = stem.rpartition("/")
    return f"{folder}/.{prefix}windtunnel.lock"


def _locked(path: str, stem: str) -> int:
    """Lock the file at ``path``, which is made when it is missing.

    Raises:
        UsageError: another process has done so, or it cannot be made.
    """
    while True:
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | NO_WAITING | AS_BYTES, 0o644)
        except OSError as fault:
            raise UsageError(f"cannot write {path}: {fault.strerror}") from fault
        try:
            lock_file(lock)
        except BlockingIOError:
            who = read_at(lock, 1000, 0).decode("utf-8", "replace").strip() or "another process"
            os.close(lock)
            raise UsageError(
                f"{stem.removesuffix('/')} is being written by {who}",
                "wait for its end, or write to another directory",
            ) from None
        except OSError:  # a file system without locks: better a run than none
            return lock
        if _same(lock, path):
            os.ftruncate(lock, 0)
            command = " ".join(sys.argv)[:500] if sys.argv else ""
            told = f"process {os.getpid()} on {host_name()}: {command}\n"
            write_at(lock, told.encode("utf-8", "backslashreplace"), 0)  # names of files may be no UTF-8
            return lock
        os.close(lock)  # whoever held it has removed it meanwhile


def _same(lock: int, path: str) -> bool:
    """Whether the file that is locked is still the one at ``path``."""
    try:
        return os.path.samestat(os.fstat(lock), os.stat(path))  # noqa: PTH116 -- a text
    except FileNotFoundError:
        return False
