"""Zones: the parts of a network, each with its own rule for the links between two of its members.

Members are hosts, routers and inner zones; all are *points*, numbered through the whole network. Facts:
spec/execution-model.md 1.6 and recorded routes of SimGrid 3.32 and 4.0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import ClassVar, NamedTuple

from windtunnel.diagnostics import UsageError

__all__ = ["EmptyZone", "Leg", "StarZone", "VivaldiZone", "Zone"]


class Leg(NamedTuple):
    """A declared piece of route. Between inner zones it leaves the first at ``leave`` and enters the other at
    ``enter`` (points); between hosts both are -1.
    """

    links: tuple[int, ...]
    leave: int = -1
    enter: int = -1


@dataclass(kw_only=True)
class Zone:
    """A part of the network; subclasses say how its members reach each other."""

    routing: ClassVar[str] = ""

    name: str
    point: int
    """Its own point, by which the enclosing zone knows it."""
    parent: int = -1
    """The number of the enclosing zone."""
    leaf: bool = True
    """Whether it holds hosts and routers rather than zones."""
    bypasses: dict[tuple[int, int], Leg] = field(default_factory=dict)
    """Routes looked up before all others, by the points of hosts (leaves) or of zones anywhere below."""
    properties: Mapping[str, str] = field(default_factory=dict)

    def legs(self, source: int, target: int) -> Sequence[Leg]:
        """The pieces from one member to another, in order; empty if the zone knows no route."""
        raise NotImplementedError

    def extra_latency(self, source: int, target: int) -> float:
        """Seconds on top of the latencies of the links."""
        del source, target
        return 0.0


@dataclass(kw_only=True)
class EmptyZone(Zone):
    """Routing ``None``: hosts can compute, and every request for a route is an error (SimGrid aborts)."""

    routing: ClassVar[str] = "None"

    def legs(self, source: int, target: int) -> Sequence[Leg]:
        """There is none; raises :class:`UsageError`."""
        del source, target
        raise UsageError(
            f"zone {self.name!r} has routing 'None': nothing can be sent between its members",
            "choose another routing, for instance Full with declared routes",
        )


@dataclass(kw_only=True)
class StarZone(Zone):
    """Every member has links to the centre and from it; a link met twice in a route counts once.

    A member sending to itself goes up and down again unless it has a loopback. Members without links (routers)
    are at the centre. ``<cluster>`` (flat) and zones with routing ``Cluster``.
    """

    routing: ClassVar[str] = "Cluster"

    up: dict[int, tuple[int, ...]] = field(default_factory=dict)
    down: dict[int, tuple[int, ...]] = field(default_factory=dict)
    loopback: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def legs(self, source: int, target: int) -> Sequence[Leg]:
        """Up from the source, down to the target."""
        if source == target and source in self.loopback:
            return (Leg(tuple(dict.fromkeys(self.loopback[source]))),)
        return (Leg(tuple(dict.fromkeys(self.up.get(source, ()) + self.down.get(target, ())))),)


@dataclass(kw_only=True)
class VivaldiZone(StarZone):
    """A star whose members have coordinates (x, y, height; in ms): their distance adds to the latency."""

    routing: ClassVar[str] = "Vivaldi"

    coordinates: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    gateways: dict[int, int] = field(default_factory=dict)
    """Inner zone -> its router named ``router_ZONE``."""

    def legs(self, source: int, target: int) -> Sequence[Leg]:
        """As in a star; inner zones are left and entered by their routers."""
        (leg,) = super().legs(source, target)
        return (Leg(leg.links, self.gateways.get(source, -1), self.gateways.get(target, -1)),)

    def extra_latency(self, source: int, target: int) -> float:
        """Seconds between the coordinates: the distance in the plane and both heights."""
        try:
            ax, ay, az = self.coordinates[source]
            bx, by, bz = self.coordinates[target]
        except KeyError:
            raise UsageError(f"zone {self.name!r} has routing 'Vivaldi', and a member has no coordinates") from None
        return (sqrt((ax - bx) * (ax - bx) + (ay - by) * (ay - by)) + abs(az) + abs(bz)) / 1000.0
