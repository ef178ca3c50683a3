"""A network that is a tree: each host on a switch, the switches on one core, storages on the core.

With one switch it is a star. Links have two directions that do not disturb each other. Hosts talk to themselves for
free, and to each other too where they have no bandwidth; storages are as fast as they read and write.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from windtunnel.model.platform import Link, Loads, by_amount

__all__ = ["TreeNetwork"]


class TreeNetwork:
    """Routes between hosts: up to the switch, over the core if the other is elsewhere, and down.

    ``switches`` names the switch of each host. Bandwidths are bytes/s, latencies s and those of one host's link
    (None: hosts have no links); without ``uplink`` the core costs nothing (a star). ``storages`` are the (read,
    write) speeds of the endpoints that follow the hosts.
    """

    def __init__(
        self,
        switches: Sequence[int],
        bandwidth: float | None,
        latency: float = 0.0,
        uplink: float | None = None,
        *,
        storages: Sequence[tuple[float, float]] = (),
    ) -> None:
        self._switches: Final = tuple(switches)
        self._latency: Final = latency
        self._has_links: Final = bandwidth is not None
        links: list[Link] = []
        if bandwidth is not None:
            links = [
                Link(f"host{i}_{way}", bandwidth, latency) for i in range(len(switches)) for way in ("up", "down")
            ]
        self._first_uplink: Final = len(links) if uplink is not None else -1
        if uplink is not None:
            count = max(switches, default=-1) + 1
            links += [Link(f"switch{i}_{way}", uplink) for i in range(count) for way in ("up", "down")]
        self._first_storage: Final = len(links)
        links += [
            Link(f"storage{i}_{way}", speed)
            for i, speeds in enumerate(storages)
            for way, speed in zip(("read", "write"), speeds, strict=True)
        ]
        self.links: Final[Sequence[Link]] = tuple(links)

    def _way(self, endpoint: int, way: int) -> tuple[int, ...]:
        """The links between an endpoint and the core: up (0) or down (1), the endpoint's own first."""
        number = endpoint - len(self._switches)
        if number >= 0:
            return (self._first_storage + 2 * number + way,)
        if not self._has_links:
            return ()
        own = 2 * endpoint + way
        return (own,) if self._first_uplink < 0 else (own, self._first_uplink + 2 * self._switches[endpoint] + way)

    def route(self, source: int, target: int) -> tuple[tuple[int, ...], float]:
        """The links from one endpoint to another, and their latencies (s)."""
        if source == target:
            return (), 0.0
        up, down = self._way(source, 0), self._way(target, 1)
        hosts = len(self._switches)
        if source < hosts and target < hosts and self._switches[source] == self._switches[target]:
            up, down = up[:1], down[:1]
        latency = self._latency * ((source < hosts) + (target < hosts)) if self._has_links else 0.0
        return (*up, *down[::-1]), latency

    def all_to_all(self, endpoints: Sequence[int], amount: float) -> tuple[Loads, float]:
        """Links by the bytes over each when each position sends ``amount`` to each other, and the longest latency."""
        if any(endpoint >= len(self._switches) for endpoint in endpoints):
            return self._pair_by_pair(endpoints, amount)
        if not self._has_links:
            return [], 0.0
        size = len(endpoints)
        hosts = Counter(endpoints)
        loads: dict[int, float] = {}
        for host, count in hosts.items():
            if count < size:
                loads[2 * host] = loads[2 * host + 1] = amount * count * (size - count)
        if self._first_uplink >= 0:
            switches = Counter(self._switches[host] for host in endpoints)
            for switch, count in switches.items():
                if count < size:
                    link = self._first_uplink + 2 * switch
                    loads[link] = loads[link + 1] = amount * count * (size - count)
        return by_amount(loads), 2 * self._latency if len(hosts) > 1 else 0.0

    def _pair_by_pair(self, endpoints: Sequence[int], amount: float) -> tuple[Loads, float]:
        loads: dict[int, float] = {}
        greatest = 0.0
        for position, source in enumerate(endpoints):
            for other, target in enumerate(endpoints):
                if position != other:
                    links, latency = self.route(source, target)
                    greatest = max(greatest, latency)
                    for link in links:
                        loads[link] = loads.get(link, 0.0) + amount
        return by_amount(loads), greatest
