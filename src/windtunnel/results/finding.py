"""Where a run is on disk: by its directory, or by a prefix as in Batsim."""

import os
from collections.abc import Callable
from pathlib import Path

from windtunnel.diagnostics import UsageError, read_input
from windtunnel.results.layout import STUDY_FILE, Dialect, Layout
from windtunnel.results.state import RunState, Status, read_state

__all__ = ["find_run"]


def find_run(path: str | Path) -> tuple[Callable[[str], bytes | None], RunState]:
    """What reads the files of a run by name, and its state; of a run of Batsim itself, as far as its files tell it.

    Raises:
        UsageError: there is no run there.
    """
    if not isinstance(path, str | Path) or path == "":
        raise UsageError(f"a run is named by its directory, not by {path!r}")
    base, isfile = Path(path).absolute(), os.path.isfile  # false, too, where one may not look
    for stem in (f"{base}/", f"{base}_", f"{base}"):
        layout = Layout(stem)
        state, jobs = (Path(f"{stem}{name}") for name in ("run.json", "jobs.csv"))
        if isfile(state):
            return _reader(layout), read_state(state)
        if isfile(jobs):
            dialect = Dialect.BATSIM5 if Path(f"{stem}schedule.json").exists() else Dialect.BATSIM4
            return _reader(layout), RunState(status=Status.COMPLETE, dialect=dialect.value)
    hint = "name a directory written by `windtunnel run --out DIR`, or a prefix such as out for out_jobs.csv"
    if isfile(base / STUDY_FILE):
        from shlex import quote

        hint = f"it holds a study: windtunnel study show {quote(str(path))}"
    elif isfile(base) and isfile(base.with_name("run.json")):
        hint = f"it is a file of a run: name the directory, {Path(path).parent}"
    raise UsageError(f"there is no run in {str(path)!r}: neither run.json nor jobs.csv", hint)


def _reader(layout: Layout) -> Callable[[str], bytes | None]:
    def read(name: str) -> bytes | None:
        path = layout.path(name)
        try:
            return None if path is None else read_input(path)
        except FileNotFoundError:
            return None
        except OSError as fault:
            raise UsageError(f"{path} cannot be read: {fault.strerror}") from fault

    return read
