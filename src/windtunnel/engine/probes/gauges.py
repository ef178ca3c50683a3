"""Gauges: the level of one quantity on one host or link, followed from change to change, never by looking around.

A gauge that is shared by several probes is kept once. Levels are those between two instants: what lasts no time
counts neither in integrals nor in extremes.
"""

from collections.abc import Callable, Iterable
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.state.subsystems import Gauges
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import Metric

__all__ = ["Extreme", "Gauge", "ProbeGauges", "gauges_of", "level_of"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Extreme:
    """The lowest or highest level since it was reset; None until a level has lasted."""

    def __init__(self, lowest: bool) -> None:
        self.lowest = lowest
        self.value: float | None = None

    def take(self, level: float) -> None:
        """A level has lasted."""
        if self.value is None or (level < self.value if self.lowest else level > self.value):
            self.value = level


@mypyc_attr(allow_interpreted_subclasses=True)
class Gauge:
    """One quantity: its level since a date, and its integral over time until then."""

    def __init__(self, level: float, since: float) -> None:
        self.level = level
        self.since = since
        self.integral = 0.0
        self.extremes: list[Extreme] = []
        self.users = 0
        """How many probes follow it."""

    def settle(self, now: float) -> None:
        """Take in the time since the last change."""
        if now > self.since:
            self.integral += self.level * (now - self.since)
            for extreme in self.extremes:
                extreme.take(self.level)
            self.since = now

    def move(self, now: float, level: float) -> None:
        """The level has changed."""
        if level != self.level:
            self.settle(now)
            self.level = level


Key = tuple[Metric, bool]
"""A metric, and whether it is that of links."""


@mypyc_attr(allow_interpreted_subclasses=True)
class ProbeGauges(Gauges):
    """All gauges of a run, by metric and number (of the host, or of the link in the network)."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._tables: dict[Key, dict[int, Gauge]] = {}

    def get(self, key: Key, number: int) -> Gauge:
        """The gauge of a quantity, made when it is the first to be asked for."""
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = {}
            self.watch()
        gauge = table.get(number)
        if gauge is None:
            gauge = table[number] = Gauge(level_of(self._world, key, number), self._world.now)
        gauge.users += 1
        return gauge

    def drop(self, key: Key, numbers: Iterable[int]) -> None:
        """A probe needs these no more."""
        table = self._tables[key]
        for number in numbers:
            table[number].users -= 1
            if table[number].users == 0:
                del table[number]
        if not table:
            del self._tables[key]

    def watch(self) -> None:
        """Have the sharing system take note of what is followed."""
        sharing = self._world.sharing
        sharing.watch_loads()
        if any(metric in _TRAFFIC for metric, _ in self._tables):
            sharing.watch_traffic()

    def follow(self, hosts: Iterable[int]) -> None:
        """The load or power state of hosts has changed, and perhaps the traffic anywhere."""
        if not self._tables:
            return
        world = self._world
        touched: dict[Key, Iterable[int]] = {(metric, False): hosts for metric in _HOST_METRICS}
        talking, links = world.sharing.changed_traffic()
        for metric in _TRAFFIC:
            touched[metric, False] = talking
            touched[metric, True] = links
        for key, table in self._tables.items():
            for number in touched[key]:
                gauge = table.get(number)
                if gauge is not None:
                    gauge.move(world.now, level_of(world, key, number))


def gauges_of(world: World) -> ProbeGauges:
    """The gauges, made for the first probe."""
    gauges = world.gauges
    if not isinstance(gauges, ProbeGauges):
        world.gauges = gauges = ProbeGauges(world)
    return gauges


_TRAFFIC: Final = (Metric.NetworkLoad, Metric.NormalizedNetworkLoad)
_HOST_METRICS: Final = (Metric.Power, Metric.ComputationLoad, Metric.NormalizedComputationLoad)


def level_of(world: World, key: Key, number: int) -> float:
    """The present level of a quantity (W, B/s, flop/s, or a fraction)."""
    return _LEVELS[key](world, number)


def _power(world: World, host: int) -> float:
    return world.energy.host_power(host)


def _flops(world: World, host: int) -> float:
    return world.sharing.host_load(host)


def _flops_share(world: World, host: int) -> float:
    return _share(world.sharing.host_load(host), world.sharing.host_capacity(host))


def _bytes(world: World, link: int) -> float:
    return world.sharing.link_load(link)


def _bytes_share(world: World, link: int) -> float:
    return _share(world.sharing.link_load(link), world.sharing.link_capacity(link))


def _host_bytes(world: World, host: int) -> float:
    return world.sharing.host_traffic(host)


def _host_bytes_share(world: World, host: int) -> float:
    """Of the bandwidth of its own two links."""
    carried = _host_bytes(world, host)
    return 0.0 if carried == 0.0 else _share(carried, world.sharing.host_bandwidth(host))


def _share(used: float, capacity: float) -> float:
    return min(1.0, used / capacity) if capacity > 0.0 else 0.0


_LEVELS: Final[dict[Key, Callable[[World, int], float]]] = {
    (Metric.Power, False): _power,
    (Metric.ComputationLoad, False): _flops,
    (Metric.NormalizedComputationLoad, False): _flops_share,
    (Metric.NetworkLoad, False): _host_bytes,
    (Metric.NormalizedNetworkLoad, False): _host_bytes_share,
    (Metric.NetworkLoad, True): _bytes,
    (Metric.NormalizedNetworkLoad, True): _bytes_share,
}
