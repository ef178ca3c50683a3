"""When a lease ends early: leases with later reservations may move forward into the room it leaves."""

from typing import Final

from windtunnel.leases.planner.earliest import Earliest, NotSchedulableError
from windtunnel.leases.planner.record import LeaseRecord, Reservation, VirtualMachines
from windtunnel.leases.planner.scheduling import Scheduling
from windtunnel.leases.planner.transaction import Transaction
from windtunnel.model.lease import LeaseKind, LeaseState

__all__ = ["bring_forward", "fill", "reevaluate"]

_S = LeaseState

# Bound once: an enumeration looks its members up anew each time.
_BEST_EFFORT: Final = LeaseKind.BEST_EFFORT
_S_PREPARING: Final = _S.PREPARING
_DEADLINE: Final = LeaseKind.DEADLINE
_S_SCHEDULED: Final = _S.SCHEDULED
_S_READY: Final = _S.READY


def reevaluate(scheduling: Scheduling, ending: LeaseRecord) -> None:
    """Schedule anew what was reserved in the future by backfilling, then deadline leases that fit the freed room."""
    bring_forward(scheduling)
    fill(scheduling, ending)


def bring_forward(scheduling: Scheduling) -> None:
    """Schedule anew what was reserved in the future by backfilling."""
    for lease in sorted(scheduling.plan.future, key=lambda lease: (lease.submit, lease.id)):
        if lease.kind is _BEST_EFFORT and lease in scheduling.plan.future:
            _bring_forward(scheduling, lease)


def _bring_forward(scheduling: Scheduling, lease: LeaseRecord) -> None:
    if lease.state is _S_PREPARING or not scheduling.withdraw(lease):
        return
    try:
        scheduling.place(lease, scheduling.plan.now)
    except NotSchedulableError:
        # Haizea cannot get here (worst case, the old place is found again); a policy of the user's own may.
        scheduling.requeue(lease)


def fill(scheduling: Scheduling, ending: LeaseRecord) -> None:
    """Move deadline leases forward that fit the room of a lease that ends early."""
    if scheduling.plan.has_deadlines:
        _fill_with_deadline_leases(scheduling, ending)


def _fill_with_deadline_leases(scheduling: Scheduling, ending: LeaseRecord) -> None:
    plan, now = scheduling.plan, scheduling.plan.now
    free_time = ending.requested - ending.accumulated
    until = now + free_time
    room = ending.numnodes * free_time
    filled = 0
    movable = [r for r in plan.table.starting_after(now) if _may_move(r)]
    machines = [r for r in movable if isinstance(r, VirtualMachines)]
    leases = sorted({vm.lease for vm in machines if _fits(vm.lease, ending, free_time, until)}, key=lambda o: o.id)
    leases.sort(key=lambda lease: ((lease.deadline or 0) - now) / lease.requested)
    for lease in leases:
        assert lease.start is not None
        length = min(until - lease.start, lease.requested)
        if filled + lease.numnodes * length > room:
            continue
        transaction = Transaction(plan, [lease])
        for vm in [vm for vm in machines if vm.lease is lease]:
            lease.vms.remove(vm)
            plan.withdraw(vm)
        deadline = lease.deadline
        assert deadline is not None
        lease.deadline = plan.rules.moved_deadline(deadline, until)
        try:
            new = scheduling.deadlines.place(lease, length, Earliest(now))
        except NotSchedulableError:
            transaction.rollback()
        else:
            plan.enter(lease, new)
            filled += lease.numnodes * length
        finally:
            lease.deadline = deadline


def _may_move(r: Reservation) -> bool:
    return (
        isinstance(r, VirtualMachines)
        and r.lease.kind is _DEADLINE
        and r.lease.state in {_S_SCHEDULED, _S_READY}
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
