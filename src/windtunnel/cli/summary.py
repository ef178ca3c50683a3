"""What a run prints: the account of its input and the table of its metrics."""

import os
import sys
from collections.abc import Iterable, Sequence
from math import inf, nan
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import AccountLine, UsageError, read_duration, show_time
from windtunnel.model.abilities import report_of
from windtunnel.results.layout import KNOWN_FILES

__all__ = ["check_page", "check_targets", "print_account", "print_ingestion", "print_metrics", "trim"]

SHOWN = 20
"""So many lines of the account are shown."""


def trim(text: str) -> float | str:
    """Seconds, or a share such as ``5%``, for a warm-up or cool-down; durations such as ``2d`` become seconds."""
    if text.endswith("%"):
        return text
    try:
        seconds = read_duration(text)
    except UsageError:
        seconds = nan
    if not 0 <= seconds < inf:
        raise UsageError(f"{text!r} is neither a duration, such as 3600 or 2d, nor a share, such as 5%")
    return seconds


def print_account(lines: Iterable[AccountLine]) -> None:
    """Say what does not take effect as written: the first lines, and how many more there are."""
    told = list(lines)
    for line in told[:SHOWN]:
        print(line, file=sys.stderr)
    if len(told) > SHOWN:
        print(f"... and {len(told) - SHOWN} more (run.json and run.account have all)", file=sys.stderr)


def print_ingestion(workloads: Sequence[Any]) -> None:
    """Say what was read, for formats that count their rows; what became of odd rows is in the account."""
    for workload in workloads:
        report = report_of(workload)
        if report is not None:
            print(report.overview, file=sys.stderr)


def print_metrics(run: Any, out: Path | None) -> None:
    """The metrics as a table."""
    if not run.complete:
        print(f"incomplete: {_ended(run)}")
    facts = run.state.facts
    site = run.state.platform
    print(f"platform:  {site.path or site.name} ({run.hosts:,} host{'s' * (run.hosts != 1)})")
    print(f"scheduler: {' and '.join(facts['schedulers'])} ({facts['packing']})")
    for one in run.state.rejections[:SHOWN]:
        print(f"rejected ({_jobs(one.jobs)}, first {one.first}): {one.reason}")
    print(run.metrics)
    if out is None:
        print("nothing is kept: add --out DIR to keep the run, and to look at it with windtunnel report DIR")
    else:
        from shlex import quote

        shown = quote(str(out))
        print(f"files: {out}")
        print(f"next:  windtunnel report {shown}         one page with the schedule, curves and distributions")
        print(f"       windtunnel compare {shown} OTHER  what differs from another run")


def _ended(run: Any) -> str:
    """How a run ended that did not come to its end."""
    state = run.state
    if run.outcome != "stopped":
        return str(run.outcome)
    when = show_time(state.simulated_time, state.start_date)
    among = sum(workload.jobs for workload in state.workloads)
    return f"stopped at {when}; the figures count {run.metrics.jobs:,} of {among:,} jobs: those that had ended"


def _jobs(count: int) -> str:
    return f"{count:,} jobs" if count > 1 else "1 job"


def check_targets(
    out: Path | None, report: Path | None, inputs: Sequence[str | Path], *, parquet: bool = False, force: bool = False
) -> None:
    """Refuse before a long run what could not, or must not, be written after it."""
    if parquet and out is None:
        raise UsageError("--parquet needs --out: it writes jobs.parquet there")
    if force and out is None:
        raise UsageError("--force needs --out: it replaces files there")
    if report is None:
        return
    if out is not None and report.absolute() in {
        out.absolute(),
        *(out.absolute() / name for name in KNOWN_FILES),
    }:
        raise UsageError(f"--report: {report} is what --out writes", "name another file")
    check_page(report, inputs, made=out)
    if report.is_file():
        from windtunnel.report.page import part
        from windtunnel.results.files import spare_others

        spare_others(report, part("page.html"))


def check_page(report: Path, inputs: Sequence[str | Path], *, made: Path | None = None) -> None:
    """Refuse before a long run a page that could not be written after it; ``made`` is a folder that the run makes."""
    if report.is_file():
        for one in inputs:
            if Path(one).is_file() and report.samefile(one):
                raise UsageError(f"--report: {report} is an input of this run", "name another file")
    folder = report.absolute().parent
    if report.is_dir() or not (folder.is_dir() or (made is not None and folder == made.absolute())):
        raise UsageError(f"--report: {report} cannot be a file", "name one in a folder that exists")
    if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"--report: nothing can be written to {folder}", "name a file in another folder")
