"""What is held for a lease besides its running machines: saving, restoring, moving, shutting down, images."""

from windtunnel.leases.planner.record import LeaseRecord, Parts, Reservation, VirtualMachines

__all__ = ["DiskMigration", "Migration", "Resumption", "Shutdown", "Suspension", "Transfer"]


class _OfMachines(Reservation):
    __slots__ = ("vm", "vnodes")

    def __init__(self, vm: VirtualMachines, start: int, end: int, parts: Parts, vnodes: tuple[int, ...]) -> None:
        super().__init__(vm.lease, start, end, parts)
        self.vm = vm
        self.vnodes = vnodes
        """Which virtual nodes, from 0."""


class Suspension(_OfMachines):
    """Memory being saved."""

    name = "Suspension"
    saves = True
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
    restores = True
    __slots__ = ()

    @property
    def is_first(self) -> bool:
        """Whether it is the first of its machines' resumptions."""
        return next(r for r in self.vm.pre if r.restores) is self

    @property
    def is_last(self) -> bool:
        """Whether it is the last of its machines' resumptions."""
        return next(r for r in reversed(self.vm.pre) if r.restores) is self


class Shutdown(_OfMachines):
    """Machines shutting down."""

    name = "Shutdown"
    __slots__ = ()


class Migration(Reservation):
    """Memory images of suspended machines moving: ``moves`` gives each virtual node's old and new node (bits)."""

    name = "MemImageMigration"
    __slots__ = ("moves", "vm")

    def __init__(
        self, vm: VirtualMachines, start: int, end: int, parts: Parts, moves: dict[int, tuple[int, int]]
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

    def __init__(self, lease: LeaseRecord, start: int, end: int, parts: Parts, deadline: int | None) -> None:
        super().__init__(lease, start, end, parts)
        software = lease.software
        assert software is not None, "only leases with a disk image transfer one"
        self.image, self.size = software.id, software.size
        self.deadline = deadline
        self.receivers: dict[int, list[tuple[LeaseRecord, int]]] = {}
        """By node: the leases and virtual nodes that get the image there."""

    def join(self, lease: LeaseRecord, vnode: int, node: int) -> None:
        """One more virtual node receives the image on a node."""
        self.receivers.setdefault(node, []).append((lease, vnode))

    def serves(self, lease: LeaseRecord) -> bool:
        """Whether any virtual node of a lease receives the image."""
        return any(lease is other for receivers in self.receivers.values() for other, _ in receivers)
