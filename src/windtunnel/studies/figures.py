"""The columns of a study's results: one number for each figure of a run's metrics."""

from typing import Final

from windtunnel.model import JobState
from windtunnel.results.distribution import Distribution
from windtunnel.results.metrics import Metrics

__all__ = ["COUNTED", "FIGURES", "HIGHER_IS_BETTER", "NEITHER_IS_BETTER", "figures_of", "with_unit"]

_SPREAD: Final = tuple(Distribution.__struct_fields__)
_DISTRIBUTIONS: Final = ("waiting_time", "turnaround_time", "slowdown", "bounded_slowdown")
_PLAIN: Final = (
    "makespan",
    "jobs",
    "success_rate",
    "utilisation",
    "allocated_host_seconds",
    "available_host_seconds",
    "throughput",
    "consumed_joules",
    "rack_excesses",
    "worst_rack_excess",
)
_ENDS: Final = tuple(state for state in JobState if JobState.COMPLETED_SUCCESSFULLY <= state <= JobState.REJECTED)
_STATES: Final = tuple(f"jobs_{state.name.lower()}" for state in _ENDS)

_BILL: Final = (
    "bill_site_joules",
    "bill_grid_joules",
    "bill_generated_joules",
    "bill_exported_joules",
    "bill_devices_joules",
    "bill_losses_joules",
    "bill_overhead_joules",
    "bill_pue",
    "bill_peak_watts",
    "bill_cap_excess_joules",
    "bill_cap_excess_seconds",
    "bill_cap_excess_watts",
    "bill_carbon_g",
    "bill_cue",
    "bill_cost",
    "bill_revenue",
    "bill_battery_charged_joules",
    "bill_battery_given_joules",
    "bill_battery_losses_joules",
    "bill_battery_begin_joules",
    "bill_battery_end_joules",
)

_STOPPED: Final = (
    "up_to_stop_utilisation",
    "up_to_stop_allocated_host_seconds",
    "up_to_stop_available_host_seconds",
    "up_to_stop_running",
    "up_to_stop_waiting",
)
"""Of all jobs of a run that ended early (``until``); without values for runs that came to their end."""

HIGHER_IS_BETTER: Final = frozenset(
    {
        "success_rate",
        "utilisation",
        "up_to_stop_utilisation",
        "throughput",
        "jobs_completed_successfully",
        "bill_revenue",
    }
)
"""Figures of which more is better; of those that are in neither set, and not of the user's own, less."""

NEITHER_IS_BETTER: Final = frozenset(
    {
        "jobs",
        "allocated_host_seconds",
        "available_host_seconds",
        "up_to_stop_allocated_host_seconds",
        "up_to_stop_available_host_seconds",
        "up_to_stop_running",
        "bill_generated_joules",
        "bill_exported_joules",
        "bill_battery_charged_joules",
        "bill_battery_given_joules",
        "bill_battery_begin_joules",
        "bill_battery_end_joules",
    }
)
"""Figures that say nothing of how good a policy is; nor is it known of metrics of the user's own."""

FIGURES: Final = (
    *_PLAIN,
    *_STOPPED,
    *_BILL,
    *(f"{one}_{part}" for one in _DISTRIBUTIONS for part in _SPREAD),
    *_STATES,
)
"""By name, as docs/reference/metrics.md has them; ``jobs_...`` count jobs by how they ended."""

COUNTED: Final = frozenset({"jobs", "rack_excesses", "up_to_stop_running", "up_to_stop_waiting", *_STATES})
"""Those that are whole numbers."""


_UNITS: Final = {
    **dict.fromkeys((f"{one}_{part}" for one in _DISTRIBUTIONS[:2] for part in _SPREAD), "s"),
    "makespan": "s",
    "throughput": "jobs/h",
    "consumed_joules": "J",
    **dict.fromkeys((name for name in _BILL if name.endswith("_joules")), "J"),
    "bill_peak_watts": "W",
    "bill_carbon_g": "g",
    "bill_cue": "kg/kWh",
    "worst_rack_excess": "W",
}


def with_unit(name: str) -> str:
    """The name of a figure as a heading, with its unit where it has one: ``waiting_time_mean [s]``."""
    return f"{name} [{_UNITS[name]}]" if name in _UNITS else name


def figures_of(metrics: Metrics) -> dict[str, float | int | None]:
    """All figures of a run by name; metrics of one's own as ``own_NAME``."""
    found: dict[str, float | int | None] = {name: getattr(metrics, name) for name in _PLAIN}
    stop = metrics.up_to_stop
    found |= {name: None if stop is None else getattr(stop, name.removeprefix("up_to_stop_")) for name in _STOPPED}
    bill = metrics.bill
    found |= {name: None if bill is None else getattr(bill, name.removeprefix("bill_")) for name in _BILL}
    for name in _DISTRIBUTIONS:
        spread: Distribution = getattr(metrics, name)
        ran = metrics.jobs > metrics.states.get("REJECTED", 0)
        found |= {f"{name}_{part}": getattr(spread, part) if ran else None for part in _SPREAD}
    found |= {f"jobs_{state.name.lower()}": metrics.states.get(state.name, 0) for state in _ENDS}
    found |= {f"own_{name}": figure.value for name, figure in metrics.own.items()}
    return found
