"""A network given as a table of routes, for tests."""

from collections.abc import Mapping, Sequence

from windtunnel.model.platform import Link, Loads, by_amount


class TableNetwork:
    """Routes by pair of endpoints; a missing one is empty and free."""

    def __init__(self, links: Sequence[Link], routes: Mapping[tuple[int, int], Sequence[int]]) -> None:
        self.links = tuple(links)
        self.routes = routes

    def route(self, source: int, target: int) -> tuple[tuple[int, ...], float]:
        found = tuple(self.routes.get((source, target), ()))
        return found, sum(self.links[i].latency for i in found)

    def all_to_all(self, endpoints: Sequence[int], amount: float) -> tuple[Loads, float]:
        weights: dict[int, float] = {}
        longest = 0.0
        for i, source in enumerate(endpoints):
            for j, target in enumerate(endpoints):
                if i != j:
                    links, latency = self.route(source, target)
                    longest = max(longest, latency)
                    for link in links:
                        before = weights.get(link, 0.0)
                        weights[link] = before + amount if self.links[link].shared else max(before, amount)
        return by_amount(weights), longest


def star(hosts: int, bandwidth: float = 1.25e8, latency: float = 5e-5, backbone: float = 0.0) -> TableNetwork:
    """A cluster: an up link and a down link per host, a backbone if it has a bandwidth."""
    links = [Link(f"{way}{i}", bandwidth, latency) for i in range(hosts) for way in ("up", "down")]
    middle = [len(links)] if backbone else []
    if backbone:
        links.append(Link("backbone", backbone, latency * 10))
    return TableNetwork(
        links, {(i, j): [2 * i, *middle, 2 * j + 1] for i in range(hosts) for j in range(hosts) if i != j}
    )
