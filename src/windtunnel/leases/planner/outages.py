"""Nodes that are not available for a while: they fail, are maintained, or are switched off.

Such a node is held by a reservation without end, so that nothing new is planned on it. What was planned on it is
planned again; what was just being saved or restored there is lost.
"""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.earliest import NotSchedulableError
from windtunnel.leases.planner.handlers import Handlers
from windtunnel.leases.planner.node_sets import positions
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.record import LeaseRecord, Progress, Reservation
from windtunnel.leases.planner.scheduling import Scheduling
from windtunnel.leases.planner.ticks import FOREVER
from windtunnel.model.lease import Lease, LeaseKind, LeaseState

__all__ = ["Outages"]

_S = LeaseState
PLANNED: Final = {_S.SCHEDULED, _S.PREPARING, _S.READY, _S.SUSPENDED_SCHEDULED}
RUNNING: Final = {_S.ACTIVE, _S.SUSPENDING}
IN_MEMORY: Final = {_S.SUSPENDING, _S.RESUMING, _S.RESUMED_READY}


@mypyc_attr(allow_interpreted_subclasses=True)
class Outages:
    """Closes nodes and opens them again."""

    def __init__(self, plan: Plan, scheduling: Scheduling, handlers: Handlers) -> None:
        self.plan = plan
        self.scheduling = scheduling
        self.handlers = handlers
        self._nobody = LeaseRecord(Lease(id=0, nodes=(), duration=0.0), plan.space)
        self._held: dict[int, Reservation] = {}
        self.freed = False
        """Whether nodes came back, or leases were lost or cancelled, since leases were last brought forward."""

    def __len__(self) -> int:
        return len(self._held)

    def close(self, nodes: int, now: int) -> None:
        """These nodes (bits) are not available from now on."""
        plan = self.plan
        plan.now = max(plan.now, now)
        for bit in positions(nodes & plan.table.all_nodes & ~plan.table.away):
            held = Reservation(self._nobody, now, FOREVER, ((plan.table.capacity_of(bit), 1 << bit),))
            held.state = Progress.ACTIVE
            self._held[bit] = held
            plan.table.away |= 1 << bit
            plan.table.add(held)
        for lease in list(plan.leases.values()):
            kept = lease.state in IN_MEMORY
            gone = 0
            if lease.state in RUNNING:
                self._leave_out(lease, nodes)
            for vm in lease.vms:
                if vm.is_under_way if kept else vm.state is Progress.SCHEDULED:
                    gone |= vm.mask & nodes
            if gone:
                self._move_away(lease, f"its nodes {', '.join(str(bit + 1) for bit in positions(gone))} failed")

    def open(self, nodes: int, now: int) -> None:
        """These nodes are available again: what was planned for later may start on them."""
        self.plan.now = max(self.plan.now, now)
        for bit in positions(nodes):
            held = self._held.pop(bit, None)
            if held is not None:
                self.plan.table.remove(held)
                self.plan.table.away &= ~(1 << bit)
                self.freed = True

    def lose(self, lease_id: int, reason: str, now: int) -> None:
        """The running machines of a lease are gone."""
        self.plan.now = max(self.plan.now, now)
        lease = self.plan.leases.get(lease_id)
        if lease is not None:
            self.handlers.lose(lease, reason)
            self.freed = True

    def give_up(self, reason: str) -> None:
        """Leases that wait, for which nothing will ever happen any more, are over."""
        for lease in list(self.plan.queue):
            self.handlers.lose(lease, reason)

    def _leave_out(self, lease: LeaseRecord, nodes: int) -> None:
        """A lease that runs, to be suspended later, is not to go on where nodes are gone: it will look for others."""
        later = [vm for vm in lease.vms if vm.state is Progress.SCHEDULED and not vm.is_under_way]
        if any(vm.mask & nodes for vm in later):
            for vm in later:
                lease.vms.remove(vm)
                self.plan.withdraw(vm)

    def _move_away(self, lease: LeaseRecord, reason: str) -> None:
        """A lease has something to do with nodes that are gone."""
        plan = self.plan
        if lease.state in IN_MEMORY:
            self.handlers.lose(lease, reason)
        elif lease.state in PLANNED:
            suspended = lease.state is _S.SUSPENDED_SCHEDULED
            self.scheduling.withdraw(lease)
            if lease.kind is LeaseKind.BEST_EFFORT or (suspended and plan.rules.requeues(lease.kind)):
                self.scheduling.requeue(lease)
            elif not suspended:
                plan.pending[lease.id] = lease
            else:
                try:
                    self.scheduling.place(lease, plan.now)
                except NotSchedulableError:
                    self.handlers.lose(lease, reason)
