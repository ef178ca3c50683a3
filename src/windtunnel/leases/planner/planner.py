"""The planner: a state machine of leases with its own (virtual) time.

It is driven from outside: :meth:`Planner.advance` moves to an instant and does all that happens there, in Haizea's
order; :meth:`Planner.next_event` returns when something will happen by itself. What has happened is in the journal
(:attr:`Plan.journal`), which its driver reads and clears. Times are ticks (1/100 s). It holds nothing but plain data,
so it can be pickled and copied as a value.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.leases.planner.handlers import Handlers
from windtunnel.leases.planner.outages import Outages
from windtunnel.leases.planner.parts import Parts
from windtunnel.leases.planner.plan import Plan, What
from windtunnel.leases.planner.record import LeaseRecord, Progress, VirtualMachines
from windtunnel.leases.planner.reevaluation import bring_forward, fill, reevaluate
from windtunnel.leases.planner.rules import Rules
from windtunnel.leases.planner.scheduling import Scheduling
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, LeaseState, NodeSet
from windtunnel.model.lease_options import Backfilling

__all__ = ["Planner"]

_S = LeaseState

# Bound once: an enumeration looks its members up anew each time.
_BACKFILLING_INTERMEDIATE: Final = Backfilling.INTERMEDIATE
_S_PENDING: Final = _S.PENDING
_S_REJECTED: Final = _S.REJECTED
_REQUESTED: Final = What.REQUESTED
_S_NEW: Final = _S.NEW
_OVER: Final = What.OVER
_S_CANCELLED: Final = _S.CANCELLED
_S_ACTIVE: Final = _S.ACTIVE
_ACTIVE: Final = Progress.ACTIVE
_ENDED_EARLY: Final = What.ENDED_EARLY
CANCELLABLE: Final = {
    _S.PENDING,
    _S.QUEUED,
    _S.SCHEDULED,
    _S.READY,
    _S.ACTIVE,
    _S.SUSPENDED_QUEUED,
    _S.SUSPENDED_SCHEDULED,
    _S.RESUMED_READY,
}


@mypyc_attr(allow_interpreted_subclasses=True)
class Planner:
    """Plans leases on a site."""

    def __init__(self, site: LeaseSite, rules: Rules, parts: Parts) -> None:
        """Raises: UsageError: an option or the site is invalid, or a policy lacks an option it needs."""
        for kind in (CPU, MEMORY):
            if kind not in site.resource_types:
                raise UsageError(f"a site for leases needs the resource type {kind}")
        options = rules.options
        if options.backfilling is _BACKFILLING_INTERMEDIATE and options.backfilling_reservations is None:
            raise UsageError("backfilling intermediate needs backfilling-reservations, the number of reservations")
        self.plan = Plan(site, rules)
        self.scheduling = Scheduling(self.plan, parts)
        self.handlers = Handlers(self.plan, self.scheduling.preparation)
        self.outages = Outages(self.plan, self.scheduling, self.handlers)
        self._stopped: list[LeaseRecord] = []
        """Leases that ran and were cancelled since it advanced."""

    @property
    def now(self) -> int:
        """The instant it has reached."""
        return self.plan.now

    @property
    def busy(self) -> bool:
        """Whether anything is planned, running or queued."""
        return bool(len(self.plan.table) > len(self.outages) or self.plan.queue)

    def next_event(self) -> int | None:
        """When something will happen by itself next; ``None``: never."""
        return self.plan.table.next_change(self.plan.now)

    def advance(
        self, now: int, requests: Sequence[LeaseRecord] = (), *, ended: Sequence[int] = (), lead: int = 0
    ) -> None:
        """Do all that happens at an instant (decisions.md 2).

        Args:
            now: the instant; not before the last one.
            requests: leases submitted at or before it, in order (see :meth:`record`).
            ended: leases whose machines are known to have ended by themselves just now.
            lead: how long after it nodes may be given away at the earliest.

        Raises:
            SimulationError: the state machine was violated, or a lease failed and failures end the run.
            UsageError: the id of a lease is in use.
        """
        plan, handlers = self.plan, self.handlers
        if now < plan.now:
            raise SimulationError(f"time cannot go back to {now / TICKS:g} s", now=plan.now / TICKS)
        plan.now = now
        if ended:
            for vm in self._ended_by_themselves(ended):
                if vm.key is not None:
                    self._end_early(vm)
        if self.outages.freed:
            self._use_what_is_freed()
        table = plan.table
        before = table.entered
        if now in table.ends:
            handlers.ends(now)
        began = now in table.starts and handlers.starts(now)
        for lease in requests:
            self.request(lease)
        if plan.pending or plan.queue:
            self.scheduling.schedule(now + lead)
        if table.entered != before and now in table.starts:
            began |= handlers.starts(now)
        if now in table.ends and (began or table.entered != before):
            queued = len(plan.queue)
            handlers.ends(now)
            if len(plan.queue) > queued and table.next_change(now) is None:
                self._schedule_again(now, lead)

    def _use_what_is_freed(self) -> None:
        """Nodes came back, or leases left some: leases with later reservations may move forward."""
        self.outages.freed = False
        bring_forward(self.scheduling)
        stopped, self._stopped = self._stopped, []
        for lease in stopped:
            fill(self.scheduling, lease)

    def _schedule_again(self, now: int, lead: int) -> None:
        """A lease was saved in no time after all others had their turn, and nothing else will ever wake it."""
        self.scheduling.schedule(now + lead)
        if now in self.plan.table.starts:
            self.handlers.starts(now)
        if now in self.plan.table.ends:
            self.handlers.ends(now)

    def record(self, lease: Lease) -> LeaseRecord:
        """A lease as it can be requested; one that is invalid on this site says why in its ``reason``."""
        plan, options = self.plan, self.plan.options
        reason = self.objection(lease)
        requested, _ = plan.rules.durations(lease.kind, lease.duration, lease.real_duration)
        made = LeaseRecord(
            self._without_unknown(lease) if reason else lease, plan.space, requested, options.override_memory
        )
        made.reason = reason
        return made

    def _without_unknown(self, lease: Lease) -> Lease:
        """The lease without amounts of what the site does not have; the nodes that it asks for stay known."""
        known = self.plan.space.position
        amounts = [{kind: group.amounts[kind] for kind in group.amounts if kind in known} for group in lease.nodes]
        nodes = [NodeSet(group.count, left) for group, left in zip(lease.nodes, amounts, strict=True)]
        return replace(lease, nodes=tuple(nodes))

    def request(self, lease: LeaseRecord) -> None:
        """Submit a lease; it is scheduled at once or rejected.

        Raises:
            UsageError: its id is in use.
        """
        plan = self.plan
        if lease.id in plan.leases:
            raise UsageError(f"lease {lease.id} exists already")
        reason = lease.reason or self.scheduling.why_impossible(lease)
        plan.set_state(lease, _S_PENDING)
        if not reason and not self.scheduling.admission.accept(lease):
            reason = f"not admitted ({plan.options.policy_admission})"
        if reason:
            lease.reason = reason
            plan.set_state(lease, _S_REJECTED)
        else:
            plan.leases[lease.id] = plan.pending[lease.id] = lease
            plan.has_deadlines |= lease.deadline is not None
        plan.journal.append((_REQUESTED, lease, None, (_S_NEW, lease.state)))
        if reason:
            plan.journal.append((_OVER, lease, None, None))

    def objection(self, lease: Lease) -> str:
        """Why a lease is invalid on this site; "" if it does (it may be rejected all the same)."""
        known = self.plan.space.position
        unknown = {kind for group in lease.nodes for kind in group.amounts if kind not in known}
        if unknown:
            return f"it asks for {', '.join(sorted(unknown))}, which the site does not have"
        return "" if lease.numnodes else "it asks for no nodes"

    def cancel(self, lease_id: int) -> LeaseRecord:
        """Cancel a lease. Those that wait are scheduled when it advances (to the same instant) the next time.

        Raises:
            UsageError: there is no such lease, or it is in a state in which it cannot be cancelled.
        """
        if reason := self.why_not_cancel(lease_id):
            raise UsageError(reason)
        lease = self.plan.leases[lease_id]
        if self.plan.rules.fills_what_is_cancelled:
            self.outages.freed = True
            if lease.state is _S_ACTIVE:
                self._stopped.append(lease)
        self.handlers.cancel(lease)
        self.plan.forget(lease, _S_CANCELLED)
        return lease

    def why_not_cancel(self, lease_id: int) -> str:
        """Why a lease cannot be cancelled now; "" if it can."""
        lease = self.plan.leases.get(lease_id)
        if lease is None:
            return f"there is no lease {lease_id} that could be cancelled"
        if lease.state not in CANCELLABLE:
            return f"lease {lease_id} cannot be cancelled while it is {lease.state.label}"
        if lease.state is _S_ACTIVE and not any(vm.state is _ACTIVE for vm in lease.vms):
            return f"lease {lease_id} is shutting down"
        return ""

    def _ended_by_themselves(self, leases: Sequence[int]) -> list[VirtualMachines]:
        """Machines seen to end before their time, by planned end; others take their usual course."""
        plan = self.plan
        early = [
            vm
            for number in leases
            if number in plan.leases
            for vm in plan.leases[number].vms
            if vm.state is _ACTIVE and vm.key is not None and (vm.end > plan.now or vm.is_suspending)
        ]
        return sorted(early, key=lambda vm: vm.key[1:] if vm.key else ())

    def _end_early(self, vm: VirtualMachines) -> None:
        """A lease is over before its time; what it frees is given away again at once."""
        plan, lease = self.plan, vm.lease
        plan.journal.append((_ENDED_EARLY, lease, vm, None))
        for later in lease.vms_after(plan.now):
            plan.withdraw(later)
            lease.vms.remove(later)
        plan.table.remove(vm)
        self.handlers.stop_early(vm)
        reevaluate(self.scheduling, lease)
        self.handlers.done(lease)
