"""``windtunnel study``: many runs from one file, and what they say together."""

import sys
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final, Optional

import typer

if TYPE_CHECKING:
    from windtunnel.studies.results import StudyResults
    from windtunnel.studies.statistics.table import Table

__all__ = ["study"]

study = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="""Run many simulations from one study file, and analyse the results.

    Examples:
      windtunnel study run sweep.toml --jobs 4

      windtunnel study show sweep.study --against easy
    """,
)

_STUDY: Final = typer.Argument(help="The directory of a study, as study run writes it.", metavar="STUDY")
_SHOWN: Final = 10
"""So many different errors, and lines of the account, are shown."""


@study.command("run")
def run(
    file: Annotated[Path, typer.Argument(help="A study file (TOML).", metavar="FILE.toml")],
    jobs: Annotated[
        Optional[int],  # noqa: UP045 -- typer reads it
        typer.Option("--jobs", "-j", min=1, help="Local processes (default: one per core), or Slurm workers."),
    ] = None,
    on: Annotated[str, typer.Option(help="A cluster: dask://HOST:PORT, ray://HOST:PORT or slurm.")] = "",
    out: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--out", metavar="DIR", help="The directory of the study (default: FILE.study here)."),
    ] = None,
    scheduler: Annotated[
        list[str],
        typer.Option(
            "--scheduler",
            "-s",
            metavar="NAME=CODE",
            help="What a name of the file stands for: NAME=file.py:Class or NAME=module:Class.",
        ),
    ] = [],  # noqa: B006 -- typer copies it
    again: Annotated[bool, typer.Option("--again", help="Simulate failed points again.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no summary.")] = False,
) -> None:
    """Simulate all points of a study that have no result yet.

    What was interrupted goes on; what changed is simulated anew.

    Examples:
      windtunnel study run sweep.toml --jobs 4

      windtunnel study run sweep.toml --scheduler mine=my_policy.py:Mine

      windtunnel study run sweep.toml --on dask://head:8786

      sweep.toml, to begin with:

        workloads = ["lublin:300?hosts=64&estimates=tsafrir&seed={seed}"]

        operations = ["scale_load({load})"]

        schedulers = ["easy", "conservative"]

        seeds = 5

        parameters = {load = [0.7, 0.9]}
    """
    from windtunnel.diagnostics import UsageError
    from windtunnel.operating_system import usable_cores
    from windtunnel.studies.study import read_study

    if jobs is not None and on.startswith(("dask://", "ray://")):
        raise UsageError(f"--jobs is a number of processes here or of Slurm workers: {on} has workers of its own")
    made = read_study(file, _bound(scheduler))
    target = out or Path(f"{file.stem}.study")
    count = jobs or usable_cores()
    with _progress(wanted=not quiet) as progress:
        try:
            results = made.run(target, jobs=count, on=on, again=again, progress=progress)
        except KeyboardInterrupt:
            print(f"interrupted: run it again to continue ({target})", file=sys.stderr)
            raise
    if not quiet:
        _print_status(results)
        shown = quote(str(results.folder))
        print(f"next:  windtunnel study show {shown}    means with intervals, differences, rankings")
        print(f"       windtunnel study report {shown}  the same as one HTML page")
    if results.progress.failed:
        raise typer.Exit(1)


def _bound(given: list[str]) -> dict[str, str]:
    """Names of a study file and what they stand for."""
    from windtunnel.diagnostics import UsageError

    made = {}
    for item in given:
        name, _, code = item.partition("=")
        if not name or ":" not in code or name in made:
            raise UsageError(f"--scheduler {item}: expected NAME=file.py:Class or NAME=module:Class, each name once")
        made[name] = code
    return made


@study.command("status")
def status(
    folder: Annotated[Path, _STUDY],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how far a study is, and which points failed.

    It may be running meanwhile.

    Example:
      windtunnel study status sweep.study
    """
    from windtunnel.studies.study import load_study

    results = load_study(folder)
    if as_json:
        import msgspec

        sys.stdout.write(msgspec.json.encode(results.progress).decode() + "\n")
    else:
        _print_status(results)


def _print_status(results: Any) -> None:
    from windtunnel.diagnostics import counted

    now = results.progress
    parts = [f"{now.done:,} of {now.points:,} points done"]
    parts += [f"{count:,} {word}" for word, count in (("failed", now.failed), ("pending", now.pending)) if count]
    print(f"{results.name}: {', '.join(parts)}; {now.seconds:,.1f} s of simulation")
    for what, counts in (("failed", results.errors), ("told", results.accounts)):
        for text, count in list(counts.items())[:_SHOWN]:
            print(f"{what} ({counted(count, 'point')}): {text}")
        if len(counts) > _SHOWN:
            print(f"... and {len(counts) - _SHOWN} more (points.parquet has all)")
    print(f"files: {results.folder}")


class _progress:  # noqa: N801 -- used as a context manager
    """A bar with the rate and the time left, on a terminal only; what a study waits for is said anywhere, once."""

    def __init__(self, *, wanted: bool) -> None:
        self._bar: Any = None
        self._wanted = wanted
        self._lacking = ""
        if wanted and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=60)
            self._task = self._bar.add_task("")

    def __enter__(self) -> Callable[[Any], None]:
        if self._bar is not None:
            self._bar.start()
        return self._told

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _told(self, now: Any) -> None:
        if self._wanted and now.lacking and now.lacking != self._lacking:
            print(f"waiting: {now.lacking}", file=sys.stderr)
            self._lacking = now.lacking
        if self._bar is None:
            return
        if self._bar.tasks[0].total is None or self._bar.tasks[0].completed == 0:
            self._bar.reset(self._task, total=now.total, completed=now.done)
            return
        speed = self._bar.tasks[0].speed
        rate = f"{speed:,.1f} points/s" if speed else ""
        failed = f", {now.failed:,} failed" if now.failed else ""
        self._bar.update(self._task, completed=now.done, description=f"{rate}{failed}")


_METRIC: Final = typer.Option("--metric", "-m", help="A figure, such as waiting_time_mean; several may be given.")


@study.command("show")
def show(
    folder: Annotated[Path, _STUDY],
    metric: Annotated[list[str], _METRIC] = [],  # noqa: B006 -- typer copies it
    baseline: Annotated[
        str, typer.Option("--against", help="Also paired differences to the scheduler of this label, and a ranking.")
    ] = "",
    by: Annotated[
        list[str], typer.Option("--by", help="A column to group points by (default: all that vary).")
    ] = [],  # noqa: B006 -- typer copies it
    confidence: Annotated[float, typer.Option(help="Confidence level of the intervals and tests.")] = 0.95,
    bootstrap: Annotated[bool, typer.Option("--bootstrap", help="Intervals by bootstrap rather than by t.")] = False,
    form: Annotated[str, typer.Option("--as", help="text, markdown, latex or json.")] = "text",
) -> None:
    """Print means with intervals, differences and rankings.

    Examples:
      windtunnel study show sweep.study

      windtunnel study show sweep.study -m waiting_time_p95 --against easy

      windtunnel study show sweep.study --as latex > table.tex
    """
    from windtunnel.diagnostics import UsageError, did_you_mean
    from windtunnel.studies.findings import USUAL
    from windtunnel.studies.study import load_study

    forms = ("text", "markdown", "latex", "json")
    if form not in forms:
        raise UsageError(f"--as {form}: unknown format", did_you_mean(form, forms))
    results = load_study(folder)
    options: dict[str, Any] = {"confidence": confidence, "method": "bootstrap" if bootstrap else "t"}
    tables = []
    for name in metric or [USUAL]:
        tables.append(results.means(name, by=[*by, "scheduler"] if by else None, **options))
        if baseline:
            tables.append(results.differences(baseline, name, by=by, **options))
            tables += _ranked(results, name, confidence)
    if form == "json":
        import msgspec

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(tables), indent=2).decode() + "\n")
        return
    for rank, table in enumerate(tables):
        said = table.to_markdown() if form == "markdown" else table.to_latex() if form == "latex" else str(table)
        print("\n" * (rank > 0) + said.rstrip("\n"))
    if results.progress.pending or results.progress.failed:
        print(f"{results.progress.done:,} of {results.progress.points:,} points have results", file=sys.stderr)


def _ranked(results: "StudyResults", metric: str, confidence: float) -> "list[Table]":
    """The ranking; where there can be none, the other tables are still worth printing."""
    from windtunnel.diagnostics import UsageError
    from windtunnel.studies.findings import ranking_table

    try:
        return [ranking_table(results.ranking(metric, confidence=confidence), metric)]
    except UsageError as fault:
        print(f"{metric}: no ranking: {fault}", file=sys.stderr)
        return []


@study.command("report")
def report(
    folder: Annotated[Path, _STUDY],
    to: Annotated[
        Optional[Path],  # noqa: UP045 -- typer reads it
        typer.Option("--to", help="The page to write (default: report.html in the study)."),
    ] = None,
    metric: Annotated[list[str], _METRIC] = [],  # noqa: B006 -- typer copies it
    baseline: Annotated[str, typer.Option("--against", help="The label of the scheduler to compare with.")] = "",
    confidence: Annotated[float, typer.Option(help="Confidence level of the intervals and tests.")] = 0.95,
) -> None:
    """Write one self-contained HTML page about a study.

    Example:
      windtunnel study report sweep.study --against easy
    """
    from windtunnel.studies.findings import REPORTED
    from windtunnel.studies.study import load_study

    results = load_study(folder)
    print(results.report(to, metric or REPORTED, baseline=baseline, confidence=confidence))
