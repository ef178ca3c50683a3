"""What happens when reservations start and end, and when leases end or are cancelled."""

from collections.abc import Callable
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError
from windtunnel.leases.planner.plan import Plan, What
from windtunnel.leases.planner.preparation import ImagePreparation
from windtunnel.leases.planner.record import LeaseRecord, Progress, Reservation, VirtualMachines
from windtunnel.leases.planner.reservations import (
    DiskMigration,
    Migration,
    Resumption,
    Shutdown,
    Suspension,
    Transfer,
)
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model.lease import LeaseKind, LeaseState
from windtunnel.model.lease_options import FailureHandling

__all__ = ["Handlers"]

_S = LeaseState

# Bound once: an enumeration looks its members up anew each time.
_SCHEDULED: Final = Progress.SCHEDULED
_BEGAN: Final = What.BEGAN
_ACTIVE: Final = Progress.ACTIVE
_ENDED: Final = What.ENDED
_ON_FAILURE_CANCEL: Final = FailureHandling.CANCEL
_S_FAIL: Final = _S.FAIL
_S_SCHEDULED: Final = _S.SCHEDULED
_S_READY: Final = _S.READY
_S_PREPARING: Final = _S.PREPARING
_S_ACTIVE: Final = _S.ACTIVE
_S_RESUMED_READY: Final = _S.RESUMED_READY
_S_SUSPENDING: Final = _S.SUSPENDING
_S_RESUMING: Final = _S.RESUMING
_DONE: Final = Progress.DONE
_S_SUSPENDED_PENDING: Final = _S.SUSPENDED_PENDING
_DEADLINE: Final = LeaseKind.DEADLINE
_S_SUSPENDED_SCHEDULED: Final = _S.SUSPENDED_SCHEDULED
_S_SUSPENDED_QUEUED: Final = _S.SUSPENDED_QUEUED
_S_DONE: Final = _S.DONE
_S_QUEUED: Final = _S.QUEUED
_S_REJECTED: Final = _S.REJECTED
_S_PENDING: Final = _S.PENDING
AWAITED: Final = (Transfer, Migration, DiskMigration, Resumption)
"""What machines wait for: where it takes no time, it is over when machines start that start at the same instant."""


class _LeaseFailure(Exception):  # noqa: N818  internal; becomes a failed lease or a SimulationError
    """A lease cannot go on."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Handlers:
    """Carries out reservations."""

    def __init__(self, plan: Plan, preparation: ImagePreparation) -> None:
        self.plan = plan
        self.preparation = preparation

    def starts(self, now: int) -> bool:
        """Start what is scheduled to start at this instant; whether there was anything."""
        found = [r for r in self.plan.table.starting_at(now) if r.state is _SCHEDULED]
        for r in found:
            self.plan.journal.append((_BEGAN, r.lease, r, None))
            self._carefully(r, self._start)
            if r.end == now and r.key is not None and type(r) in AWAITED:
                self._over(r)
        return bool(found)

    def ends(self, now: int) -> None:
        """End what is active and ends at this instant."""
        for r in [r for r in self.plan.table.ending_at(now) if r.state is _ACTIVE]:
            self._over(r)

    def _over(self, r: Reservation) -> None:
        """A reservation has come to its end."""
        self.plan.journal.append((_ENDED, r.lease, r, None))
        self.plan.table.remove(r)
        self._carefully(r, self._end)

    def _carefully(self, r: Reservation, handle: Callable[[Reservation], None]) -> None:
        try:
            handle(r)
        except _LeaseFailure as failure:
            self._fail(r.lease, str(failure))

    def _fail(self, lease: LeaseRecord, reason: str) -> None:
        """A lease fails: drop it, or end the run, as configured."""
        plan = self.plan
        message = f"lease {lease.id} failed: {reason}"
        if plan.options.lease_failure_handling is not _ON_FAILURE_CANCEL:
            raise SimulationError(message, now=plan.now / TICKS)
        lease.reason = reason
        self._drop(lease)
        self.plan.forget(lease, _S_FAIL)

    # --- starts ---------------------------------------------------------------------------------------------------

    def _is_left(self, r: Reservation) -> bool:
        """Whether a lease that is over has left it in the slot table, as it does in Haizea: it only takes room."""
        return (
            self.plan.rules.forgets_what_follows
            and isinstance(r, Shutdown | Suspension | Resumption)
            and self.plan.leases.get(r.lease.id) is not r.lease
        )

    def _start(self, r: Reservation) -> None:
        if self._is_left(r):
            pass
        elif isinstance(r, VirtualMachines):
            self._start_machines(r)
        elif isinstance(r, Suspension):
            self._start_suspension(r)
        elif isinstance(r, Resumption):
            self._start_resumption(r)
        elif isinstance(r, Transfer) and r.serves(r.lease):  # else its lease went, and only others wait for it
            if r.lease.state not in {_S_SCHEDULED, _S_READY}:
                raise _LeaseFailure(f"its image transfer starts while it is {r.lease.state.label}")
            self.plan.set_state(r.lease, _S_PREPARING)
        r.state = _ACTIVE

    def _start_machines(self, vm: VirtualMachines) -> None:
        plan, lease = self.plan, vm.lease
        if vm.mask & plan.table.away:
            raise _LeaseFailure("its nodes are not available")
        if self.preparation.concerns(lease) and not plan.images.is_deployed(lease, vm.hosts):
            raise _LeaseFailure("its disk image is not on all its nodes")
        if lease.state is _S_SCHEDULED:
            plan.set_state(lease, _S_READY)  # its image came with another lease's transfer
        if lease.state is _S_READY:
            plan.set_state(lease, _S_ACTIVE)
            lease.started = plan.now
        elif lease.state is _S_RESUMED_READY:
            plan.set_state(lease, _S_ACTIVE)
        else:
            raise _LeaseFailure(f"its machines start while it is {lease.state.label}")
        plan.future.pop(lease, None)

    def _start_suspension(self, r: Suspension) -> None:
        for vnode in r.vnodes:
            r.lease.memory_at[vnode] = r.vm.hosts[vnode]
        if r.is_first:
            self.plan.suspended[r.lease] = None
            r.lease.estimates.pop("migrate", None)  # it depends on where the machines ran
            self.plan.set_state(r.lease, _S_SUSPENDING)

    def _start_resumption(self, r: Resumption) -> None:
        for vnode in r.vnodes:
            r.lease.memory_at.pop(vnode, None)
        if r.is_first:
            self.plan.set_state(r.lease, _S_RESUMING)

    # --- ends -----------------------------------------------------------------------------------------------------

    def _end(self, r: Reservation) -> None:
        r.state = _DONE
        if self._is_left(r):
            pass
        elif isinstance(r, VirtualMachines):
            self._stopped(r)
        elif isinstance(r, Shutdown):
            self.done(r.lease)
        elif isinstance(r, Suspension):
            self._end_suspension(r)
        elif isinstance(r, Resumption):
            if r.is_last:
                self.plan.set_state(r.lease, _S_RESUMED_READY)
        elif isinstance(r, DiskMigration):
            r.lease.migrations += 1
            for vnode, (origin, destination) in r.moves.items():
                self.plan.images.remove(r.lease, vnode, origin)
                self.plan.images.deploy(r.lease, vnode, destination)
        elif isinstance(r, Migration):
            r.lease.migrations += 1
            for vnode, (_, destination) in r.moves.items():
                r.lease.memory_at[vnode] = destination
        elif isinstance(r, Transfer):
            self._end_transfer(r)

    def _stopped(self, vm: VirtualMachines) -> None:
        vm.lease.accumulated += self._end_of_now() - vm.start
        vm.lease.ran.append((vm.start, vm.end))

    def _end_of_now(self) -> int:
        """The date of what ends at this instant."""
        now = self.plan.now
        return (now + TICKS // 2) // TICKS * TICKS if self.plan.rules.rounds_ends else now

    def _end_suspension(self, r: Suspension) -> None:
        if not r.is_last:
            return
        plan, lease = self.plan, r.lease
        lease.suspensions += 1
        plan.set_state(lease, _S_SUSPENDED_PENDING)
        planned = lease.last_vm is not r.vm
        if lease.kind is _DEADLINE and (planned or not plan.rules.requeues(_DEADLINE)):
            plan.set_state(lease, _S_SUSPENDED_SCHEDULED)
        elif plan.rules.requeues(lease.kind):
            plan.enqueue(lease)
            plan.set_state(lease, _S_SUSPENDED_QUEUED)

    def _end_transfer(self, transfer: Transfer) -> None:
        transfer.lease.transfers += 1
        if self.preparation.finish(transfer):
            if transfer.lease.state is not _S_PREPARING:
                raise _LeaseFailure(f"its image transfer ends while it is {transfer.lease.state.label}")
            self.plan.set_state(transfer.lease, _S_READY)

    def stop_early(self, vm: VirtualMachines) -> None:
        """Machines (out of the slot table already) end now; nothing follows them."""
        for r in vm.post:
            self.plan.table.discard(r)
        vm.post = []
        vm.end = self.plan.now
        vm.state = _DONE
        self.plan.journal.append((_ENDED, vm.lease, vm, None))
        self._stopped(vm)

    def done(self, lease: LeaseRecord) -> None:
        """The normal end of a lease."""
        lease.actual = lease.accumulated
        lease.end = self._end_of_now()
        if self.preparation.managed:
            self.preparation.clean(lease)
        self.plan.forget(lease, _S_DONE)

    # --- cancelling -----------------------------------------------------------------------------------------------

    def cancel(self, lease: LeaseRecord) -> None:
        """Free what a lease that can be cancelled holds or is promised; its state is the caller's to change."""
        plan = self.plan
        if lease.state in {_S_QUEUED, _S_SUSPENDED_QUEUED}:
            plan.queue.remove(lease)
        elif lease.state is _S_ACTIVE:
            vm = next(vm for vm in lease.vms if vm.state is _ACTIVE)
            plan.table.remove(vm)
            self.stop_early(vm)
            self._drop(lease)
            self.preparation.clean(lease)
        else:
            self._drop(lease)

    def lose(self, lease: LeaseRecord, reason: str) -> None:
        """What a lease ran on, or kept its memory on, is gone, or it has waited in vain; it is over."""
        plan = self.plan
        lease.reason = reason
        for vm in lease.vms:
            if vm.state is _ACTIVE and vm.key is not None:
                plan.table.remove(vm)
                self.stop_early(vm)
        self._give_up(lease)
        plan.forget(lease, _S_REJECTED if lease.state in {_S_PENDING, _S_QUEUED} else _S_FAIL)

    def _drop(self, lease: LeaseRecord) -> None:
        """Take a lease's future out of the slot table."""
        plan = self.plan
        if plan.rules.forgets_what_follows:
            for r in (*lease.preparation, *lease.vms):
                if r.state is _SCHEDULED and not isinstance(r, Transfer):
                    plan.table.discard(r)
            self.preparation.cancel(lease, remove_images=False)
            return
        self._give_up(lease)

    def _give_up(self, lease: LeaseRecord) -> None:
        """Take all that is planned or under way for a lease out of the slot table, and the lease out of the queue."""
        plan = self.plan
        for vm in lease.vms:
            plan.withdraw(vm)
            for r in (*vm.pre, *vm.post):
                plan.tell_cut_short(r)
        self.preparation.cancel(lease)
        if lease in plan.queue:
            plan.queue.remove(lease)
