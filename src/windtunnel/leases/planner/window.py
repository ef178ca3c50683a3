"""What a lease sees of the slot table from one instant on: room on each node, and how quiet each node is.

Most reservations either leave no room at all for what a lease asks, or take nothing of it (a network transfer). Then
whole sets of nodes are compared at once. Only nodes that are shared (some room left) are looked at one by one.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.node_sets import positions
from windtunnel.leases.planner.record import LeaseRecord, Reservation
from windtunnel.leases.planner.slot_table import SlotTable
from windtunnel.leases.planner.space import ResourceSpace, Vector

__all__ = ["AlikeNodes", "NodeRoom", "Room", "host_groups", "node_room", "room_for"]

Score = Callable[[int | None, int, int | None], float]
"""Node (bit, or ``None`` for any), leases on it, ticks until something changes there (``None``: never)."""


class AlikeNodes(NamedTuple):
    """Nodes of equal score; inside a group the lowest number comes first."""

    score: float
    nodes: int


def host_groups(
    held: Sequence[Reservation], nodes: int, start: int, until: int, score: Score, *, by_node: bool
) -> list[AlikeNodes]:
    """Nodes by descending score. ``held``: what overlaps [start, until); later changes do not influence the score."""
    held = [r for r in held if r.mask & nodes]
    levels = _by_leases(held, nodes, start)
    groups: dict[float, int] = {}
    for change, changing in _by_change(held, nodes, start, until):
        for count, level in levels:
            if both := changing & level:
                quiet = None if change is None else change - start
                for part in [1 << bit for bit in positions(both)] if by_node else (both,):
                    value = score(part.bit_length() - 1 if by_node else None, count, quiet)
                    groups[value] = groups.get(value, 0) | part
    return [AlikeNodes(value, groups[value]) for value in sorted(groups, reverse=True)]


def _by_leases(held: Sequence[Reservation], nodes: int, start: int) -> list[tuple[int, int]]:
    """Nodes by the number of leases on them at ``start``; 4 stands for 4 and more."""
    masks: dict[LeaseRecord, int] = {}
    for r in held:
        if r.start <= start:
            masks[r.lease] = masks.get(r.lease, 0) | r.mask
    one = two = three = four = 0
    for mask in masks.values():
        four |= three & mask
        three |= two & mask
        two |= one & mask
        one |= mask
    levels = ((0, nodes & ~one), (1, one & ~two), (2, two & ~three), (3, three & ~four), (4, four))
    return [(count, level & nodes) for count, level in levels if level & nodes]


def _by_change(held: Sequence[Reservation], nodes: int, start: int, until: int) -> list[tuple[int | None, int]]:
    """Nodes by the first instant after ``start`` at which their state changes; ``None`` if not before ``until``."""
    begins: dict[int, list[Reservation]] = {}
    ends: dict[int, list[Reservation]] = {}
    for r in held:
        if r.start > start:
            begins.setdefault(r.start, []).append(r)
        if r.end < until:
            ends.setdefault(r.end, []).append(r)
    found: list[tuple[int | None, int]] = []
    for time in sorted(begins.keys() | ends.keys()):
        if changed := _changed(ends.get(time, ()), begins.get(time, ())) & nodes:
            found.append((time, changed))
            nodes &= ~changed
        if not nodes:
            break
    if nodes:
        found.append((None, nodes))
    return found


def _changed(ending: Sequence[Reservation], beginning: Sequence[Reservation]) -> int:
    """The nodes whose state changes where these end and begin: not where a lease goes on holding the same."""
    mask = 0
    if not (ending and beginning):
        for r in ending or beginning:
            mask |= r.mask
        return mask
    left = {id(r): r.mask for r in (*ending, *beginning)}
    for old in ending:
        for new in beginning:
            if old.lease is new.lease:
                same = sum_of_equal_parts(old, new)
                left[id(old)] &= ~same
                left[id(new)] &= ~same
    for value in left.values():
        mask |= value
    return mask


def sum_of_equal_parts(old: Reservation, new: Reservation) -> int:
    """The nodes on which both hold the same amounts."""
    same = 0
    for amount, nodes in old.parts:
        for other, others in new.parts:
            if amount == other:
                same |= nodes & others
    return same


class NodeRoom(NamedTuple):
    """What is left on one node from an instant on: the running minimum, each until it decreases (``None``: never)."""

    steps: tuple[tuple[Vector, int | None], ...]

    def fits(self, need: Vector, until: int, space: ResourceSpace) -> bool:
        """Whether the need fits at every instant before ``until``."""
        for free, end in self.steps:
            if end is None or end >= until:
                return space.fits(need, free)
        return False

    def latest_fit(self, need: Vector, space: ResourceSpace) -> int | None:
        """Until when the need fits; ``None`` if it does not fit at the beginning."""
        previous: int | None = None
        for free, end in self.steps:
            if not space.fits(need, free):
                return previous
            previous = end
        return previous


def node_room(
    table: SlotTable, bit: int, held: Sequence[Reservation], start: int, without: Collection[LeaseRecord]
) -> NodeRoom:
    """The room on one node from ``start`` on; ``held`` are the reservations that overlap the interval of interest."""
    space = table.space
    here = [r for r in held if r.mask >> bit & 1 and r.lease not in without]
    times = sorted({start, *(r.start for r in here if r.start > start), *(r.end for r in here)})
    steps: list[tuple[Vector, int | None]] = []
    least: Vector | None = None
    for time in times:
        free = table.capacity_of(bit)
        for r in here:
            if r.start <= time < r.end and (amount := r.on(bit)) is not None:
                free = space.minus(free, amount)
        if least is None:
            least = free
        elif space.less(free, least):
            steps.append((least, time))
            least = space.minimum(least, free)
    assert least is not None, "there is at least the start"
    steps.append((least, None))
    return NodeRoom(tuple(steps))


@mypyc_attr(allow_interpreted_subclasses=True)
class Room:
    """Where equal virtual nodes fit over an interval: for node sets at once, and one by one on shared nodes."""

    def __init__(self, table: SlotTable, need: Vector, held: Sequence[Reservation], nodes: int, start: int) -> None:
        self.table = table
        self.need = need
        self._held = held
        self._start = start
        if (fits := table.base.get(need)) is None:
            fits = table.base_fit(need)
        self._base = [(count, group & nodes) for count, group in fits if group & nodes]
        self.closed = 0
        """Nodes without any room: at ``start``, or at some instant if the whole interval is asked for."""
        self.shared = 0
        self.closing: list[tuple[int, int]] = []
        """When nodes that are open at ``start`` are closed later."""
        self._rooms: dict[int, NodeRoom] = {}
        self._without: Collection[LeaseRecord] = ()

    def count(self, wanted: int, end: int | None) -> dict[int, int] | None:
        """How many fit on each shared node, if all together (with the other nodes) make ``wanted``; else ``None``.

        ``end``: they must fit until then; ``None``: at the start.
        """
        open_count = possible = 0
        for count, nodes in self._base:
            left = nodes & ~self.closed
            possible += count * left.bit_count()
            open_count += count * (left & ~self.shared).bit_count()
        if possible < wanted:
            return None
        counts: dict[int, int] = {}
        for _, nodes in self._base if self.shared else ():
            for bit in positions(nodes & ~self.closed & self.shared):
                counts[bit] = fitting = self._fitting(bit, wanted, end)
                open_count += fitting
        return counts if open_count >= wanted else None

    def open_nodes(self) -> list[tuple[int, int]]:
        """Nodes that are not closed, by how many an empty one holds."""
        return [(count, nodes & ~self.closed) for count, nodes in self._base if nodes & ~self.closed]

    def room(self, bit: int) -> NodeRoom:
        """The room on a shared node."""
        found = self._rooms.get(bit)
        if found is None:
            found = self._rooms[bit] = node_room(self.table, bit, self._held, self._start, self._without)
        return found

    def _fitting(self, bit: int, limit: int, end: int | None) -> int:
        room = self.room(bit)
        free = room.steps[0][0]
        if end is not None:
            free = next(free for free, until in room.steps if until is None or until >= end)
        return self.table.space.times_fitting(self.need, free, limit)

    def without(self, leases: Collection[LeaseRecord], changed: int) -> None:
        """Take leases as gone; ``changed``: the nodes of the one that was added last."""
        self._without = leases
        for bit in [bit for bit in self._rooms if changed >> bit & 1]:
            del self._rooms[bit]


def room_for(
    table: SlotTable, need: Vector, held: Sequence[Reservation], nodes: int, start: int, *, whole: bool
) -> Room:
    """The room for equal virtual nodes. ``whole``: nodes closed at any instant count as closed."""
    room = Room(table, need, held, nodes, start)
    clashes = table.clashes
    closed = shared = 0
    for r in held:
        for amount, where in r.parts:
            if (clash := clashes.get((need, amount))) is None:
                clash = table.clash(need, amount)
            blocked, partly = clash
            shared |= where & partly
            if closing := where & blocked:
                if r.start > start and not whole:
                    room.closing.append((r.start, closing))
                else:
                    closed |= closing
    room.closed, room.shared = closed, shared
    return room
