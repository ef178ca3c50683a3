"""Queue orders and host selections (those of batsched 1.4.0; spec: schedulers.md section 2).

An order is the first key of the queue; who uses it adds what breaks ties. ``desc_slowdown`` and
``desc_bounded_slowdown`` rank by the time waited so far (batsched divides it by nothing, or by one second), and no
later instant changes that ranking: they equal ``fcfs``.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

from windtunnel.model import HostPool, HostSet, Job

__all__ = ["ORDERS", "OrderKey", "Policy", "QueueOrder", "Together", "pick"]

QueueOrder = Literal[
    "fcfs",
    "lcfs",
    "asc_size",
    "desc_size",
    "asc_walltime",
    "desc_walltime",
    "desc_slowdown",
    "desc_bounded_slowdown",
]
"""In which order queued jobs are considered."""

Policy = Literal["basic", "contiguous"]
"""Which hosts a job gets: the lowest ones, or the lowest of the first long enough run of consecutive numbers."""

Together = Literal["best_effort_contiguous", "basic"]
"""Which hosts a job gets: consecutive numbers where that is possible (Lucarelli, Mendonca, Trystram & Wagner, CCGrid
2015), or always the lowest ones."""

OrderKey = Callable[[Job, Any, Any], Any]
"""From a job, its date of release and its walltime to its place in the queue, smaller first."""

ORDERS: Final[dict[str, OrderKey]] = {
    "fcfs": lambda _, release, __: release,
    "lcfs": lambda _, release, __: -release,
    "asc_size": lambda job, _, __: job.request.hosts,
    "desc_size": lambda job, _, __: -job.request.hosts,
    "asc_walltime": lambda _, __, walltime: walltime,
    "desc_walltime": lambda _, __, walltime: -walltime,
    "desc_slowdown": lambda _, release, __: release,
    "desc_bounded_slowdown": lambda _, release, __: release,
}


def pick(pool: HostPool, count: int, policy: str) -> HostSet | None:
    """The hosts that a policy selects for a job of this size, or None when it does not fit."""
    return pool.pick_contiguous(count) if policy == "contiguous" else pool.pick(count)
