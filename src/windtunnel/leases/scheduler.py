"""The lease scheduler: a state machine with its own (virtual) time.

It is driven from outside: :meth:`LeaseScheduler.advance` moves to an instant and does all that happens there, in
Haizea's order; :meth:`LeaseScheduler.next_event` tells when something will happen by itself. Times are ticks
(1/100 s). It holds nothing but plain data, so it can be pickled and copied as a value.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.leases.core import Core, Observer
from windtunnel.leases.deadline import can_suspend, preempt_machines
from windtunnel.leases.handlers import Handlers
from windtunnel.leases.migration import migration_estimate, migrations
from windtunnel.leases.placement import Earliest, NotSchedulableError
from windtunnel.leases.policies.pricing import user_rate
from windtunnel.leases.record import LeaseRecord
from windtunnel.leases.reevaluation import reevaluate
from windtunnel.leases.reservations import TICKS, Progress, Reservation, Transfer, VirtualMachines
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseKind, LeaseSite, LeaseState
from windtunnel.model.lease_options import Backfilling, LeaseOptions, MigrationMode, SuspensionMode

__all__ = ["LeaseScheduler"]

_S = LeaseState
FRESH = (_S.PENDING, _S.QUEUED)
CANCELLABLE = {
    _S.PENDING,
    _S.QUEUED,
    _S.SCHEDULED,
    _S.READY,
    _S.ACTIVE,
    _S.SUSPENDED_QUEUED,
    _S.SUSPENDED_SCHEDULED,
    _S.RESUMED_READY,
}
SUSPENDED = (_S.SUSPENDED_PENDING, _S.SUSPENDED_QUEUED)


class LeaseScheduler:
    """Schedules leases on a site."""

    def __init__(self, site: LeaseSite, options: LeaseOptions, observers: Sequence[Observer] = ()) -> None:
        """Raises: UsageError: an option, a policy or the site makes no sense."""
        for kind in (CPU, MEMORY):
            if kind not in site.resource_types:
                raise UsageError(f"a site for leases needs the resource type {kind}")
        self.core = Core(site, options)
        self.core.observers.extend(observers)
        self._handlers = Handlers(self)

    # --- the face -------------------------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        """The instant it has reached."""
        return self.core.now

    @property
    def busy(self) -> bool:
        """Whether anything is planned, running or queued."""
        return bool(len(self.core.table) or self.core.queue)

    def next_event(self) -> int | None:
        """When something will happen by itself next; ``None``: never."""
        times = (self.core.table.next_change(self.core.now), self.core.table.next_premature(self.core.now))
        return min((time for time in times if time is not None), default=None)

    def advance(
        self, now: int, requests: Sequence[Lease] = (), *, ended: Sequence[int] = (), schedulable: int | None = None
    ) -> None:
        """Do all that happens at an instant (decisions.md 2).

        Args:
            now: the instant; not before the last one.
            requests: leases submitted at or before it, in order.
            ended: leases whose machines are known to have ended by themselves just now.
            schedulable: from when on nodes may be given away; default now.

        Raises:
            SimulationError: the state machine was violated, or a lease failed and failures end the run.
        """
        core = self.core
        if now < core.now:
            raise SimulationError(f"time cannot go back to {now / TICKS:g} s", now=core.now / TICKS)
        core.now = now
        for vm in [*core.table.premature_at(now), *self._ended_by_themselves(ended)]:
            if vm.key is not None:
                self._end_early(vm)
        self._handlers.ends(now)
        self._handlers.starts(now)
        for lease in requests:
            self.request(lease)
        self.schedule(now if schedulable is None else schedulable)
        self._handlers.starts(now)
        self._handlers.ends(now)
        for observer in core.observers:
            observer.step(now, core)

    def request(self, lease: Lease) -> LeaseRecord:
        """Submit a lease; it is scheduled at the next :meth:`schedule` unless it is rejected at once.

        Raises:
            UsageError: its id is in use.
        """
        core = self.core
        if lease.id in core.leases:
            raise UsageError(f"lease {lease.id} exists already")
        reason = self.objection(lease)
        record = LeaseRecord(replace(lease, nodes=()) if reason else lease, core.space, core.options)
        reason = reason or self._impossible(record)
        core.set_state(record, _S.PENDING)
        if not reason and not core.admission.accept(record):
            reason = f"not admitted ({core.options.policy_admission})"
        if reason:
            record.reason = reason
            core.set_state(record, _S.REJECTED)
        else:
            core.leases[record.id] = core.pending[record.id] = record
        for observer in core.observers:
            observer.requested(core.now, record)
        return record

    def schedule(self, now: int) -> None:
        """Place what is pending, then what is queued, from ``now`` on."""
        core = self.core
        pending = [lease for lease in core.pending.values() if lease.state is _S.PENDING]
        core.pending.clear()
        for lease in pending:
            if lease.kind is LeaseKind.BEST_EFFORT:
                core.queue.append(lease)
                core.set_state(lease, _S.QUEUED)
        for lease in pending:
            if lease.kind is not LeaseKind.BEST_EFFORT:
                self._schedule_at_once(lease, now)
        self._schedule_queue(now)

    def objection(self, lease: Lease) -> str:
        """Why a lease makes no sense on this site; "" if it does (it may be rejected all the same)."""
        unknown = sorted({kind for group in lease.nodes for kind in self.core.space.unknown(group.amounts)})
        if unknown:
            return f"it asks for {', '.join(unknown)}, which the site does not have"
        return "" if lease.numnodes else "it asks for no nodes"

    def cancel(self, lease_id: int) -> LeaseRecord:
        """Cancel a lease.

        Raises:
            UsageError: there is no such lease, or it is in a state in which it cannot be cancelled.
        """
        if reason := self.why_not_cancel(lease_id):
            raise UsageError(reason)
        lease = self.core.leases[lease_id]
        self._handlers.cancel(lease)
        self.forget(lease, _S.CANCELLED)
        return lease

    def why_not_cancel(self, lease_id: int) -> str:
        """Why a lease cannot be cancelled now; "" if it can."""
        lease = self.core.leases.get(lease_id)
        if lease is None:
            return f"there is no lease {lease_id} that could be cancelled"
        if lease.state not in CANCELLABLE:
            return f"lease {lease_id} cannot be cancelled while it is {lease.state.label}"
        if lease.state is _S.ACTIVE and not any(vm.state is Progress.ACTIVE for vm in lease.vms):
            return f"lease {lease_id} is shutting down"
        return ""

    # --- pieces shared with the handlers --------------------------------------------------------------------------

    def forget(self, lease: LeaseRecord, state: LeaseState) -> None:
        """Move a lease to a final state and drop it."""
        core = self.core
        core.set_state(lease, state)
        core.leases.pop(lease.id, None)
        core.pending.pop(lease.id, None)
        core.lose_future(lease)
        for observer in core.observers:
            observer.finished(core.now, lease)

    def enqueue_in_order(self, lease: LeaseRecord) -> None:
        """Put a lease back in the queue, by submission."""
        self.core.queue.append(lease)
        self.core.queue.sort(key=lambda other: other.submit)

    def requeue(self, lease: LeaseRecord) -> None:
        """Put a lease whose reservation was taken away back in the queue."""
        self.core.set_state(lease, _S.QUEUED if lease.state is _S.PENDING else _S.SUSPENDED_QUEUED)
        self.enqueue_in_order(lease)

    def place(self, lease: LeaseRecord, now: int) -> None:
        """Find a place for a lease and put it in the slot table.

        Raises:
            NotSchedulableError: there is none now.
        """
        core = self.core
        fresh = lease.state in FRESH
        if fresh:
            earliest = core.preparation.earliest(lease, now)
        elif lease.state in SUSPENDED:
            earliest = Earliest(now + migration_estimate(core, lease))
        else:
            raise SimulationError(f"lease {lease.id} cannot be scheduled while {lease.state.label}", now=now / TICKS)
        vm, preempted = self._machines(lease, earliest)
        self._agree_on_price(lease, preempted)
        transfers: list[Transfer] = []
        ready = True
        if fresh:
            transfers, ready = core.preparation.plan(lease, vm, earliest, now)
        elif core.options.migration is not MigrationMode.NO:
            vm.pre[:0] = migrations(core, lease, vm, now)
        for other in preempted:
            self._preempt(other, vm.start)
        for transfer in transfers:
            lease.preparation.append(transfer)
            core.table.add(transfer)
        core.enter(lease, vm)
        lease.reason = ""
        if not fresh:
            core.set_state(lease, _S.SUSPENDED_SCHEDULED)
            return
        core.set_state(lease, _S.SCHEDULED)
        if ready:
            core.set_state(lease, _S.READY)

    # --- scheduling -----------------------------------------------------------------------------------------------

    def _impossible(self, lease: LeaseRecord) -> str:
        """Why a lease can never run on this site; "" if it can, or if trying will tell."""
        core = self.core
        if lease.kind is LeaseKind.BEST_EFFORT and not core.fits_empty(lease):
            return "it asks for more than the whole site has"
        if lease.kind is LeaseKind.DEADLINE and core.preparation.concerns(lease):
            return "deadline leases with a disk image cannot be prepared by image transfer"
        return ""

    def _schedule_at_once(self, lease: LeaseRecord, now: int) -> None:
        core = self.core
        try:
            self.place(lease, now)
        except NotSchedulableError as error:
            lease.reason = str(error)
            self.forget(lease, _S.REJECTED_BY_USER if lease.price == -1 else _S.REJECTED)
        core.pricing.feedback(lease)

    def _schedule_queue(self, now: int) -> None:
        """Try the queue in order. What does not fit stays in its place, and the next is tried (backfilling)."""
        core = self.core
        queue, core.queue = core.queue, []
        done, changed = 0, True
        for lease in queue:
            if changed:
                changed, reserve = False, core.placement.may_reserve()
                full = not reserve and core.is_full(now)
                free = core.table.profile.least_free(now, now + 1)
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
            core.queue.append(lease)
            if core.options.backfilling is Backfilling.OFF:
                break
        core.queue += queue[done:]

    def _is_hopeless(self, lease: LeaseRecord, now: int, free: int) -> bool:
        """Whether a lease that cannot be reserved for later wants more CPU than there is once it could start."""
        core = self.core
        if core.preparation.managed:
            return False
        if lease.state is _S.QUEUED:
            if lease.cpu > free:
                return True
            start = now
        else:
            start = now + migration_estimate(core, lease)
        return lease.cpu > core.table.profile.least_free(start, start + core.placement.least_run(lease))

    def _machines(self, lease: LeaseRecord, earliest: Earliest) -> tuple[VirtualMachines, tuple[LeaseRecord, ...]]:
        placement = self.core.placement
        if lease.kind is LeaseKind.RESERVATION:
            vm, preempted = placement.exact(lease)
            return vm, (() if self.core.mapper.reschedules else preempted)
        if lease.kind is LeaseKind.DEADLINE:
            return self.core.deadlines.schedule(lease, lease.remaining, earliest)
        in_future = lease.kind is LeaseKind.BEST_EFFORT and placement.may_reserve()
        return placement.soon(lease, lease.remaining, earliest, in_future=in_future), ()

    def _agree_on_price(self, lease: LeaseRecord, preempted: Sequence[LeaseRecord]) -> None:
        """Price a lease and let its (simulated) user decide.

        Raises:
            NotSchedulableError: the user is not willing to pay it.
        """
        pricing = self.core.pricing
        price = pricing.price(lease, preempted)
        rate = user_rate(lease)
        if rate is not None and not pricing.free:
            lease.extras["rate"] = pricing.rate
            most = pricing.base_price(lease, rate)
            if price > most:
                lease.price = -1
                lease.extras["rejected_price"] = price
                raise NotSchedulableError(f"its price is {price:.2f}, and its user pays at most {most:.2f}")
        lease.price = price

    def _preempt(self, lease: LeaseRecord, time: int) -> None:
        """Make a lease give way from a time on: suspend it until then, or cancel it now and queue it again."""
        core = self.core
        vm = lease.last_vm
        assert vm is not None, "it has machines in the way"
        serial_only = core.options.suspension is SuspensionMode.SERIAL_ONLY
        if (
            not (vm.state is Progress.SCHEDULED and vm.start >= time)
            and core.times.suspends
            and can_suspend(core, lease, time)
            and not (serial_only and lease.numnodes > 1)
            and preempt_machines(core, vm, min(time, vm.end))
        ):
            return
        suspended = lease.state is _S.SUSPENDED_SCHEDULED
        core.preparation.cancel(lease, remove_images=not suspended)
        core.withdraw(vm)
        core.tell_lost(vm)
        lease.vms.remove(vm)
        core.set_state(lease, _S.SUSPENDED_QUEUED if suspended else _S.QUEUED)
        self.enqueue_in_order(lease)

    def _ended_by_themselves(self, leases: Sequence[int]) -> list[VirtualMachines]:
        """Machines seen to end before their time, by planned end; others take their usual course."""
        alive = [self.core.leases[number] for number in leases if number in self.core.leases]
        machines = [vm for lease in alive for vm in lease.vms if vm.state is Progress.ACTIVE]
        early = [vm for vm in machines if vm.key is not None and (vm.end > self.core.now or vm.is_suspending)]
        return sorted(early, key=lambda vm: vm.key[1:] if vm.key else ())

    def _end_early(self, vm: VirtualMachines) -> None:
        """A simulated lease is over before its time; what it frees is given away again at once."""
        core, lease = self.core, vm.lease
        for observer in core.observers:
            observer.ended_early(core.now, vm)
        for later in lease.vms_after(core.now):
            core.withdraw(later)
            lease.vms.remove(later)
        core.table.remove(vm)
        self._handlers.stop_early(vm)
        reevaluate(self, lease)
        self._handlers.done(lease)


def reservations_of(lease: LeaseRecord) -> list[Reservation]:
    """All reservations of a lease, in order."""
    machines = [r for vm in lease.vms for r in (*vm.pre, vm, *vm.post)]
    return [*lease.preparation, *machines]
