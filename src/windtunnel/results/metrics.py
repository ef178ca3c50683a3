"""The metrics of a run, and how they are shown. How they are computed: :mod:`windtunnel.results.computing`."""

from collections.abc import Callable, Iterator

import msgspec

from windtunnel.diagnostics import show_duration
from windtunnel.model.bill import Bill
from windtunnel.results.bill_rows import bill_rows
from windtunnel.results.distribution import Distribution
from windtunnel.results.size_metrics import SizeMetrics

__all__ = ["Bill", "Figure", "GroupMetrics", "Metrics", "UpToStop"]


class GroupMetrics(msgspec.Struct, frozen=True):
    """The jobs of one user or queue that ran. Times in s."""

    jobs: int
    host_seconds: float
    mean_waiting_time: float
    max_waiting_time: float
    mean_turnaround_time: float
    mean_bounded_slowdown: float


class Figure(msgspec.Struct, frozen=True):
    """The value of a user-defined metric."""

    value: float | None
    """None: the function returned no value, or it failed."""
    unit: str = ""
    label: str = ""
    """Its label in tables."""
    error: str = ""
    """Why it failed."""

    def __str__(self) -> str:
        if self.error:
            return f"failed: {self.error}"
        if self.value is None:
            return "-"
        number = f"{self.value:,.2f}" if abs(self.value) < 1e15 else f"{self.value:.6g}"
        return f"{number} {self.unit}".rstrip()


class UpToStop(msgspec.Struct, frozen=True, kw_only=True):
    """From the first submission to the date at which a run ended early, over all jobs."""

    running: int
    """Jobs that had started and not ended, suspended ones among them."""
    waiting: int
    """Jobs that were submitted and had not started."""
    allocated_host_seconds: float
    available_host_seconds: float
    utilisation: float
    """Allocated host-seconds divided by available ones, in [0, 1]."""


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
    bill: Bill | None = None
    """Electricity of the site: overhead, carbon, cost (never trimmed); None if no account of it was requested."""
    up_to_stop: UpToStop | None = None
    """What all jobs had of the hosts of a run that ended early (never trimmed); None if it came to its end."""
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
        if self.up_to_stop is not None:
            rows.append(("  of all jobs, up to the stop", f"{self.up_to_stop.utilisation:.2%}"))
        if ran:
            rows += _rows_of("turnaround time", self.turnaround_time, show_duration)
            rows.append(("slowdown, median / 95 %", f"{_number(self.slowdown.p50)} / {_number(self.slowdown.p95)}"))
        rows.append(("makespan", show_duration(self.makespan)))
        rows.append(("throughput", f"{_number(self.throughput)} jobs/h"))
        if self.consumed_joules is not None:
            rows.append(("energy", f"{self.consumed_joules:,.0f} J"))
        if self.bill is not None:
            rows += bill_rows(self.bill)
        if self.rack_excesses:
            text = f"{self.rack_excesses:,} times, by at most {self.worst_rack_excess:,.1f} W"
            rows.append(("racks above their power", text))
        if self.sizes is not None:
            rows += self.sizes.table()
        rows += [(figure.label or name, str(figure)) for name, figure in self.own.items()]
        return rows

    def json(self) -> bytes:
        """The metrics as indented JSON; ``up_to_stop`` is only there if a run ended early."""
        made = msgspec.to_builtins(self)
        if self.up_to_stop is None:
            del made["up_to_stop"]
        return msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n"

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
