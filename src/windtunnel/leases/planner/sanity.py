"""A check after every instant that no law is broken (Haizea's ``sanity-check``)."""

from windtunnel.diagnostics import SimulationError
from windtunnel.leases.planner.node_sets import positions
from windtunnel.leases.planner.plan import Plan, What
from windtunnel.leases.planner.record import LeaseRecord, Reservation
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model.lease import LeaseKind, LeaseState

__all__ = ["check"]


def check(plan: Plan) -> None:
    """No node is over its capacity, and leases that are done (in the journal) got what they were promised.

    Raises:
        SimulationError: a law is broken.
    """
    for what, lease, _, _ in plan.journal:
        if what is What.OVER and lease.state is LeaseState.DONE:
            _check_lease(plan.now, lease)
    table, space = plan.table, plan.space
    held: dict[int, list[Reservation]] = {}
    for r in table.overlapping(plan.now, plan.now + 1):
        for bit in positions(r.mask & table.all_nodes & ~table.away):
            held.setdefault(bit, []).append(r)
    for bit, reservations in held.items():
        free = table.capacity_of(bit)
        for r in reservations:
            if (amount := r.on(bit)) is not None:
                free = space.minus(free, amount)
        if any((x if isinstance(x, int) else min(x)) < 0 for x in free):
            holders = ", ".join(f"{r.name} of lease {r.lease.id}" for r in reservations)
            raise _broken(plan.now, f"node {bit + 1} is over its capacity: {holders}")


def _check_lease(now: int, lease: LeaseRecord) -> None:
    """It ran no longer than it was to, not too early, not too late."""
    if (lease.actual or 0) > lease.requested:
        actual, promised = (lease.actual or 0) / TICKS, lease.requested / TICKS
        raise _broken(now, f"lease {lease.id} ran {actual:g} s, not {promised:g} s")
    if lease.start is not None and lease.started is not None and lease.started < lease.start:
        raise _broken(now, f"lease {lease.id} started before its start")
    if lease.kind is LeaseKind.DEADLINE and (lease.end or 0) > (lease.deadline or 0):
        raise _broken(now, f"lease {lease.id} ended after its deadline")


def _broken(now: int, message: str) -> SimulationError:
    return SimulationError(f"sanity check: {message}", now=now / TICKS)
