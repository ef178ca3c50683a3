"""How many flows cross each link when everybody sends to everybody, without walking all pairs where possible.

Inside a star (every flat cluster) the number of flows over a link follows from how many members have it on their
way up and on their way down; between two zones all flows share the way from gateway to gateway.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from windtunnel.model.network.zone import StarZone, VivaldiZone

if TYPE_CHECKING:
    from windtunnel.model.network.network import ZonedNetwork

__all__ = ["exchange"]


def exchange(network: "ZonedNetwork", endpoints: Sequence[int]) -> tuple[dict[int, int], float]:
    """Flows over each link when each position sends to each other position, and the greatest latency (s)."""
    times = Counter(endpoints)
    counts: Counter[int] = Counter()
    if network.bypassed:
        return counts, pairwise(network, times, counts)
    groups: dict[int, Counter[int]] = {}
    for point, n in times.items():
        groups.setdefault(network.homes[point], Counter())[point] = n
    latency = 0.0
    for home, members in groups.items():
        zone = network.zones[home]
        if isinstance(zone, StarZone):
            latency = max(latency, star(network, zone, members, counts))
        else:
            latency = max(latency, pairwise(network, members, counts))
        for other, others in groups.items():
            if other != home:
                latency = max(latency, between(network, (home, members), (other, others), counts))
    return counts, latency


def pairwise(network: "ZonedNetwork", times: Counter[int], counts: Counter[int]) -> float:
    """The plain way: all pairs of distinct points, each as often as they are listed."""
    latency = 0.0
    for source, n in times.items():
        for target, m in times.items():
            flows = n * m if source != target else n * (n - 1)
            if flows:
                links, delay = network.route(source, target)
                latency = max(latency, delay)
                for link in links:
                    counts[link] += flows
    return latency


def star(network: "ZonedNetwork", zone: StarZone, times: Counter[int], counts: Counter[int]) -> float:
    """Inside a star: a flow crosses a link if its source has it upwards or its target downwards (once if both)."""
    total = times.total()
    ups: Counter[int] = Counter()
    downs: Counter[int] = Counter()
    both: Counter[int] = Counter()
    for point, n in times.items():
        up, down = set(zone.up.get(point, ())), set(zone.down.get(point, ()))
        for link in up:
            ups[link] += n
        for link in down:
            downs[link] += n
        for link in up & down:
            both[link] += n
        own = n * (n - 1)
        if own and point in zone.loopback:
            for link in up | down:
                counts[link] -= own
            for link in set(zone.loopback[point]):
                counts[link] += own
    for link in ups.keys() | downs.keys():
        counts[link] += (ups[link] + downs[link]) * (total - 1) - (ups[link] * downs[link] - both[link])
    return star_latency(network, zone, times, ups, downs)


def star_latency(
    network: "ZonedNetwork", zone: StarZone, times: Counter[int], ups: Counter[int], downs: Counter[int]
) -> float:
    """The greatest latency: members whose links have the same latencies stand for each other."""

    def trait(links: tuple[int, ...], users: Counter[int], n: int) -> tuple[float, ...]:
        # A link of several members is told by its number (negative), a private one by its latency alone.
        return tuple(-1.0 - i if users[i] > n else network.latencies[i] for i in links)

    kinds: dict[object, list[int]] = {}
    coordinates = zone.coordinates if isinstance(zone, VivaldiZone) else {}
    for point, n in times.items():
        up = trait(zone.up.get(point, ()), ups, n)
        down = trait(zone.down.get(point, ()), downs, n)
        own = tuple(network.latencies[i] for i in zone.loopback.get(point, ()))
        twice = len(set(zone.up.get(point, ())) & set(zone.down.get(point, ())))
        alike = kinds.setdefault((up, down, own, twice, coordinates.get(point)), [])
        if len(alike) < 2:
            alike.append(point)
    latency = 0.0
    for sources in kinds.values():
        for targets in kinds.values():
            for source in sources:
                for target in targets:
                    if source != target or times[source] > 1:
                        latency = max(latency, network.route(source, target)[1])
    return latency


def between(
    network: "ZonedNetwork", left: tuple[int, Counter[int]], right: tuple[int, Counter[int]], counts: Counter[int]
) -> float:
    """From the members of one zone to those of another: out by the gateway, across, in by the gateway."""
    home, sources = left
    other, targets = right
    across, leave, enter = network.crossing(home, other)
    n, m = sources.total(), targets.total()
    for link in across:
        counts[link] += n * m
    farthest: list[int] = []
    for members, gateway, flows in ((sources, leave, m), (targets, enter, n)):
        worst, last = -1.0, gateway
        for point, times in members.items():
            path: tuple[tuple[int, ...], float] = ((), 0.0)
            if point != gateway:
                path = network.route(*((point, gateway) if members is sources else (gateway, point)))
            links, delay = path
            for link in links:
                counts[link] += times * flows
            if delay > worst:
                worst, last = delay, point
        farthest.append(last)
    return network.route(*farthest)[1]
