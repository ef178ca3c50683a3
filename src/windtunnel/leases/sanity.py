"""A check of every instant of a run: no node is over its capacity (Haizea's ``sanity-check``)."""

from typing import TYPE_CHECKING

from windtunnel.diagnostics import SimulationError
from windtunnel.leases.record import LeaseRecord
from windtunnel.leases.reservations import TICKS, Reservation, VirtualMachines, bits
from windtunnel.model.lease import LeaseKind, LeaseState

if TYPE_CHECKING:
    from windtunnel.leases.core import Core

__all__ = ["SanityCheck"]


class SanityCheck:
    """Observes a scheduler and ends the run when a law is broken."""

    def changed(self, now: int, lease: LeaseRecord, old: LeaseState, new: LeaseState) -> None:
        """The state machine checks itself."""

    def began(self, now: int, reservation: Reservation) -> None:
        """Capacities are checked when the instant is over."""

    def ended(self, now: int, reservation: Reservation) -> None:
        """As above."""

    def ended_early(self, now: int, vm: VirtualMachines) -> None:
        """As above."""

    def lost(self, now: int, vm: VirtualMachines) -> None:
        """As above."""

    def requested(self, now: int, lease: LeaseRecord) -> None:
        """Nothing to check yet."""

    def finished(self, now: int, lease: LeaseRecord) -> None:
        """A lease that is done ran as long as it was to, not too early, not too late.

        Raises:
            SimulationError: it did not.
        """
        if lease.state is not LeaseState.DONE:
            return
        promised = lease.requested if lease.known is None else min(lease.known, lease.requested)
        if lease.actual != promised:
            raise _broken(now, f"lease {lease.id} ran {(lease.actual or 0) / TICKS:g} s, not {promised / TICKS:g} s")
        if lease.start is not None and lease.started is not None and lease.started < lease.start:
            raise _broken(now, f"lease {lease.id} started before its start")
        if lease.kind is LeaseKind.DEADLINE and (lease.end or 0) > (lease.deadline or 0):
            raise _broken(now, f"lease {lease.id} ended after its deadline")

    def step(self, now: int, core: "Core") -> None:
        """No node is over its capacity.

        Raises:
            SimulationError: one is.
        """
        table, space = core.table, core.space
        held: dict[int, list[Reservation]] = {}
        for r in table.overlapping(now, now + 1):
            for bit in bits(r.mask & table.all_nodes):
                held.setdefault(bit, []).append(r)
        for bit, reservations in held.items():
            free = table.capacity_of(bit)
            for r in reservations:
                if (amount := r.on(bit)) is not None:
                    free = space.minus(free, amount)
            if any((x if isinstance(x, int) else min(x)) < 0 for x in free):
                holders = ", ".join(f"{r.name} of lease {r.lease.id}" for r in reservations)
                raise _broken(now, f"node {bit + 1} is over its capacity: {holders}")


def _broken(now: int, message: str) -> SimulationError:
    return SimulationError(f"sanity check: {message}", now=now / TICKS)
