"""What is held for a lease besides its running machines: saving, restoring, moving, shutting down, images."""

from typing import ClassVar

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.record import LeaseRecord, Parts, Reservation, VirtualMachines

__all__ = ["DiskMigration", "Migration", "Resumption", "Shutdown", "Suspension", "Transfer"]


@mypyc_attr(allow_interpreted_subclasses=True)
class _OfMachines(Reservation):
    __slots__ = ("vm", "vnodes")

    def __init__(self, vm: VirtualMachines, start: int, end: int, parts: Parts, vnodes: tuple[int, ...]) -> None:
        super().__init__(vm.lease, start, end, parts)
        self.vm = vm
        self.vnodes = vnodes
        """Which virtual nodes, from 0."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Suspension(_OfMachines):
    """Memory being saved."""

    name: ClassVar[str] = "Suspension"
    saves: ClassVar[bool] = True
    __slots__ = ()

    @property
    def is_first(self) -> bool:
        """Whether it is the first of its machines' suspensions."""
        return self.vm.post[0] is self

    @property
    def is_last(self) -> bool:
        """Whether it is the last of its machines' suspensions."""
        return self.vm.post[-1] is self


@mypyc_attr(allow_interpreted_subclasses=True)
class Resumption(_OfMachines):
    """Memory being restored."""

    name: ClassVar[str] = "Resumption"
    restores: ClassVar[bool] = True
    __slots__ = ()

    @property
    def is_first(self) -> bool:
        """Whether it is the first of its machines' resumptions."""
        return next(r for r in self.vm.pre if r.restores) is self

    @property
    def is_last(self) -> bool:
        """Whether it is the last of its machines' resumptions."""
        return next(r for r in reversed(self.vm.pre) if r.restores) is self


@mypyc_attr(allow_interpreted_subclasses=True)
class Shutdown(_OfMachines):
    """Machines shutting down."""

    name: ClassVar[str] = "Shutdown"
    __slots__ = ()


@mypyc_attr(allow_interpreted_subclasses=True)
class Migration(Reservation):
    """Memory images of suspended machines moving: ``moves`` gives each virtual node's old and new node (bits)."""

    name: ClassVar[str] = "MemImageMigration"
    __slots__ = ("moves", "vm")

    def __init__(
        self, vm: VirtualMachines, start: int, end: int, parts: Parts, moves: dict[int, tuple[int, int]]
    ) -> None:
        super().__init__(vm.lease, start, end, parts)
        self.vm = vm
        self.moves = moves


@mypyc_attr(allow_interpreted_subclasses=True)
class DiskMigration(Migration):
    """Disk images of suspended machines moving."""

    name: ClassVar[str] = "DiskImageMigration"
    __slots__ = ()


@mypyc_attr(allow_interpreted_subclasses=True)
class Transfer(Reservation):
    """A disk image on its way from the repository; other leases may join in (``receivers``)."""

    name: ClassVar[str] = "FileTransfer"
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
