"""Commands about runs that were recorded: ``report``, ``plot``, ``metrics``, ``compare``, ``why``."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from windtunnel.cli.values import date

if TYPE_CHECKING:
    from windtunnel.api import Run

__all__ = ["compare", "metrics", "plot", "report", "why"]

_THIS: Final = "A directory written by windtunnel run --out, or a prefix as Batsim has them."
_RUN = typer.Argument(help=_THIS, metavar="RUN")
_WARM_UP = typer.Option(help="Leave out the first seconds (or share, as 5%) in the figures.")
_COOL_DOWN = typer.Option(help="Leave out the last seconds (or share) in the figures.")
_JSON = typer.Option("--json", help="Print JSON.")
_MOST_WAITS: Final = 10


def report(
    run: Annotated[Path, _RUN],
    beside: Annotated[
        list[Path] | None, typer.Argument(help="Further runs, shown side by side with it.", metavar="RUN...")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", help="The page to write (default: report.html in the run; of several, comparison.html here)."
        ),
    ] = None,
    warm_up: Annotated[str, _WARM_UP] = "0",
    cool_down: Annotated[str, _COOL_DOWN] = "0",
) -> None:
    """Write one self-contained HTML page about a run: figures, a schedule to zoom into, curves, distributions.

    Several runs are shown side by side on one page.

    Examples:
      windtunnel report out

      windtunnel report out-easy out-fcfs --to comparison.html

      windtunnel report out --to easy.html --warm-up 10%
    """
    alone = run / "report.html" if run.is_dir() else Path(f"{run}_report.html")
    target = to or (Path("comparison.html") if beside else alone)
    loaded, *others = _loaded([run, *(beside or ())])
    print(loaded.report(target, beside=others, warm_up=warm_up, cool_down=cool_down))


def plot(
    run: Annotated[Path, _RUN],
    kind: Annotated[
        str, typer.Argument(help="gantt, utilisation, queue, power, waits or slowdowns.", metavar="KIND")
    ],
    to: Annotated[Path, typer.Argument(help="The file to write: .png, .svg or .pdf.", metavar="FILE")],
    beside: Annotated[
        list[Path] | None, typer.Option("--beside", help="Another run to overlay; may be given several times.")
    ] = None,
    style: Annotated[str, typer.Option(help="screen, or paper: fonts and lines for print.")] = "screen",
    columns: Annotated[
        float | None, typer.Option(help="The width in columns of a two-column paper (1 is the default of paper).")
    ] = None,
) -> None:
    """Plot a run, or curves of several (needs matplotlib).

    Examples:
      windtunnel plot out gantt gantt.png

      windtunnel plot out-easy waits waits.pdf --beside out-fcfs --style paper
    """
    from windtunnel.report.plots import write_plot

    loaded, *others = _told(_loaded([run, *(beside or ())]))
    print(write_plot(loaded, kind, to, beside=others, style=style, columns=columns))


def metrics(
    run: Annotated[Path, _RUN],
    warm_up: Annotated[str, _WARM_UP] = "0",
    cool_down: Annotated[str, _COOL_DOWN] = "0",
    fair: Annotated[
        bool,
        typer.Option(
            "--fairness", help="Instead: how evenly jobs and users were treated (Gini, Jain, fair starts), untrimmed."
        ),
    ] = False,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Print the metrics of a run, computed from its files.

    Examples:
      windtunnel metrics out

      windtunnel metrics out --warm-up 3600 --cool-down 5% --json

      windtunnel metrics out --fairness
    """
    from windtunnel.api import load_run
    from windtunnel.diagnostics import UsageError

    loaded = load_run(run)
    if fair or as_json:
        _told([loaded])
    if fair:
        if (warm_up, cool_down) != ("0", "0"):
            raise UsageError("--fairness covers all jobs: it cannot be combined with --warm-up or --cool-down")
        found = loaded.fairness()
        if as_json:
            _print_json(found)
        else:
            print(found)
        return
    made = loaded.measure(warm_up, cool_down)
    if as_json:
        sys.stdout.write(made.json().decode())
        return
    if not loaded.complete:
        print(f"not complete: {loaded.state.reason or 'it was killed, or is still running'}")
    print(made)


def compare(
    a: Annotated[Path, typer.Argument(help=_THIS, metavar="A")],
    b: Annotated[list[Path], typer.Argument(help="Another, or several.", metavar="B...")],
    jobs: Annotated[
        int, typer.Option("--jobs", min=0, help="Show this many of the jobs whose starts differ most.")
    ] = 0,
    tolerance: Annotated[
        float, typer.Option(parser=date, metavar="SECONDS", help="Times closer than this count as equal.")
    ] = 1e-6,
    warm_up: Annotated[str, _WARM_UP] = "0",
    cool_down: Annotated[str, _COOL_DOWN] = "0",
    groups: Annotated[
        bool, typer.Option("--groups", help="Also by user and queue: who gained and who lost.")
    ] = False,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Say what differs between two runs, job by job and in sum; or between several, against the first of them.

    Examples:
      windtunnel compare out-easy out-conservative --jobs 10

      windtunnel compare out-easy out-fcfs out-filler --groups

      windtunnel compare out-a out-b --json
    """
    from windtunnel.diagnostics import UsageError
    from windtunnel.results.compare import changed_jobs
    from windtunnel.results.compare import compare as compare_runs

    if len(b) > 1 or groups:
        if jobs:
            raise UsageError("--jobs shows what differs between two runs", "name two, without --groups")
        _compare_many([a, *b], tolerance, warm_up, cool_down, groups=groups, as_json=as_json)
        return
    first, second = _told(_loaded([a, b[0]]))
    made = compare_runs(first, second, tolerance=tolerance, warm_up=warm_up, cool_down=cool_down)
    changed = changed_jobs(first, second, tolerance) if jobs > 0 else None
    if changed is not None and jobs < changed.height:
        changed = changed.head(jobs)
    if as_json:
        _print_json({"comparison": made, "jobs": [] if changed is None else changed.to_dicts()})
        return
    print(made)
    for row in [] if changed is None else changed.iter_rows(named=True):
        print(f"  {_change(row)}")


def _loaded(runs: list[Path]) -> "list[Run]":
    """All runs; those that are not there are named together."""
    from windtunnel.api import load_run
    from windtunnel.cli.together import MistakesError
    from windtunnel.diagnostics import UsageError

    loaded, faults = [], []
    for run in runs:
        try:
            loaded.append(load_run(run))
        except UsageError as fault:
            faults.append(fault)
    if faults:
        raise MistakesError(faults)
    return loaded


def _told(runs: "list[Run]") -> "list[Run]":
    """The same; of those that did not come to their end that is said, beside what is printed."""
    for run in runs:
        if not run.complete:
            how = run.state.reason or "it was killed, or is still running"
            print(f"note: {run.name} is not complete ({how}): only jobs that were over count", file=sys.stderr)
    return runs


def _compare_many(
    runs: list[Path], tolerance: float, warm_up: str, cool_down: str, *, groups: bool, as_json: bool
) -> None:
    """Several runs, against the first."""
    from msgspec.structs import replace

    from windtunnel.results.compare_many import compare_runs

    made = compare_runs(*_told(_loaded(runs)), tolerance=tolerance, warm_up=warm_up, cool_down=cool_down)
    if as_json:
        _print_json({"comparison": made})
    else:
        print(made if groups else replace(made, users=[], queues=[]))


def _change(row: dict[str, Any]) -> str:
    """One job that differs, as a line."""
    if row["state_a"] is None or row["state_b"] is None:
        return f"{row['id']}: only in {'b' if row['state_a'] is None else 'a'}"
    parts = []
    if row["start_shift"]:
        parts.append(f"start {row['start_a']:,.2f} -> {row['start_b']:,.2f} s ({row['start_shift']:+,.2f})")
    if row["state_a"] != row["state_b"]:
        parts.append(f"{row['state_a']} -> {row['state_b']}")
    if row["hosts_a"] != row["hosts_b"]:
        parts.append(f"hosts {row['hosts_a']} -> {row['hosts_b']}")
    return f"{row['id']}: " + (", ".join(parts) or f"end {row['finish_shift']:+,.2f} s")


def why(
    run: Annotated[Path, _RUN],
    job: Annotated[
        str,
        typer.Argument(
            help="The job: w0!42, or 42 where that is unique. Without it: the jobs that waited longest.",
            metavar="JOB",
            show_default=False,
        ),
    ] = "",
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Explain why a job waited: who held the hosts, how many were free, who overtook it.

    Examples:
      windtunnel why out

      windtunnel why out 'w0!42'
    """
    from windtunnel.api import load_run
    from windtunnel.results.why import explain

    (loaded,) = _told([load_run(run)])
    if not job:
        _longest_waits(run, loaded, as_json=as_json)
        return
    found = explain(loaded, job)
    if as_json:
        _print_json(found)
    else:
        print(found)


def _longest_waits(run: Path, loaded: Any, *, as_json: bool) -> None:
    """Which jobs to ask about: those that waited longest."""
    from shlex import quote

    from windtunnel.diagnostics import counted, in_a_cell, show_duration

    waited = loaded.jobs.filter(loaded.jobs["waiting_time"].fill_null(0.0) > 0.0)
    rows = waited.sort("waiting_time", descending=True, maintain_order=True).head(_MOST_WAITS)
    rows = rows.select("id", "waiting_time", "submission_time", "requested_number_of_resources")
    if as_json:
        _print_json(rows.to_dicts())
        return
    print(f"{waited.height:,} of {loaded.jobs.height:,} jobs waited" + (", longest:" if rows.height else ""))
    names = [in_a_cell(name) for name in rows["id"]]
    width = max(map(len, names), default=0)
    for name, (_, wait, submitted, hosts) in zip(names, rows.iter_rows(), strict=True):
        asked = f"asked for {counted(hosts, 'host')} at {submitted:,.2f} s"
        print(f"  {name:<{width}}  {show_duration(wait):>12}  {asked}")
    if rows.height:
        print(f"next:  windtunnel why {quote(str(run))} {quote(rows['id'][0])}")


def _print_json(thing: Any) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(thing), indent=2).decode() + "\n")
