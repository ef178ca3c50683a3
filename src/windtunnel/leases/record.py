"""A lease in the hands of the scheduler: what was asked, in ticks, and how far it has come."""

from collections.abc import Iterator
from math import ceil

from windtunnel.leases.reservations import TICKS, Progress, Reservation, VirtualMachines, ceil_second
from windtunnel.leases.space import ResourceSpace, Vector
from windtunnel.model.lease import MEMORY, Lease, LeaseKind, When
from windtunnel.model.lease_options import LeaseOptions, Overhead

__all__ = ["LeaseRecord", "ticks"]


def ticks(seconds: float) -> int:
    """Seconds as ticks, rounded to the nearest."""
    return round(seconds * TICKS)


class LeaseRecord:
    """The state of one lease. Times are ticks; ``lease`` is what was asked."""

    def __init__(self, lease: Lease, space: ResourceSpace, options: LeaseOptions) -> None:
        assert lease.id is not None, "leases are numbered before they are scheduled"
        self.lease = lease
        self.id: int = lease.id
        self.kind = lease.kind
        self.state = lease.state
        self.submit = ticks(lease.submit)
        self.start = None if isinstance(lease.start, When) else ticks(lease.start)
        self.deadline = None if lease.deadline is None else ticks(lease.deadline)
        self.software = lease.software
        self.extras: dict[str, object] = dict(lease.extras)
        self.needs = tuple(_needs(lease, space, options))
        """What each virtual node asks for."""
        self.memories = tuple(space.memory(need) for need in self.needs)
        self.numnodes = len(self.needs)
        self.cpu = sum(space.cpu(need) for need in self.needs)
        self.original = ticks(lease.duration)
        self.requested, self.known = _durations(self, options)
        self.accumulated = 0
        self.actual: int | None = None
        """How long the machines ran, once the lease is done."""
        self.started: int | None = None
        self.end: int | None = None
        self.price: float | None = None
        self.reason = ""
        """Why it was rejected or failed."""
        self.preparation: list[Reservation] = []
        self.vms: list[VirtualMachines] = []
        self.ran: list[tuple[int, int]] = []
        """Start and end of each time the machines ran."""
        self.memory_at: dict[int, int] = {}
        """Where (bit) the saved memory of each virtual node lies."""
        self.estimates: dict[str, int] = {}
        """Overheads reckoned with, once computed; see :class:`~windtunnel.leases.times.LeaseTimes`."""
        self.images_at: list[tuple[int, int]] = []
        """Node (bit) and virtual node of each disk image deployed for this lease."""

    @property
    def uniform(self) -> bool:
        """Whether all virtual nodes ask for the same."""
        return self.needs.count(self.needs[0]) == self.numnodes

    @property
    def remaining(self) -> int:
        """How much of the requested duration has not run yet."""
        return self.requested - self.accumulated

    @property
    def last_vm(self) -> VirtualMachines | None:
        """The machines scheduled last."""
        return self.vms[-1] if self.vms else None

    @property
    def end_time(self) -> int | None:
        """When the machines scheduled last are gone."""
        return self.vms[-1].final_end if self.vms else None

    def vm_at(self, time: int) -> VirtualMachines | None:
        """The machines that resume, run or suspend at that time."""
        return next((vm for vm in self.vms if vm.first_start <= time < vm.final_end), None)

    def vms_after(self, time: int) -> list[VirtualMachines]:
        """The machines that begin after that time."""
        return [vm for vm in self.vms if vm.first_start > time]

    def remaining_at(self, time: int) -> int:
        """How much of the requested duration will not have run by then, going by the schedule."""
        done = 0
        for vm in self.vms:
            if time >= vm.end:
                done += vm.end - vm.start
            else:
                done += max(0, time - vm.start)
                break
        return self.requested - done

    def add_vm(self, vm: VirtualMachines) -> None:
        """Take machines into the schedule of this lease."""
        self.vms.append(vm)
        self.update_premature()

    def update_premature(self) -> None:
        """Find where the known duration is used up over the scheduled machines (simulation only)."""
        if self.known is None:
            for vm in self.vms:
                vm.premature = None
            return
        done = 0
        for vm in self.vms:
            length = vm.end - vm.start
            if self.known - done <= length:
                vm.premature = vm.start + self.known - done
                return
            vm.premature = None
            done += length

    def scheduled(self) -> Iterator[Reservation]:
        """Preparation and machines that have not begun."""
        return (r for r in (*self.preparation, *self.vms) if r.state is Progress.SCHEDULED)

    def __repr__(self) -> str:
        return f"<lease {self.id} {self.kind} {self.state.label}>"


def _needs(lease: Lease, space: ResourceSpace, options: LeaseOptions) -> Iterator[Vector]:
    for group in lease.nodes:
        amounts = dict(group.amounts)
        if options.override_memory is not None:
            amounts[MEMORY] = (options.override_memory,)
        need = space.vector(amounts)
        for _ in range(group.count):
            yield need


def _durations(record: LeaseRecord, options: LeaseOptions) -> tuple[int, int | None]:
    """Requested and known duration after the overheads that are to be added."""
    real = record.lease.real_duration
    requested, known = record.original, None if real is None else ticks(real)
    concerned = options.add_overhead is Overhead.ALL or (
        options.add_overhead is Overhead.BESTEFFORT and record.kind is LeaseKind.BEST_EFFORT
    )
    if not concerned:
        return requested, known
    if options.runtime_overhead:
        stretch = _stretched_by_float if options.haizea_compat else _stretched
        requested = stretch(requested, options.runtime_overhead)
        if known is not None and options.haizea_compat:
            requested = stretch(known, options.runtime_overhead)  # [Q]: the known duration itself is not stretched
        elif known is not None:
            known = stretch(known, options.runtime_overhead)
    boot = ticks(options.boot_overhead)
    return requested + boot, None if known is None else known + boot


def _stretched(length: int, percent: float) -> int:
    return ceil_second(round(length * (100 + percent) / 100))


def _stretched_by_float(length: int, percent: float) -> int:
    """Haizea's rounding errors become whole seconds: 3600 s and 10 % make 3961 s [Q]."""
    return ceil(length / TICKS * (1 + percent / 100)) * TICKS
