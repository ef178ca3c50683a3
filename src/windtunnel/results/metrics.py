"""The metrics of a run. Their formulas are in docs/reference/metrics.md."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import fsum, inf, nan
from operator import mul, sub

import msgspec

from windtunnel.diagnostics import UsageError, read_duration, show_duration
from windtunnel.results.columns import Columns
from windtunnel.results.derived import Derived
from windtunnel.results.distribution import Distribution
from windtunnel.results.own_metrics import Figure, Record, figures_of
from windtunnel.results.resizes_csv import sized
from windtunnel.results.size_metrics import SizeMetrics, size_metrics

__all__ = ["GroupMetrics", "Metrics", "Trim", "compute", "seconds_of", "window"]

Trim = float | str
"""A part of the run to exclude: seconds, a duration as a string (``"2d"``), or a share of the run (``"10%"``)."""


class GroupMetrics(msgspec.Struct, frozen=True):
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
    """Jobs that ended or were rejected."""
    states: dict[str, int]
    """The number of jobs for each way of ending."""
    success_rate: float
    waiting_time: Distribution
    turnaround_time: Distribution
    slowdown: Distribution
    bounded_slowdown: Distribution
    utilisation: float
    """Allocated host-seconds divided by available ones within the window, in [0, 1]."""
    allocated_host_seconds: float
    available_host_seconds: float
    throughput: float
    """Jobs that ran to an end within the window, per hour."""
    consumed_joules: float | None = None
    """As in schedule.csv (never trimmed); None if energy was not simulated."""
    rack_excesses: int = 0
    """How often a rack exceeded its power capacity (never trimmed); only known if energy was simulated."""
    worst_rack_excess: float = 0.0
    """The greatest excess over a rack's power capacity (W)."""
    users: dict[str, GroupMetrics] = {}
    queues: dict[str, GroupMetrics] = {}
    sizes: SizeMetrics | None = None
    """Changes of size within the window; None if there were none."""
    own: dict[str, Figure] = {}
    """User-defined metrics (:mod:`windtunnel.results.own_metrics`), by name."""

    def table(self) -> list[tuple[str, str]]:
        """Rows (name, value with unit) for display: waits, bounded slowdown, utilisation first; times as 3 h 12 min.

        The mean slowdown is only in :meth:`json`, as a few jobs of almost no length dominate it.
        """
        rows = [("jobs", f"{self.jobs:,}")]
        rows += [(f"  {name.lower().replace('_', ' ')}", f"{n:,}") for name, n in self.states.items()]
        ran = self.jobs > self.states.get("REJECTED", 0)
        if ran:
            rows += _rows_of("waiting time", self.waiting_time, show_duration)
            rows += _rows_of("bounded slowdown", self.bounded_slowdown, _number)
        rows.append(("utilisation", f"{self.utilisation:.2%}"))
        if ran:
            rows += _rows_of("turnaround time", self.turnaround_time, show_duration)
            rows.append(("slowdown, median / 95 %", f"{_number(self.slowdown.p50)} / {_number(self.slowdown.p95)}"))
        rows.append(("makespan", show_duration(self.makespan)))
        rows.append(("throughput", f"{_number(self.throughput)} jobs/h"))
        if self.consumed_joules is not None:
            rows.append(("energy", f"{self.consumed_joules:,.0f} J"))
        if self.rack_excesses:
            text = f"{self.rack_excesses:,} times, by at most {self.worst_rack_excess:,.1f} W"
            rows.append(("racks above their power", text))
        if self.sizes is not None:
            rows += self.sizes.table()
        rows += [(figure.label or name, str(figure)) for name, figure in self.own.items()]
        return rows

    def json(self) -> bytes:
        """The metrics as indented JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from windtunnel.diagnostics.html_tables import html_table

        return html_table(self.table())

    def __str__(self) -> str:
        rows = self.table()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _number(value: float) -> str:
    """With two digits, as long as all of them mean something."""
    return f"{value:,.2f}" if abs(value) < 1e15 else f"{value:.6g}"


def _rows_of(name: str, d: Distribution, show: Callable[[float], str]) -> Iterator[tuple[str, str]]:
    yield f"{name}, mean", show(d.mean)
    yield "  median / 95 % / max", f"{show(d.p50)} / {show(d.p95)} / {show(d.max)}"


def seconds_of(trim: Trim, whole: float, what: str) -> float:
    """A trim in seconds, given the length of the run.

    Raises:
        UsageError: it is malformed.
    """
    try:
        text = str(trim).strip()
        share = float(text[:-1]) / 100.0 if text.endswith("%") else 0.0
        value = share * whole if text.endswith("%") else read_duration(text)
    except (ValueError, UsageError):
        share = value = nan
    if share >= 1.0:
        raise UsageError(f"{what}: {trim} leaves nothing", "such as 3600, 2d or 10%")
    if not (0.0 <= value < inf and share >= 0.0):
        raise UsageError(f"{what}: {trim!r} is neither a duration nor a percentage", "such as 3600, 2d or 10%")
    return value


def window(
    columns: Columns, warm_up: Trim = 0.0, cool_down: Trim = 0.0, derived: Derived | None = None
) -> tuple[float, float]:
    """The part of the run that counts (s); ``derived`` are values computed from all jobs, if there are any yet.

    Raises:
        UsageError: a trim is malformed, or nothing remains.
    """
    first = derived.earliest if derived and derived.ran is columns else min(columns.submitted, default=0.0)
    last = max(derived.latest if derived else max(columns.finish, default=0.0), first)
    opens = first + seconds_of(warm_up, last - first, "warm-up")
    closes = last - seconds_of(cool_down, last - first, "cool-down")
    if opens > closes or (opens == closes and first < last):
        raise UsageError(f"warm-up {warm_up} and cool-down {cool_down} leave nothing of {last - first:g} s")
    return opens, closes


def compute(
    columns: Columns,
    *,
    warm_up: Trim = 0.0,
    cool_down: Trim = 0.0,
    joules: float | None = None,
    racks: tuple[int, float] = (0, 0.0),
    derived: Derived | None = None,
    read: Callable[[str], bytes | None] = lambda _: None,
) -> Metrics:
    """All metrics.

    Args:
        columns: the jobs.
        warm_up: what to exclude at the beginning.
        cool_down: what to exclude at the end.
        joules: the energy of the whole run, if it is known.
        racks: how often racks exceeded their capacity, and the greatest excess (W).
        derived: values computed from all jobs, if the caller has them already.
        read: returns the content of a file of the run, for changes of size and user-defined metrics.

    Raises:
        UsageError: a trim is malformed, or nothing remains.
    """
    opens, closes = window(columns, warm_up, cool_down, derived)
    trimmed = bool(seconds_of(warm_up, 1.0, "warm-up") or seconds_of(cool_down, 1.0, "cool-down"))
    chosen = columns.within(opens, closes) if trimmed else columns
    if trimmed or derived is None:
        derived = Derived(chosen)
    allocated = _allocated(columns, opens, closes, None if trimmed else derived)
    available = _available(columns, opens, closes)
    ended = sum(1 for f in columns.finish if opens <= f <= closes) if trimmed else len(derived.ran)
    users, queues = _groups(derived)
    states = derived.states
    made = Metrics(
        window=(opens, closes),
        makespan=max(max(columns.finish, default=0.0) if trimmed else derived.latest, 0.0),
        jobs=len(chosen),
        states=states,
        success_rate=states.get("COMPLETED_SUCCESSFULLY", 0) / len(chosen) if len(chosen) else 0.0,
        waiting_time=derived.waiting.distribution,
        turnaround_time=derived.turnaround.distribution,
        slowdown=derived.slowdown.distribution,
        bounded_slowdown=derived.bounded.distribution,
        utilisation=allocated / available if available > 0.0 else 0.0,
        allocated_host_seconds=allocated,
        available_host_seconds=available,
        throughput=ended * 3600.0 / (closes - opens) if closes > opens else 0.0,
        consumed_joules=joules,
        rack_excesses=racks[0],
        worst_rack_excess=racks[1],
        users=users,
        queues=queues,
        sizes=size_metrics(sized(read("resizes.csv")), opens, closes),
    )
    own = figures_of(lambda: Record(made, chosen.as_filed(), read))
    return msgspec.structs.replace(made, own=own) if own else made


def _allocated(columns: Columns, opens: float, closes: float, whole: Derived | None) -> float:
    """Host-seconds held by jobs within [opens, closes]; ``whole`` if that is the whole run."""
    if whole is None:
        jobs = zip(columns.start, columns.finish, columns.used, strict=True)
        held = fsum([n * (min(f, closes) - max(s, opens)) for s, f, n in jobs if f > opens and 0.0 <= s < closes])
    elif whole.instant:  # such jobs have a duration there
        held = fsum(map(mul, columns.used, map(sub, columns.finish, columns.start)))
    else:
        held = whole.area
    away = fsum(n * max(0.0, min(b, closes) - max(a, opens)) for a, b, n in columns.pauses)
    return held - away


def _available(columns: Columns, opens: float, closes: float) -> float:
    """Host-seconds that could be used within [opens, closes]."""
    total = columns.hosts * (closes - opens)
    for (since, count), (until, _) in pairwise([*columns.unavailable, (inf, 0)]):
        total -= count * max(0.0, min(until, closes) - max(since, opens))
    return total


def _groups(derived: Derived) -> tuple[dict[str, GroupMetrics], dict[str, GroupMetrics]]:
    """Tables per user and per queue; empty where no job names one."""
    waiting = derived.waiting
    columns = (waiting.sums, waiting.maxima, derived.areas, derived.turnaround.sums, derived.bounded.sums)
    sums = list(zip(derived.owners, zip(derived.counts, *columns, strict=True), strict=True))
    return _table(derived.ran, sums, 0), _table(derived.ran, sums, 1)


_Sums = tuple[int, float, float, float, float, float]
"""Jobs; sum and maximum of waits; sums of host-seconds, turnarounds and bounded slowdowns."""


def _table(ran: Columns, sums: Sequence[tuple[int, _Sums]], part: int) -> dict[str, GroupMetrics]:
    """Groups by user (part 0) or queue (part 1) from the sums of (user, queue) pairs."""
    merged: dict[str, list[_Sums]] = {}
    for owner, total in sums:
        merged.setdefault(ran.owners[owner][part], []).append(total)
    if not any(merged):
        return {}
    made = {}
    for name in sorted(merged):
        counts, waits, longest, area, turnarounds, bounded = zip(*merged[name], strict=True)
        jobs = sum(counts)
        made[name] = GroupMetrics(
            jobs=jobs,
            host_seconds=fsum(area),
            mean_waiting_time=fsum(waits) / jobs,
            max_waiting_time=max(longest),
            mean_turnaround_time=fsum(turnarounds) / jobs,
            mean_bounded_slowdown=fsum(bounded) / jobs,
        )
    return made
