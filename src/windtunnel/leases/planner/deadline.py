"""Deadline leases: not before their start, finished by their deadline, at the cost of others that can wait."""

from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.earliest import Earliest, NotSchedulableError
from windtunnel.leases.planner.mapper import GreedyMapper
from windtunnel.leases.planner.mapping import Mapping
from windtunnel.leases.planner.placement import Placement
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.policies.host_selection import HostSelectionPolicy
from windtunnel.leases.planner.policies.preemption import PreemptionPolicy
from windtunnel.leases.planner.record import LeaseRecord, Progress, Reservation, VirtualMachines
from windtunnel.leases.planner.suspension import SuspendResume
from windtunnel.leases.planner.transaction import Transaction
from windtunnel.model.lease import LeaseKind, LeaseState

__all__ = ["DeadlineMapper", "DeadlinePlanner"]

# Bound once: an enumeration looks its members up anew each time.
_DONE: Final = Progress.DONE
_S_RESUMING: Final = LeaseState.RESUMING
_ACTIVE: Final = Progress.ACTIVE
_S_SUSPENDED_SCHEDULED: Final = LeaseState.SUSPENDED_SCHEDULED
_S_READY: Final = LeaseState.READY
_S_ACTIVE: Final = LeaseState.ACTIVE
_S_SUSPENDING: Final = LeaseState.SUSPENDING
_DEADLINE: Final = LeaseKind.DEADLINE
_SCHEDULED: Final = Progress.SCHEDULED

SUSPENDED = LeaseState.SUSPENDED_PENDING


def _withdraw(plan: Plan, vm: VirtualMachines) -> None:
    vm.lease.vms.remove(vm)
    plan.withdraw(vm)


@mypyc_attr(allow_interpreted_subclasses=True)
class DeadlineMapper(GreedyMapper):
    """The greedy mapper, except that leases that give way are given new times at once, or do not give way."""

    reschedules: ClassVar[bool] = True

    deadlines: "DeadlinePlanner"
    """Finds the new times; it uses this mapper in its turn, so it comes after it."""

    def __init__(self, plan: Plan, host_selection: HostSelectionPolicy, preemption: PreemptionPolicy) -> None:
        super().__init__(plan, host_selection, preemption)
        self._lost: list[VirtualMachines] = []
        """Machines cancelled in this attempt to map."""

    def map(
        self,
        lease: LeaseRecord,
        start: int,
        end: int,
        *,
        strict: bool,
        preempt: bool = False,
        nodes: int | None = None,
    ) -> Mapping | None:
        if not preempt:
            return super().map(lease, start, end, strict=strict, nodes=nodes)
        held = self.plan.table.overlapping(start, end)
        transaction = Transaction(self.plan, self.candidates(lease, held, start))
        found = super().map(lease, start, end, strict=strict, preempt=True, nodes=nodes)
        lost, self._lost = self._lost, []
        if found is None:
            transaction.rollback()
        else:
            for vm in lost:
                self.plan.tell_lost(vm)
        return found

    def preempt(self, lease: LeaseRecord, start: int, end: int) -> bool:
        """Suspend or cancel a lease by ``start`` and plan the rest of it from ``end`` on; ``False`` if that fails."""
        plan, suspension = self.plan, self.deadlines.suspension
        if lease.deadline is None:  # Haizea crashes here
            return False
        transaction = Transaction(plan, [lease])
        vm, later = lease.vm_at(start), lease.vms_after(start)
        state: LeaseState | None = None
        left = lease.remaining_at(start)
        suspends = (
            vm is not None
            and (plan.times.may_suspend(lease) if plan.rules.holds_serial_only else plan.times.suspends)
            and suspension.can_suspend(lease, start, plan.now)
            and suspension.preempt(vm, min(start, vm.end))
        )
        if vm is not None and not suspends and (vm.state is _DONE or lease.state is _S_RESUMING):
            return False  # its memory is being saved or restored
        if vm is not None and suspends:
            left += vm.post[-1].end - vm.post[0].start
        else:
            left = lease.remaining_at(start if vm is None else vm.start)
            if vm is not None:
                _withdraw(plan, vm)
            state = self._state_after_cancel(lease, vm)
        for other in later:
            _withdraw(plan, other)
        resuming = SUSPENDED if lease.last_vm is not None and lease.last_vm.is_suspending else None
        try:
            new = self.deadlines.place(lease, left, Earliest(end), resuming)
        except NotSchedulableError:
            transaction.rollback()
            return False
        plan.enter(lease, new)
        if state is not None:
            lease.state = state
        if vm is not None and not suspends:
            self._lost.append(vm)
        return True

    def _state_after_cancel(self, lease: LeaseRecord, vm: VirtualMachines | None) -> LeaseState | None:
        """The state that fits a lease whose machines at the time of preemption were cancelled."""
        if vm is not None:
            if vm.state is not _ACTIVE:
                return None
            suspended = lease.last_vm is not None and lease.last_vm.is_suspending
            return _S_SUSPENDED_SCHEDULED if suspended else _S_READY
        untouched = {_S_ACTIVE, _S_SUSPENDING, SUSPENDED, _S_SUSPENDED_SCHEDULED}
        return None if lease.state in untouched else _S_READY


@mypyc_attr(allow_interpreted_subclasses=True)
class DeadlinePlanner:
    """Finds a place for a deadline lease: by itself, by preempting, or by rescheduling all that has not started."""

    def __init__(self, plan: Plan, placement: Placement, suspension: SuspendResume) -> None:
        self.plan = plan
        self.placement = placement
        self.suspension = suspension

    def schedule(
        self, lease: LeaseRecord, remaining: int, earliest: Earliest
    ) -> tuple[VirtualMachines, tuple[LeaseRecord, ...]]:
        """Machines for the lease, and who must still give way.

        Raises:
            NotSchedulableError: the deadline cannot be met without others missing theirs.
        """
        start, deadline = lease.start, lease.deadline
        assert start is not None
        assert deadline is not None
        earliest.time = max(start, earliest.time)
        if (deadline - start) / lease.requested <= 2.0:
            try:
                vm, preempted = self.placement.exact(lease)
            except NotSchedulableError:
                pass
            else:
                return vm, (() if self.placement.mapper.reschedules else preempted)
        try:
            return self.place(lease, remaining, earliest), ()
        except NotSchedulableError:
            return self._rearrange(lease, max(self.plan.now, earliest.time)), ()

    def place(
        self, lease: LeaseRecord, remaining: int, earliest: Earliest, state: LeaseState | None = None
    ) -> VirtualMachines:
        """Machines as soon as possible, in one piece, that are done by the deadline.

        Raises:
            NotSchedulableError: there is no room for that.
        """
        assert lease.start is not None
        assert lease.deadline is not None
        earliest.time = max(lease.start, earliest.time)
        vm = self.placement.soon(lease, remaining, earliest, in_future=True, state=state)
        strict = self.plan.rules.holds_deadlines
        if vm.end - vm.start != remaining or (vm.final_end if strict else vm.end) > lease.deadline:
            if strict:
                self.plan.future.pop(lease, None)
            raise NotSchedulableError("could not be scheduled before its deadline")
        return vm

    def _rearrange(self, lease: LeaseRecord, earliest: int) -> VirtualMachines:
        """Take out all deadline leases that have not started and put them back, the most urgent first."""
        plan = self.plan
        waiting = [vm for vm in plan.table.from_on(earliest) if _is_waiting(vm)]
        machines = [vm for vm in waiting if isinstance(vm, VirtualMachines)]
        leases = sorted({vm.lease for vm in machines}, key=lambda other: other.id)
        transaction = Transaction(plan, leases)
        for vm in machines:
            _withdraw(plan, vm)
        before = {other: [vm for vm in machines if vm.lease is other] for other in leases}
        leases.append(lease)
        leases.sort(key=lambda other: _urgency(other, earliest, plan.now))
        attempt = _Rearrangement(self, before, earliest)
        try:
            mine = attempt.until(lease, leases)
            attempt.restore_untouched(leases)
            attempt.rest(leases)
        except NotSchedulableError:
            transaction.rollback()
            raise
        for other in leases:
            if other not in attempt.settled:
                attempt.put_back(other)
        for other, vm in attempt.placed.items():
            other.vms.append(vm)
        for reservation in (*mine.pre, mine, *mine.post):
            plan.table.remove(reservation)
        return mine


@mypyc_attr(allow_interpreted_subclasses=True)
class _Rearrangement:
    """One attempt to reschedule deadline leases."""

    def __init__(
        self, planner: DeadlinePlanner, before: dict[LeaseRecord, list[VirtualMachines]], earliest: int
    ) -> None:
        self._planner, self._plan = planner, planner.plan
        self._before, self._earliest = before, earliest
        self._dirty_nodes = 0
        self._dirty_until = earliest
        self.settled: set[LeaseRecord] = set()
        self.placed: dict[LeaseRecord, VirtualMachines] = {}

    def _place(self, lease: LeaseRecord) -> VirtualMachines:
        last, begin, state = lease.last_vm, self._earliest, None
        if last is not None and last.is_suspending:
            state, begin = SUSPENDED, max(last.post[-1].end, begin)
        vm = self._planner.place(lease, lease.remaining_at(begin), Earliest(begin), state)
        self._dirty_until = max(vm.end, self._dirty_until)
        self._plan.table.add_all((*vm.pre, vm, *vm.post))
        self.settled.add(lease)
        return vm

    def until(self, lease: LeaseRecord, leases: list[LeaseRecord]) -> VirtualMachines:
        """Place leases in order up to the new one, whose machines are returned."""
        for other in leases:
            vm = self._place(other)
            self._dirty_nodes |= vm.mask
            if other is lease:
                return vm
            self.placed[other] = vm
        raise AssertionError("the lease is among them")

    def restore_untouched(self, leases: list[LeaseRecord]) -> None:
        """Leases on nodes nobody new came to keep their old places."""
        nodes = dict.fromkeys((lease for lease in leases if lease not in self.settled), 0)
        for lease in nodes:
            for vm in self._before[lease]:
                nodes[lease] |= vm.mask
        dirty, stable = self._dirty_nodes, False
        while not stable:
            stable = True
            for mask in nodes.values():
                if mask & dirty and mask & ~dirty:
                    dirty |= mask
                    stable = False
        for lease, mask in nodes.items():
            if not mask & dirty:
                self.put_back(lease)
                self.settled.add(lease)

    def put_back(self, lease: LeaseRecord) -> None:
        """Restore a lease's old machines."""
        for vm in self._before[lease]:
            self._plan.enter(lease, vm)

    def rest(self, leases: list[LeaseRecord]) -> None:
        """Place the others, until all that is left starts after everything that moved."""
        left = [lease for lease in leases if lease not in self.settled]
        for i, lease in enumerate(left):
            if min(vm.start for other in left[i:] for vm in self._before[other]) > self._dirty_until:
                return
            self.placed[lease] = self._place(lease)


def _is_waiting(reservation: Reservation) -> bool:
    return (
        isinstance(reservation, VirtualMachines)
        and reservation.lease.kind is _DEADLINE
        and reservation.state is _SCHEDULED
        and all(r.state is _SCHEDULED for r in reservation.pre)
    )


def _urgency(lease: LeaseRecord, earliest: int, now: int) -> float:
    assert lease.deadline is not None
    return (lease.deadline - earliest) / max(lease.remaining_at(now), 1)  # Haizea crashes when nothing remains
