"""Placing the machines of a lease: at an exact time, or as soon as there is room."""

from collections.abc import Iterable
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import SimulationError
from windtunnel.leases.planner.earliest import Earliest, NotSchedulableError
from windtunnel.leases.planner.mapper import stay
from windtunnel.leases.planner.mapping import Mapper, Mapping
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.record import LeaseRecord, VirtualMachines
from windtunnel.leases.planner.reservations import Shutdown
from windtunnel.leases.planner.space import Vector
from windtunnel.leases.planner.suspension import NoTimeError, SuspendResume
from windtunnel.leases.planner.ticks import FOREVER, TICKS
from windtunnel.model.lease import LeaseKind, LeaseState
from windtunnel.model.lease_options import MigrationMode

__all__ = ["Placement"]

# Bound once: an enumeration looks its members up anew each time.
_MIGRATION_NO: Final = MigrationMode.NO
_DEADLINE: Final = LeaseKind.DEADLINE

RESUMING = {LeaseState.SUSPENDED_PENDING, LeaseState.SUSPENDED_QUEUED, LeaseState.SUSPENDED_SCHEDULED}


@mypyc_attr(allow_interpreted_subclasses=True)
class Placement:
    """Places machines; what it plans is put in the slot table by its caller."""

    def __init__(self, plan: Plan, mapper: Mapper, suspension: SuspendResume) -> None:
        self.plan = plan
        self.mapper = mapper
        self.suspension = suspension

    def exact(self, lease: LeaseRecord) -> tuple[VirtualMachines, tuple[LeaseRecord, ...]]:
        """Machines at exactly the requested start, and who must give way.

        Raises:
            NotSchedulableError: there is no room.
        """
        start = lease.start
        assert start is not None, "the start is exact"
        if start < self.plan.now:  # Haizea takes it, and stops when its end comes
            raise NotSchedulableError("its start is past")
        shutdown = self.plan.times.shutdown(lease)
        end = start + lease.requested + shutdown
        if lease.deadline is not None and end > lease.deadline and self.plan.rules.holds_deadlines:
            raise NotSchedulableError("it would end after its deadline")
        mapping = self.mapper.map(lease, start, end, strict=True, preempt=True)
        if mapping is None:
            raise NotSchedulableError("not enough resources in the requested interval")
        vm = self._machines(lease, start, end, mapping)
        self.suspension.shutdown(vm, shutdown)
        return vm, mapping.preempted

    def soon(
        self,
        lease: LeaseRecord,
        remaining: int,
        earliest: Earliest,
        *,
        in_future: bool,
        state: LeaseState | None = None,
    ) -> VirtualMachines:
        """Machines at the first time there is room for them, now or (``in_future``) later.

        Args:
            lease: whose machines.
            remaining: how long they still must run.
            earliest: when nodes could start it.
            in_future: whether a reservation in the future is allowed.
            state: plan as if the lease were in this state.

        Raises:
            NotSchedulableError: there is no room.
        """
        times = self.plan.times
        shutdown = times.shutdown(lease)
        resuming = (lease.state if state is None else state) in RESUMING
        asked = remaining + (times.resume_estimate(lease) if resuming else 0) + shutdown
        only = None
        if resuming and self.plan.options.migration is _MIGRATION_NO and lease.last_vm is not None:
            only = lease.last_vm.mask
        steps = earliest.steps(self.plan.table.all_nodes)
        last = steps[-1][0]
        points: list[tuple[int, int | None]] = [(time, only) for time, _ in steps] if resuming else list(steps)
        latest = None if lease.deadline is None else lease.deadline - remaining
        found = self._first_fit(lease, _until(points, latest), asked, shutdown)
        later = found is None and in_future
        if later:
            found = self._later_fit(lease, last, only, latest, asked, shutdown)
        if found is None:
            raise NotSchedulableError("not enough resources")
        start, mapping = found
        vm = self._machines(lease, start, mapping.end, mapping)
        try:
            if resuming:
                self.suspension.resume(vm, start)
            must_suspend = (vm.end - vm.start) - shutdown < remaining
            if must_suspend:
                self.suspension.suspend(vm, mapping.end)
                if vm.end == vm.start and mapping.end - start >= asked and not self.plan.live:
                    raise self.plan.never_runs(lease)
        except NoTimeError as error:  # a threshold given by hand may be too short for it; Haizea crashes then
            raise NotSchedulableError(str(error)) from error
        if not must_suspend:
            vm.end = min(vm.end, vm.start + remaining + shutdown)
            self.suspension.shutdown(vm, shutdown)
        if later:
            self.plan.future[lease] = None
        return vm

    def _later_fit(
        self, lease: LeaseRecord, after: int, only: int | None, latest: int | None, asked: int, shutdown: int
    ) -> tuple[int, Mapping] | None:
        """As :meth:`_first_fit`, at the times at which something is freed after that time."""
        futures = _until(((time, only) for time in self._releases(after)), latest)
        found = self._first_fit(lease, futures, asked, shutdown)
        if found is not None or lease.deadline is not None:
            return found
        # Haizea gives up here; any other end may be the one that makes room.
        ends = sorted({r.end for r in self.plan.table.ending_after(after) if r.end < FOREVER})
        found = self._first_fit(lease, ((time, only) for time in ends), asked, shutdown)
        if found is None and not self.plan.table.away:
            message = f"lease {lease.id} finds no placement at any time, not even when all other leases are gone"
            raise SimulationError(message, now=self.plan.now / TICKS)
        return found

    def _in_one_piece(self, lease: LeaseRecord) -> bool:
        """Whether a lease must be placed for all its time, because it cannot be suspended."""
        times = self.plan.times
        alone = times.serial_only and lease.numnodes > 1  # as LeaseTimes.may_suspend, without a call
        return lease.kind is _DEADLINE or not times.suspends or alone

    def least_run(self, lease: LeaseRecord) -> int:
        """For how long nodes must at least be free, so that it makes sense to start a lease on them."""
        whole = lease.remaining
        return whole if self._in_one_piece(lease) else min(whole, self.plan.times.threshold(lease))

    def _first_fit(
        self, lease: LeaseRecord, points: Iterable[tuple[int, int | None]], asked: int, shutdown: int
    ) -> tuple[int, Mapping] | None:
        """The first of these times at which a lease fits, for all it asks or long enough to be worth a suspension."""
        strict = self._in_one_piece(lease)
        least = self.plan.times.threshold(lease)
        sure = asked if strict else min(asked, least)
        profile = self.plan.table.profile
        stays = self.plan.options.migration is _MIGRATION_NO and lease.last_vm is not None
        stays = stays and self.plan.rules.memory_stays
        for start, nodes in points:
            if profile.least_free(start, start + sure) < lease.cpu:
                continue
            if nodes is not None and stays:
                mapping = stay(self.plan, lease, start, start + asked, strict=strict)
            else:
                mapping = self.mapper.map(lease, start, start + asked, strict=strict, nodes=nodes)
            if mapping is None:
                continue
            length = mapping.end - start
            if length >= asked or least <= length <= asked - shutdown:
                return start, mapping
        return None

    def _releases(self, after: int) -> list[int]:
        """The times after which machines are gone, shutdown or suspension included."""
        ending = self.plan.table.ending_after(after)
        times = {r.post[-1].end if r.post else r.end for r in ending if type(r) is VirtualMachines}
        for r in ending:
            if isinstance(r, Shutdown) and (r.vm.key is None or r.vm.end <= after):
                times.add(r.end)
        return sorted(times)

    def _machines(self, lease: LeaseRecord, start: int, end: int, mapping: Mapping) -> VirtualMachines:
        space = self.plan.table.space
        on: dict[int, Vector] = {}
        if lease.uniform and len(set(mapping.hosts)) == len(mapping.hosts):
            mask = 0
            for bit in mapping.hosts:
                mask |= 1 << bit
            parts: dict[Vector, int] = {lease.needs[0]: mask}
        else:
            for need, bit in zip(lease.needs, mapping.hosts, strict=True):
                on[bit] = space.plus(on[bit], need) if bit in on else need
            parts = {}
            for bit, amount in on.items():
                parts[amount] = parts.get(amount, 0) | (1 << bit)
        return VirtualMachines(lease, start, end, tuple(parts.items()), mapping.hosts)


def _until(points: Iterable[tuple[int, int | None]], latest: int | None) -> list[tuple[int, int | None]]:
    return [point for point in points if latest is None or point[0] <= latest]
