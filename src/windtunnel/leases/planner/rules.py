"""What the planner does where Haizea is odd: the sane ways. Haizea's own are in :mod:`windtunnel.leases.haizea`."""

from collections.abc import Sequence
from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.record import LeaseRecord, VirtualMachines
from windtunnel.leases.planner.ticks import TICKS, ceil_second, ticks, uncountable
from windtunnel.model.lease import LeaseKind
from windtunnel.model.lease_options import LeaseOptions, Overhead

__all__ = ["Rules"]

# Bound once: an enumeration looks its members up anew each time.
_OVERHEAD_ALL: Final = Overhead.ALL
_OVERHEAD_BESTEFFORT: Final = Overhead.BESTEFFORT
_BEST_EFFORT: Final = LeaseKind.BEST_EFFORT


@mypyc_attr(allow_interpreted_subclasses=True)
class Rules:
    """One object per planner; durations and times are ticks."""

    rotates_instances: ClassVar[bool] = False
    """Whether a node's last instance of a resource comes first."""
    holds_deadlines: ClassVar[bool] = True
    """Whether shutdowns and moved leases are held to the deadline, and failures are no longer counted as reserved."""
    memory_stays: ClassVar[bool] = True
    """Whether, without migration, each virtual node resumes where its own memory lies."""
    looks_before_first_transfer: ClassVar[bool] = True
    """Whether a reservation's image may be sent before the first transfer that is planned."""
    forced_time_counts_once: ClassVar[bool] = False
    """Whether a given time to suspend or resume is reckoned with once for a lease, not for each virtual node."""
    needs_time_to_suspend: ClassVar[bool] = True
    """Whether machines are only told to suspend where there is time left for it."""
    holds_serial_only: ClassVar[bool] = True
    """Whether deadline leases of several nodes are not suspended where only those of one node may be."""
    fills_what_is_cancelled: ClassVar[bool] = True
    """Whether leases with a later reservation move forward into the room that a cancelled one leaves."""
    respects_preemptible: ClassVar[bool] = True
    """Whether leases that say so do not give way."""
    others_give_way_to_deadlines: ClassVar[bool] = False
    """Whether leases without a deadline give way first under the deadline policy."""
    rounds_ends: ClassVar[bool] = False
    """Whether the date of an end is rounded to a second."""
    forgets_what_follows: ClassVar[bool] = False
    """Whether the end of a lease leaves in the slot table what was to precede and follow its machines."""

    def __init__(self, options: LeaseOptions) -> None:
        self.options = options

    def durations(self, kind: LeaseKind, requested: float, real: float | None) -> tuple[int, int | None]:
        """Requested and real duration (given in s) after the overheads that are to be added.

        Raises:
            SimulationError: they are more than can be counted.
        """
        try:
            asked, known = round(requested * TICKS), None if real is None else round(real * TICKS)
        except OverflowError:
            raise uncountable(requested, real) from None
        options = self.options
        concerned = options.add_overhead is _OVERHEAD_ALL or (
            options.add_overhead is _OVERHEAD_BESTEFFORT and kind is _BEST_EFFORT
        )
        if not concerned:
            return asked, known
        if options.runtime_overhead:
            asked, known = self.stretched(asked, known)
        boot = ticks(options.boot_overhead)
        return asked + boot, None if known is None else known + boot

    def stretched(self, requested: int, real: int | None) -> tuple[int, int | None]:
        """Both durations with the overhead in percent."""
        percent = self.options.runtime_overhead

        def longer(length: int) -> int:
            return ceil_second(round(length * (100 + percent) / 100))

        return longer(requested), None if real is None else longer(real)

    def unusable_node(self, nodes: int) -> int | None:
        """The number of a node that cannot be used, of so many."""
        del nodes
        return None

    def may_be_cached(self, size: int, limit: int) -> bool:
        """Whether an image (MB) is looked for room for at all in a cache."""
        return size <= limit

    def cache_target(self, size: int, limit: int) -> int:
        """Down to which size (MB) a cache is emptied so that an image fits."""
        return limit - size

    def moved_deadline(self, deadline: int, until: int) -> int:
        """The deadline a lease is held to when it is moved into room that is free until a time."""
        return min(deadline, until)

    def last_first(self, candidates: list[LeaseRecord]) -> list[LeaseRecord]:
        """Leases that may give way, given by falling readiness; the one at the end is taken first."""
        return candidates[::-1]

    def saving(self, cpus: Sequence[int], memory: int, *, instances: bool) -> tuple[tuple[int, ...], int]:
        """CPU (by instance, where nodes have several) and memory (MB) that saving holds on a node.

        ``cpus`` are those of its virtual nodes, ``memory`` is theirs together.
        """
        return tuple(cpus) if instances else (sum(cpus),), memory

    def migrated_memories(self, lease: LeaseRecord, vm: VirtualMachines) -> Sequence[int]:
        """The MB that moving each virtual node is reckoned with."""
        del vm
        return lease.memories

    def requeues(self, kind: LeaseKind) -> bool:
        """Whether suspended leases of a kind wait in the queue to go on."""
        del kind
        return True
