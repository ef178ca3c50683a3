"""Zones with declared routes: as a full table, or as edges of a graph in which the shortest path is taken.

The cost of a path is its number of links. Ties are broken as SimGrid does, which depends on the order in which
members and routes were declared; routes therefore agree with SimGrid's link for link.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import ClassVar

from windtunnel.model.network.zone import Leg, Zone

__all__ = ["DijkstraZone", "FloydZone", "FullZone"]

FAR = 1 << 60


@dataclass(kw_only=True)
class TableZone(Zone):
    """What the three have in common: declared routes by (source, target)."""

    members: list[int] = field(default_factory=list)
    """Points in order of declaration."""
    declared: dict[tuple[int, int], Leg] = field(default_factory=dict)
    loopback: int = -1
    """The link of a member to itself where no route is declared; -1: none (zones of zones)."""

    def own(self, point: int) -> Sequence[Leg]:
        """The route of a member to itself."""
        leg = self.declared.get((point, point))
        if leg is not None:
            return (leg,)
        return (Leg((self.loopback,)),) if self.loopback >= 0 else ()


@dataclass(kw_only=True)
class FullZone(TableZone):
    """Every route is declared. Between hosts a missing one is free and instantaneous, as in SimGrid."""

    routing: ClassVar[str] = "Full"

    def legs(self, source: int, target: int) -> Sequence[Leg]:
        """The declared route."""
        if source == target:
            return self.own(source)
        leg = self.declared.get((source, target))
        if leg is not None:
            return (leg,)
        return (Leg(()),) if self.leaf else ()


@dataclass(kw_only=True)
class FloydZone(TableZone):
    """All shortest paths, computed once at the first request (Floyd and Warshall)."""

    routing: ClassVar[str] = "Floyd"

    number: dict[int, int] = field(default_factory=dict)
    before: list[list[int]] = field(default_factory=list)
    """before[a][b]: the last stop on the way from a to b; -1 where there is no way."""

    def solve(self) -> None:
        """Fill the table of predecessors; a new path replaces an old one only if it is strictly shorter."""
        self.number = {point: i for i, point in enumerate(self.members)}
        size = len(self.members)
        cost = [[FAR] * size for _ in range(size)]
        before = [[-1] * size for _ in range(size)]
        for (source, target), leg in self.declared.items():
            a, b = self.number[source], self.number[target]
            cost[a][b] = len(leg.links)
            before[a][b] = a
        if self.loopback >= 0:
            for a in range(size):
                if cost[a][a] == FAR:
                    cost[a][a] = 1
                    before[a][a] = a
        for c in range(size):
            onward = [(b, cost[c][b], before[c][b]) for b in range(size) if cost[c][b] < FAR]
            for a in range(size):
                first = cost[a][c]
                if first == FAR:
                    continue
                row, stops = cost[a], before[a]
                for b, rest, stop in onward:
                    if first + rest < row[b]:
                        row[b] = first + rest
                        stops[b] = stop
        self.before = before

    def legs(self, source: int, target: int) -> Sequence[Leg]:
        """The shortest path."""
        if not self.before:
            self.solve()
        if source == target:
            return self.own(source)
        origin, stop = self.number[source], self.number[target]
        path: list[Leg] = []
        while True:
            previous = self.before[origin][stop]
            if previous < 0:
                return ()
            path.append(self.declared[self.members[previous], self.members[stop]])
            stop = previous
            if stop == origin:
                return path[::-1]


@dataclass(kw_only=True)
class DijkstraZone(TableZone):
    """Shortest paths, computed per source when first asked for (routings ``Dijkstra`` and ``DijkstraCache``)."""

    routing: ClassVar[str] = "Dijkstra"

    edges: dict[int, list[int]] = field(default_factory=dict)
    """Point -> the points its declared routes lead to, in order of declaration."""
    rank: dict[int, int] = field(default_factory=dict)
    trees: dict[int, dict[int, int]] = field(default_factory=dict)
    """Source -> (point -> the stop before it)."""

    def solve(self, source: int) -> dict[int, int]:
        """The tree of shortest paths from a source."""
        if not self.edges:
            for a, b in self.declared:
                self.rank.setdefault(a, len(self.rank))
                self.rank.setdefault(b, len(self.rank))
                self.edges.setdefault(a, []).append(b)
        cost = {source: 0}
        before: dict[int, int] = {}
        queue = [(0, self.rank.get(source, -1), source)]
        while queue:
            reached, _, point = heappop(queue)
            if reached > cost[point]:
                continue
            for onward in self.edges.get(point, ()):
                total = reached + len(self.declared[point, onward].links)
                if total < cost.get(onward, FAR):
                    cost[onward] = total
                    before[onward] = point
                    heappush(queue, (total, self.rank[onward], onward))
        return before

    def legs(self, source: int, target: int) -> Sequence[Leg]:
        """The shortest path."""
        if source == target:
            return self.own(source)
        before = self.trees.get(source)
        if before is None:
            before = self.trees[source] = self.solve(source)
        path: list[Leg] = []
        stop = target
        while stop != source:
            if stop not in before:
                return ()
            path.append(self.declared[before[stop], stop])
            stop = before[stop]
        return path[::-1]
