"""The state all parts of the lease manager share: the table, what waits, what runs, and the rules in force."""

from collections.abc import Callable
from typing import Protocol

from windtunnel.diagnostics import SimulationError, UsageError, did_you_mean
from windtunnel.leases.deadline import DeadlineMapper, DeadlinePlanner
from windtunnel.leases.images import ImageStore
from windtunnel.leases.mapper import GreedyMapper, Mapper
from windtunnel.leases.placement import Placement
from windtunnel.leases.policies import (
    ADMISSION,
    HOST_SELECTION,
    PREEMPTION,
    PRICING,
    AdmissionPolicy,
    HostSelectionPolicy,
    PreemptionPolicy,
    PricingPolicy,
    load_policy,
)
from windtunnel.leases.preparation import ImagePreparation
from windtunnel.leases.record import LeaseRecord
from windtunnel.leases.reservations import TICKS, Progress, Reservation, VirtualMachines
from windtunnel.leases.slottable import SlotTable
from windtunnel.leases.space import ResourceSpace
from windtunnel.leases.suspension import SuspendResume
from windtunnel.leases.times import LeaseTimes
from windtunnel.loading import load
from windtunnel.model.lease import LeaseSite, LeaseState
from windtunnel.model.lease_options import Backfilling, ImageReuse, LeaseOptions

__all__ = ["TRANSITIONS", "Core", "Observer"]

_S = LeaseState
_LEAVING = (_S.CANCELLED, _S.FAIL)
TRANSITIONS: dict[LeaseState, frozenset[LeaseState]] = {
    _S.NEW: frozenset({_S.PENDING}),
    _S.PENDING: frozenset({_S.SCHEDULED, _S.QUEUED, _S.CANCELLED, _S.REJECTED, _S.REJECTED_BY_USER}),
    _S.SCHEDULED: frozenset({_S.PREPARING, _S.QUEUED, _S.PENDING, _S.READY, *_LEAVING}),
    _S.QUEUED: frozenset({_S.SCHEDULED, _S.CANCELLED}),
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
    _S.RESUMING: frozenset({_S.RESUMED_READY, *_LEAVING}),
    _S.RESUMED_READY: frozenset({_S.ACTIVE, *_LEAVING}),
}
"""The legal next states of each state; final states have none."""


class Observer(Protocol):
    """Hears what happens, in order. ``now`` is in ticks (1/100 s)."""

    def changed(self, now: int, lease: LeaseRecord, old: LeaseState, new: LeaseState) -> None:
        """A lease changed its state."""

    def began(self, now: int, reservation: Reservation) -> None:
        """A reservation starts."""

    def ended(self, now: int, reservation: Reservation) -> None:
        """A reservation ends as planned."""

    def ended_early(self, now: int, vm: VirtualMachines) -> None:
        """Machines end before their time."""

    def lost(self, now: int, vm: VirtualMachines) -> None:
        """Running machines were cancelled to make room; what they did since they started is lost."""

    def requested(self, now: int, lease: LeaseRecord) -> None:
        """A lease was submitted, and admitted or not."""

    def finished(self, now: int, lease: LeaseRecord) -> None:
        """A lease is done, rejected, cancelled or failed; the scheduler forgets it afterwards."""

    def step(self, now: int, core: "Core") -> None:
        """All that happens at this instant has happened."""


class Core:
    """See the module. Times are ticks."""

    def __init__(self, site: LeaseSite, options: LeaseOptions) -> None:
        if options.backfilling is Backfilling.INTERMEDIATE and options.backfilling_reservations is None:
            raise UsageError("backfilling intermediate needs backfilling-reservations, the number of reservations")
        self.site = site
        self.options = options
        self.space = ResourceSpace(site, rotate=options.haizea_compat)
        lost = 1000 if options.haizea_compat and site.numnodes >= 1000 else None
        self.table = SlotTable(site, self.space, lost=lost)
        self.times = LeaseTimes(options)
        self.images = ImageStore(
            caches=options.diskimage_reuse is ImageReuse.IMAGE_CACHES,
            limit=options.diskimage_cache_size,
            compat=options.haizea_compat,
        )
        self.now = 0
        self.leases: dict[int, LeaseRecord] = {}
        """Leases that are not over, in order of submission."""
        self.pending: dict[int, LeaseRecord] = {}
        """Leases submitted since the last scheduling."""
        self.queue: list[LeaseRecord] = []
        self.future: dict[LeaseRecord, None] = {}
        """Best-effort leases with a reservation in the future (made by backfilling), in order of entry."""
        self.observers: list[Observer] = []
        self.admission: AdmissionPolicy = load_policy(
            options.policy_admission, ADMISSION, AdmissionPolicy, "policy-admission"
        )()
        self.host_selection: HostSelectionPolicy = load_policy(
            options.policy_host_selection, HOST_SELECTION, HostSelectionPolicy, "policy-host-selection"
        )()
        self.preemption: PreemptionPolicy = load_policy(
            options.policy_preemption, PREEMPTION, PreemptionPolicy, "policy-preemption"
        )(self)
        self.pricing: PricingPolicy = load_policy(options.policy_pricing, PRICING, PricingPolicy, "policy-pricing")(
            self
        )
        self.suspension = SuspendResume(self)
        self.placement = Placement(self)
        self.preparation = ImagePreparation(self)
        self.deadlines = DeadlinePlanner(self)
        self.mapper: Mapper = _mapper(options.mapper)(self)

    def set_state(self, lease: LeaseRecord, state: LeaseState) -> None:
        """Move a lease to a state.

        Raises:
            SimulationError: the state machine does not allow it.
        """
        old = lease.state
        if state not in TRANSITIONS.get(old, ()):
            message = f"lease {lease.id} cannot go from {old.label} to {state.label}"
            raise SimulationError(message, now=self.now / TICKS)
        lease.state = state
        for observer in self.observers:
            observer.changed(self.now, lease, old, state)

    def enter(self, lease: LeaseRecord, vm: VirtualMachines) -> None:
        """Put machines, and what comes before and after them, into the lease and the slot table."""
        lease.add_vm(vm)
        for reservation in (*vm.pre, vm, *vm.post):
            self.table.add(reservation)
        self.note_premature(lease)

    def withdraw(self, vm: VirtualMachines) -> None:
        """Take machines, and what comes before and after them, out of the slot table."""
        self.future.pop(vm.lease, None)
        for reservation in (*vm.pre, *vm.post, vm):
            self.table.discard(reservation)

    def tell_lost(self, vm: VirtualMachines) -> None:
        """Machines were withdrawn for good; observers are told if they were running."""
        if vm.state is Progress.ACTIVE:
            for observer in self.observers:
                observer.lost(self.now, vm)

    def note_premature(self, lease: LeaseRecord) -> None:
        """Let the table know of changed early ends."""
        if lease.known is not None:
            for vm in lease.vms:
                self.table.note_premature(vm)

    def is_full(self, time: int) -> bool:
        """Whether no CPU at all is left at an instant."""
        if self.table.inflated:
            return self.table.free_cpu(time) == 0
        return self.table.profile.least_free(time, time + 1) == 0

    def fits_empty(self, lease: LeaseRecord) -> bool:
        """Whether a lease would fit if it were alone on the site."""
        if lease.uniform:
            fitting = self.table.base_fit(lease.needs[0])
            return sum(count * nodes.bit_count() for count, nodes in fitting) >= lease.numnodes
        return GreedyMapper(self).fits_empty(lease)

    def lose_future(self, lease: LeaseRecord) -> None:
        """The lease has no reservation in the future any more."""
        self.future.pop(lease, None)


def _mapper(name: str) -> Callable[[Core], Mapper]:
    if name == "greedy":
        return GreedyMapper
    if name == "deadline":
        return DeadlineMapper
    if ":" in name:
        found: Callable[[Core], Mapper] = load(name, "mapper:")
        return found
    raise UsageError(f"mapper: no mapper {name!r}", did_you_mean(name, ("greedy", "deadline")))
