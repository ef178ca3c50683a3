"""Preparation: getting disk images to nodes before leases start, from one repository with one link.

Transfers never overlap. For leases that start as soon as possible the first gap is taken; for advance reservations
the latest that ends in time. Other leases that want the same image may join a transfer that has not started.
"""

from itertools import pairwise
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.earliest import Earliest, NotSchedulableError, Readiness
from windtunnel.leases.planner.node_sets import positions
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.record import LeaseRecord, Progress, VirtualMachines
from windtunnel.leases.planner.reservations import Transfer
from windtunnel.leases.planner.space import Vector
from windtunnel.leases.planner.ticks import ticks
from windtunnel.leases.planner.times import transfer_time
from windtunnel.model.lease import NET_IN, NET_OUT, LeaseKind
from windtunnel.model.lease_options import Preparation, TransferMechanism

__all__ = ["ImagePreparation"]

# Bound once: an enumeration looks its members up anew each time.
_SCHEDULED: Final = Progress.SCHEDULED
_RESERVATION: Final = LeaseKind.RESERVATION


@mypyc_attr(allow_interpreted_subclasses=True)
class ImagePreparation:
    """Plans image transfers; does nothing for leases without a disk image or when preparation is unmanaged."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.transfers: list[Transfer] = []
        """Planned and running transfers, by start."""
        options = plan.options
        self.managed = options.lease_preparation is Preparation.IMAGETRANSFER
        self._multicast = options.transfer_mechanism is TransferMechanism.MULTICAST

    def concerns(self, lease: LeaseRecord) -> bool:
        """Whether this lease needs an image brought to its nodes."""
        return self.managed and lease.software is not None

    def _length(self, lease: LeaseRecord) -> int:
        forced = self.plan.options.force_imagetransfer_time
        assert lease.software is not None, "only leases with a disk image are prepared"
        return transfer_time(lease.software.size, self._bandwidth) if forced is None else ticks(forced)

    @property
    def _bandwidth(self) -> float:
        return self.plan.options.imagetransfer_bandwidth

    def earliest(self, lease: LeaseRecord, now: int) -> Earliest:
        """When each node could start the lease."""
        if not self.concerns(lease):
            return Earliest(now)
        assert lease.software is not None, "it is concerned"
        image = lease.software.id
        length = self._length(lease) * (1 if self._multicast else lease.numnodes)
        start = self._first_gap(now, length)
        earliest = Earliest(start + length, transfer_start=start)
        nodes = self.plan.table.all_nodes
        if self.plan.images.caches:
            for node in self.plan.images.nodes_with(image, nodes):
                earliest.exceptions[node] = Readiness(now)
        if self.plan.options.avoid_redundant_transfers and self._multicast:
            # Transfers do not overlap, so the first that can be joined is the first to end.
            for transfer in self.transfers:
                if transfer.state is _SCHEDULED and transfer.image == image and transfer.end > now:
                    self._join(earliest, transfer, nodes)
                    break
        return earliest

    @staticmethod
    def _join(earliest: Earliest, transfer: Transfer, nodes: int) -> None:
        """All nodes that would have to wait longer wait for this transfer instead."""
        for node in positions(nodes):
            known = earliest.exceptions.get(node)
            if transfer.end < (earliest.time if known is None else known.time):
                earliest.exceptions[node] = Readiness(transfer.end, transfer)

    def prepare(
        self, lease: LeaseRecord, vm: VirtualMachines, earliest: Earliest, now: int
    ) -> tuple[list[Transfer], bool]:
        """The transfers a lease needs, and whether its nodes are ready already.

        Raises:
            NotSchedulableError: an advance reservation's image cannot arrive in time.
        """
        if not self.concerns(lease):
            return [], True
        if lease.kind is _RESERVATION:
            return self._plan_reservation(lease, vm, now)
        return self._plan_soon(lease, vm, earliest)

    def _plan_reservation(self, lease: LeaseRecord, vm: VirtualMachines, now: int) -> tuple[list[Transfer], bool]:
        images, software, start = self.plan.images, lease.software, lease.start
        assert software is not None
        assert start is not None
        reused: list[tuple[int, int]] = []
        missing: list[tuple[int, int]] = []
        for vnode, node in enumerate(vm.hosts):
            there = images.caches and images.keeps(node, software.id, until=start)
            (reused if there else missing).append((vnode, node))
        transfers = []
        if missing:
            length = self._length(lease) * (1 if self._multicast else len(missing))
            begin = self._last_gap(start, length)
            if begin is None or begin < now:
                raise NotSchedulableError("its disk image cannot be transferred in time")
            transfers.append(self._transfer(lease, missing, begin, begin + length, start))
        for vnode, node in reused:
            images.use(node, software.id, lease, vnode, start)
            images.deploy(lease, vnode, node)
        return transfers, not missing

    def _plan_soon(self, lease: LeaseRecord, vm: VirtualMachines, earliest: Earliest) -> tuple[list[Transfer], bool]:
        images, software = self.plan.images, lease.software
        assert software is not None
        missing, joined = [], False
        for vnode, node in enumerate(vm.hosts):
            readiness = earliest.exceptions.get(node)
            if readiness is None:
                missing.append((vnode, node))
            elif readiness.piggyback is not None:
                readiness.piggyback.join(lease, vnode, node)
                joined = True
            else:
                images.use(node, software.id, lease, vnode, vm.end)
                images.deploy(lease, vnode, node)
        transfers = []
        if missing:
            length = self._length(lease) * (1 if self._multicast else len(missing))
            begin = earliest.transfer_start
            transfers.append(self._transfer(lease, missing, begin, begin + length, None))
        return transfers, not missing and not joined

    def _transfer(
        self, lease: LeaseRecord, missing: list[tuple[int, int]], start: int, end: int, deadline: int | None
    ) -> Transfer:
        table = self.plan.table
        bandwidth = round(self._bandwidth)
        nodes = 0
        for _, node in missing:
            nodes |= 1 << node
        sending: Vector = table.space.vector({NET_OUT: (bandwidth,)})
        receiving: Vector = table.space.vector({NET_IN: (bandwidth,)})
        transfer = Transfer(lease, start, end, ((sending, 1 << table.image_bit), (receiving, nodes)), deadline)
        for vnode, node in missing:
            transfer.join(lease, vnode, node)
        place = next((i for i, t in enumerate(self.transfers) if t.start > start), len(self.transfers))
        self.transfers.insert(place, transfer)
        return transfer

    def _first_gap(self, now: int, length: int) -> int:
        """Where a transfer of that length can start first."""
        planned = self.transfers
        if not planned or now + length <= planned[0].start:
            return now
        for before, after in pairwise(planned):
            if before.end != after.start and after.start - before.end >= length:
                return before.end
        return planned[-1].end

    def _last_gap(self, deadline: int, length: int) -> int | None:
        """Where a transfer of that length can start last and still end by the deadline; ``None``: nowhere.

        Haizea does not look before the first planned transfer unless the deadline lies there.
        """
        planned = self.transfers
        if not planned or planned[-1].end + length <= deadline:
            return deadline - length
        for before, after in zip(planned[-2::-1], planned[:0:-1], strict=True):
            end = min(deadline, after.start)
            if deadline > before.end and end - before.end >= length:
                return end - length
        if deadline <= planned[0].start or self.plan.rules.looks_before_first_transfer:
            return min(deadline, planned[0].start) - length
        return None

    def cancel(self, lease: LeaseRecord, *, remove_images: bool = True) -> None:
        """A lease does not need its transfers (and images) any more; others may still wait for them."""
        for transfer in list(self.transfers):
            for node, receivers in transfer.receivers.items():
                transfer.receivers[node] = [(other, vnode) for other, vnode in receivers if other is not lease]
            if not any(transfer.receivers.values()):
                self.transfers.remove(transfer)
                if transfer in transfer.lease.preparation:
                    transfer.lease.preparation.remove(transfer)
                self.plan.table.discard(transfer)
                self.plan.tell_cut_short(transfer)
        if remove_images:
            self.clean(lease)

    def clean(self, lease: LeaseRecord) -> None:
        """Remove the images deployed for a lease where its machines were placed last."""
        if self.concerns(lease) and lease.last_vm is not None:
            for vnode, node in enumerate(lease.last_vm.hosts):
                self.plan.images.remove(lease, vnode, node)

    def finish(self, transfer: Transfer) -> bool:
        """A transfer has ended; returns whether the lease it was planned for still wanted it."""
        for node, receivers in transfer.receivers.items():
            timeout = max((lease.vms[-1].final_end for lease, _ in receivers if lease.vms), default=0)
            self.plan.images.arrive(node, transfer.image, transfer.size, receivers, timeout)
        self.transfers.remove(transfer)
        return transfer.serves(transfer.lease)
