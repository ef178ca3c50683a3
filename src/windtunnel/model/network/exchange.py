"""How many flows cross each link when everybody sends to everybody, without walking all pairs where possible.

Inside a star (every flat cluster) the number of flows over a link follows from how many members have it on their
way up and on their way down; between two zones all flows share the way from gateway to gateway. Other clusters:
:mod:`windtunnel.model.network.fabric_flows`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from windtunnel.model.network.fabric import FabricZone
from windtunnel.model.network.fabric_flows import fabric_flows
from windtunnel.model.network.routes import Routes
from windtunnel.model.network.star_plan import StarPlan
from windtunnel.model.network.zone import StarZone
from windtunnel.model.platform import Loads

__all__ = ["Crossed", "bytes_over", "exchange"]

Crossed = tuple[list[int], int]
"""Links, and how many flows cross each of them."""


def exchange(network: Routes, endpoints: Sequence[int]) -> tuple[list[Crossed], float]:
    """Links by the flows over each when each position sends to each other position, and the greatest latency (s)."""
    times = dict.fromkeys(endpoints, 1)
    if len(times) == len(endpoints):
        found = usual_star(network, endpoints, times)
        if found is not None:
            return found
    else:
        times = dict(Counter(endpoints))
    counts: dict[int, int] = {}
    latency = pairwise(network, times, counts) if network.bypassed else by_zone(network, times, counts)
    return listed(counts), latency


def usual_star(
    network: Routes, endpoints: Sequence[int], times: dict[int, int]
) -> tuple[list[Crossed], float] | None:
    """The same among members of one star that differ by their private links alone; None if these do not."""
    n = len(endpoints)
    home = network.homes[endpoints[0]] if n > 1 and not network.bypassed else -1
    if home < 0 or not isinstance(network.zones[home], StarZone):
        return None
    plan = network.star_plan(home)
    private_of = plan.private
    private: list[int] = []
    for point in endpoints:
        links = private_of.get(point)
        if links is None:
            return None
        private += links
    latency = plan.delays.get((plan.kind, plan.kind)) if plan.kind >= 0 else None
    if latency is None:
        latency = star_latency(network, plan, times)
    return [(private, (2 if plan.both_ways else 1) * (n - 1)), (plan.common, n * (n - 1))], latency


def listed(counts: dict[int, int]) -> list[Crossed]:
    """In the same order, those in a row together that as many flows cross."""
    found: list[Crossed] = []
    last = 0
    for link, flows in counts.items():
        if flows and flows == last:
            found[-1][0].append(link)
        elif flows:
            found.append(([link], flows))
            last = flows
    return found


def by_zone(network: Routes, times: dict[int, int], counts: dict[int, int]) -> float:
    """Zone by zone, and between every two of them."""
    groups: dict[int, dict[int, int]] = {}
    homes = network.homes
    for point, n in times.items():
        home = homes[point]
        if home in groups:
            groups[home][point] = n
        else:
            groups[home] = {point: n}
    latency = 0.0
    for home, members in groups.items():
        zone = network.zones[home]
        if isinstance(zone, StarZone):
            latency = max(latency, star(network, home, members, counts))
        elif isinstance(zone, FabricZone):
            latency = max(latency, fabric(network, zone, members, counts))
        else:
            latency = max(latency, pairwise(network, members, counts))
        for other, others in groups.items():
            if other != home:
                latency = max(latency, between(network, (home, members), (other, others), counts))
    return latency


def bytes_over(crossed: list[Crossed], amount: float, fatpipes: AbstractSet[int]) -> Loads:
    """Links by the bytes that flows of ``amount`` bytes bring over each: on a FATPIPE, the maximum over flows."""
    found: dict[float, list[int]] = {}
    for links, flows in crossed:
        if fatpipes.isdisjoint(links):
            found.setdefault(amount * flows, []).extend(links)
        else:
            for link in links:
                found.setdefault(amount if link in fatpipes else amount * flows, []).append(link)
    return [(links, each) for each, links in found.items() if links]


def pairwise(network: Routes, times: dict[int, int], counts: dict[int, int]) -> float:
    """The plain way: all pairs of distinct points, each as often as they are listed."""
    latency = 0.0
    for source, n in times.items():
        for target, m in times.items():
            flows = n * m if source != target else n * (n - 1)
            if flows:
                links, delay = network.route(source, target)
                latency = max(latency, delay)
                add(counts, links, flows)
    return latency


def add(counts: dict[int, int], links: Iterable[int], flows: int) -> None:
    """Count so many more flows on each link."""
    for link in links:
        counts[link] = counts.get(link, 0) + flows


def fabric(network: Routes, zone: FabricZone, times: dict[int, int], counts: dict[int, int]) -> float:
    """Inside a torus, fat tree or dragonfly: all its links have one latency, so the longest way decides."""
    latency = 0.0
    for point, n in times.items():
        if n > 1:
            links, delay = network.route(point, point)
            add(counts, links, n * (n - 1))
            latency = max(latency, delay)
    found: Counter[int] = Counter()
    farthest = fabric_flows(zone, Counter({point - zone.first: n for point, n in times.items()}), found)
    for link, flows in found.items():
        add(counts, (link,), flows)
    if farthest is not None:
        latency = max(latency, network.route(farthest[0] + zone.first, farthest[1] + zone.first)[1])
    return latency


def star(network: Routes, home: int, times: dict[int, int], counts: dict[int, int]) -> float:
    """Inside a star: a flow crosses a link if its source has it upwards or its target downwards (once if both)."""
    zone = network.zones[home]
    assert isinstance(zone, StarZone), "chosen by the caller"
    plan = network.star_plan(home)
    others = sum(times.values()) - 1
    latency = 0.0
    once, twice, set_of = plan.once, plan.twice, plan.set_of
    sizes: dict[int, int] = {}
    for point, n in times.items():
        own = n * (n - 1)
        flows = n * others
        for link in once[point]:
            counts[link] = counts.get(link, 0) + flows
        for link in twice[point]:
            counts[link] = counts.get(link, 0) + 2 * flows - own
        rank = set_of[point]
        sizes[rank] = sizes.get(rank, 0) + n
        if own:
            latency = max(latency, network.route(point, point)[1])
            if point in zone.loopback:
                add(counts, {*zone.up.get(point, ()), *zone.down.get(point, ())}, -own)
                add(counts, set(zone.loopback[point]), own)
    common_links(plan, sizes, others, counts)
    return max(latency, star_latency(network, plan, times))


def common_links(plan: StarPlan, sizes: dict[int, int], others: int, counts: dict[int, int]) -> None:
    """Flows over the links that several members have, from how many positions have them up, down and both."""
    ups: dict[int, int] = {}
    downs: dict[int, int] = {}
    both: dict[int, int] = {}
    for number, n in sizes.items():
        up, down = plan.sets[number]
        add(ups, up, n)
        add(downs, down, n)
        add(both, up & down, n)
    for link, n in ups.items():
        m = downs.get(link, 0)
        counts[link] = counts.get(link, 0) + (n + m) * others - (n * m - both.get(link, 0))
    for link, m in downs.items():
        if link not in ups:
            counts[link] = counts.get(link, 0) + m * others


def star_latency(network: Routes, plan: StarPlan, times: dict[int, int]) -> float:
    """The greatest latency between different members."""
    alike: dict[int, list[int]] = {}
    kind_of = plan.kind_of
    for point in times:
        kind = kind_of[point]
        if kind not in alike:
            alike[kind] = [point]
        elif len(alike[kind]) < 2:
            alike[kind].append(point)
    latency = 0.0
    for a, sources in alike.items():
        for b, targets in alike.items():
            source, target = sources[0], targets[-1]
            if source == target:
                continue
            delay = plan.delays.get((a, b))
            if delay is None:
                delay = plan.delays[a, b] = network.route(source, target)[1]
            latency = max(latency, delay)
    return latency


def between(
    network: Routes,
    left: tuple[int, dict[int, int]],
    right: tuple[int, dict[int, int]],
    counts: dict[int, int],
) -> float:
    """From the members of one zone to those of another: out by the gateway, across, in by the gateway."""
    home, sources = left
    other, targets = right
    across, leave, enter = network.crossing(home, other)
    n, m = sum(sources.values()), sum(targets.values())
    add(counts, across, n * m)
    farthest: list[int] = []
    for members, gateway, flows in ((sources, leave, m), (targets, enter, n)):
        worst, last = -1.0, gateway
        for point, times in members.items():
            path: tuple[tuple[int, ...], float] = ((), 0.0)
            if point != gateway:
                path = network.route(*((point, gateway) if members is sources else (gateway, point)))
            links, delay = path
            add(counts, links, times * flows)
            if delay > worst:
                worst, last = delay, point
        farthest.append(last)
    return network.route(*farthest)[1]
