"""What is odd in Haizea, reproduced (``haizea-compat``); docs/reference/leases.md lists each point for users."""

from collections.abc import Sequence
from math import ceil
from typing import ClassVar

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.record import LeaseRecord, VirtualMachines
from windtunnel.leases.planner.rules import Rules
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model.lease import LeaseKind

__all__ = ["HaizeaRules"]

IMAGE_NODE = 1000
"""The number of the image repository, which takes the place of a node of a large site."""


@mypyc_attr(allow_interpreted_subclasses=True)
class HaizeaRules(Rules):
    """Every oddity has its place here and nowhere else."""

    rotates_instances: ClassVar[bool] = True
    holds_deadlines: ClassVar[bool] = False
    memory_stays: ClassVar[bool] = False
    looks_before_first_transfer: ClassVar[bool] = False
    forced_time_counts_once: ClassVar[bool] = True
    needs_time_to_suspend: ClassVar[bool] = False
    holds_serial_only: ClassVar[bool] = False
    fills_what_is_cancelled: ClassVar[bool] = False
    respects_preemptible: ClassVar[bool] = False
    others_give_way_to_deadlines: ClassVar[bool] = True
    rounds_ends: ClassVar[bool] = True
    forgets_what_follows: ClassVar[bool] = True

    def stretched(self, requested: int, real: int | None) -> tuple[int, int | None]:
        """Rounding errors become whole seconds: 3600 s and 10 % make 3961 s; a known duration takes the place of the
        requested one and is not stretched itself.
        """
        length = requested if real is None else real
        return ceil(length / TICKS * (1 + self.options.runtime_overhead / 100)) * TICKS, real

    def unusable_node(self, nodes: int) -> int | None:
        """The image repository has number 1000."""
        return IMAGE_NODE if nodes >= IMAGE_NODE else None

    def may_be_cached(self, size: int, limit: int) -> bool:
        """Also images larger than the cache."""
        del size, limit
        return True

    def cache_target(self, size: int, limit: int) -> int:
        """Until the others fit, not until the new one fits too."""
        del size
        return limit

    def moved_deadline(self, deadline: int, until: int) -> int:
        """The freed room's end, also where that is later than the lease's own deadline."""
        del deadline
        return until

    def last_first(self, candidates: list[LeaseRecord]) -> list[LeaseRecord]:
        """The least ready is taken first."""
        return candidates

    def saving(self, cpus: Sequence[int], memory: int, *, instances: bool) -> tuple[tuple[int, ...], int]:
        """A whole CPU whatever was asked for, and all the memory once per virtual node."""
        return (100,) * len(cpus) if instances else (100,), memory * len(cpus)

    def migrated_memories(self, lease: LeaseRecord, vm: VirtualMachines) -> Sequence[int]:
        """For each virtual node the memory of all those on its node."""
        on_node: dict[int, int] = {}
        for host, memory in zip(vm.hosts, lease.memories, strict=True):
            on_node[host] = on_node.get(host, 0) + memory
        return [on_node[host] for host in vm.hosts]

    def requeues(self, kind: LeaseKind) -> bool:
        """Leases of other kinds than best-effort lie there indefinitely."""
        return kind is LeaseKind.BEST_EFFORT
