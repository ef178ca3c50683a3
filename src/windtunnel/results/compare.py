"""Two runs side by side: what differs, job by job and in sum."""

from typing import TYPE_CHECKING, Any, Final

import msgspec

from windtunnel.diagnostics import UsageError, counted
from windtunnel.results.compared_figures import BILLED, figures_of, in_digits
from windtunnel.results.damaged_files import of_runs
from windtunnel.results.metrics import Metrics
from windtunnel.results.run import Run
from windtunnel.results.state import as_text
from windtunnel.results.trimming import Trim

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Comparison", "Difference", "compare"]

_LONGEST: Final = 200
"""Characters of an input that are shown."""


class Difference(msgspec.Struct, frozen=True):
    """One figure of both runs. ``relative`` is (b - a) / |a|, None when a is 0 or a figure is missing."""

    name: str
    unit: str
    a: float | None
    b: float | None

    @property
    def change(self) -> float | None:
        """The figure of b minus that of a."""
        return None if self.a is None or self.b is None else self.b - self.a

    @property
    def relative(self) -> float | None:
        """The change as a share of a; of a negative one, such as a cost, of what it is without its sign."""
        change = self.change
        return None if change is None or not self.a else change / abs(self.a)

    @property
    def differs(self) -> bool:
        """Whether the figures differ by more than rounding."""
        change = self.change
        return self.a != self.b if change is None else abs(change) > 1e-12 * abs(self.a or 0.0)

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between run a and run b. Jobs are matched by their ids; times in s."""

    a: str
    b: str
    inputs: dict[str, tuple[str, str]]
    """What was noted about both runs and is not the same."""
    jobs_a: int
    jobs_b: int
    only_a: int
    """Jobs that run b has no row for."""
    only_b: int
    earlier: int
    """Jobs that started earlier in b."""
    later: int
    same_start: int
    other_hosts: int
    """Jobs that had other hosts in b."""
    other_state: int
    """Jobs that ended in another way in b."""
    mean_shift: float
    """Mean of start in b minus start in a, over jobs that ran in both."""
    figures: list[Difference]

    @property
    def identical(self) -> bool:
        """Whether every job started, ended and ran alike."""
        return not (self.only_a or self.only_b or self.earlier or self.later or self.other_hosts or self.other_state)

    def table(self) -> list[tuple[str, str, str, str, str]]:
        """Rows (figure, a, b, b - a, relative) for people; figures that neither run has are excluded."""
        return [
            (
                d.label,
                in_digits(d.a),
                in_digits(d.b),
                in_digits(d.change, "+", d.a or 0.0),
                "" if d.relative is None else f"{round(d.relative, 12) + 0.0:+.1%}",
            )
            for d in self.figures
            if d.a is not None or d.b is not None
        ]

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from windtunnel.diagnostics.html_tables import html_table

        return html_table(self.table(), ("", "a", "b", "b - a", ""), str(self).partition("\n")[0])

    def __str__(self) -> str:
        if self.identical:
            same = f"{self.a} and {self.b} are identical: {counted(self.jobs_a, 'job')}, same starts, ends and hosts"
            return "\n".join([same, *self._other_figures()])
        both_ran = self.earlier + self.later + self.same_start
        common = self.jobs_a - self.only_a
        jobs_a, jobs_b = counted(self.jobs_a, "job"), counted(self.jobs_b, "job")
        lines = [
            f"a = {self.a}: {jobs_a}; b = {self.b}: {jobs_b}; {common:,} in both",
            *map(self._input, self.inputs),
            f"  started earlier in b: {self.earlier:,}, later: {self.later:,}, at the same time: {self.same_start:,}",
            *([f"  mean shift of starts: {self.mean_shift:+,.2f} s"] if both_ran else []),
            f"  other hosts: {self.other_hosts:,}, other end: {self.other_state:,}",
        ]
        return "\n".join([*lines, *_aligned(self.table())])

    def _other_figures(self) -> list[str]:
        """What differs between runs of the same schedule, such as the bill, or the share of a site in use."""
        other = {d.label: d.name.partition(",")[0] in BILLED for d in self.figures if d.differs}
        rows = [row for row in self.table() if row[0] in other]
        only_billed = all(other.values())
        said = [self._input(name) for name in self.inputs if name == "electricity" or not only_billed]
        return [*said, *_aligned(rows)] if rows else []

    def _input(self, name: str) -> str:
        a, b = self.inputs[name]
        return f"  input {name}: {_clipped(a)} / {_clipped(b)}"


def _aligned(table: list[tuple[str, str, str, str, str]]) -> list[str]:
    """Lines of a table, below its head."""
    rows = [("", "a", "b", "b - a", ""), *table]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = []
    for name, *values in rows:
        cells = "  ".join(f"{v:>{w}}" for v, w in zip(values, widths[1:], strict=True))
        lines.append(f"  {name:<{widths[0]}}  {cells}".rstrip())
    return lines


def _clipped(text: str) -> str:
    """The beginning of a long list, such as all settings of leases."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(', ')[0] or text[:_LONGEST]}, ..."


@of_runs
def changed_jobs(a: Run, b: Run, tolerance: float = 1e-6) -> "pl.DataFrame":
    """The jobs that differ, the greatest shift of start first.

    Columns: ``id``; ``state``, ``start``, ``finish``, ``hosts`` of both (``_a``, ``_b``; null where a run has no such
    job or it never ran); ``start_shift`` and ``finish_shift`` (b - a, s). Dates closer than ``tolerance`` are equal.
    """
    import polars as pl

    names = {
        "final_state": "state",
        "starting_time": "start",
        "finish_time": "finish",
        "allocated_resources": "hosts",
    }
    sides = [
        run.jobs.select("id", *(pl.col(old).alias(f"{new}_{side}") for old, new in names.items()))
        for run, side in ((a, "a"), (b, "b"))
    ]
    both = sides[0].join(sides[1], on="id", how="full", coalesce=True, maintain_order="left_right")
    both = both.with_columns(
        (pl.col("start_b") - pl.col("start_a")).alias("start_shift"),
        (pl.col("finish_b") - pl.col("finish_a")).alias("finish_shift"),
    )
    moved = (pl.col("start_shift").abs() > tolerance) | (pl.col("finish_shift").abs() > tolerance)
    other = pl.col("state_a").ne_missing(pl.col("state_b")) | pl.col("hosts_a").ne_missing(pl.col("hosts_b"))
    return both.filter(moved.fill_null(value=False) | other).sort(
        pl.col("start_shift").abs(), descending=True, nulls_last=True, maintain_order=True
    )


@of_runs
def compare(a: Run, b: Run, *, tolerance: float = 1e-6, warm_up: Trim = 0.0, cool_down: Trim = 0.0) -> Comparison:
    """Compare two runs; dates closer than ``tolerance`` (s) count as equal.

    Raises:
        UsageError: a run has no jobs.csv, or the tolerance or a trim is malformed.
    """
    import polars as pl

    if not isinstance(a, Run) or not isinstance(b, Run):
        raise UsageError(f"only runs can be compared, not a {type(a if isinstance(b, Run) else b).__name__}")
    if not tolerance >= 0.0:
        raise UsageError(f"a tolerance must not be negative: {tolerance!r} s")
    changed = changed_jobs(a, b, tolerance)
    shift = changed["start_shift"]
    only_a = a.jobs.join(b.jobs, on="id", how="anti").height
    only_b = b.jobs.join(a.jobs, on="id", how="anti").height
    started = ["id", "starting_time"]
    common = a.jobs.select(started).join(b.jobs.select(started), on="id").drop_nulls()
    shifts = common["starting_time_right"] - common["starting_time"]
    earlier, later = int((shift < -tolerance).sum()), int((shift > tolerance).sum())
    in_both = changed.filter(pl.col("state_a").is_not_null() & pl.col("state_b").is_not_null())
    metrics = [run.measure(warm_up, cool_down) for run in (a, b)]
    return Comparison(
        a=a.name,
        b=b.name,
        inputs=_inputs(a, b),
        jobs_a=a.jobs.height,
        jobs_b=b.jobs.height,
        only_a=only_a,
        only_b=only_b,
        earlier=earlier,
        later=later,
        same_start=common.height - earlier - later,
        other_hosts=in_both.filter(pl.col("hosts_a").ne_missing(pl.col("hosts_b"))).height,
        other_state=in_both.filter(pl.col("state_a") != pl.col("state_b")).height,
        mean_shift=float(shifts.sum()) / common.height if common.height else 0.0,
        figures=_figures(*metrics),
    )


def _figures(a: Metrics, b: Metrics) -> list[Difference]:
    ours = [Difference(name, unit, *values) for name, unit, values in figures_of((a, b))]
    return ours + [
        Difference(one.label or name, one.unit, one.value, None if name not in b.own else b.own[name].value)
        for name, one in a.own.items()
    ]


def _inputs(a: Run, b: Run) -> dict[str, tuple[str, str]]:
    """What differs of what both runs' ``run.json`` say; of settings with names, those that differ."""

    def notes(run: Run) -> dict[str, Any]:
        state = run.state
        platform = f"{state.platform.path or state.platform.name} ({run.hosts} host{'s' * (run.hosts != 1)})"
        workloads = ", ".join(w.path or w.name for w in state.workloads)
        status = f"{state.status}{f' ({state.reason})' if state.reason else ''}"
        facts = {name.replace("_", " "): value for name, value in state.facts.items() if value}
        return {"platform": platform, "workloads": workloads, "status": status, **facts}

    ours, theirs = notes(a), notes(b)
    names = [*ours, *(name for name in theirs if name not in ours)]
    pairs = {name: (ours.get(name), theirs.get(name)) for name in names}
    return {
        name: (_beside(one, other), _beside(other, one)) for name, (one, other) in pairs.items() if one != other
    }


def _beside(fact: Any, other: Any) -> str:
    """A fact that differs, as text: of a mapping what the other does not say."""
    if isinstance(fact, dict) and isinstance(other, dict):
        fact = {name: value for name, value in fact.items() if name not in other or other[name] != value}
    return as_text(fact) if fact not in (None, {}) else "-"
