"""How many flows cross each link of a torus, fat tree or dragonfly when different ranks send to each other.

Ranks are counted with how often they are listed. What flows have in common is walked once: the way along one
dimension, from one switch of a tree, between two routers.
"""

from collections import Counter
from math import lcm
from typing import NamedTuple

from windtunnel.model.network.fabric import DragonflyZone, FabricZone, FatTreeZone, TorusZone

__all__ = ["fabric_flows"]


class Pair(NamedTuple):
    """Two ranks and the number of links between them (without limiters)."""

    hops: int
    source: int
    target: int


def fabric_flows(zone: FabricZone, times: Counter[int], counts: Counter[int]) -> tuple[int, int] | None:
    """Count the flows between different ranks; two ranks that are farthest from each other, if there are two."""
    if len(times) < 2:
        return None
    if isinstance(zone, TorusZone):
        farthest = _torus(zone, times, counts)
    elif isinstance(zone, FatTreeZone):
        farthest = _fat_tree(zone, times, counts)
    else:
        assert isinstance(zone, DragonflyZone), "there is no other kind"
        farthest = _dragonfly(zone, times, counts)
    return farthest.source, farthest.target


def _count(counts: Counter[int], links: list[int], flows: int) -> None:
    for link in links:
        counts[link] += flows


def _torus(zone: TorusZone, times: Counter[int], counts: Counter[int]) -> Pair:
    """In each dimension: from all that agree in this and later coordinates to all that agree in this and earlier."""
    total = times.total()
    step = 1
    distances: list[dict[tuple[int, int], int]] = []
    for dimension, size in enumerate(zone.sizes):
        after: Counter[int] = Counter()
        before: Counter[int] = Counter()
        for rank, n in times.items():
            after[rank // step] += n
            before[rank % (step * size)] += n
        distance: dict[tuple[int, int], int] = {}
        for later, n in after.items():
            for earlier, m in before.items():
                start, goal = later % size, earlier // step
                if start != goal:
                    links = zone.walk(later * step + earlier % step, dimension, step, goal)
                    _count(counts, links, n * m)
                    distance[start, goal] = len(links) // 2 if zone.limiters else len(links)
        distances.append(distance)
        step *= size
    if zone.limiters:
        for rank, n in times.items():
            counts[zone.limiters[rank]] += n * (total - n)
    return _farthest_in_torus(zone, list(times), distances)


def _farthest_in_torus(zone: TorusZone, ranks: list[int], distances: list[dict[tuple[int, int], int]]) -> Pair:
    """Two ranks with the longest way; the search ends at the first pair that is as far as any could be."""
    bound = sum(max(distance.values(), default=0) for distance in distances)
    places: list[list[int]] = []
    for rank in ranks:
        place = []
        for size in zone.sizes:
            rank, coordinate = divmod(rank, size)  # noqa: PLW2901 -- the rank is taken apart
            place.append(coordinate)
        places.append(place)
    best = Pair(-1, ranks[0], ranks[1])
    for a, here in zip(ranks, places, strict=True):
        for b, there in zip(ranks, places, strict=True):
            hops = sum(d.get(pair, 0) for d, pair in zip(distances, zip(here, there, strict=True), strict=True))
            if a != b and hops > best.hops:
                best = Pair(hops, a, b)
                if hops == bound:
                    return best
    return best


def _fat_tree(zone: FatTreeZone, times: Counter[int], counts: Counter[int]) -> Pair:
    """Machines of one switch (and one choice of cables downwards) share all of a way but its first link."""
    cycle = lcm(*zone.cables)
    alike: dict[tuple[tuple[int, ...], int], list[int]] = {}
    for rank in times:
        node = zone.nodes[rank]
        alike.setdefault((node.label[1:], node.position % cycle), []).append(rank)
    own = 2 if zone.limiters else 1
    ports = zone.parents[0] * zone.cables[0]
    best = Pair(-1, 0, 0)
    for members in alike.values():
        for target, m in times.items():
            first = members[0] if members[0] != target else members[-1]
            if first == target:
                continue
            path = zone.path(first, target)
            flows = 0
            for source in members:
                if source != target:
                    n = times[source] * m
                    flows += n
                    counts[zone.nodes[source].parents[zone.nodes[target].position % ports][0]] += n
                    if zone.limiters:
                        counts[zone.limiters[source]] += n
            _count(counts, path[own:], flows)
            if len(path) > best.hops:
                best = Pair(len(path), first, target)
    return best


def _dragonfly(zone: DragonflyZone, times: Counter[int], counts: Counter[int]) -> Pair:
    """Nodes of one router share all of a way but its ends."""
    total = times.total()
    nodes: dict[int, list[int]] = {}
    for rank, n in times.items():
        nodes.setdefault(rank // zone.nodes, []).append(rank)
        _count(counts, list(zone.local[rank]), n * (total - n))
        if zone.limiters:
            counts[zone.limiters[rank]] += 2 * n * (total - n)
    best = Pair(-1, 0, 0)
    for here, sources in nodes.items():
        n = sum(times[rank] for rank in sources)
        for there, targets in nodes.items():
            flows = n * sum(times[rank] for rank in targets)
            if here == there:
                flows -= sum(times[rank] ** 2 for rank in sources)
            if not flows:
                continue
            path = zone.between(here, there)
            _count(counts, path, flows)
            hops = len(path) - (sum(link in zone.router_limiters for link in path) if zone.router_limiters else 0)
            if hops > best.hops:
                best = Pair(hops, sources[0], targets[-1])
    return best
