"""Routes across zones, from host to gateway to gateway to host."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from windtunnel.diagnostics import UsageError
from windtunnel.diagnostics.suggest import did_you_mean
from windtunnel.model.network.star_plan import StarPlan
from windtunnel.model.network.zone import Leg, StarZone, Zone
from windtunnel.model.platform import Link

__all__ = ["PointKind", "Routes"]

CACHED_ROUTES = 300_000
"""So many routes are remembered; beyond that the memory is emptied (a route costs about 200 bytes)."""


class PointKind(IntEnum):
    """What a point of a network is."""

    ZONE = 0
    ROUTER = 1
    HOST = 2


class Routes:
    """The routes of nested zones.

    Args:
        links: All links; routes name them by index.
        names: The name of each point.
        kinds: What each point is.
        homes: The number of the zone that each point lies in (-1: the outermost zone's own point).
        zones: All zones, the outermost first.
    """

    def __init__(
        self,
        links: Sequence[Link],
        names: Sequence[str],
        kinds: Sequence[PointKind],
        homes: Sequence[int],
        zones: Sequence[Zone],
    ) -> None:
        self.links: tuple[Link, ...] = tuple(links)
        self.names = tuple(names)
        self.kinds = tuple(kinds)
        self.homes = tuple(homes)
        self.zones = tuple(zones)
        self.latencies = tuple(link.latency for link in self.links)
        self.fatpipes = frozenset(i for i, link in enumerate(self.links) if not link.shared)
        self.bypassed = any(zone.bypasses for zone in zones)
        self._index: dict[str, int] = {}
        self._routes: dict[int, tuple[tuple[int, ...], float]] = {}
        self._joints: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._plans: dict[int, StarPlan] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_routes": {}, "_joints": {}, "_index": {}, "_plans": {}}

    def endpoint(self, name: str) -> int:
        """The point of a host or router.

        Raises:
            UsageError: There is none of that name.
        """
        if not self._index:
            self._index = {n: i for i, n in enumerate(self.names) if self.kinds[i] is not PointKind.ZONE}
        found = self._index.get(name)
        if found is None:
            raise UsageError(f"the platform has no host or router {name!r}", did_you_mean(name, self._index))
        return found

    def route(self, source: int, target: int) -> tuple[tuple[int, ...], float]:
        """The links from one endpoint to another, in order, and the sum of their latencies (s).

        Raises:
            UsageError: No route is declared where one is needed.
        """
        key = source * len(self.names) + target
        found = self._routes.get(key)
        if found is None:
            links: list[int] = []
            latency = self._extend(source, target, links, 0.0)
            found = (tuple(links), latency)
            if len(self._routes) >= CACHED_ROUTES:
                self._routes.clear()
            self._routes[key] = found
        return found

    def star_plan(self, number: int) -> StarPlan:
        """What is known of the members of a star zone."""
        plan = self._plans.get(number)
        if plan is None:
            zone = self.zones[number]
            assert isinstance(zone, StarZone), "asked for stars only"
            members = [point for point, home in enumerate(self.homes) if home == number]
            plan = self._plans[number] = StarPlan(members, zone, self.latencies)
        return plan

    # Latencies are added in SimGrid's order (between the zones, then on the source's side, then on the target's), so
    # that the sums agree to the last bit.

    def _extend(self, source: int, target: int, links: list[int], latency: float) -> float:
        """Append the route to ``links``; the latency so far plus its own."""
        home = self.homes[source]
        if home == self.homes[target]:
            zone = self.zones[home]
            if (leg := zone.bypasses.get((source, target))) is not None:
                return self._append(leg.links, links, latency)
            return self._cross(zone, source, target, links, latency)[0]
        common, left, right = self.joint(home, self.homes[target])
        zone = self.zones[common]
        if zone.bypasses and (found := self._bypass(zone, source, target)) is not None:
            # SimGrid also routes from a host to itself here, when the host is the gateway.
            latency = self._extend(source, found.leave, links, latency)
            latency = self._append(found.links, links, latency)
            return self._extend(found.enter, target, links, latency)
        middle: list[int] = []
        latency, leave, enter = self._cross(zone, self.zones[left].point, self.zones[right].point, middle, latency)
        if source != leave:
            latency = self._extend(source, leave, links, latency)
        links += middle
        if target != enter:
            latency = self._extend(enter, target, links, latency)
        return latency

    def _append(self, more: Sequence[int], links: list[int], latency: float) -> float:
        for link in more:
            latency += self.latencies[link]
        links += more
        return latency

    def _cross(
        self, zone: Zone, source: int, target: int, links: list[int], latency: float
    ) -> tuple[float, int, int]:
        """The route between two members of one zone; the latency, and the gateways at both ends."""
        legs = zone.legs(source, target)
        if not legs or (legs[0].leave < 0 and self.kinds[source] is PointKind.ZONE):
            raise self._missing(zone, source, target)
        leave, enter = legs[0].leave, -1
        for leg in legs:
            if enter >= 0 and leg.leave != enter:  # through an inner zone, from one of its gateways to another
                latency = self._extend(enter, leg.leave, links, latency)
            latency = self._append(leg.links, links, latency)
            enter = leg.enter
        return latency + zone.extra_latency(source, target), leave, enter

    def crossing(self, one: int, other: int) -> tuple[list[int], int, int]:
        """The links between the gateways of two zones, where no bypass is declared, and these gateways."""
        common, left, right = self.joint(one, other)
        links: list[int] = []
        _, leave, enter = self._cross(self.zones[common], self.zones[left].point, self.zones[right].point, links, 0.0)
        return links, leave, enter

    def _missing(self, zone: Zone, source: int, target: int) -> UsageError:
        return UsageError(
            f"no route from {self.names[source]!r} to {self.names[target]!r} in zone {zone.name!r} "
            f"(routing {zone.routing})",
            "declare one in the platform",
        )

    def way_up(self, zone: int) -> list[int]:
        """The zone and all around it, from the inside out."""
        path = [zone]
        while self.zones[path[-1]].parent >= 0:
            path.append(self.zones[path[-1]].parent)
        return path

    def joint(self, one: int, other: int) -> tuple[int, int, int]:
        """The innermost zone around two different zones, and its two members that hold them.

        Raises:
            UsageError: One zone holds the other (a zone with both hosts and zones), which SimGrid cannot route.
        """
        found = self._joints.get((one, other))
        if found is None:
            left, right = self.way_up(one), self.way_up(other)
            common = -1
            while left and right and left[-1] == right[-1]:
                common = left.pop()
                right.pop()
            if not left or not right:
                names = self.zones[one].name, self.zones[other].name
                raise UsageError(f"zone {names[0]!r} and zone {names[1]!r} lie in each other: no route between them")
            found = self._joints[one, other] = (common, left[-1], right[-1])
        return found

    def _bypass(self, zone: Zone, source: int, target: int) -> Leg | None:
        """The bypass for the innermost pair of zones around the two hosts."""
        left, right = self.way_up(self.homes[source]), self.way_up(self.homes[target])
        while len(left) > 1 and len(right) > 1 and left[-1] == right[-1]:
            left.pop()
            right.pop()

        def lookup(i: int, j: int) -> Leg | None:
            if i >= len(left) or j >= len(right):
                return None
            return zone.bypasses.get((self.zones[left[i]].point, self.zones[right[j]].point))

        for far in range(max(len(left), len(right))):
            for near in range(far):
                if (found := lookup(near, far) or lookup(far, near)) is not None:
                    return found
            if (found := lookup(far, far)) is not None:
                return found
        return None
