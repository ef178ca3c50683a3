"""How the metrics of a run are computed. Their formulas are in docs/reference/metrics.md."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import fsum, inf, isfinite
from operator import mul, sub

import msgspec

from windtunnel.diagnostics import SimulationError
from windtunnel.model.bill import Bill
from windtunnel.results.columns import Columns
from windtunnel.results.derived import TOO_LONG, Derived
from windtunnel.results.kept import Kept
from windtunnel.results.metrics import GroupMetrics, Metrics, UpToStop
from windtunnel.results.own_metrics import Record, figures_of
from windtunnel.results.resizes_csv import sized
from windtunnel.results.size_metrics import size_metrics
from windtunnel.results.trimming import Trim, seconds_of, window

__all__ = ["available_in", "compute"]


def compute(
    columns: Columns,
    *,
    warm_up: Trim = 0.0,
    cool_down: Trim = 0.0,
    joules: float | None = None,
    racks: tuple[int, float] = (0, 0.0),
    bill: Bill | None = None,
    stop: UpToStop | None = None,
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
        bill: the electricity of the site, if there is an account of it.
        stop: what all jobs had of the hosts, if the run ended early.
        derived: values computed from all jobs, if the caller has them already.
        read: returns the content of a file of the run, for changes of size and user-defined metrics.

    Raises:
        UsageError: a trim is malformed, or nothing remains.
        SimulationError: times are finite each, and their sums are not.
    """
    opens, closes = window(columns, warm_up, cool_down, derived)
    trimmed = bool(seconds_of(warm_up, 1.0, "warm-up") or seconds_of(cool_down, 1.0, "cool-down"))
    chosen = columns.within(opens, closes) if trimmed else columns
    if trimmed or derived is None:
        derived = Derived(chosen)
    allocated = _allocated(columns, opens, closes, None if trimmed else derived)
    available = available_in(columns, opens, closes)
    if isfinite(closes) and not isfinite(allocated + available):
        raise SimulationError(TOO_LONG)
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
        bill=bill,
        up_to_stop=stop,
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


def available_in(columns: Columns, opens: float, closes: float, more: Iterable[Kept] = ()) -> float:
    """Host-seconds that could be used within [opens, closes], and what jobs had of hosts that were not available;
    ``more`` of that is what jobs had that have not ended.
    """
    total = columns.hosts * (closes - opens)
    total += fsum([n * max(0.0, min(b, closes) - max(a, opens)) for a, b, n in (*columns.kept, *more)])
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
