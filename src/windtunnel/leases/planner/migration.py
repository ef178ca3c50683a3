"""Migration: moving saved memory and disk images of a suspended lease to where it will resume."""

from collections.abc import Callable
from typing import Final, TypeVar

from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.preparation import ImagePreparation
from windtunnel.leases.planner.record import LeaseRecord, VirtualMachines
from windtunnel.leases.planner.reservations import DiskMigration, Migration
from windtunnel.leases.planner.space import Vector
from windtunnel.leases.planner.times import transfer_time
from windtunnel.model.lease import NET_IN, NET_OUT
from windtunnel.model.lease_options import MigrationMode

__all__ = ["migration_estimate", "migrations"]

# Bound once: an enumeration looks its members up anew each time.
_MIGRATION_YES: Final = MigrationMode.YES
_MIGRATION_YES_NOTRANSFER: Final = MigrationMode.YES_NOTRANSFER

_Moves = dict[int, tuple[int, int]]
_Kind = TypeVar("_Kind", bound=Migration)


def migration_estimate(plan: Plan, preparation: ImagePreparation, lease: LeaseRecord) -> int:
    """How long moving a suspended lease is reckoned with before it can resume anywhere."""
    if plan.options.migration is not _MIGRATION_YES:
        return 0
    disk = plan.times.disk_migration_estimate(lease) if preparation.concerns(lease) else 0
    return disk + plan.times.memory_migration_estimate(lease)


def migrations(
    plan: Plan, preparation: ImagePreparation, lease: LeaseRecord, vm: VirtualMachines, now: int
) -> list[Migration]:
    """The moves needed before ``vm`` can resume a lease: disk images first, then memory."""
    planned: list[Migration] = []
    if preparation.concerns(lease):
        size = 0 if lease.software is None else lease.software.size
        moves = _moves(plan.images.places(lease), vm)
        planned += _plan(plan, DiskMigration, vm, moves, now, lambda moving: _most_from_a_node(moving, size))
        if planned:
            now = planned[-1].end
    moves = _moves(lease.memory_at, vm)
    memories = lease.memories
    planned += _plan(plan, Migration, vm, moves, now, lambda moving: max(memories[vnode] for vnode in moving))
    return planned


def _moves(places: dict[int, int], vm: VirtualMachines) -> _Moves:
    return {vnode: (places[vnode], node) for vnode, node in enumerate(vm.hosts) if places[vnode] != node}


def _most_from_a_node(moving: _Moves, size: int) -> int:
    sent: dict[int, int] = {}
    for origin, _ in moving.values():
        sent[origin] = sent.get(origin, 0) + size
    return max(sent.values())


def _plan(
    plan: Plan, kind: type[_Kind], vm: VirtualMachines, moves: _Moves, now: int, volume: Callable[[_Moves], int]
) -> list[_Kind]:
    if not moves:
        return []
    if plan.options.migration is _MIGRATION_YES_NOTRANSFER:
        return [kind(vm, now, now, (), moves)]
    space, bandwidth = plan.table.space, plan.options.imagetransfer_bandwidth
    sending: Vector = space.vector({NET_OUT: (round(bandwidth),)})
    receiving: Vector = space.vector({NET_IN: (round(bandwidth),)})
    last = vm.lease.last_vm
    start = now if last is None or not last.post else max(last.post[-1].end, now)
    planned = []
    for moving in _rounds(moves):
        end = start + transfer_time(volume(moving), bandwidth)
        origins = destinations = 0
        for origin, destination in moving.values():
            origins |= 1 << origin
            destinations |= 1 << destination
        planned.append(kind(vm, start, end, ((sending, origins), (receiving, destinations)), moving))
        start = end
    return planned


def _rounds(moves: _Moves) -> list[_Moves]:
    """Moves that can be made at the same time: no node sends or receives twice in a round."""
    rounds = []
    left = dict(moves)
    while left:
        busy: set[int] = set()
        chosen: _Moves = {}
        for vnode, (origin, destination) in left.items():
            if origin not in busy and destination not in busy:
                chosen[vnode] = (origin, destination)
                busy |= {origin, destination}
        for vnode in chosen:
            del left[vnode]
        rounds.append(chosen)
    return rounds
