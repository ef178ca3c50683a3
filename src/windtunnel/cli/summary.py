"""What a run prints: the account of its input and the table of its metrics."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from windtunnel.diagnostics import Finding, UsageError

__all__ = ["check_targets", "print_ingestion", "print_metrics", "print_warnings", "stop_on_signal", "trim"]

SHOWN = 5
"""So many warnings of a platform are shown before a run."""


def trim(text: str) -> float | str:
    """Seconds, or a share such as ``5%``, for a warm-up or cool-down."""
    if text.endswith("%"):
        return text
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{text!r} is neither a number of seconds nor a share such as 5%") from None


def stop_on_signal(number: int, frame: object) -> NoReturn:
    """A request to terminate ends the run like Ctrl-C: what was recorded is kept and marked."""
    del number, frame
    raise KeyboardInterrupt


def print_warnings(findings: Sequence[Finding]) -> None:
    """Say what is odd about a platform: the first few, and how many more there are."""
    for finding in findings[:SHOWN]:
        print(finding, file=sys.stderr)
    if len(findings) > SHOWN:
        print(f"... and {len(findings) - SHOWN} more warnings (windtunnel inspect shows them)", file=sys.stderr)


def print_ingestion(workloads: Sequence[Any]) -> None:
    """Say what was read, dropped and repaired, for formats that keep account of it."""
    for workload in workloads:
        report = getattr(workload, "report", None)
        if report is not None:
            print(report, file=sys.stderr)


def print_metrics(run: Any, out: Path | None) -> None:
    """The metrics as a table."""
    if not run.complete:
        print(f"incomplete: {run.outcome}")
    print(run.metrics)
    if out is not None:
        print(f"files: {out}")


def check_targets(out: Path | None, report: Path | None, inputs: Sequence[str | Path], *, parquet: bool) -> None:
    """Refuse before a long run what could not, or must not, be written after it."""
    if report is not None and report.is_file():
        for one in inputs:
            if Path(one).is_file() and report.samefile(one):
                raise UsageError(f"--report: {report} is an input of this run", "name another file")
    if parquet and out is None:
        raise UsageError("--parquet needs --out: it writes jobs.parquet there")
    if report is not None and (report.is_dir() or not report.absolute().parent.is_dir()):
        made_by_run = out is not None and report.absolute().parent == out.absolute()
        if report.is_dir() or not made_by_run:
            raise UsageError(f"--report: {report} cannot be a file", "name one in a folder that exists")
