"""How fast actions progress, and when they are complete: solved again only where something has changed."""

import math
from collections.abc import Iterable, Sequence
from heapq import heapify, heappush

from mypy_extensions import mypyc_attr

from windtunnel.engine.sharing.actions import Action
from windtunnel.engine.sharing.groups import ConstraintGroup, Footprint, Groups
from windtunnel.engine.sharing.single import one_bottleneck
from windtunnel.engine.sharing.solver import Element, Rule, fair_bottleneck, fair_rates
from windtunnel.engine.sharing.traffic import Traffic
from windtunnel.model.platform import Link

__all__ = ["Rates"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Rates:
    """The rates of all enabled actions, the loads that follow from them, and the dates when actions are due."""

    def __init__(
        self,
        speeds: Sequence[float],
        cores: Sequence[int],
        links: Iterable[Link],
        *,
        rule: Rule,
        watch_loads: bool,
    ) -> None:
        links = tuple(links)
        self.now = 0.0
        self.rule = rule
        self.watch_loads = watch_loads
        self.traffic: Traffic | None = None
        """Kept once ``watch_traffic`` was called."""
        self.actions: dict[int, Action] = {}
        self._groups = Groups(
            [*(speed * n for speed, n in zip(speeds, cores, strict=True)), *(link.bandwidth for link in links)],
            [*(False for _ in speeds), *(not link.shared for link in links)],
        )
        self._heap: list[tuple[float, int]] = []
        self._dirty: set[int] = set()
        """Enabled tasks: what depends on them is to be solved again."""
        self._settling = 0
        """How often that was done."""
        self._changed: set[int] = set()

    def load(self, constraint: int) -> float:
        """flop/s in use on a host, B/s on a link (on a FATPIPE, the largest flow of each task counts)."""
        self.settle()
        group_of = self._groups.group_of
        group_id = group_of[constraint] if 0 <= constraint < len(group_of) else -1
        return 0.0 if group_id < 0 else self._group_load(group_id)

    def loads(self, first: int, count: int) -> list[float]:
        """What ``load`` says of so many constraints from the first on; those used alike are summed up once."""
        self.settle()
        known: dict[int, float] = {-1: 0.0}
        loads: list[float] = []
        for group_id in self._groups.group_of[first : first + count]:
            if group_id not in known:
                known[group_id] = self._group_load(group_id)
            loads.append(known[group_id])
        return loads

    def changed_loads(self) -> dict[int, float]:
        """flop/s in use on the hosts where it may have changed since this was last asked (if loads are watched)."""
        self.settle()
        group_of = self._groups.group_of
        known: dict[int, float] = {-1: 0.0}
        loads: dict[int, float] = {}
        for host in sorted(self._changed):
            group_id = group_of[host]
            if group_id not in known:
                known[group_id] = self._group_load(group_id)
            loads[host] = known[group_id]
        self._changed.clear()
        return loads

    def watch_traffic(self) -> Traffic:
        """Keep note of what hosts and links carry, from now on."""
        if self.traffic is None:
            self.settle()
            self.traffic = Traffic()
            self.traffic.begin(self.actions[number] for number in self._groups.footprints)
        return self.traffic

    def capacity(self, constraint: int) -> float:
        """flop/s of all cores of a host, or B/s of a link (links are numbered after the hosts)."""
        return self._groups.capacities[constraint]

    def settle(self) -> None:
        """Solve again, at the present date, whatever depends on what has changed."""
        if self._dirty:
            self._settling += 1
            footprints = self._groups.footprints
            for number in sorted(self._dirty):
                footprint = footprints[number]
                if footprint.settled_at != self._settling:
                    self._solve(footprint)
            self._dirty.clear()

    def _group_load(self, group_id: int) -> float:
        return math.fsum(
            [
                (weight if isinstance(weight, float) else math.fsum(weight)) * footprint.rate
                for footprint, weight in self._groups.groups[group_id].elements.items()
            ]
        )

    def _solve(self, first: Footprint) -> None:
        """Find the rates of a task and of all that depend on it."""
        groups = self._groups
        fair = self.rule is fair_bottleneck
        if fair and self._solve_simply(first):
            return
        users, shared = groups.component(first)
        for group in shared:
            group.list_uses()
        if fair:
            fair_rates(users, shared)
        else:
            self._solve_by_rule(users, shared)
        self._set(users)

    def _solve_simply(self, first: Footprint) -> bool:
        """Where a task shares nothing, or one constraint with others that share nothing else; False otherwise."""
        self._groups.know(first)
        shared = first.shared
        if len(shared) > 1 or first.top < 0.0:
            return False
        if not shared:
            first.value = first.top
            self._set([first])
            return True
        group = shared[0]
        users = None if group.fatpipe else self._groups.users_alone(group)
        if users is None or not one_bottleneck(users, group.capacity):
            return False
        self._set(users)
        return True

    def _solve_by_rule(self, users: list[Footprint], shared: list[ConstraintGroup]) -> None:
        """By another rule, which is a function of lists."""
        for index, user in enumerate(users):
            user.index = index
        rates = self.rule(
            [user.bound for user in users],
            [[(limit.capacity, limit.weight) for limit in user.own] for user in users],
            [group.capacity for group in shared],
            [group.fatpipe for group in shared],
            [_elements(group) for group in shared],
        )
        for user, rate in zip(users, rates, strict=True):
            user.value = rate

    def _set(self, users: list[Footprint]) -> None:
        """What was found becomes the rates."""
        settling = self._settling
        for user in users:
            user.settled_at = settling
            rate = user.value
            if rate != user.rate:
                user.rate = rate
                action = self.actions[user.number]
                action.touch(self.now)
                action.rate = rate
                self._mark(action)
                self._schedule(action, self.now + action.remaining / rate if rate > 0.0 else math.inf)

    def _mark(self, action: Action) -> None:
        if self.watch_loads and action.task is not None:
            for hosts, _ in action.task.cpus:
                self._changed.update(hosts)
        if self.traffic is not None:
            self.traffic.mark(action)

    def _schedule(self, action: Action, due: float) -> None:
        action.due = due
        if due < math.inf:
            if len(self._heap) > 64 + 4 * len(self.actions):
                self._heap = [(a.due, a.number) for a in self.actions.values() if a.due < math.inf]
                heapify(self._heap)
            else:
                heappush(self._heap, (due, action.number))


def _elements(group: ConstraintGroup) -> list[Element]:
    """The last enabled first, also among those of one task."""
    elements: list[Element] = []
    for footprint, weight in reversed(group.elements.items()):
        if isinstance(weight, float):
            elements.append((footprint.index, weight))
        else:
            elements += [(footprint.index, each) for each in reversed(weight)]
    return elements
