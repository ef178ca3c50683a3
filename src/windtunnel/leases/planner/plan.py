"""The plan: the slot table, the leases and where each of them stands. All parts of the planner share it."""

from enum import IntEnum
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError
from windtunnel.leases.planner.images import ImageStore
from windtunnel.leases.planner.record import LeaseRecord, Progress, Reservation, VirtualMachines
from windtunnel.leases.planner.rules import Rules
from windtunnel.leases.planner.slot_table import SlotTable
from windtunnel.leases.planner.space import ResourceSpace
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.leases.planner.times import LeaseTimes
from windtunnel.model.lease import LeaseSite, LeaseState
from windtunnel.model.lease_options import ImageReuse, LeaseOptions

__all__ = ["TRANSITIONS", "Happening", "Plan", "What"]

_SHOWN: Final = 10
_S = LeaseState
_LEAVING = (_S.CANCELLED, _S.FAIL)
TRANSITIONS: Final[dict[LeaseState, frozenset[LeaseState]]] = {
    _S.NEW: frozenset({_S.PENDING}),
    _S.PENDING: frozenset({_S.SCHEDULED, _S.QUEUED, _S.CANCELLED, _S.REJECTED, _S.REJECTED_BY_USER}),
    _S.SCHEDULED: frozenset({_S.PREPARING, _S.QUEUED, _S.PENDING, _S.READY, *_LEAVING}),
    _S.QUEUED: frozenset({_S.SCHEDULED, _S.CANCELLED, _S.REJECTED}),  # rejected: no nodes are left for it
    _S.PREPARING: frozenset({_S.READY, _S.QUEUED, _S.PENDING, *_LEAVING}),
    _S.READY: frozenset({_S.ACTIVE, _S.QUEUED, _S.PENDING, *_LEAVING}),
    _S.ACTIVE: frozenset({_S.SUSPENDING, _S.READY, _S.QUEUED, _S.DONE, *_LEAVING}),
    _S.SUSPENDING: frozenset({_S.SUSPENDED_PENDING, *_LEAVING}),
    _S.SUSPENDED_PENDING: frozenset({_S.SUSPENDED_QUEUED, _S.SUSPENDED_SCHEDULED, *_LEAVING}),
    _S.SUSPENDED_QUEUED: frozenset({_S.SUSPENDED_SCHEDULED, *_LEAVING}),
    _S.SUSPENDED_SCHEDULED: frozenset(
        {_S.SUSPENDED_QUEUED, _S.SUSPENDED_PENDING, _S.MIGRATING, _S.RESUMING, *_LEAVING}
    ),
    _S.MIGRATING: frozenset({_S.SUSPENDED_SCHEDULED, *_LEAVING}),
    _S.RESUMING: frozenset(
        {_S.RESUMED_READY, _S.SUSPENDED_QUEUED, *_LEAVING}
    ),  # queued: what was saved is still there
    _S.RESUMED_READY: frozenset({_S.ACTIVE, *_LEAVING}),
}
"""The legal next states of each state; final states have none."""


class What(IntEnum):
    """What the journal tells."""

    REQUESTED = 0
    """A lease was submitted, and admitted or not."""
    CHANGED = 1
    """A lease changed its state."""
    BEGAN = 2
    """A reservation starts."""
    ENDED = 3
    """A reservation ends."""
    ENDED_EARLY = 4
    """Machines end before their time; that they end follows."""
    LOST = 5
    """Running machines were cancelled to make room; what they did since they started is lost."""
    CUT_SHORT = 6
    """What else was under way for a lease was given up: an image or memory on its way, or being restored."""
    OVER = 7
    """A lease is done, rejected, cancelled or failed; the planner has forgotten it."""


Happening = tuple[What, LeaseRecord, Reservation | None, tuple[LeaseState, LeaseState] | None]
"""What, to which lease, by which reservation, and the old and the new state of a lease that changed its state."""

_CHANGED: Final = What.CHANGED
_ACTIVE: Final = Progress.ACTIVE
_LOST: Final = What.LOST
_DONE: Final = Progress.DONE
_CUT_SHORT: Final = What.CUT_SHORT
_OVER: Final = What.OVER


@mypyc_attr(allow_interpreted_subclasses=True)
class Plan:
    """See the module. Times are ticks."""

    def __init__(self, site: LeaseSite, rules: Rules) -> None:
        self.site = site
        self.rules = rules
        self.options: LeaseOptions = rules.options
        self.space = ResourceSpace(site, rotate=rules.rotates_instances)
        self.table = SlotTable(site, self.space, lost=rules.unusable_node(site.numnodes))
        self.times = LeaseTimes(rules)
        self.images = ImageStore(
            rules,
            caches=self.options.diskimage_reuse is ImageReuse.IMAGE_CACHES,
            limit=self.options.diskimage_cache_size,
        )
        self.live = False
        """Whether it serves leases: one that would never end is no reason to end the service."""
        self.now = 0
        self.leases: dict[int, LeaseRecord] = {}
        """Leases that are not over, in order of submission."""
        self.pending: dict[int, LeaseRecord] = {}
        """Leases submitted since the last scheduling."""
        self.queue: list[LeaseRecord] = []
        self.future: dict[LeaseRecord, None] = {}
        """Best-effort leases with a reservation in the future (made by backfilling), in order of entry."""
        self.has_deadlines = False
        """Whether a lease with a deadline was ever admitted."""
        self.suspended: dict[LeaseRecord, None] = {}
        """Leases that were suspended once."""
        self.overdue: dict[LeaseRecord, int] = {}
        """Leases that were asked to suspend when it should have begun already, and by when (only as in Haizea)."""
        self.journal: list[Happening] = []
        """What has happened since whoever drives the planner has read it, in order."""

    def set_state(self, lease: LeaseRecord, *states: LeaseState) -> None:
        """Move a lease to a state, or through several.

        Raises:
            SimulationError: the state machine does not allow it.
        """
        for state in states:
            old = lease.state
            if state not in TRANSITIONS.get(old, ()):
                if lease in self.overdue:
                    raise self.hangs(lease)
                message = f"lease {lease.id} cannot go from {old.label} to {state.label}"
                raise SimulationError(message, now=self.now / TICKS)
            lease.state = state
            self.journal.append((_CHANGED, lease, None, (old, state)))

    def check_free(self, lease: LeaseRecord, nodes: int) -> None:
        """See that no machines that were to be suspended before it was decided still run where a lease starts.

        Raises:
            SimulationError: some do, which is a quirk of Haizea.
        """
        for other in self.overdue:
            if other is not lease and any(vm.state is _ACTIVE and vm.mask & nodes for vm in other.vms):
                raise self.hangs(other)

    def hangs(self, lease: LeaseRecord) -> SimulationError:
        """The error of a lease that hangs as in Haizea, because too little time was left to suspend it."""
        by = self.overdue[lease] / TICKS
        return SimulationError(
            f"lease {lease.id} was to be suspended by {by:g} s, which should have begun before it was decided; this "
            "quirk of Haizea (haizea-compat) lets the lease run on where another is to start; "
            "without haizea-compat (--no-haizea-compat) such a lease is cancelled and requeued",
            now=self.now / TICKS,
        )

    def never_runs(self, lease: LeaseRecord) -> SimulationError:
        """The error of a lease that gets all the room it asks for and yet does not run: it would ask indefinitely."""
        return SimulationError(
            f"lease {lease.id} would be resumed and suspended again without running, indefinitely; this quirk "
            "of Haizea (haizea-compat) plans an overridden resume time without enactment-overhead and once per "
            "lease; without haizea-compat (--no-haizea-compat) the lease gets the time that it needs",
            now=self.now / TICKS,
        )

    def why_stuck(self) -> str:
        """Which leases gave way and wait indefinitely, as in Haizea; "" if there are none."""
        left = [str(lease.id) for lease in self.queue if not self.rules.requeues(lease.kind)]
        if not left:
            return ""
        names = ", ".join(left[:_SHOWN]) + (f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else "")
        return (
            f"leases that gave way to others wait in the queue: {names}; this quirk of Haizea (haizea-compat) leaves "
            "all but best-effort leases there; without haizea-compat (--no-haizea-compat) they get another place by "
            "their deadline at once, or are over"
        )

    def enter(self, lease: LeaseRecord, vm: VirtualMachines) -> None:
        """Put machines, and what comes before and after them, into the lease and the slot table."""
        lease.vms.append(vm)
        self.table.add_all((*vm.pre, vm, *vm.post))

    def withdraw(self, vm: VirtualMachines) -> None:
        """Take machines, and what comes before and after them, out of the slot table."""
        self.future.pop(vm.lease, None)
        for reservation in (*vm.pre, *vm.post, vm):
            self.table.discard(reservation)

    def tell_lost(self, vm: VirtualMachines) -> None:
        """Machines were withdrawn for good; told is whether they, or what precedes or follows, were under way."""
        for r in (*vm.pre, *vm.post):
            self.tell_cut_short(r)
        if vm.state is _ACTIVE:
            self.journal.append((_LOST, vm.lease, vm, None))

    def tell_cut_short(self, reservation: Reservation) -> None:
        """Something was given up for good; that is told if it was under way."""
        if reservation.state is _ACTIVE:
            reservation.state = _DONE
            self.journal.append((_CUT_SHORT, reservation.lease, reservation, None))

    def forget(self, lease: LeaseRecord, state: LeaseState) -> None:
        """Move a lease to a final state and drop it."""
        self.set_state(lease, state)
        self.leases.pop(lease.id, None)
        self.pending.pop(lease.id, None)
        self.future.pop(lease, None)
        self.suspended.pop(lease, None)
        self.overdue.pop(lease, None)
        self.images.holders.pop(lease, None)
        self.journal.append((_OVER, lease, None, None))

    def enqueue(self, lease: LeaseRecord) -> None:
        """Put a lease back in the queue, by submission."""
        self.queue.append(lease)
        self.queue.sort(key=lambda other: other.submit)

    def is_full(self, time: int) -> bool:
        """Whether no CPU at all is left at an instant."""
        if self.table.inflated:
            return self.table.free_cpu(time) <= 0
        return self.table.profile.least_free(time, time + 1) <= 0

    def disk_usage(self) -> int:
        """The most MB of deployed images and saved memory on any node (cached images not counted)."""
        if not self.suspended and not self.images.holders:
            return 0
        used: dict[int, int] = {}
        for lease in {**self.suspended, **self.images.holders}:
            for vnode, node in lease.memory_at.items():
                used[node] = used.get(node, 0) + lease.memories[vnode]
            if lease.software is not None:
                for node, _ in lease.images_at:
                    used[node] = used.get(node, 0) + lease.software.size
        return max(used.values(), default=0)
