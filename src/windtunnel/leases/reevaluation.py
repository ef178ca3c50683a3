"""When a lease ends early: leases with later reservations may move forward into the room it leaves."""

from typing import TYPE_CHECKING

from windtunnel.leases.deadline import Transaction
from windtunnel.leases.placement import Earliest, NotSchedulableError
from windtunnel.leases.record import LeaseRecord
from windtunnel.leases.reservations import Reservation, VirtualMachines
from windtunnel.model.lease import LeaseKind, LeaseState

if TYPE_CHECKING:
    from windtunnel.leases.scheduler import LeaseScheduler

__all__ = ["reevaluate"]

_S = LeaseState


def reevaluate(scheduler: "LeaseScheduler", ending: LeaseRecord) -> None:
    """Schedule anew what was reserved in the future by backfilling, then deadline leases that fit the freed room."""
    for lease in sorted(scheduler.core.future, key=lambda lease: (lease.submit, lease.id)):
        if lease.kind is LeaseKind.BEST_EFFORT and lease in scheduler.core.future:
            _bring_forward(scheduler, lease)
    _fill_with_deadline_leases(scheduler, ending)


def _bring_forward(scheduler: "LeaseScheduler", lease: LeaseRecord) -> None:
    core = scheduler.core
    if lease.state in {_S.READY, _S.SCHEDULED}:
        core.preparation.cancel(lease)
        core.set_state(lease, _S.PENDING)
    elif lease.state is _S.SUSPENDED_SCHEDULED:
        core.preparation.cancel(lease, remove_images=False)
        core.set_state(lease, _S.SUSPENDED_PENDING)
    else:
        return
    vm = lease.vms.pop()
    core.withdraw(vm)
    try:
        scheduler.place(lease, core.now)
    except NotSchedulableError:
        # Haizea cannot get here (worst case, the old place is found again); a policy of the user's own may.
        scheduler.requeue(lease)


def _fill_with_deadline_leases(scheduler: "LeaseScheduler", ending: LeaseRecord) -> None:
    core, now = scheduler.core, scheduler.core.now
    free_time = ending.requested - ending.accumulated
    until = now + free_time
    room = ending.numnodes * free_time
    filled = 0
    movable = [r for r in core.table.starting_after(now) if _may_move(r)]
    machines = [r for r in movable if isinstance(r, VirtualMachines)]
    leases = sorted({vm.lease for vm in machines if _fits(vm.lease, ending, free_time, until)}, key=lambda o: o.id)
    leases.sort(key=lambda lease: ((lease.deadline or 0) - now) / lease.requested)
    for lease in leases:
        assert lease.start is not None
        length = min(until - lease.start, lease.requested)
        if filled + lease.numnodes * length > room:
            continue
        transaction = Transaction(core, [lease])
        for vm in [vm for vm in machines if vm.lease is lease]:
            lease.vms.remove(vm)
            core.withdraw(vm)
        deadline = lease.deadline
        assert deadline is not None
        # Haizea looks at the freed room only, even where that lasts longer than the lease's own deadline [Q].
        lease.deadline = until if core.options.haizea_compat else min(deadline, until)
        try:
            new = core.deadlines.place(lease, length, Earliest(now))
        except NotSchedulableError:
            transaction.rollback()
        else:
            core.enter(lease, new)
            filled += lease.numnodes * length
        finally:
            lease.deadline = deadline


def _may_move(r: Reservation) -> bool:
    return (
        isinstance(r, VirtualMachines)
        and r.lease.kind is LeaseKind.DEADLINE
        and r.lease.state in {_S.SCHEDULED, _S.READY}
        and not r.is_suspending
        and not r.is_resuming
        and r.start != r.lease.start
    )


def _fits(lease: LeaseRecord, ending: LeaseRecord, free_time: int, until: int) -> bool:
    return (
        lease.start is not None
        and lease.numnodes <= ending.numnodes
        and lease.start <= until
        and lease.requested <= min(free_time, until - lease.start)
    )
