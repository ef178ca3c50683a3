"""What a run amounts to, in numbers. The formulas are in docs/reference/metrics.md, word for word."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, fsum, inf, nan, sqrt
from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model import JobState
from windtunnel.results.columns import Columns
from windtunnel.results.jobs_csv import SHORTEST

__all__ = ["BOUND", "Distribution", "Group", "Metrics", "Trim", "compute", "percentile", "seconds_of", "window"]

BOUND: Final = 10.0
"""Seconds: in the bounded slowdown, shorter executions count as this long."""

Trim = float | str
"""A part of the run to leave out: seconds, or a share of the whole as text (``"10%"``)."""


class Distribution(msgspec.Struct, frozen=True):
    """How a quantity is distributed over jobs; all zero when there is none."""

    mean: float
    std: float
    min: float
    p50: float
    p75: float
    p90: float
    p95: float
    p99: float
    max: float


class Group(msgspec.Struct, frozen=True):
    """The jobs of one user or queue that ran. Times in s."""

    jobs: int
    host_seconds: float
    mean_waiting_time: float
    max_waiting_time: float
    mean_turnaround_time: float
    mean_bounded_slowdown: float


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """All metrics of a run, over jobs submitted within the window. Times in s, energy in J."""

    window: tuple[float, float]
    """First submission plus warm-up, last end minus cool-down."""
    makespan: float
    """The last end, from the start of the simulation (never trimmed)."""
    jobs: int
    """Ended and rejected ones."""
    states: dict[str, int]
    """Jobs by how they ended."""
    success_rate: float
    waiting_time: Distribution
    turnaround_time: Distribution
    slowdown: Distribution
    bounded_slowdown: Distribution
    utilisation: float
    """Allocated host-seconds over available ones within the window, in [0, 1]."""
    allocated_host_seconds: float
    available_host_seconds: float
    throughput: float
    """Jobs that ran to an end within the window, per hour."""
    consumed_joules: float | None = None
    """As in schedule.csv (never trimmed); None when energy was not simulated."""
    users: dict[str, Group] = {}
    queues: dict[str, Group] = {}

    def table(self) -> list[tuple[str, str]]:
        """Rows (name, value with unit) for people."""
        ran = self.jobs - self.states.get("REJECTED", 0)
        rows = [("jobs", f"{self.jobs:,}")]
        rows += [(f"  {name.lower().replace('_', ' ')}", f"{n:,}") for name, n in self.states.items()]
        rows.append(("makespan", f"{self.makespan:,.2f} s"))
        if ran:
            rows += _rows_of("waiting time", self.waiting_time, " s")
            rows += _rows_of("turnaround time", self.turnaround_time, " s")
            rows += _rows_of("slowdown", self.slowdown, "")
            rows += _rows_of("bounded slowdown", self.bounded_slowdown, "")
        rows.append(("utilisation", f"{self.utilisation:.2%}"))
        rows.append(("throughput", f"{self.throughput:,.2f} jobs/h"))
        if self.consumed_joules is not None:
            rows.append(("energy", f"{self.consumed_joules:,.0f} J"))
        return rows

    def json(self) -> bytes:
        """The same as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def __str__(self) -> str:
        rows = self.table()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _rows_of(name: str, d: Distribution, unit: str) -> Iterator[tuple[str, str]]:
    yield f"{name}, mean", f"{d.mean:,.2f}{unit}"
    yield "  median / 95 % / max", f"{d.p50:,.2f} / {d.p95:,.2f} / {d.max:,.2f}{unit}"


def percentile(ordered: Sequence[float], share: float) -> float:
    """The percentile of sorted values, linear between ranks: rank ``share * (n - 1)``, ranks from 0."""
    rank = share * (len(ordered) - 1)
    low, high = ordered[floor(rank)], ordered[ceil(rank)]
    return low + (high - low) * (rank - floor(rank))


def _distribution(values: Iterable[float]) -> Distribution:
    ordered = sorted(values)
    if not ordered:
        return Distribution(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    mean = fsum(ordered) / len(ordered)
    std = sqrt(fsum([(v - mean) ** 2 for v in ordered]) / len(ordered))
    p50, p75, p90, p95, p99 = (percentile(ordered, share) for share in (0.5, 0.75, 0.9, 0.95, 0.99))
    return Distribution(mean, std, ordered[0], p50, p75, p90, p95, p99, ordered[-1])


def seconds_of(trim: Trim, whole: float, what: str) -> float:
    """A trim in seconds, of a whole that lasts so long.

    Raises:
        UsageError: it is malformed.
    """
    try:
        text = str(trim).strip()
        value = float(text[:-1]) / 100.0 * whole if text.endswith("%") else float(text)
    except ValueError:
        value = nan
    if not 0.0 <= value < inf:
        raise UsageError(f"{what}: {trim!r} is neither seconds nor a percentage", "such as 3600 or 10%")
    return value


def window(columns: Columns, warm_up: Trim = 0.0, cool_down: Trim = 0.0) -> tuple[float, float]:
    """The part of the run that counts (s).

    Raises:
        UsageError: a trim is malformed, or nothing remains.
    """
    first = min(columns.submitted, default=0.0)
    last = max(max(columns.finish, default=0.0), first)
    opens = first + seconds_of(warm_up, last - first, "warm-up")
    closes = last - seconds_of(cool_down, last - first, "cool-down")
    if opens > closes:
        raise UsageError(f"warm-up {warm_up} and cool-down {cool_down} leave nothing of {last - first:g} s")
    return opens, closes


def compute(columns: Columns, *, warm_up: Trim = 0.0, cool_down: Trim = 0.0, joules: float | None = None) -> Metrics:
    """All metrics.

    Raises:
        UsageError: a trim is malformed, or nothing remains.
    """
    opens, closes = span = window(columns, warm_up, cool_down)
    trimmed = span != window(columns)
    chosen = columns.within(opens, closes) if trimmed else columns
    ran = chosen.ran()
    submitted, start, finish = ran.submitted, ran.start, ran.finish
    execution = array("d", [f - s or SHORTEST for f, s in zip(finish, start, strict=True)])
    turnaround = array("d", [f - s for f, s in zip(finish, submitted, strict=True)])
    bounded = [
        t / e if e > BOUND else (t / BOUND if t > BOUND else 1.0) for t, e in zip(turnaround, execution, strict=True)
    ]
    allocated = _allocated(columns, opens, closes, clipped=trimmed)
    available = _available(columns, opens, closes)
    ended = sum(1 for f in columns.finish if opens <= f <= closes) if trimmed else len(ran)
    users, queues = _groups(ran)
    states = _states(chosen)
    return Metrics(
        window=span,
        makespan=max(max(columns.finish, default=0.0), 0.0),
        jobs=len(chosen),
        states=states,
        success_rate=states.get("COMPLETED_SUCCESSFULLY", 0) / len(chosen) if len(chosen) else 0.0,
        waiting_time=_distribution([s - q for s, q in zip(start, submitted, strict=True)]),
        turnaround_time=_distribution(turnaround),
        slowdown=_distribution([t / e for t, e in zip(turnaround, execution, strict=True)]),
        bounded_slowdown=_distribution(bounded),
        utilisation=allocated / available if available > 0.0 else 0.0,
        allocated_host_seconds=allocated,
        available_host_seconds=available,
        throughput=ended * 3600.0 / (closes - opens) if closes > opens else 0.0,
        consumed_joules=joules,
        users=users,
        queues=queues,
    )


def _states(columns: Columns) -> dict[str, int]:
    counts: dict[JobState, int] = {}
    codes: dict[float, int] = {}
    for code in columns.codes:
        codes[code] = codes.get(code, 0) + 1
    for code, count in codes.items():
        state = columns.state_of(code)
        counts[state] = counts.get(state, 0) + count
    return {state.name: counts[state] for state in sorted(counts)}


def _allocated(columns: Columns, opens: float, closes: float, *, clipped: bool) -> float:
    """Host-seconds held by jobs within [opens, closes]."""
    jobs = zip(columns.start, columns.finish, columns.used, strict=True)
    if clipped:
        held = fsum([n * (min(f, closes) - max(s, opens)) for s, f, n in jobs if f > opens and 0.0 <= s < closes])
    else:
        held = fsum([n * (f - s) for s, f, n in jobs])
    away = fsum(n * max(0.0, min(b, closes) - max(a, opens)) for a, b, n in columns.pauses)
    return held - away


def _available(columns: Columns, opens: float, closes: float) -> float:
    """Host-seconds that could be used within [opens, closes]."""
    total = columns.hosts * (closes - opens)
    steps = [*columns.unavailable, (inf, 0)]
    for (since, count), (until, _) in pairwise(steps):
        total -= count * max(0.0, min(until, closes) - max(since, opens))
    return total


def _groups(ran: Columns) -> tuple[dict[str, Group], dict[str, Group]]:
    """Tables per user and per queue; empty where no job names one."""
    if len(ran.owners) == 1:
        return {}, {}
    members: dict[int, list[Sequence[float]]] = {}
    for row in ran.rows():
        members.setdefault(ran.owner_of(row[4]), []).append(row)
    tables: list[dict[str, Group]] = []
    for part in (0, 1):
        merged: dict[str, list[Sequence[float]]] = {}
        for owner, rows in members.items():
            merged.setdefault(ran.owners[owner][part], []).extend(rows)
        named = any(merged.keys())
        tables.append({name: _group(merged[name]) for name in sorted(merged)} if named else {})
    return tables[0], tables[1]


def _group(rows: Sequence[Sequence[float]]) -> Group:
    waits = [start - submitted for submitted, start, _, _, _ in rows]
    turnarounds = [finish - submitted for submitted, _, finish, _, _ in rows]
    bounded = [
        max(1.0, t / max(finish - start, BOUND))
        for t, (_, start, finish, _, _) in zip(turnarounds, rows, strict=True)
    ]
    count = len(rows)
    return Group(
        jobs=count,
        host_seconds=fsum(used * (finish - start) for _, start, finish, used, _ in rows),
        mean_waiting_time=fsum(waits) / count,
        max_waiting_time=max(waits),
        mean_turnaround_time=fsum(turnarounds) / count,
        mean_bounded_slowdown=fsum(bounded) / count,
    )
