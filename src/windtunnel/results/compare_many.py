"""Any number of runs side by side: their metrics, and which of the jobs they have in common gained or lost.

A job is the same in two runs when it has the same id, size and requested time; it may have been submitted at another
time, for instance under another load. Runs of different workloads are thus compared by the jobs they share, and the
number of these is reported.
"""

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import msgspec

from windtunnel.diagnostics import UsageError, counted, in_a_cell
from windtunnel.results.compared_figures import figures_of, in_digits
from windtunnel.results.damaged_files import read_from
from windtunnel.results.metrics import Metrics
from windtunnel.results.run import Run
from windtunnel.results.trimming import Trim

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Compared", "Group", "compare_runs"]

_SAME: Final = ("id", "requested_number_of_resources", "requested_time")
_BOUND: Final = 10.0
"""Jobs shorter than this (s) count as this long in bounded slowdowns (docs/reference/metrics.md)."""


class Group(msgspec.Struct, frozen=True):
    """The shared jobs of a user or queue: their number, and their mean waiting time (s) in each run."""

    name: str
    jobs: int
    waits: list[float]

    @property
    def changes(self) -> list[float]:
        """The mean waiting time in each run minus that in the first (s)."""
        return [wait - self.waits[0] for wait in self.waits]


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Runs side by side; lists have one item for each run. Changes are relative to the first run."""

    runs: list[str]
    jobs: list[int]
    """Jobs that ran or were rejected, in each run."""
    shared: int
    """Jobs that ran in all runs."""
    moved: list[int]
    """Shared jobs that were submitted at another time than in the first run."""
    figures: dict[str, list[float | None]]
    """The metrics of all jobs of each run."""
    shared_figures: dict[str, list[float]]
    """The metrics of the shared jobs only."""
    gained: list[int]
    """Shared jobs that waited less than in the first run."""
    lost: list[int]
    """Shared jobs that waited longer."""
    users: list[Group]
    queues: list[Group]

    @property
    def alike(self) -> bool:
        """Whether all runs had the same jobs, submitted at the same times."""
        return set(self.jobs) == {self.shared} and not any(self.moved)

    def __str__(self) -> str:
        names = [f"[{rank}]" for rank in range(1, len(self.runs) + 1)]
        sizes = [counted(jobs, "job") for jobs in self.jobs]
        lines = [f"{name} {run}: {size}" for name, run, size in zip(names, self.runs, sizes, strict=True)]
        if not self.alike:
            lines.append(f"the workloads differ: {counted(self.shared, 'job')} ran in all of these runs")
            if any(self.moved):
                moved = ", ".join(f"{name} {count:,}" for name, count in zip(names, self.moved, strict=True) if count)
                lines.append(f"submitted at other times than in [1]: {moved}")
        rows: list[list[str]] = [["", *names]]
        rows += [[name, *map(in_digits, values)] for name, values in self.figures.items()]
        if not self.alike and self.shared:
            rows.append(["over the shared jobs", *[""] * len(names)])
            rows += [[f"  {name}", *map(in_digits, values)] for name, values in self.shared_figures.items()]
        if self.shared:
            rows.append(["waited less than in [1]", *(f"{count:,}" for count in self.gained)])
            rows.append(["waited longer than in [1]", *(f"{count:,}" for count in self.lost)])
        lines += _aligned(rows)
        for title, groups in (("user", self.users), ("queue", self.queues)):
            if groups:
                lines += ["", f"mean waiting time [s] by {title}, over the shared jobs; the greatest change first"]
                head = [[title, "jobs", *names, "change"]]
                lines += _aligned(head + [_row(group) for group in groups])
        return "\n".join(lines)


def _row(group: Group) -> list[str]:
    furthest = max(group.changes, key=abs)
    name = in_a_cell(group.name) or "(none)"
    return [name, f"{group.jobs:,}", *(f"{wait:,.1f}" for wait in group.waits), f"{furthest:+,.1f}"]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[rank]) for row in rows) for rank in range(len(rows[0]))]
    return [
        f"{row[0]:<{widths[0]}}  {'  '.join(f'{v:>{w}}' for v, w in zip(row[1:], widths[1:], strict=True))}".rstrip()
        for row in rows
    ]


def compare_runs(*runs: Run, tolerance: float = 1e-6, warm_up: Trim = 0.0, cool_down: Trim = 0.0) -> Compared:
    """Compare two or more runs with the first of them.

    Args:
        runs: the runs.
        tolerance: waiting times that differ by less than this (s) count as equal.
        warm_up: what the metrics of all jobs exclude at the beginning.
        cool_down: what they exclude at the end.

    Raises:
        UsageError: there are fewer than two runs, one has no jobs.csv, or the tolerance or a trim is malformed.
    """
    for one in runs:
        if not isinstance(one, Run):
            raise UsageError(f"only runs can be compared, not a {type(one).__name__}", "load_run reads one")
    if len(runs) < 2:
        raise UsageError("at least two runs are needed for a comparison")
    if not tolerance >= 0.0:
        raise UsageError(f"a tolerance must not be negative: {tolerance!r} s")
    sides = [_side(run, rank) for rank, run in enumerate(runs)]
    shared = reduce(lambda one, other: one.join(other, on=list(_SAME), maintain_order="left"), sides)
    ranks = range(len(runs))
    waits = [shared[f"wait_{rank}"] for rank in ranks]
    dates = [shared[f"submitted_{rank}"] for rank in ranks]
    measured = [run.measure(warm_up, cool_down) for run in runs]
    return Compared(
        runs=[run.name for run in runs],
        jobs=[run.jobs.height for run in runs],
        shared=shared.height,
        moved=[int(((date - dates[0]).abs() > tolerance).sum()) for date in dates],
        figures=_figures(measured),
        shared_figures=_shared_figures(shared, len(runs)) if shared.height else {},
        gained=[int((wait - waits[0] < -tolerance).sum()) for wait in waits],
        lost=[int((wait - waits[0] > tolerance).sum()) for wait in waits],
        users=_groups(shared, "user", len(runs)),
        queues=_groups(shared, "queue", len(runs)),
    )


def _side(run: Run, rank: int) -> "pl.DataFrame":
    """The jobs of a run that ran, with what is compared."""
    import polars as pl

    with read_from(run.name, "jobs.csv"):
        jobs = run.jobs.drop_nulls("starting_time")
        bounded = pl.col("turnaround_time") / pl.max_horizontal(pl.col("execution_time"), pl.lit(_BOUND))
        columns: list[Any] = [
            *(pl.col(name) for name in _SAME[:2] if name in jobs.columns),
            pl.col("requested_time").cast(pl.String),
            pl.col("waiting_time").alias(f"wait_{rank}"),
            pl.col("turnaround_time").alias(f"turnaround_{rank}"),
            pl.max_horizontal(bounded, pl.lit(1.0)).alias(f"bounded_{rank}"),
            pl.col("submission_time").alias(f"submitted_{rank}"),
        ]
        if rank == 0:
            columns += [pl.col(name).fill_null("") for name in ("user", "queue") if name in jobs.columns]
        return jobs.select(columns)


def _figures(measured: Sequence[Metrics]) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    for name, unit, values in figures_of(measured):
        if any(value is not None for value in values):
            found[f"{name} [{unit}]" if unit else name] = values
    own = dict.fromkeys(name for metrics in measured for name in metrics.own)
    for name in own:
        found[name] = [metrics.own[name].value if name in metrics.own else None for metrics in measured]
    return found


def _shared_figures(shared: "pl.DataFrame", count: int) -> dict[str, list[float]]:
    def each(column: str, share: float | None = None) -> list[float]:
        series = [shared[f"{column}_{rank}"] for rank in range(count)]
        chosen = [one.mean() if share is None else one.quantile(share, "linear") for one in series]
        return [float(value) for value in chosen if isinstance(value, int | float)]

    return {
        "waiting time, mean [s]": each("wait"),
        "waiting time, 95 % [s]": each("wait", 0.95),
        "turnaround time, mean [s]": each("turnaround"),
        "bounded slowdown, mean": each("bounded"),
    }


def _groups(shared: "pl.DataFrame", column: str, count: int) -> list[Group]:
    """The shared jobs by user or queue; nothing where no job names one."""
    import polars as pl

    if column not in shared.columns or not shared.height:
        return []
    means = [pl.col(f"wait_{rank}").mean() for rank in range(count)]
    made = shared.group_by(column, maintain_order=True).agg(pl.len(), *means)
    found = [Group(str(name), jobs, list(waits)) for name, jobs, *waits in made.iter_rows()]
    return sorted(found, key=lambda group: (-max(map(abs, group.changes)), group.name))
