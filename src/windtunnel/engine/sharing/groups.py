"""Constraints that are used alike are one: the partition on which the solver works.

A homogeneous task on n hosts uses n cpus with one weight, 2n links with another, and perhaps a backbone: three
*groups*, however large n is. All constraints of a group have the same capacity, policy and elements, so they would
go through the same arithmetic; solving one of them is exact. Groups split when a task comes that uses only a part of
one, and merge again when it goes. A constraint that nobody uses is in no group.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mypy_extensions import mypyc_attr

from windtunnel.engine.sharing.single import rate_alone
from windtunnel.engine.sharing.solver import Limit

__all__ = ["Bundle", "ConstraintGroup", "Footprint", "Groups", "Weight"]

Weight = float | tuple[float, ...]
"""What one unit of rate consumes of a constraint; several elements where a host is listed more than once."""

Bundle = tuple[Sequence[int], Weight]
"""Constraints (each at most once in a task) and the weight, positive, that a task has on every one of them."""

_SLACK = 1e-3
"""An own constraint that keeps more than this (and 1e-9 of itself) when a tighter one is full never decides."""


@dataclass(slots=True)
class ConstraintGroup:
    """Constraints with the same capacity, policy and elements (in the order in which they were enabled)."""

    capacity: float
    fatpipe: bool
    members: set[int]
    elements: dict[int, Weight] = field(default_factory=dict)
    signature: int = 0

    @property
    def key(self) -> tuple[float, bool, int]:
        """Equal for groups that are used alike (and, very rarely, for others)."""
        return self.capacity, self.fatpipe, self.signature


@dataclass(slots=True)
class Footprint:
    """The groups that a task uses; what it has for itself (``limits``) and what it shares, once that was asked."""

    groups: set[int]
    shared: list[int] | None = None
    limits: tuple[Limit, ...] = ()
    alone: float = 0.0
    """The rate that the limits allow (see ``rate_alone``)."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Groups:
    """All constraints of a system, by number, and the tasks on them, by number."""

    def __init__(self, capacities: Iterable[float], fatpipes: Iterable[bool]) -> None:
        self.capacities = list(capacities)
        self.fatpipes = list(fatpipes)
        self.groups: dict[int, ConstraintGroup] = {}
        self.group_of: dict[int, int] = {}
        self.footprints: dict[int, Footprint] = {}
        self._alike: dict[tuple[float, bool, int], int] = {}
        self._next = 0

    def add(self, task: int, bundles: Iterable[Bundle]) -> None:
        """Enable a task on its constraints."""
        self.footprints[task] = footprint = Footprint(set())
        for constraints, weight in bundles:
            for group_id in self._cover(constraints):
                group = self.groups[group_id]
                if len(group.elements) == 1:
                    self._forget(group)
                self._unlist(group_id, group)
                group.elements[task] = weight
                group.signature ^= hash((task, weight))
                self._alike.setdefault(group.key, group_id)
                footprint.groups.add(group_id)

    def remove(self, task: int) -> set[int]:
        """Take a task off its constraints; the tasks that shared one with it are returned."""
        neighbours: set[int] = set()
        for group_id in sorted(self.footprints.pop(task).groups):
            group = self.groups[group_id]
            self._unlist(group_id, group)
            group.signature ^= hash((task, group.elements.pop(task)))
            if group.elements:
                neighbours.update(group.elements)
                if len(group.elements) == 1:
                    self._forget(group)
                self._list(group_id, group)
            else:
                del self.groups[group_id]
                for constraint in group.members:
                    del self.group_of[constraint]
        return neighbours

    def set_capacity(self, constraints: Iterable[int], capacity: float) -> set[int]:
        """Change constraints that may be in use; the tasks that use one of them are returned."""
        touched: set[int] = set()
        changed = [c for c in constraints if self.capacities[c] != capacity]
        for group_id in self._cover([c for c in changed if c in self.group_of]):
            group = self.groups[group_id]
            self._unlist(group_id, group)
            group.capacity = capacity
            self._forget(group)
            touched.update(group.elements)
            self._list(group_id, group)
        for constraint in changed:
            self.capacities[constraint] = capacity
        return touched

    def footprint(self, task: int) -> Footprint:
        """The groups of an enabled task, told apart into shared ones and its own."""
        footprint = self.footprints[task]
        if footprint.shared is None:
            footprint.shared = []
            own: dict[Limit, None] = {}
            for group_id in sorted(footprint.groups):
                group = self.groups[group_id]
                weight = group.elements[task]
                if len(group.elements) == 1 and isinstance(weight, float):
                    own[group.capacity, weight] = None
                else:
                    footprint.shared.append(group_id)
            footprint.limits = _tightest(own)
            footprint.alone = rate_alone(footprint.limits)
        return footprint

    def component(self, task: int) -> tuple[list[int], list[int]]:
        """The tasks that depend on this one through shared constraints, and the groups they share."""
        mine = self.footprint(task).shared
        if mine is not None and len(mine) == 1:  # then all who share it often share nothing else
            users = self.groups[mine[0]].elements
            footprints = self.footprints
            for other in users:
                theirs = footprints[other].shared
                if theirs is None:
                    theirs = self.footprint(other).shared or []
                if len(theirs) != 1:
                    break
            else:
                return list(users), mine
        tasks = {task: None}
        shared: dict[int, None] = {}
        waiting = [task]
        while waiting:
            for group_id in self.footprint(waiting.pop()).shared or ():
                if group_id not in shared:
                    shared[group_id] = None
                    fresh = [other for other in self.groups[group_id].elements if other not in tasks]
                    tasks.update(dict.fromkeys(fresh))
                    waiting += fresh
        return list(tasks), list(shared)

    def _cover(self, constraints: Sequence[int]) -> list[int]:
        """Groups that hold these constraints and no others, made by splitting and by grouping idle ones."""
        parts: dict[tuple[int, float, bool], list[int]] = {}
        group_of, capacities, fatpipes = self.group_of, self.capacities, self.fatpipes
        for c in constraints:
            key = (group_of.get(c, -1), capacities[c], fatpipes[c])
            if key in parts:
                parts[key].append(c)
            else:
                parts[key] = [c]
        return [
            group_id
            if group_id >= 0 and len(part) == len(self.groups[group_id].members)
            else self._split(group_id, part)
            for (group_id, _, _), part in parts.items()
        ]

    def _split(self, group_id: int, part: list[int]) -> int:
        """Make a group of a part of one, or of idle constraints."""
        fresh = self._next
        self._next += 1
        capacity, fatpipe = self.capacities[part[0]], self.fatpipes[part[0]]
        self.groups[fresh] = group = ConstraintGroup(capacity, fatpipe, set(part))
        self.group_of.update(dict.fromkeys(part, fresh))
        if group_id >= 0:
            old = self.groups[group_id]
            old.members -= group.members
            group.elements = dict(old.elements)
            group.signature = old.signature
            for task in group.elements:
                self.footprints[task].groups.add(fresh)
            self._forget(group)
        return fresh

    def _unlist(self, group_id: int, group: ConstraintGroup) -> None:
        if self._alike.get(group.key) == group_id:
            del self._alike[group.key]

    def _list(self, group_id: int, group: ConstraintGroup) -> None:
        """Note how a group is used; one that is used alike takes its constraints."""
        kept_id = self._alike.setdefault(group.key, group_id)
        kept = self.groups[kept_id]
        if kept is group or kept.elements != group.elements:
            return
        kept.members |= group.members
        self.group_of.update(dict.fromkeys(group.members, kept_id))
        del self.groups[group_id]
        for task in group.elements:
            self.footprints[task].groups.discard(group_id)
        self._forget(group)

    def _forget(self, group: ConstraintGroup) -> None:
        """Its users have to look again at what is shared."""
        for task in group.elements:
            self.footprints[task].shared = None


def _tightest(own: Iterable[Limit]) -> tuple[Limit, ...]:
    """Those of a task's own constraints that can decide its rate: the tightest, and any nearly as tight."""
    limits = tuple(own)
    if len(limits) < 2:
        return limits
    rate = min([capacity / weight for capacity, weight in limits])
    return tuple((c, w) for c, w in limits if c - w * rate <= _SLACK + 1e-9 * c)
