"""A lease in the hands of the planner, and what is held for it on which nodes from when to when. Times are ticks."""

from enum import IntEnum
from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.space import ResourceSpace, Vector
from windtunnel.leases.planner.ticks import TICKS, ticks, uncountable
from windtunnel.model.lease import MEMORY, Lease, LeaseState, When

__all__ = ["LeaseRecord", "Parts", "Progress", "Reservation", "VirtualMachines"]

Parts = tuple[tuple[Vector, int], ...]
"""Amounts per node, each with the set of nodes it is held on."""


class Progress(IntEnum):
    """Where a reservation stands."""

    SCHEDULED = 0
    ACTIVE = 1
    DONE = 2


# Bound once: an enumeration looks its members up anew each time.
_SCHEDULED: Final = Progress.SCHEDULED
_ACTIVE: Final = Progress.ACTIVE


@mypyc_attr(allow_interpreted_subclasses=True)
class LeaseRecord:
    """The state of one lease; ``lease`` is what was asked."""

    __slots__ = (
        "accumulated",
        "actual",
        "cpu",
        "deadline",
        "end",
        "ends_by_itself",
        "estimates",
        "extras",
        "id",
        "images_at",
        "kind",
        "lease",
        "memories",
        "memory_at",
        "migrations",
        "needs",
        "numnodes",
        "preparation",
        "price",
        "ran",
        "reason",
        "requested",
        "software",
        "start",
        "started",
        "state",
        "submit",
        "suspensions",
        "transfers",
        "uniform",
        "vms",
    )

    def __init__(
        self, lease: Lease, space: ResourceSpace, requested: int | None = None, memory: int | None = None
    ) -> None:
        """``requested``: for how long, if not as the lease says; ``memory``: MB for each virtual node instead."""
        assert lease.id is not None, "leases are numbered before they are scheduled"
        self.lease = lease
        self.id: int = lease.id
        self.kind = lease.kind
        self.state = LeaseState.NEW  # whatever became of it elsewhere
        start = None if isinstance(lease.start, When) else lease.start
        try:
            self.submit = round(lease.submit * TICKS)
            self.start = None if start is None else round(start * TICKS)
            self.deadline = None if lease.deadline is None else round(lease.deadline * TICKS)
        except OverflowError:
            raise uncountable(lease.submit, start, lease.deadline) from None
        self.software = lease.software
        self.extras: dict[str, object] = dict(lease.extras)
        needs: list[Vector] = []
        memories: list[int] = []
        self.cpu = 0
        """Of all virtual nodes."""
        for group in lease.nodes:
            amounts = group.amounts if memory is None else {**group.amounts, MEMORY: (memory,)}
            need = space.vector(amounts)
            needs += [need] * group.count
            memories += [space.memory(need)] * group.count
            self.cpu += space.cpu(need) * group.count
        self.needs = tuple(needs)
        """What each virtual node asks for."""
        self.memories = tuple(memories)
        self.numnodes = len(needs)
        self.uniform = needs.count(needs[0]) == len(needs) if needs else True
        """Whether all virtual nodes ask for the same."""
        self.requested = ticks(lease.duration) if requested is None else requested
        self.ends_by_itself = False
        """Whether the end of its machines is told at the latest when their time is over."""
        self.accumulated = 0
        self.actual: int | None = None
        """How long the machines ran, once the lease is done."""
        self.started: int | None = None
        self.end: int | None = None
        self.price: float | None = None
        self.reason = ""
        """Why it was rejected or failed, or why it waits."""
        self.preparation: list[Reservation] = []
        self.vms: list[VirtualMachines] = []
        self.ran: list[tuple[int, int]] = []
        """Start and end of each time the machines ran."""
        self.suspensions = self.migrations = self.transfers = 0
        """How often that was carried out."""
        self.memory_at: dict[int, int] = {}
        """Where (bit) the saved memory of each virtual node lies."""
        self.estimates: dict[str, int] = {}
        """Overheads reckoned with, once computed; see :class:`~windtunnel.leases.planner.times.LeaseTimes`."""
        self.images_at: list[tuple[int, int]] = []
        """Node (bit) and virtual node of each disk image deployed for this lease."""

    @property
    def remaining(self) -> int:
        """How much of the requested duration has not run yet."""
        return self.requested - self.accumulated

    @property
    def last_vm(self) -> "VirtualMachines | None":
        """The machines scheduled last."""
        return self.vms[-1] if self.vms else None

    def vm_at(self, time: int) -> "VirtualMachines | None":
        """The machines that resume, run or suspend at that time."""
        return next((vm for vm in self.vms if vm.first_start <= time < vm.final_end), None)

    def vms_after(self, time: int) -> "list[VirtualMachines]":
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

    def __repr__(self) -> str:
        return f"<lease {self.id} {self.kind} {self.state.label}>"


@mypyc_attr(allow_interpreted_subclasses=True)
class Reservation:
    """So much (``parts``) from ``start`` to ``end`` for a lease."""

    name: ClassVar[str] = "Reservation"
    saves: ClassVar[bool] = False
    """Whether it saves the memory of machines."""
    restores: ClassVar[bool] = False
    """Whether it restores the memory of machines."""
    __slots__ = ("end", "key", "lease", "mask", "parts", "start", "state")

    def __init__(self, lease: LeaseRecord, start: int, end: int, parts: Parts) -> None:
        self.lease = lease
        self.start = start
        self.end = end
        self.parts = parts
        mask = 0
        for _, nodes in parts:
            mask |= nodes
        self.mask = mask
        self.state = _SCHEDULED
        self.key: tuple[int, int, int] | None = None
        """Start, end and sequence number under which the slot table holds it; ``None`` when it does not."""

    def on(self, bit: int) -> Vector | None:
        """What is held on one node."""
        for amount, nodes in self.parts:
            if nodes >> bit & 1:
                return amount
        return None


@mypyc_attr(allow_interpreted_subclasses=True)
class VirtualMachines(Reservation):
    """The machines of a lease running; what comes before (migration, resumption) and after (suspension, shutdown)."""

    name: ClassVar[str] = "VM"
    __slots__ = ("hosts", "post", "pre")

    def __init__(self, lease: LeaseRecord, start: int, end: int, parts: Parts, hosts: tuple[int, ...]) -> None:
        super().__init__(lease, start, end, parts)
        self.hosts = hosts
        """The node (bit) of each virtual node, in order."""
        self.pre: list[Reservation] = []
        self.post: list[Reservation] = []

    @property
    def first_start(self) -> int:
        """Where resumption starts, else the machines (migrations do not count)."""
        return next((r.start for r in self.pre if r.restores), self.start)

    @property
    def final_end(self) -> int:
        """Where what follows the machines ends."""
        return self.post[-1].end if self.post else self.end

    @property
    def is_suspending(self) -> bool:
        """Whether a suspension follows."""
        return bool(self.post) and self.post[0].saves

    @property
    def is_resuming(self) -> bool:
        """Whether a resumption precedes."""
        return any(r.restores for r in self.pre)

    @property
    def is_under_way(self) -> bool:
        """Whether their memory is being saved or restored, or is restored and they are about to run."""
        if self.state is _SCHEDULED:
            return any(r.restores and r.state is not _SCHEDULED for r in self.pre)
        return any(r.state is _ACTIVE for r in self.post)
