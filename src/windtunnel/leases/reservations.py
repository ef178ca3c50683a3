"""Resource reservations: what is held on which nodes from when to when. All times are ticks (hundredths of a second).

Nodes are bits of an int (bit 0 is node 1), so that reservations of hundreds of nodes are compared in one operation.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from windtunnel.leases.space import Vector

if TYPE_CHECKING:
    from windtunnel.leases.record import LeaseRecord

__all__ = [
    "TICKS",
    "DiskMigration",
    "Migration",
    "Progress",
    "Reservation",
    "Resumption",
    "Shutdown",
    "Suspension",
    "Transfer",
    "VirtualMachines",
    "bits",
    "ceil_second",
    "union",
]

TICKS: Final = 100
"""Ticks in a second."""


def ceil_second(ticks: int) -> int:
    """Rounded up to a whole second."""
    return -(-ticks // TICKS) * TICKS


def bits(mask: int) -> Iterator[int]:
    """The positions of the set bits, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def union(masks: Iterable[int]) -> int:
    """All nodes that are in any of these sets."""
    found = 0
    for mask in masks:
        found |= mask
    return found


class Progress(IntEnum):
    """Where a reservation stands."""

    SCHEDULED = 0
    ACTIVE = 1
    DONE = 2


class Reservation:
    """So much (``parts``: an amount per node and the nodes it is held on) from ``start`` to ``end`` for a lease."""

    name = "Reservation"
    __slots__ = ("end", "key", "lease", "mask", "parts", "start", "state")

    def __init__(self, lease: "LeaseRecord", start: int, end: int, parts: tuple[tuple[Vector, int], ...]) -> None:
        self.lease = lease
        self.start = start
        self.end = end
        self.parts = parts
        self.mask = 0
        for _, nodes in parts:
            self.mask |= nodes
        self.state = Progress.SCHEDULED
        self.key: tuple[int, int, int] | None = None
        """Start, end and sequence number under which the slot table holds it; ``None`` when it does not."""

    def on(self, bit: int) -> Vector | None:
        """What is held on one node."""
        for amount, nodes in self.parts:
            if nodes >> bit & 1:
                return amount
        return None


class VirtualMachines(Reservation):
    """The machines of a lease running; what comes before (migration, resumption) and after (suspension, shutdown)."""

    name = "VM"
    __slots__ = ("hosts", "post", "pre", "premature")

    def __init__(
        self,
        lease: "LeaseRecord",
        start: int,
        end: int,
        parts: tuple[tuple[Vector, int], ...],
        hosts: tuple[int, ...],
    ) -> None:
        super().__init__(lease, start, end, parts)
        self.hosts = hosts
        """The node (bit) of each virtual node, in order."""
        self.pre: list[Reservation] = []
        self.post: list[Reservation] = []
        self.premature: int | None = None
        """When a simulated lease will end by itself, if before ``end``."""

    @property
    def first_start(self) -> int:
        """Where resumption starts, else the machines (migrations do not count)."""
        return next((r.start for r in self.pre if isinstance(r, Resumption)), self.start)

    @property
    def final_end(self) -> int:
        """Where what follows the machines ends."""
        return self.post[-1].end if self.post else self.end

    @property
    def is_suspending(self) -> bool:
        """Whether a suspension follows."""
        return bool(self.post) and isinstance(self.post[0], Suspension)

    @property
    def is_resuming(self) -> bool:
        """Whether a resumption precedes."""
        return any(isinstance(r, Resumption) for r in self.pre)

    def place(self, *, start: int | None = None, end: int | None = None) -> None:
        """Move start or end; the premature ends of the lease follow."""
        self.start = self.start if start is None else start
        self.end = self.end if end is None else end
        self.lease.update_premature()


class _OfMachines(Reservation):
    __slots__ = ("vm", "vnodes")

    def __init__(
        self,
        vm: VirtualMachines,
        start: int,
        end: int,
        parts: tuple[tuple[Vector, int], ...],
        vnodes: tuple[int, ...],
    ) -> None:
        super().__init__(vm.lease, start, end, parts)
        self.vm = vm
        self.vnodes = vnodes
        """Which virtual nodes, from 0."""


class Suspension(_OfMachines):
    """Memory being saved."""

    name = "Suspension"
    __slots__ = ()

    @property
    def is_first(self) -> bool:
        """Whether it is the first of its machines' suspensions."""
        return self.vm.post[0] is self

    @property
    def is_last(self) -> bool:
        """Whether it is the last of its machines' suspensions."""
        return self.vm.post[-1] is self


class Resumption(_OfMachines):
    """Memory being restored."""

    name = "Resumption"
    __slots__ = ()

    @property
    def is_first(self) -> bool:
        """Whether it is the first of its machines' resumptions."""
        return next(r for r in self.vm.pre if isinstance(r, Resumption)) is self

    @property
    def is_last(self) -> bool:
        """Whether it is the last of its machines' resumptions."""
        return next(r for r in reversed(self.vm.pre) if isinstance(r, Resumption)) is self


class Shutdown(_OfMachines):
    """Machines shutting down."""

    name = "Shutdown"
    __slots__ = ()


class Migration(Reservation):
    """Memory images of suspended machines moving: ``moves`` gives each virtual node's old and new node (bits)."""

    name = "MemImageMigration"
    __slots__ = ("moves", "vm")

    def __init__(
        self,
        vm: VirtualMachines,
        start: int,
        end: int,
        parts: tuple[tuple[Vector, int], ...],
        moves: dict[int, tuple[int, int]],
    ) -> None:
        super().__init__(vm.lease, start, end, parts)
        self.vm = vm
        self.moves = moves


class DiskMigration(Migration):
    """Disk images of suspended machines moving."""

    name = "DiskImageMigration"
    __slots__ = ()


class Transfer(Reservation):
    """A disk image on its way from the repository; other leases may join in (``receivers``)."""

    name = "FileTransfer"
    __slots__ = ("deadline", "image", "receivers", "size")

    def __init__(
        self, lease: "LeaseRecord", start: int, end: int, parts: tuple[tuple[Vector, int], ...], deadline: int | None
    ) -> None:
        super().__init__(lease, start, end, parts)
        software = lease.software
        assert software is not None, "only leases with a disk image transfer one"
        self.image, self.size = software.id, software.size
        self.deadline = deadline
        self.receivers: dict[int, list[tuple[LeaseRecord, int]]] = {}
        """By node: the leases and virtual nodes that get the image there."""

    def join(self, lease: "LeaseRecord", vnode: int, node: int) -> None:
        """One more virtual node receives the image on a node."""
        self.receivers.setdefault(node, []).append((lease, vnode))

    def serves(self, lease: "LeaseRecord") -> bool:
        """Whether any virtual node of a lease receives the image."""
        return any(lease is other for receivers in self.receivers.values() for other, _ in receivers)
