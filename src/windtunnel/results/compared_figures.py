"""What is compared of runs: their figures, as far as these can be compared."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from windtunnel.results.metrics import Metrics

__all__ = ["BILLED", "FIGURES", "figures_of", "has_run", "in_digits"]


def has_run(metrics: Metrics) -> bool:
    """Whether any job ran: waits and slowdowns of none are no figures."""
    return metrics.jobs > metrics.states.get("REJECTED", 0)


_Figure = tuple[str, str, Callable[[Metrics], float | None]]

_OF_JOBS: Final[tuple[_Figure, ...]] = (
    ("makespan", "s", lambda m: m.makespan),
    ("waiting time, mean", "s", lambda m: m.waiting_time.mean if has_run(m) else None),
    ("waiting time, 95 %", "s", lambda m: m.waiting_time.p95 if has_run(m) else None),
    ("waiting time, max", "s", lambda m: m.waiting_time.max if has_run(m) else None),
    ("turnaround time, mean", "s", lambda m: m.turnaround_time.mean if has_run(m) else None),
    ("slowdown, mean", "", lambda m: m.slowdown.mean if has_run(m) else None),
    ("bounded slowdown, mean", "", lambda m: m.bounded_slowdown.mean if has_run(m) else None),
    ("bounded slowdown, 95 %", "", lambda m: m.bounded_slowdown.p95 if has_run(m) else None),
    ("utilisation", "", lambda m: m.utilisation),
    ("throughput", "jobs/h", lambda m: m.throughput),
    ("success rate", "", lambda m: m.success_rate),
    ("energy", "J", lambda m: m.consumed_joules),
)

_OF_BILL: Final[tuple[_Figure, ...]] = (
    ("energy of the site", "J", lambda m: None if m.bill is None else m.bill.site_joules),
    ("energy of the grid", "J", lambda m: None if m.bill is None else m.bill.grid_joules),
    ("energy generated", "J", lambda m: None if m.bill is None else m.bill.generated_joules),
    ("energy exported", "J", lambda m: None if m.bill is None else m.bill.exported_joules),
    ("PUE", "", lambda m: None if m.bill is None else m.bill.pue),
    ("peak of 15 min", "W", lambda m: None if m.bill is None else m.bill.peak_watts),
    ("energy above the cap", "J", lambda m: None if m.bill is None else m.bill.cap_excess_joules),
    ("carbon", "g", lambda m: None if m.bill is None else m.bill.carbon_g),
    ("cost", "", lambda m: None if m.bill is None else m.bill.cost),
    ("revenue of exports", "", lambda m: None if m.bill is None else m.bill.revenue),
)

FIGURES: Final = (*_OF_JOBS, *_OF_BILL)
"""What is compared of two runs: name, unit, and where it is in their metrics."""

BILLED: Final = frozenset(name for name, _, _ in _OF_BILL)
"""What may differ although all jobs are alike."""
_MONEY: Final = ("cost", "revenue of exports")


def figures_of(measured: Sequence[Metrics]) -> Iterator[tuple[str, str, list[float | None]]]:
    """Name and unit of each figure, and its values in all runs; None where it is not there.

    What cannot be compared has figures of its own: costs in several currencies, grams by several kinds of intensity.
    """
    for name, unit, figure in FIGURES:
        values = [figure(metrics) for metrics in measured]
        kinds = [_kind(name, metrics) for metrics in measured]
        known = [kind for kind in dict.fromkeys(kinds) if kind]
        if len(known) < 2:
            yield name, known[0] if known and name in _MONEY else unit, values
            continue
        for kind in dict.fromkeys(kinds):
            parts = [value if one == kind else None for value, one in zip(values, kinds, strict=True)]
            if any(part is not None for part in parts):
                yield (name, kind, parts) if name in _MONEY else (f"{name}, {kind}" if kind else name, unit, parts)


def in_digits(value: float | None, sign: str = "", beside: float = 0.0) -> str:
    """A figure with four digits behind the point; small ones with four that say something.

    What is nothing but rounding beside the figures it is a difference of is 0.
    """
    if value is None:
        return "-"
    if abs(value) <= 1e-12 * abs(beside):
        value = 0.0
    return f"{value:{sign},.4g}" if 0.0 < abs(value) < 1e-3 else f"{value:{sign},.4f}"


def _kind(name: str, metrics: Metrics) -> str:
    """What a figure must have in common to be compared; empty: nothing, or it is not known."""
    if metrics.bill is None:
        return ""
    return metrics.bill.currency if name in _MONEY else metrics.bill.carbon_kind if name == "carbon" else ""
