"""Clusters whose links form a torus, a fat tree or a dragonfly, with SimGrid's deterministic routing.

Members are numbered from ``first`` in order of rank. A member sending to itself uses its loopback where there is one;
otherwise it follows the rule of the topology. Limiters are links that bound what a node or switch lets through.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from windtunnel.model.network.zone import Leg, Zone

__all__ = ["DragonflyZone", "FabricZone", "FatTreeNode", "FatTreeZone", "TorusZone"]


@dataclass(kw_only=True)
class FabricZone(Zone):
    """What the topologies have in common."""

    first: int
    """The point of rank 0."""
    loopbacks: tuple[int, ...] = ()
    """By rank; empty: none."""
    limiters: tuple[int, ...] = ()
    """By rank; empty: none."""

    def legs(self, source: int, target: int) -> Sequence[Leg]:
        """The route between two members."""
        a, b = source - self.first, target - self.first
        if a == b and self.loopbacks:
            return (Leg((self.loopbacks[a],)),)
        return (Leg(tuple(self.path(a, b))),)

    def path(self, a: int, b: int) -> list[int]:
        """The links from rank a to rank b."""
        raise NotImplementedError


@dataclass(kw_only=True)
class TorusZone(FabricZone):
    """A torus: one dimension after the other, by the shorter side as seen from the source."""

    routing: ClassVar[str] = "Torus"

    sizes: tuple[int, ...]
    up: tuple[int, ...]
    """Link of each rank to its next neighbour, by rank * dimensions + dimension."""
    down: tuple[int, ...]
    """The same link backwards."""

    def path(self, a: int, b: int) -> list[int]:
        """The links from rank a to rank b; the limiter of every node passed through, both ends included."""
        links: list[int] = []
        here = a
        step = 1
        for dimension, size in enumerate(self.sizes):
            goal = b // step % size
            links += self.walk(here, dimension, step, goal)
            here += (goal - here // step % size) * step
            step *= size
        return [*links, self.limiters[b]] if self.limiters else links

    def walk(self, here: int, dimension: int, step: int, goal: int) -> list[int]:
        """The links along one dimension, to the node whose coordinate is ``goal``."""
        size = self.sizes[dimension]
        at = here // step % size
        half = size // 2
        rightwards = at < goal <= at + half or (at > half and (at + half) % size >= goal)
        links: list[int] = []
        while at != goal:
            if self.limiters:
                links.append(self.limiters[here])
            following = (at + 1) % size if rightwards else (at - 1) % size
            there = here + (following - at) * step
            owner, table = (here, self.up) if rightwards else (there, self.down)
            links.append(table[owner * len(self.sizes) + dimension])
            here, at = there, following
        return links


@dataclass(kw_only=True)
class FatTreeNode:
    """A machine (level 0) or switch of a fat tree; ports hold (link, number of the node at its other end)."""

    level: int
    position: int
    label: tuple[int, ...]
    limiter: int = -1
    parents: list[tuple[int, int]] = field(default_factory=list)
    children: list[tuple[int, int]] = field(default_factory=list)


@dataclass(kw_only=True)
class FatTreeZone(FabricZone):
    """A fat tree with routing by destination modulo ports (D-mod-K) upwards."""

    routing: ClassVar[str] = "FatTree"

    children: tuple[int, ...]
    """Per level: how many nodes of the level below each switch has."""
    parents: tuple[int, ...]
    """Per level: how many switches above each node has."""
    cables: tuple[int, ...]
    """Per level: how many parallel links join a node and a switch above it."""
    nodes: list[FatTreeNode] = field(default_factory=list)

    def above(self, root: FatTreeNode, leaf: FatTreeNode) -> bool:
        """Whether the leaf can be reached downwards from this switch."""
        return root.level > leaf.level and root.label[root.level :] == leaf.label[root.level :]

    def path(self, a: int, b: int) -> list[int]:
        """Up until the target lies below, then down."""
        nodes = self.nodes
        source, target = nodes[a], nodes[b]
        links: list[int] = []
        node = source
        while not self.above(node, target):
            level = node.level
            port = target.position
            for i in range(level):
                port //= self.parents[i]
            if node.limiter >= 0:
                links.append(node.limiter)
            link, up = node.parents[port % (self.parents[level] * self.cables[level])]
            links.append(link)
            node = nodes[up]
        return links + self.descent(node, source, target)

    def descent(self, node: FatTreeNode, source: FatTreeNode, target: FatTreeNode) -> list[int]:
        """Down to the target.

        At the top the source's position chooses among parallel cables. Below, SimGrid goes on counting ports from
        the one it came through, so that the choice depends on that port instead; this is reproduced.
        """
        links: list[int] = []
        while node is not target:
            level = node.level - 1
            port = source.position % self.cables[level] * self.children[level]
            while port < len(node.children):
                level = node.level - 1
                if port % self.children[level] == target.label[level]:
                    link, down = node.children[port]
                    links.append(link)
                    if node.limiter >= 0:
                        links.append(node.limiter)
                    node = self.nodes[down]
                port += 1
        if node.limiter >= 0:
            links.append(node.limiter)
        return links


@dataclass(kw_only=True)
class DragonflyZone(FabricZone):
    """A dragonfly with minimal routing: groups (blue links) of chassis (black) of blades (green) of nodes.

    The router of blade g in the first chassis of a group holds the link to group g.
    """

    routing: ClassVar[str] = "Dragonfly"

    chassis: int
    blades: int
    nodes: int
    local: tuple[tuple[int, int], ...]
    """Up and down link of each node."""
    green: dict[tuple[int, int], int] = field(default_factory=dict)
    """(router, blade) -> link inside the chassis."""
    black: dict[tuple[int, int], int] = field(default_factory=dict)
    """(router, chassis) -> link inside the group."""
    blue: dict[int, int] = field(default_factory=dict)
    """router -> link to the other group."""
    router_limiters: tuple[int, ...] = ()

    def router(self, group: int, chassis: int, blade: int) -> int:
        """The number of a router."""
        return (group * self.chassis + chassis) * self.blades + blade

    def path(self, a: int, b: int) -> list[int]:
        """Up to the router, between the routers, down; the limiters of both nodes at the ends."""
        links = [self.local[a][0], *self.between(a // self.nodes, b // self.nodes), self.local[b][1]]
        return [self.limiters[a], *links, self.limiters[b]] if self.limiters else links

    def between(self, here: int, goal: int) -> list[int]:
        """From router to router: through the group to the one that holds the link to the other group, across, on."""
        links: list[int] = []
        blade, chassis, group = self.place(here)
        goal_blade, goal_chassis, goal_group = self.place(goal)
        if group != goal_group:
            if blade != goal_group:
                links += self.limit(here)
                links.append(self.green[here, goal_group])
                here = self.router(group, chassis, goal_group)
            if chassis != 0:
                links += self.limit(here)
                links.append(self.black[here, 0])
                here = self.router(group, 0, goal_group)
            links.append(self.blue[here])
            links += self.limit(here)
            here = self.router(goal_group, 0, group)
            blade, chassis = group, 0
        if blade != goal_blade:
            links += self.limit(here)
            links.append(self.green[here, goal_blade])
            # Whatever chassis this is, SimGrid goes on from the first one; its routes are reproduced.
            here, chassis = self.router(goal_group, 0, goal_blade), 0
        if chassis != goal_chassis:
            links += self.limit(here)
            links.append(self.black[here, goal_chassis])
        return [*links, *self.limit(goal)]

    def place(self, router: int) -> tuple[int, int, int]:
        """Blade, chassis and group of a router."""
        return router % self.blades, router // self.blades % self.chassis, router // (self.blades * self.chassis)

    def limit(self, router: int) -> tuple[int, ...]:
        """The limiter of a router, if any."""
        return (self.router_limiters[router],) if self.router_limiters else ()
