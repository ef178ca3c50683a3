"""``schedule.csv`` (Batsim 3 and 4, and ours) or ``schedule.json`` (Batsim 5): the figures of a whole run.

Definitions are Batsim's (docs/reference/outputs.md): means are over *all* jobs, rejected ones counted as zero, and a
slowdown is turnaround over execution time. Our own figures are in ``metrics.json``.
"""

from collections.abc import Mapping
from math import isnan, nan
from typing import Any, Final

from windtunnel.results.columns import Collector
from windtunnel.results.derived import Derived
from windtunnel.results.fields import plain
from windtunnel.results.layout import Dialect

__all__ = ["TOTALS", "WALL_CLOCK", "as_csv", "as_json", "figures"]

TOTALS: Final = (
    "consumed_joules",
    "nb_grouped_switches",
    "nb_machine_switches",
    "scheduling_time",
    "simulation_time",
    "time_computing",
    "time_idle",
    "time_sleeping",
    "time_switching_off",
    "time_switching_on",
    "time_unavailable",
)
"""The figures that only the engine knows (see ``Observer.on_end``); missing ones count as 0."""
WALL_CLOCK: Final = ("scheduling_time", "simulation_time")


def figures(
    collector: Collector, derived: Derived, totals: Mapping[str, Any], version: str
) -> dict[str, str | int | float]:
    """All figures, by name in byte order; a mean over no job is ``nan``."""
    ran = derived.ran
    jobs = derived.jobs
    success = derived.states.get("COMPLETED_SUCCESSFULLY", 0)
    made: dict[str, str | int | float] = {
        "batsim_version": version,
        "makespan": derived.latest,
        "nb_computing_machines": collector.machines,
        "nb_jobs": jobs,
        "nb_jobs_finished": len(ran),
        "nb_jobs_killed": len(ran) - success,
        "nb_jobs_rejected": jobs - len(ran),
        "nb_jobs_success": success,
        "success_rate": success / jobs if jobs else nan,
    }
    per_job = {
        "slowdown": derived.slowdown,
        "turnaround_time": derived.turnaround,
        "waiting_time": derived.waiting,
    }
    for name, quantity in per_job.items():
        made[f"max_{name}"] = quantity.largest
        made[f"mean_{name}"] = quantity.total / jobs if jobs else nan
    for name in TOTALS:
        made[name] = int(totals.get(name, 0)) if name.startswith("nb_") else float(totals.get(name, 0.0))
    return dict(sorted(made.items()))


def _text(value: str | float, empty: str) -> str:
    if isinstance(value, float):
        return empty if isnan(value) else f"{value:f}"
    return plain(str(value))


def as_csv(made: Mapping[str, str | float], dialect: Dialect) -> bytes:
    """Header line and value line. Batsim writes a mean over no job as ``-nan``, we as ``nan``."""
    empty = "-nan" if dialect is Dialect.BATSIM4 else "nan"
    values = ",".join(_text(value, empty) for value in made.values())
    return f"{','.join(made)}\n{values}\n".encode()


def as_json(made: Mapping[str, str | float]) -> bytes:
    """A flat object without the wall-clock figures; a mean over no job is null (Batsim 5 writes invalid JSON)."""
    import msgspec

    lines = [
        f"  {msgspec.json.encode(name).decode()}: "
        + (msgspec.json.encode(value).decode() if isinstance(value, str) else _text(value, "null"))
        for name, value in made.items()
        if name not in WALL_CLOCK
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
