"""Constraints that are used alike are one: the partition on which the solver works.

A homogeneous task on n hosts uses n cpus with one weight, 2n links with another, and perhaps a backbone: three
*groups*, however large n is. All constraints of a group have the same capacity, policy and elements, so they would
go through the same arithmetic; solving one of them is exact. Groups split when a task comes that uses only a part of
one, and merge again when it goes. A constraint that nobody uses is in no group.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from mypy_extensions import mypyc_attr

from windtunnel.engine.sharing.single import Lone, tightest
from windtunnel.engine.sharing.variables import Constraint, Limit, Use

__all__ = ["Bundle", "ConstraintGroup", "Footprint", "Groups", "Weight"]

Weight = float | tuple[float, ...]
"""What one unit of rate consumes of a constraint; several elements where a host is listed more than once."""

Bundle = tuple[Sequence[int], Weight]
"""Constraints (each at most once in a task) and the weight, positive, that a task has on every one of them."""


class Footprint(Lone):
    """An enabled task, by number: the groups that it uses; what it has for itself and what it shares, once asked."""

    __slots__ = ("groups", "index", "known", "number", "rate", "seen", "settled_at", "shared")

    def __init__(self, number: int, groups: set[int], bound: float = 0.0, rate: float = 0.0) -> None:
        super().__init__(bound)
        self.number = number
        self.groups = groups
        self.rate = rate
        """The rate that it has until another one is set (1/s)."""
        self.known = False
        """Whether ``shared``, ``uses``, ``weight`` and its own limits say what it uses now."""
        self.shared: list[ConstraintGroup] = []
        self.seen = 0
        self.settled_at = 0
        self.index = 0

    def __reduce__(self) -> tuple[Any, ...]:
        # What it shares leads to other tasks, and so on: it is looked up again instead.
        return Footprint, (self.number, self.groups, self.bound, self.rate)


class ConstraintGroup(Constraint):
    """Constraints with the same capacity, policy and elements (in the order in which they were enabled)."""

    __slots__ = ("elements", "listed", "members", "seen", "signature")

    def __init__(
        self,
        capacity: float,
        fatpipe: bool,
        members: set[int],
        elements: dict[Footprint, Weight],
        signature: int = 0,
    ) -> None:
        super().__init__(capacity, fatpipe)
        self.members = members
        self.elements = elements
        self.signature = signature
        self.listed = False
        """Whether ``uses`` holds the elements."""
        self.seen = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return ConstraintGroup, (self.capacity, self.fatpipe, self.members, self.elements, self.signature)

    @property
    def key(self) -> tuple[float, bool, int]:
        """Equal for groups that are used alike (and, very rarely, for others)."""
        return self.capacity, self.fatpipe, self.signature

    def enable(self, footprint: Footprint, weight: Weight) -> None:
        """A task uses these constraints from now on."""
        self.elements[footprint] = weight
        self.signature ^= hash((footprint.number, weight))
        if self.listed:
            self.uses[:0] = _uses(footprint, self, weight)

    def disable(self, footprint: Footprint) -> None:
        """A task uses them no more."""
        self.signature ^= hash((footprint.number, self.elements.pop(footprint)))
        if self.listed:
            self.uses = [use for use in self.uses if use.variable is not footprint]

    def list_uses(self) -> None:
        """Let ``uses`` hold the elements, the last enabled first, also among those of one task."""
        if not self.listed:
            self.uses = []
            for footprint, weight in reversed(self.elements.items()):
                self.uses += _uses(footprint, self, weight)
            self.listed = True


def _uses(footprint: Footprint, group: ConstraintGroup, weight: Weight) -> list[Use]:
    if isinstance(weight, float):
        return [Use(footprint, group, weight)]
    return [Use(footprint, group, each) for each in reversed(weight)]


@mypyc_attr(allow_interpreted_subclasses=True)
class Groups:
    """All constraints of a system, by number, and the tasks on them, by number."""

    def __init__(self, capacities: Iterable[float], fatpipes: Iterable[bool]) -> None:
        self.capacities = list(capacities)
        self.fatpipes = list(fatpipes)
        self.groups: dict[int, ConstraintGroup] = {}
        self.group_of = [-1] * len(self.capacities)
        """By constraint; -1: nobody uses it."""
        self.footprints: dict[int, Footprint] = {}
        self._alike: dict[tuple[float, bool, int], int] = {}
        self._next = 0
        self._searches = 0

    def add(self, task: int, bundles: Iterable[Bundle]) -> Footprint:
        """Enable a task on its constraints."""
        footprint = self.footprints[task] = Footprint(task, set())
        for constraints, weight in bundles:
            for group_id in self._cover(constraints):
                group = self.groups[group_id]
                if group.elements:
                    if len(group.elements) == 1:
                        _forget(group)
                    self._unlist(group_id, group)
                group.enable(footprint, weight)
                self._alike.setdefault(group.key, group_id)
                footprint.groups.add(group_id)
        return footprint

    def remove(self, task: int) -> list[int]:
        """Take a task off its constraints; of each group that others share now, one task is returned."""
        footprint = self.footprints.pop(task)
        neighbours: list[int] = []
        for group_id in sorted(footprint.groups):
            group = self.groups[group_id]
            self._unlist(group_id, group)
            group.disable(footprint)
            if group.elements:
                neighbours.append(next(iter(group.elements)).number)
                if len(group.elements) == 1:
                    _forget(group)
                self._list(group_id, group)
            else:
                del self.groups[group_id]
                group_of = self.group_of
                for constraint in group.members:
                    group_of[constraint] = -1
        return neighbours

    def set_capacity(self, constraints: Iterable[int], capacity: float) -> set[int]:
        """Change constraints that may be in use; the tasks that use one of them are returned."""
        touched: set[int] = set()
        changed = [c for c in constraints if self.capacities[c] != capacity]
        for group_id in self._cover([c for c in changed if self.group_of[c] >= 0]):
            group = self.groups[group_id]
            self._unlist(group_id, group)
            group.capacity = capacity
            _forget(group)
            touched.update([footprint.number for footprint in group.elements])
            self._list(group_id, group)
        for constraint in changed:
            self.capacities[constraint] = capacity
        return touched

    def know(self, footprint: Footprint) -> None:
        """Tell apart, among the groups of an enabled task, shared ones and its own, unless that was done."""
        if footprint.known:
            return
        shared: list[ConstraintGroup] = []
        uses: list[Use] = []
        own: dict[Limit, None] = {}
        for group_id in sorted(footprint.groups):
            group = self.groups[group_id]
            weight = group.elements[footprint]
            if len(group.elements) == 1 and isinstance(weight, float):
                own[group.capacity, weight] = None
            else:
                shared.append(group)
                uses += _uses(footprint, group, weight)
        footprint.shared = shared
        footprint.uses = uses
        footprint.weight = uses[0].weight if len(uses) == 1 else 0.0
        footprint.limit(tightest(own))
        footprint.known = True

    def users_alone(self, group: ConstraintGroup) -> list[Footprint] | None:
        """Those who use a group, the last enabled first, if they share nothing else, one element each."""
        users = list(reversed(group.elements))
        for user in users:
            if not user.known:
                self.know(user)
            if user.weight == 0.0 or user.alone < 0.0:
                return None
        return users

    def component(self, first: Footprint) -> tuple[list[Footprint], list[ConstraintGroup]]:
        """The tasks that depend on this one through shared constraints, and the groups they share."""
        self._searches += 1
        search = self._searches
        first.seen = search
        users = [first]
        shared: list[ConstraintGroup] = []
        for user in users:  # which grows meanwhile
            if not user.known:
                self.know(user)
            for group in user.shared:
                if group.seen != search:
                    group.seen = search
                    shared.append(group)
                    for other in group.elements:
                        if other.seen != search:
                            other.seen = search
                            users.append(other)
        return users, shared

    def _cover(self, constraints: Sequence[int]) -> list[int]:
        """Groups that hold these constraints and no others, made by splitting and by grouping idle ones."""
        if not constraints:
            return []
        group_of, capacities, fatpipes = self.group_of, self.capacities, self.fatpipes
        group_id, capacity, fatpipe = group_of[constraints[0]], capacities[constraints[0]], fatpipes[constraints[0]]
        for c in constraints:
            if group_of[c] != group_id or (
                group_id < 0 and (capacities[c] != capacity or fatpipes[c] != fatpipe)
            ):
                return self._cover_parts(constraints)
        return [self._made(group_id, constraints)]

    def _cover_parts(self, constraints: Sequence[int]) -> list[int]:
        """The same where they are of several groups, or idle and not alike."""
        parts: dict[tuple[int, float, bool], list[int]] = {}
        part: list[int] = []
        group_of, capacities, fatpipes = self.group_of, self.capacities, self.fatpipes
        last, capacity, fatpipe = -2, 0.0, False
        for c in constraints:
            group_id = group_of[c]
            if group_id != last or (group_id < 0 and (capacities[c] != capacity or fatpipes[c] != fatpipe)):
                last, capacity, fatpipe = group_id, capacities[c], fatpipes[c]
                part = parts.setdefault((group_id, capacity, fatpipe), [])
            part.append(c)
        return [self._made(group_id, part) for (group_id, _, _), part in parts.items()]

    def _made(self, group_id: int, part: Sequence[int]) -> int:
        """The group that holds these constraints alone: a whole one (each is listed once), or made now."""
        if group_id >= 0 and len(part) == len(self.groups[group_id].members):
            return group_id
        return self._split(group_id, part)

    def _split(self, group_id: int, part: Sequence[int]) -> int:
        """Make a group of a part of one, or of idle constraints."""
        fresh = self._next
        self._next += 1
        capacity, fatpipe = self.capacities[part[0]], self.fatpipes[part[0]]
        group = self.groups[fresh] = ConstraintGroup(capacity, fatpipe, set(part), {})
        group_of = self.group_of
        for c in part:
            group_of[c] = fresh
        if group_id >= 0:
            old = self.groups[group_id]
            old.members -= group.members
            group.elements = dict(old.elements)
            group.signature = old.signature
            for footprint in group.elements:
                footprint.groups.add(fresh)
            _forget(group)
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
        group_of = self.group_of
        for c in group.members:
            group_of[c] = kept_id
        del self.groups[group_id]
        for footprint in group.elements:
            footprint.groups.discard(group_id)
        _forget(group)


def _forget(group: ConstraintGroup) -> None:
    """Its users have to look again at what is shared."""
    for footprint in group.elements:
        footprint.known = False
