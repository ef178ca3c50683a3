"""What happens when reservations start and end, and when leases end or are cancelled."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from windtunnel.diagnostics import SimulationError
from windtunnel.leases.record import LeaseRecord
from windtunnel.leases.reservations import (
    TICKS,
    DiskMigration,
    Migration,
    Progress,
    Reservation,
    Resumption,
    Shutdown,
    Suspension,
    Transfer,
    VirtualMachines,
)
from windtunnel.model.lease import LeaseKind, LeaseState
from windtunnel.model.lease_options import FailureHandling

if TYPE_CHECKING:
    from windtunnel.leases.scheduler import LeaseScheduler

__all__ = ["Handlers"]

_S = LeaseState


class _LeaseFailure(Exception):  # noqa: N818  internal; becomes a failed lease or a SimulationError
    """A lease cannot go on."""


class Handlers:
    """Carries out reservations."""

    def __init__(self, scheduler: "LeaseScheduler") -> None:
        self._scheduler = scheduler
        self._core = scheduler.core

    def starts(self, now: int) -> None:
        """Start what is scheduled to start at this instant."""
        for r in [r for r in self._core.table.starting_at(now) if r.state is Progress.SCHEDULED]:
            for observer in self._core.observers:
                observer.began(now, r)
            self._carefully(r, self._start)

    def ends(self, now: int) -> None:
        """End what is active and ends at this instant."""
        for r in [r for r in self._core.table.ending_at(now) if r.state is Progress.ACTIVE]:
            for observer in self._core.observers:
                observer.ended(now, r)
            self._core.table.remove(r)
            self._carefully(r, self._end)

    def _carefully(self, r: Reservation, handle: Callable[[Reservation], None]) -> None:
        try:
            handle(r)
        except _LeaseFailure as failure:
            self._fail(r.lease, str(failure))

    def _fail(self, lease: LeaseRecord, reason: str) -> None:
        """A lease fails: drop it, or end the run, as configured."""
        core = self._core
        message = f"lease {lease.id} failed: {reason}"
        if core.options.lease_failure_handling is not FailureHandling.CANCEL:
            raise SimulationError(message, now=core.now / TICKS)
        lease.reason = reason
        self._drop(lease)
        self._scheduler.forget(lease, _S.FAIL)

    # --- starts ---------------------------------------------------------------------------------------------------

    def _start(self, r: Reservation) -> None:
        if isinstance(r, VirtualMachines):
            self._start_machines(r)
        elif isinstance(r, Suspension):
            self._start_suspension(r)
        elif isinstance(r, Resumption):
            self._start_resumption(r)
        elif isinstance(r, Transfer) and r.serves(r.lease):  # else its lease went, and only others wait for it
            if r.lease.state not in {_S.SCHEDULED, _S.READY}:
                raise _LeaseFailure(f"its image transfer starts while it is {r.lease.state.label}")
            self._core.set_state(r.lease, _S.PREPARING)
        r.state = Progress.ACTIVE

    def _start_machines(self, vm: VirtualMachines) -> None:
        core, lease = self._core, vm.lease
        if core.preparation.concerns(lease) and not core.images.is_deployed(lease, vm.hosts):
            raise _LeaseFailure("its disk image is not on all its nodes")
        if lease.state is _S.SCHEDULED:
            core.set_state(lease, _S.READY)  # its image came with another lease's transfer
        if lease.state is _S.READY:
            core.set_state(lease, _S.ACTIVE)
            lease.started = core.now
        elif lease.state is _S.RESUMED_READY:
            core.set_state(lease, _S.ACTIVE)
        else:
            raise _LeaseFailure(f"its machines start while it is {lease.state.label}")
        core.lose_future(lease)

    def _start_suspension(self, r: Suspension) -> None:
        for vnode in r.vnodes:
            r.lease.memory_at[vnode] = r.vm.hosts[vnode]
        if r.is_first:
            r.lease.estimates.pop("migrate", None)  # it depends on where the machines ran
            self._core.set_state(r.lease, _S.SUSPENDING)

    def _start_resumption(self, r: Resumption) -> None:
        for vnode in r.vnodes:
            r.lease.memory_at.pop(vnode, None)
        if r.is_first:
            self._core.set_state(r.lease, _S.RESUMING)

    # --- ends -----------------------------------------------------------------------------------------------------

    def _end(self, r: Reservation) -> None:
        r.state = Progress.DONE
        if isinstance(r, VirtualMachines):
            self._stopped(r)
        elif isinstance(r, Shutdown):
            self.done(r.lease)
        elif isinstance(r, Suspension):
            self._end_suspension(r)
        elif isinstance(r, Resumption):
            if r.is_last:
                self._core.set_state(r.lease, _S.RESUMED_READY)
        elif isinstance(r, DiskMigration):
            for vnode, (origin, destination) in r.moves.items():
                self._core.images.remove(r.lease, vnode, origin)
                self._core.images.deploy(r.lease, vnode, destination)
        elif isinstance(r, Migration):
            for vnode, (_, destination) in r.moves.items():
                r.lease.memory_at[vnode] = destination
        elif isinstance(r, Transfer):
            self._end_transfer(r)

    def _stopped(self, vm: VirtualMachines) -> None:
        vm.lease.accumulated += self._rounded_now() - vm.start
        vm.lease.ran.append((vm.start, vm.end))

    def _end_suspension(self, r: Suspension) -> None:
        if not r.is_last:
            return
        core, lease = self._core, r.lease
        core.set_state(lease, _S.SUSPENDED_PENDING)
        if lease.kind is LeaseKind.DEADLINE:
            core.set_state(lease, _S.SUSPENDED_SCHEDULED)
        elif lease.kind is LeaseKind.BEST_EFFORT or not core.options.haizea_compat:
            # Haizea leaves suspended leases of other kinds lying for ever [Q].
            self._scheduler.enqueue_in_order(lease)
            core.set_state(lease, _S.SUSPENDED_QUEUED)

    def _end_transfer(self, transfer: Transfer) -> None:
        if self._core.preparation.finish(transfer):
            if transfer.lease.state is not _S.PREPARING:
                raise _LeaseFailure(f"its image transfer ends while it is {transfer.lease.state.label}")
            self._core.set_state(transfer.lease, _S.READY)

    def _rounded_now(self) -> int:
        """The instant; Haizea rounds it to a second [Q]."""
        now = self._core.now
        return (now + TICKS // 2) // TICKS * TICKS if self._core.options.haizea_compat else now

    def stop_early(self, vm: VirtualMachines) -> None:
        """Machines (out of the slot table already) end now; nothing follows them."""
        for r in vm.post:
            self._core.table.discard(r)
        vm.post = []
        vm.end = self._core.now
        vm.state = Progress.DONE
        for observer in self._core.observers:
            observer.ended(self._core.now, vm)
        self._stopped(vm)

    def done(self, lease: LeaseRecord) -> None:
        """The normal end of a lease."""
        lease.actual = lease.accumulated
        lease.end = self._rounded_now()
        self._core.preparation.clean(lease)
        self._scheduler.forget(lease, _S.DONE)

    # --- cancelling -----------------------------------------------------------------------------------------------

    def cancel(self, lease: LeaseRecord) -> None:
        """Free what a lease that can be cancelled holds or is promised; its state is the caller's to change."""
        core = self._core
        if lease.state in {_S.QUEUED, _S.SUSPENDED_QUEUED}:
            core.queue.remove(lease)
        elif lease.state is _S.ACTIVE:
            vm = next(vm for vm in lease.vms if vm.state is Progress.ACTIVE)
            core.table.remove(vm)
            self.stop_early(vm)
            self._drop(lease)
            core.preparation.clean(lease)
        else:
            self._drop(lease)

    def _drop(self, lease: LeaseRecord) -> None:
        """Take a lease's future out of the slot table. Haizea forgets what precedes and follows the machines [Q]."""
        core = self._core
        if core.options.haizea_compat:
            for r in [*lease.scheduled()]:
                core.table.discard(r)
            return
        for vm in lease.vms:
            core.withdraw(vm)
        core.preparation.cancel(lease)
        if lease in core.queue:
            core.queue.remove(lease)
