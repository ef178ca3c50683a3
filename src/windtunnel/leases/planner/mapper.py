"""Mappers: which virtual node goes to which host.

The greedy mapper takes hosts by descending splan, puts as many virtual nodes on each as fit, and where the interval
may be shortened does so rather than pass over a host that has room at its beginning.
"""

from collections.abc import Collection, Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.mapping import Mapper, Mapping
from windtunnel.leases.planner.node_sets import positions
from windtunnel.leases.planner.plan import TRANSITIONS, Plan
from windtunnel.leases.planner.record import LeaseRecord, Progress, Reservation
from windtunnel.leases.planner.space import ResourceSpace, Vector
from windtunnel.leases.planner.window import NodeRoom, Room, host_groups, node_room, room_for

__all__ = ["GreedyMapper", "stay", "vnode_order"]

# Bound once: an enumeration looks its members up anew each time.
_DONE: Final = Progress.DONE


@mypyc_attr(allow_interpreted_subclasses=True)
class GreedyMapper(Mapper):
    """Haizea's greedy mapper."""

    def map(
        self,
        lease: LeaseRecord,
        start: int,
        end: int,
        *,
        strict: bool,
        preempt: bool = False,
        nodes: int | None = None,
    ) -> Mapping | None:
        table = self.plan.table
        allowed = table.all_nodes if nodes is None else table.all_nodes & nodes
        held = table.overlapping(start, max(end, start + 1))
        if not lease.uniform:
            return self._map_mixed(lease, held, allowed, start, end, strict=strict, preempt=preempt)
        room = room_for(table, lease.needs[0], held, allowed, start, whole=strict)
        counts = room.count(lease.numnodes, end if strict else None)
        preempting: list[LeaseRecord] = []
        order: list[int] | None = None
        if counts is None and preempt:
            order = self._groups(lease, allowed, start, end, held)  # before anything gives way
            counts = self._make_room(lease, room, held, start, end, preempting)
        if counts is None:
            return None
        open_nodes = room.open_nodes()
        if order is None:
            everywhere = 0
            for _, open_ in open_nodes:
                everywhere |= open_
            order = self._groups(lease, everywhere, start, end, held)
        hosts = _fill_equal(order, open_nodes, counts, lease.numnodes)
        return Mapping(hosts, self._shortened(room, hosts, end), tuple(preempting))

    def fits_empty(self, lease: LeaseRecord) -> bool:
        """Whether a lease would fit if it were alone on the site."""
        order, hosts = vnode_order(lease, self.plan.table.space), list(positions(self.plan.table.all_nodes))
        return self._fill(lease, order, hosts, (), {}, 0, 1, (), strict=True) is not None

    def candidates(self, lease: LeaseRecord, held: Sequence[Reservation], start: int) -> list[LeaseRecord]:
        """The leases that may be preempted, the one to take next at the end."""
        leases = sorted({r.lease for r in held if _can_give_way(r.lease)}, key=lambda other: other.id)
        scores = [(self.preemption.score(lease, other, start), other) for other in leases]
        allowed = [(score, other) for score, other in scores if score is not None]
        allowed.sort(key=lambda pair: pair[0], reverse=True)
        found = [other for _, other in allowed]
        return self.plan.rules.last_first(found)

    def preempt(self, lease: LeaseRecord, start: int, end: int) -> bool:  # noqa: ARG002  for mappers that must plan
        """Called for each lease chosen to give way; ``False`` if it cannot."""
        return True

    def _make_room(
        self,
        lease: LeaseRecord,
        room: Room,
        held: Sequence[Reservation],
        start: int,
        end: int,
        preempting: list[LeaseRecord],
    ) -> dict[int, int] | None:
        """Take one lease after the other as gone until there is room; those taken are put in ``preempting``."""
        closing: dict[LeaseRecord, int] = {}
        touched: dict[LeaseRecord, int] = {}
        for r in held:
            touched[r.lease] = touched.get(r.lease, 0) | r.mask
            for amount, where in r.parts:
                blocked, _ = self.plan.table.clash(room.need, amount)
                closing[r.lease] = closing.get(r.lease, 0) | (where & blocked)
        candidates = self.candidates(lease, held, start)
        while candidates:
            chosen = candidates.pop()
            if not self.preempt(chosen, start, end):
                continue
            preempting.append(chosen)
            closing.pop(chosen, None)
            room.closed = 0
            for mask in closing.values():
                room.closed |= mask
            room.without(preempting, touched[chosen])
            if (counts := room.count(lease.numnodes, end)) is not None:
                return counts
        return None

    def _groups(self, lease: LeaseRecord, nodes: int, start: int, end: int, held: Sequence[Reservation]) -> list[int]:
        """Sets of hosts by descending score; in a set, the lowest number comes first. ``held``: from start to end."""
        policy = self.host_selection
        if policy.indifferent:
            return [nodes]
        until = start + lease.requested
        near = held if until == end > start else self.plan.table.overlapping(start, until)
        found = host_groups(near, nodes, start, until, policy.scorer(lease), by_node=policy.by_node)
        return [group.nodes for group in found]

    def _shortened(self, room: Room, hosts: tuple[int, ...], end: int) -> int:
        """Until when all these hosts have room."""
        taken = 0
        for bit in hosts:
            taken |= 1 << bit
        for time, closing in room.closing:
            if closing & taken:
                end = min(end, time)
                break
        space = room.table.space
        shared = taken & room.shared
        for bit in positions(shared) if shared else ():
            need = space.times(room.need, hosts.count(bit))
            node = room.room(bit)
            if not node.fits(need, end, space):
                latest = node.latest_fit(need, space)
                end = end if latest is None else min(end, latest)
        return end

    def _map_mixed(
        self,
        lease: LeaseRecord,
        held: Sequence[Reservation],
        nodes: int,
        start: int,
        end: int,
        *,
        strict: bool,
        preempt: bool,
    ) -> Mapping | None:
        """Virtual nodes that differ: host by host."""
        order = vnode_order(lease, self.plan.table.space)
        hosts = [bit for group in self._groups(lease, nodes, start, end, held) for bit in positions(group)]
        candidates = self.candidates(lease, held, start) if preempt else []
        preempting: list[LeaseRecord] = []
        rooms: dict[int, NodeRoom] = {}
        while True:
            found = self._fill(lease, order, hosts, held, rooms, start, end, preempting, strict=strict)
            if found is not None:
                return Mapping(found[0], found[1], tuple(preempting))
            while candidates and not self.preempt(candidates[-1], start, end):
                candidates.pop()
            if not candidates:
                return None
            chosen = candidates.pop()
            preempting.append(chosen)
            for r in held:
                if r.lease is chosen:
                    rooms = {bit: room for bit, room in rooms.items() if not r.mask >> bit & 1}

    def _fill(
        self,
        lease: LeaseRecord,
        order: Sequence[int],
        hosts: Sequence[int],
        held: Sequence[Reservation],
        rooms: dict[int, NodeRoom],
        start: int,
        end: int,
        without: Collection[LeaseRecord],
        *,
        strict: bool,
    ) -> tuple[tuple[int, ...], int] | None:
        space = self.plan.table.space
        placed: dict[int, int] = {}
        waiting = iter(order)
        vnode = next(waiting)
        for bit in hosts:
            need = lease.needs[vnode]
            if bit not in rooms:
                rooms[bit] = node_room(self.plan.table, bit, held, start, without)
            room = rooms[bit]
            while True:
                if room.fits(need, end, space):
                    placed[vnode] = bit
                    following = next(waiting, None)
                    if following is None:
                        return tuple(placed[v] for v in range(lease.numnodes)), end
                    vnode = following
                    need = space.plus(need, lease.needs[vnode])
                    continue
                latest = None if strict else room.latest_fit(need, space)
                if latest is None:
                    break
                end = latest
        return None


def _can_give_way(lease: LeaseRecord) -> bool:
    """Not when its machines have stopped and are being saved or shut down, or what is left of it in the slot table
    only takes room; Haizea crashes then.
    """
    vm = lease.last_vm
    return vm is not None and vm.state is not _DONE and lease.state in TRANSITIONS


def _fill_equal(
    order: Sequence[int], open_nodes: Sequence[tuple[int, int]], counts: dict[int, int], wanted: int
) -> tuple[int, ...]:
    """Fill hosts in order with equal virtual nodes; there is room for all of them."""
    everywhere = 0
    for _, nodes in open_nodes:
        everywhere |= nodes
    hosts: list[int] = []
    for group in order:
        left = group & everywhere
        while left:
            low = left & -left
            left ^= low
            bit = low.bit_length() - 1
            found = counts.get(bit)
            count = _held_by(low, open_nodes) if found is None else found
            if count == 1:
                hosts.append(bit)
            else:
                hosts += [bit] * min(count, wanted - len(hosts))
            if len(hosts) == wanted:
                return tuple(hosts)
    raise AssertionError("the room was counted")


def _held_by(node: int, open_nodes: Sequence[tuple[int, int]]) -> int:
    """How many an empty node holds."""
    for count, nodes in open_nodes:
        if nodes & node:
            return count
    raise AssertionError("it is among the open nodes")


def stay(plan: Plan, lease: LeaseRecord, start: int, end: int, *, strict: bool) -> Mapping | None:
    """The virtual nodes of a lease where they were last, if there is room for them."""
    vm = lease.last_vm
    assert vm is not None, "it was somewhere"
    space = plan.table.space
    needs: dict[int, Vector] = {}
    for need, bit in zip(lease.needs, vm.hosts, strict=True):
        needs[bit] = space.plus(needs[bit], need) if bit in needs else need
    held = plan.table.overlapping(start, end)
    for bit, need in needs.items():
        room = node_room(plan.table, bit, held, start, ())
        if not room.fits(need, end, space):
            latest = None if strict else room.latest_fit(need, space)
            if latest is None:
                return None
            end = latest
    return Mapping(vm.hosts, end)


def vnode_order(lease: LeaseRecord, space: ResourceSpace) -> list[int]:
    """Virtual nodes by descending size: the sum of their shares of the lease's largest amount of each resource."""
    singles = range(space.singles)
    most = [max(need[i] for need in lease.needs) for i in singles]

    def size(need: Vector) -> float:
        total = 0.0
        for i in singles:
            if most[i] > 0:
                total += need[i] / most[i]
        return total

    sizes = {need: size(need) for need in set(lease.needs)}
    return sorted(range(lease.numnodes), key=lambda v: sizes[lease.needs[v]], reverse=True)
