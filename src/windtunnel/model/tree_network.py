"""A network that is a tree: each host on a switch, the switches on one core.

With one switch it is a star. Links have two directions that do not disturb each other. Hosts talk to themselves for
free.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from windtunnel.model.platform import Link

__all__ = ["TreeNetwork"]


class TreeNetwork:
    """Routes between hosts: up to the switch, over the core if the other is elsewhere, and down.

    ``switches`` names the switch of each endpoint. Bandwidths are bytes/s, latencies s and those of one host's link;
    without ``uplink`` the core costs nothing (a star).
    """

    def __init__(
        self, switches: Sequence[int], bandwidth: float, latency: float, uplink: float | None = None
    ) -> None:
        self._switches: Final = tuple(switches)
        self._latency: Final = latency
        links = [Link(f"host{i}_{way}", bandwidth, latency) for i in range(len(switches)) for way in ("up", "down")]
        self._first_uplink: Final = len(links) if uplink is not None else -1
        if uplink is not None:
            count = max(switches, default=-1) + 1
            links += [Link(f"switch{i}_{way}", uplink) for i in range(count) for way in ("up", "down")]
        self.links: Final[Sequence[Link]] = tuple(links)

    def route(self, source: int, target: int) -> tuple[tuple[int, ...], float]:
        """The links from one endpoint to another, and their latencies (s)."""
        if source == target:
            return (), 0.0
        here, there = self._switches[source], self._switches[target]
        up, down = 2 * source, 2 * target + 1
        if self._first_uplink < 0 or here == there:
            return (up, down), 2 * self._latency
        core = self._first_uplink
        return (up, core + 2 * here, core + 2 * there + 1, down), 2 * self._latency

    def all_to_all(self, endpoints: Sequence[int], amount: float) -> tuple[dict[int, float], float]:
        """Bytes over each link when each position sends ``amount`` bytes to each other, and the greatest latency."""
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
        return loads, 2 * self._latency if len(hosts) > 1 else 0.0
