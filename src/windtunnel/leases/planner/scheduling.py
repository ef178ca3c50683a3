"""Scheduling: what is pending, then what is queued, gets its place in the plan; others may have to give way."""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError
from windtunnel.leases.planner.deadline import DeadlineMapper, DeadlinePlanner
from windtunnel.leases.planner.earliest import Earliest, NotSchedulableError
from windtunnel.leases.planner.mapper import GreedyMapper
from windtunnel.leases.planner.migration import migration_estimate, migrations
from windtunnel.leases.planner.parts import Parts
from windtunnel.leases.planner.placement import Placement
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.policies import user_rate
from windtunnel.leases.planner.preparation import ImagePreparation
from windtunnel.leases.planner.record import LeaseRecord, Progress, VirtualMachines
from windtunnel.leases.planner.reservations import Transfer
from windtunnel.leases.planner.suspension import SuspendResume
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model.lease import LeaseKind, LeaseState
from windtunnel.model.lease_options import Backfilling, MigrationMode

__all__ = ["Scheduling"]

_S = LeaseState

# Bound once: an enumeration looks its members up anew each time.
_S_PENDING: Final = _S.PENDING
_BEST_EFFORT: Final = LeaseKind.BEST_EFFORT
_S_QUEUED: Final = _S.QUEUED
_S_REJECTED_BY_USER: Final = _S.REJECTED_BY_USER
_S_REJECTED: Final = _S.REJECTED
_BACKFILLING_OFF: Final = Backfilling.OFF
_MIGRATION_NO: Final = MigrationMode.NO
_S_SUSPENDED_SCHEDULED: Final = _S.SUSPENDED_SCHEDULED
_S_SCHEDULED: Final = _S.SCHEDULED
_S_READY: Final = _S.READY
_S_SUSPENDED_QUEUED: Final = _S.SUSPENDED_QUEUED
_S_PREPARING: Final = _S.PREPARING
_S_SUSPENDED_PENDING: Final = _S.SUSPENDED_PENDING
_SCHEDULED: Final = Progress.SCHEDULED
_DEADLINE: Final = LeaseKind.DEADLINE
_RESERVATION: Final = LeaseKind.RESERVATION
_S_FAIL: Final = _S.FAIL
_S_RESUMING: Final = _S.RESUMING
FRESH: Final = (_S.PENDING, _S.QUEUED)
SUSPENDED: Final = (_S.SUSPENDED_PENDING, _S.SUSPENDED_QUEUED)


@mypyc_attr(allow_interpreted_subclasses=True)
class Scheduling:
    """Finds places for leases and enters them in the plan."""

    def __init__(self, plan: Plan, parts: Parts) -> None:
        """Raises: UsageError: a policy lacks an option it needs."""
        self.plan = plan
        self.admission = parts.admission()
        hosts, preemption = parts.host_selection(), parts.preemption(plan)
        self.pricing = parts.pricing(plan)
        self.most_reserved = plan.options.max_future
        """How many best-effort leases may have a reservation in the future."""
        self.suspension = SuspendResume(plan)
        self.preparation = ImagePreparation(plan)
        self.mapper = parts.mapper(plan, hosts, preemption)
        self._greedy = GreedyMapper(plan, hosts, preemption)
        self.placement = Placement(plan, self.mapper, self.suspension)
        self.deadlines = DeadlinePlanner(plan, self.placement, self.suspension)
        if isinstance(self.mapper, DeadlineMapper):
            self.mapper.deadlines = self.deadlines

    def schedule(self, now: int) -> None:
        """Place what is pending, then what is queued, from ``now`` on."""
        plan = self.plan
        if plan.pending:
            pending = [lease for lease in plan.pending.values() if lease.state is _S_PENDING]
            plan.pending.clear()
            for lease in pending:
                if lease.kind is _BEST_EFFORT:
                    plan.queue.append(lease)
                    plan.set_state(lease, _S_QUEUED)
            for lease in pending:
                if lease.kind is not _BEST_EFFORT:
                    self.schedule_at_once(lease, now)
        if plan.queue and plan.has_deadlines and plan.rules.holds_deadlines:
            self._schedule_deadlines(now)
        if plan.queue:
            self._schedule_queue(now)

    def _schedule_deadlines(self, now: int) -> None:
        """Deadline leases that gave way get a place by their deadline at once, wait for nodes that may come back in
        time, or are over.
        """
        plan = self.plan
        for lease in [lease for lease in plan.queue if lease.kind is _DEADLINE]:
            plan.queue.remove(lease)
            try:
                self.place(lease, now)
            except NotSchedulableError as error:
                lease.reason = f"it gave way, and has no other place by its deadline: {error}"
                assert lease.deadline is not None
                if plan.table.away and now + lease.remaining < lease.deadline:
                    plan.enqueue(lease)
                else:
                    plan.forget(lease, _S_FAIL if lease.state is _S_SUSPENDED_QUEUED else _S_REJECTED)

    def schedule_at_once(self, lease: LeaseRecord, now: int) -> None:
        """Place a lease that does not wait, or reject it."""
        try:
            self.place(lease, now)
        except NotSchedulableError as error:
            lease.reason = str(error)
            self.plan.forget(lease, _S_REJECTED_BY_USER if lease.price == -1 else _S_REJECTED)
        self.pricing.feedback(lease)

    def _schedule_queue(self, now: int) -> None:
        """Try the queue in order. What does not fit stays in its place, and the next is tried (backfilling)."""
        plan = self.plan
        queue, plan.queue = plan.queue, []
        done, changed = 0, True
        for lease in queue:
            if changed:
                changed, reserve = False, self.most_reserved is None or len(plan.future) < self.most_reserved
                full = not reserve and plan.is_full(now)
                free = 0 if full or reserve else plan.table.profile.least_free(now, now + 1)
            if full:
                break
            done += 1
            if reserve or not self._is_hopeless(lease, now, free):
                try:
                    self.place(lease, now)
                except NotSchedulableError as error:
                    lease.reason = str(error)
                else:
                    changed = True
                    continue
            plan.queue.append(lease)
            if plan.options.backfilling is _BACKFILLING_OFF:
                break
        plan.queue += queue[done:]

    def _is_hopeless(self, lease: LeaseRecord, now: int, free: int) -> bool:
        """Whether a lease that cannot be reserved for later wants more CPU than there is once it could start."""
        if self.preparation.managed:
            return False
        if lease.state is _S_QUEUED:
            if lease.cpu > free:
                return True
            start = now
        else:
            start = now + migration_estimate(self.plan, self.preparation, lease)
        return lease.cpu > self.plan.table.profile.least_free(start, start + self.placement.least_run(lease))

    def place(self, lease: LeaseRecord, now: int) -> None:
        """Find a place for a lease and enter it in the plan.

        Raises:
            NotSchedulableError: there is none now.
        """
        plan = self.plan
        fresh = lease.state in FRESH
        if fresh:
            earliest = self.preparation.earliest(lease, now) if self.preparation.managed else Earliest(now)
        elif lease.state in SUSPENDED:
            earliest = Earliest(now + migration_estimate(plan, self.preparation, lease))
        else:
            raise SimulationError(f"lease {lease.id} cannot be scheduled while {lease.state.label}", now=now / TICKS)
        vm, preempted = self._machines(lease, earliest)
        if not self.pricing.free:
            self._agree_on_price(lease, preempted)
        else:
            lease.price = 0.0
        transfers: list[Transfer] = []
        ready = True
        if fresh:
            if self.preparation.managed:
                transfers, ready = self.preparation.prepare(lease, vm, earliest, now)
        elif plan.options.migration is not _MIGRATION_NO:
            vm.pre[:0] = migrations(plan, self.preparation, lease, vm, now)
        for other in preempted:
            self._preempt(other, vm.start)
        for transfer in transfers:
            lease.preparation.append(transfer)
            plan.table.add(transfer)
        lease.vms.append(vm)
        plan.table.add_all((*vm.pre, vm, *vm.post))
        lease.reason = ""
        if not fresh:
            plan.set_state(lease, _S_SUSPENDED_SCHEDULED)
        elif ready:
            plan.set_state(lease, _S_SCHEDULED, _S_READY)
        else:
            plan.set_state(lease, _S_SCHEDULED)

    def requeue(self, lease: LeaseRecord) -> None:
        """Put a lease whose reservation was taken away back in the queue."""
        self.plan.set_state(lease, _S_QUEUED if lease.state is _S_PENDING else _S_SUSPENDED_QUEUED)
        self.plan.enqueue(lease)

    def withdraw(self, lease: LeaseRecord) -> bool:
        """Take back what is reserved for a lease that is not running; ``False`` if it is in no such state."""
        plan = self.plan
        if lease.state in {_S_READY, _S_SCHEDULED, _S_PREPARING}:
            self.preparation.cancel(lease)
            plan.set_state(lease, _S_PENDING)
        elif lease.state is _S_SUSPENDED_SCHEDULED:
            self.preparation.cancel(lease, remove_images=False)
            plan.set_state(lease, _S_SUSPENDED_PENDING)
        else:
            return False
        for vm in [vm for vm in lease.vms if vm.state is _SCHEDULED]:
            lease.vms.remove(vm)
            plan.withdraw(vm)
            plan.tell_lost(vm)
        return True

    def why_impossible(self, lease: LeaseRecord) -> str:
        """Why a lease can never run on this site; "" if it can, or if trying will tell."""
        if lease.kind is _BEST_EFFORT and not self._fits_empty(lease):
            return "it asks for more than the whole site has"
        if lease.kind is _DEADLINE and self.preparation.concerns(lease):
            return "deadline leases with a disk image cannot be prepared by image transfer"
        return ""

    def _fits_empty(self, lease: LeaseRecord) -> bool:
        """Whether a lease would fit if it were alone on the site."""
        if lease.uniform:
            fitting = self.plan.table.base_fit(lease.needs[0])
            return sum([count * nodes.bit_count() for count, nodes in fitting]) >= lease.numnodes
        return self._greedy.fits_empty(lease)

    def _machines(self, lease: LeaseRecord, earliest: Earliest) -> tuple[VirtualMachines, tuple[LeaseRecord, ...]]:
        placement = self.placement
        if lease.kind is _RESERVATION:
            vm, preempted = placement.exact(lease)
            return vm, (() if self.mapper.reschedules else preempted)
        if lease.kind is _DEADLINE:
            return self.deadlines.schedule(lease, lease.remaining, earliest)
        most, best_effort = self.most_reserved, lease.kind is _BEST_EFFORT
        in_future = best_effort and (most is None or len(self.plan.future) < most)
        return placement.soon(lease, lease.requested - lease.accumulated, earliest, in_future=in_future), ()

    def _agree_on_price(self, lease: LeaseRecord, preempted: Sequence[LeaseRecord]) -> None:
        """Price a lease and let its (simulated) user decide.

        Raises:
            NotSchedulableError: the user is not willing to pay it.
        """
        pricing = self.pricing
        price = pricing.price(lease, preempted)
        rate = user_rate(lease)
        if rate is not None:
            lease.extras["rate"] = pricing.rate
            most = pricing.base_price(lease, rate)
            if price > most:
                lease.price = -1
                lease.extras["rejected_price"] = price
                raise NotSchedulableError(f"its price is {price:.2f}, and its user pays at most {most:.2f}")
        lease.price = price

    def _preempt(self, lease: LeaseRecord, time: int) -> None:
        """Make a lease give way from a time on: suspend it until then, or cancel it now and queue it again."""
        plan = self.plan
        vm = lease.last_vm
        assert vm is not None, "it has machines in the way"
        if (
            not (vm.state is _SCHEDULED and vm.start >= time)
            and plan.times.may_suspend(lease)
            and self.suspension.can_suspend(lease, time)
            and self.suspension.preempt(vm, min(time, vm.end))
        ):
            return
        if lease.state is _S_RESUMING:  # Haizea stops with an error here
            lease.memory_at = dict(enumerate(vm.hosts))
        suspended = lease.state in {_S_SUSPENDED_SCHEDULED, _S_RESUMING}
        self.preparation.cancel(lease, remove_images=not suspended)
        plan.withdraw(vm)
        plan.tell_lost(vm)
        lease.vms.remove(vm)
        plan.set_state(lease, _S_SUSPENDED_QUEUED if suspended else _S_QUEUED)
        plan.enqueue(lease)
