"""The directory of a study: what was asked (``study.json``), what became of it (``journal.jsonl``), and the results.

``points.parquet`` has one row per point, in order; ``jobs/point=N/key=K/jobs.parquet`` the jobs of each, where
they are wanted. One driver at a time writes there: a lock (which goes with its process) keeps others
away.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError, read_input, replacing
from windtunnel.operating_system import lock as lock_file
from windtunnel.results.files import write_whole
from windtunnel.results.layout import STUDY_FILE
from windtunnel.studies.frame import points_frame
from windtunnel.studies.plan import Plan, Point
from windtunnel.studies.trials import Outcome
from windtunnel.version import __version__

__all__ = [
    "JOBS",
    "JOURNAL",
    "POINTS",
    "StudyFacts",
    "claimed",
    "drop_job_tables",
    "job_table",
    "read_facts",
    "write_job_table",
    "write_points",
]

JOURNAL: Final = "journal.jsonl"
POINTS: Final = "points.parquet"
JOBS: Final = "jobs"
_LOCK: Final = ".lock"
_FORM: Final = 1


class StudyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What ``study.json`` says: the points as they were asked for last."""

    form: int = _FORM
    windtunnel: str = __version__
    name: str = ""
    job_tables: bool = False
    points: list[Point]


@contextmanager
def claimed(folder: Path, plan: Plan) -> Iterator[None]:
    """Make a directory the place of a study, written to by this process only, and write down what is asked.

    Raises:
        UsageError: another study is being run there, there are files of somebody else, or it cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = [one.name for one in folder.iterdir() if not one.name.startswith(".")]
    except OSError as fault:
        raise UsageError(f"{folder} cannot be used: {fault.strerror}") from fault
    if others and STUDY_FILE not in others:
        what = f"holds files, and no study ({min(others)}...)"
        if "run.json" in others:
            what = "is the directory of a run"
        raise UsageError(f"{folder} {what}", "name another directory")
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as fault:
        raise UsageError(f"{folder} cannot be written to: {fault.strerror}") from fault
    try:
        try:
            lock_file(lock)
        except OSError:
            raise UsageError(f"a study is being run in {folder} by another process", "wait, or stop it") from None
        facts = StudyFacts(name=plan.name, job_tables=plan.job_tables, points=plan.points)
        write_whole(folder / STUDY_FILE, msgspec.json.encode(facts) + b"\n")
        yield
    finally:
        os.close(lock)


def read_facts(folder: Path) -> StudyFacts:
    """What is written in a study's directory.

    Raises:
        UsageError: there is no study, or it is damaged.
    """
    try:
        return msgspec.json.decode(read_input(folder / STUDY_FILE), type=StudyFacts)
    except (FileNotFoundError, NotADirectoryError):
        hint = "name the directory that `study run` has written"
        if (folder / "run.json").is_file():
            from shlex import quote

            hint = f"it holds a run: windtunnel metrics {quote(str(folder))}"
        raise UsageError(f"there is no study in {str(folder)!r}: no {STUDY_FILE}", hint) from None
    except OSError as fault:
        raise UsageError(f"{folder / STUDY_FILE} cannot be read: {fault.strerror}") from fault
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise UsageError(f"{folder / STUDY_FILE} is damaged: {fault}", "run the study again: it continues") from None


def write_points(folder: Path, points: list[Point], outcomes: Mapping[str, Outcome]) -> None:
    """Write the table of points, those without an outcome as ``pending``."""
    frame = points_frame(points, outcomes)
    with replacing(folder / POINTS) as beside:
        frame.write_parquet(beside, compression="zstd")


def job_table(folder: Path, number: int, key: str) -> Path:
    """The file with the jobs of a point: partitions by its number and key are columns of the tables together."""
    return folder / JOBS / f"point={number}" / f"key={key}" / "jobs.parquet"


def write_job_table(folder: Path, number: int, key: str, table: bytes) -> None:
    """Write the jobs of a point, as Parquet."""
    path = job_table(folder, number, key)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, table)


def drop_job_tables(folder: Path, kept: Iterable[tuple[int, str]]) -> None:
    """Remove the tables of all points but those with these numbers and keys."""
    wanted = {job_table(folder, number, key).parent for number, key in kept}
    for place in (folder / JOBS).glob("point=*/key=*"):
        if place not in wanted:
            shutil.rmtree(place, ignore_errors=True)
