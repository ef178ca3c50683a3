"""Gauges: the level of one quantity on one host or link, followed from change to change, never by looking around.

A gauge that is shared by several probes is kept once. Levels are those between two instants: what lasts no time
counts neither in integrals nor in extremes.
"""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from windtunnel.engine.state.world import World
from windtunnel.vocabulary import Metric

__all__ = ["Extreme", "Gauge", "Gauges", "level_of"]


class Extreme(msgspec.Struct, eq=False):
    """The lowest or highest level since it was reset; None until a level has lasted."""

    lowest: bool
    value: float | None = None

    def take(self, level: float) -> None:
        """A level has lasted."""
        if self.value is None or (level < self.value if self.lowest else level > self.value):
            self.value = level


class Gauge(msgspec.Struct, eq=False):
    """One quantity: its level since a date, and its integral over time until then."""

    level: float
    since: float
    integral: float = 0.0
    extremes: list[Extreme] = []
    users: int = 0

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


class Gauges:
    """All gauges of a run, by metric and number (of the host, or of the link in the network)."""

    def __init__(self) -> None:
        self._tables: dict[Key, dict[int, Gauge]] = {}

    def get(self, world: World, key: Key, number: int) -> Gauge:
        """The gauge of a quantity, made when it is the first to be asked for."""
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = {}
            self.watch(world)
        gauge = table.get(number)
        if gauge is None:
            gauge = table[number] = Gauge(level_of(world, key, number), world.now)
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

    def watch(self, world: World) -> None:
        """Have the sharing system, if there is one, take note of what changes."""
        if world.fluid is not None:
            world.fluid.system.watch_loads = True
            if any(metric in _TRAFFIC for metric, _ in self._tables):
                world.fluid.system.watch_traffic()

    def follow(self, world: World, hosts: Iterable[int]) -> None:
        """The load or power state of hosts has changed, and perhaps the traffic anywhere."""
        if not self._tables:
            return
        touched: dict[Key, Iterable[int]] = {(metric, False): hosts for metric in _HOST_METRICS}
        fluid = world.fluid
        if fluid is not None and fluid.system.traffic is not None:
            talking, links = fluid.system.traffic.changed()
            first = len(fluid.builder.endpoints)
            for metric in _TRAFFIC:
                touched[metric, False] = talking
                touched[metric, True] = [link - first for link in links]
        for key, table in self._tables.items():
            for number in touched[key]:
                gauge = table.get(number)
                if gauge is not None:
                    gauge.move(world.now, level_of(world, key, number))


_TRAFFIC: Final = (Metric.NetworkLoad, Metric.NormalizedNetworkLoad)
_HOST_METRICS: Final = (Metric.Power, Metric.ComputationLoad, Metric.NormalizedComputationLoad)


def level_of(world: World, key: Key, number: int) -> float:
    """The present level of a quantity (W, B/s, flop/s, or a fraction)."""
    return _LEVELS[key](world, number)


def _power(world: World, host: int) -> float:
    return float(world.energy.meters.power(host))


def _flops(world: World, host: int) -> float:
    return 0.0 if world.fluid is None else float(world.fluid.system.load(host))


def _flops_share(world: World, host: int) -> float:
    return 0.0 if world.fluid is None else _share(_flops(world, host), world.fluid.system.capacity(host))


def _constraint(world: World, link: int) -> int:
    return len(world.fluid.builder.endpoints) + link


def _bytes(world: World, link: int) -> float:
    return 0.0 if world.fluid is None else float(world.fluid.system.load(_constraint(world, link)))


def _bytes_share(world: World, link: int) -> float:
    if world.fluid is None:
        return 0.0
    return _share(_bytes(world, link), world.fluid.system.capacity(_constraint(world, link)))


def _host_bytes(world: World, host: int) -> float:
    if world.fluid is None:
        return 0.0
    world.fluid.system.settle()
    return float(world.fluid.system.watch_traffic().of(host))


def _host_bytes_share(world: World, host: int) -> float:
    """Of the bandwidth of its own two links: the first on its way out and the last on the way in."""
    carried = _host_bytes(world, host)
    if carried == 0.0:
        return 0.0
    builder, capacity = world.fluid.builder, world.fluid.system.capacity
    other = builder.endpoints[1 if host == 0 else 0]
    out, _ = builder.network.route(builder.endpoints[host], other)
    back, _ = builder.network.route(other, builder.endpoints[host])
    own = {*out[:1], *back[-1:]}
    return _share(carried, sum(capacity(_constraint(world, link)) for link in own))


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
