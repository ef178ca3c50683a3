"""Where the files of a run lie, and whose habits their contents follow."""

import os
from enum import Enum
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.results.rows import Rows

__all__ = ["DERIVED_FILES", "KNOWN_FILES", "STUDY_FILE", "Dialect", "Layout"]

KNOWN_FILES: Final = (
    "jobs.csv",
    "jobs_extra.csv",
    "shares.csv",
    "suspensions.csv",
    "resizes.csv",
    "schedule.csv",
    "schedule.json",
    "schedule.trace",
    "machine_states.csv",
    "pstate_changes.csv",
    "consumed_energy.csv",
    "events.csv",
    "rack_power.csv",
    "power.csv",
    "jobs_carbon.csv",
    "estimates.csv",
    "site.xml",
    "leases.csv",
    "reservations.csv",
    "counters.csv",
    "statistics.json",
    "probes.csv",
    "real_exec_info.json",
    "metrics.json",
    "run.json",
)
"""The names of all files a run may write, without what stands before them."""

STUDY_FILE: Final = "study.json"
"""What marks the directory of a study, as ``run.json`` does that of a run."""

DERIVED_FILES: Final = ("jobs.parquet", "report.html", "gantt.svg", "nodes")
"""What is made from a run in its directory: with ``--parquet``, by ``report`` and ``lease gantt``, and the folder of
``--nodes-every``.
"""


class Dialect(Enum):
    """Which system's files are written; they differ in details listed in docs/reference/outputs.md."""

    WINDTUNNEL = "windtunnel"
    BATSIM4 = "batsim4"
    BATSIM5 = "batsim5"


class Layout(msgspec.Struct, frozen=True):
    """File names are appended to ``stem`` (an absolute path and perhaps the beginning of a name; None: memory)."""

    stem: str | None = None
    dialect: Dialect = Dialect.WINDTUNNEL

    @classmethod
    def directory(cls, path: str | Path, dialect: Dialect = Dialect.WINDTUNNEL) -> Self:
        """``path/jobs.csv``, ... The directory is made when it is missing.

        Raises:
            UsageError: the path is empty, exists and is not a directory, or cannot be made.
        """
        if path == "":
            raise UsageError("an empty string is not an output directory", "the current one is '.'")
        made = Path(path).absolute()
        _make(made, f"the output directory {str(path)!r}")
        return cls(f"{made}/", dialect)

    @classmethod
    def batsim4(cls, prefix: str = "out") -> Self:
        """``<prefix>_jobs.csv``, ... No directory is made (as Batsim 3 and 4 do not).

        Raises:
            UsageError: the directory of the prefix does not exist.
        """
        cut = _end_of_folder(prefix)
        folder = Path(prefix[:cut] or ".").absolute()
        if not folder.is_dir():
            raise UsageError(f"cannot write files {prefix}_...: {str(folder)!r} is not a directory")
        return cls(f"{folder}/{prefix[cut:]}_", Dialect.BATSIM4)

    @classmethod
    def batsim5(cls, prefix: str = "out/") -> Self:
        """``<prefix>jobs.csv``, ... Missing directories are made.

        Raises:
            UsageError: the directory part exists and is not a directory, or cannot be made.
        """
        cut = _end_of_folder(prefix)
        folder = Path(prefix[:cut] or ".").absolute()
        _make(folder, f"the export directory {str(folder)!r}, as resolved from prefix={prefix!r},")
        return cls(f"{folder}/{prefix[cut:]}", Dialect.BATSIM5)

    def path(self, name: str) -> Path | None:
        """Where the file of this name lies; None in memory."""
        return None if self.stem is None else Path(self.stem + name)

    def open(self, name: str, header: str = "", **options: Any) -> Rows:
        """Start the growing file of this name; options as for :class:`~windtunnel.results.rows.Rows`."""
        return Rows(name, self.path(name), header, **options)


def _end_of_folder(prefix: str) -> int:
    return max(prefix.rfind("/"), prefix.rfind(os.sep)) + 1  # Windows takes both


def _make(folder: Path, what: str) -> None:
    try:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{what} exists but is not a directory")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UsageError(f"{what} cannot be made: {fault.strerror}") from fault
