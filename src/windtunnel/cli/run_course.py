"""The course of ``windtunnel run`` once all is put together: what is said, simulated and written."""

import sys
from pathlib import Path
from typing import Any

from windtunnel.cli import summary
from windtunnel.cli.endings import end_if_asked
from windtunnel.cli.run_options import tell_page
from windtunnel.diagnostics import UsageError, replacing

__all__ = ["carry_out", "print_result"]


def carry_out(
    simulation: Any,
    *,
    watched: dict[str, Any] | None,
    quiet: bool,
    trimmed: bool,
    out: Path | None,
    parquet: bool,
    report: Path | None,
) -> Any:
    """Run, watched or not; what is made of it stands beside it before it is marked as complete."""
    told = simulation.account.lines
    if not quiet:
        summary.print_ingestion(simulation.workloads)
        summary.print_account(told)
    end_if_asked()
    try:
        done = _run(simulation, watched)
    finally:
        if not quiet:
            summary.print_account(simulation.account.since(told))
    if parquet and out is not None:
        with replacing(out / "jobs.parquet") as beside:
            done.jobs.write_parquet(beside)
    if report is not None:
        done.report(report)
    if trimmed:
        _check_trims(done, out)
    return done


def _check_trims(done: Any, out: Path | None) -> None:
    """Trims that leave nothing are an error, whether metrics are printed or not; what else was made stays."""
    try:
        _ = done.metrics
    except UsageError as fault:
        if out is None:
            raise
        kept = f"the run is complete in {out}, without metrics.json: windtunnel metrics {out} has those of all of it"
        raise UsageError(str(fault), kept) from fault


def _run(simulation: Any, watched: dict[str, Any] | None) -> Any:
    import gc

    # What was loaded stays, and the engine leaves no cycles behind: looking for them less often saves a tenth.
    gc.freeze()
    gc.set_threshold(200_000, 50, 100)
    return simulation.run() if watched is None else simulation.live(announce=tell_page, **watched)


def print_result(done: Any, out: Path | None, *, as_json: bool, quiet: bool) -> None:
    """The metrics, as they were asked for."""
    if as_json:
        sys.stdout.write(done.metrics.json().decode() + "\n")
    elif not quiet:
        summary.print_metrics(done, out)
