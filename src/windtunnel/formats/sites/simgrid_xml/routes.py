"""Routes between hosts and between zones, and bypasses (spec/execution-model.md 1.6)."""

from typing import TYPE_CHECKING

from windtunnel.formats.sites.simgrid_xml.builder import Builder
from windtunnel.formats.sites.simgrid_xml.grammar import children, tag_of
from windtunnel.formats.sites.simgrid_xml.values import Values
from windtunnel.model.network import FullZone, Leg, PointKind, StarZone
from windtunnel.model.network.table import TableZone

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_route"]


def read_route(element: "_Element", zone: int, builder: Builder, values: Values) -> None:
    """Enter one route, zoneRoute, bypassRoute or bypassZoneRoute into its zone.

    Called when everything is declared, so that a route may name what stands later in the file.
    """
    reader = RouteReader(element, zone, builder, values)
    links = reader.links()
    ends = reader.ends()
    if ends is None or links is None:
        return
    if reader.tag.startswith("bypass"):
        reader.enter_bypass(ends, links)
    else:
        reader.enter(ends, links)


class RouteReader:
    """Reads one route element."""

    def __init__(self, element: "_Element", zone: int, builder: Builder, values: Values) -> None:
        self.element = element
        self.tag = tag_of(element)
        self.number = zone
        self.zone = builder.zones[zone]
        self.builder = builder
        self.values = values
        self.between_zones = self.tag in {"zoneRoute", "bypassZoneRoute"}

    def fault(self, code: str, message: str, hint: str = "") -> None:
        """Report an error at the route."""
        self.values.fault(self.element, code, message, hint)

    def links(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """The links forwards and backwards (halves of split links exchanged); None if one is at fault."""
        there: list[int] = []
        back: list[int] = []
        good = True
        for step in children(self.element, "link_ctn"):
            found = self.link(step)
            if found is None:
                good = False
            else:
                there.append(found[0])
                back.append(found[1])
        if good and not there:
            self.fault("empty-route", f"<{self.element.tag}> names no link", "SimGrid forbids empty routes")
            return None
        return (tuple(there), tuple(reversed(back))) if good else None

    def link(self, step: "_Element") -> tuple[int, int] | None:
        """The number of a link, and of the one to take on the way back."""
        name, direction = step.get("id"), step.get("direction", "NONE")
        if name is None or direction not in {"UP", "DOWN", "NONE"}:
            return None
        numbers = self.builder.link_numbers
        if direction == "NONE":
            if name in numbers:
                return numbers[name], numbers[name]
            if name in self.builder.split:
                hint = "write direction='UP' or 'DOWN'"
                message = f"the link {name!r} is SPLITDUPLEX: the route does not say which half"
                self.values.fault(step, "no-direction", message, hint)
                return None
        elif name in self.builder.split:
            pair = numbers[f"{name}_UP"], numbers[f"{name}_DOWN"]
            return pair if direction == "UP" else pair[::-1]
        elif name in numbers:
            message = f"the link {name!r} is not SPLITDUPLEX: it has no direction {direction}"
            self.values.fault(step, "no-direction", message, "remove direction, or make the link SPLITDUPLEX")
            return None
        self.values.fault(
            step,
            "unknown-link",
            f"no link is called {name!r}",
            self.values.suggest(name, lambda: [*numbers, *self.builder.split]),
        )
        return None

    def ends(self) -> tuple[int, int, int, int] | None:
        """Source, target and gateways (-1 between hosts); None if one is at fault."""
        source, target = self.end("src"), self.end("dst")
        if not self.between_zones:
            return None if source is None or target is None else (source, target, -1, -1)
        leave, enter = self.gateway("gw_src", source), self.gateway("gw_dst", target)
        if source is None or target is None or leave is None or enter is None:
            return None
        return (source, target, leave, enter) if self.gateways_fit(source, target, leave, enter) else None

    def end(self, attribute: str) -> int | None:
        """The point that ``src`` or ``dst`` names: a member of the zone."""
        name = self.element.get(attribute)
        if name is None:
            return None
        builder = self.builder
        point = builder.points.get(name)
        if point is None:
            word = "zone" if self.between_zones else "host or router"
            self.fault(
                "unknown-end", f"{attribute}: there is no {word} {name!r}", self.values.suggest(name, self.ends_known)
            )
            return None
        if (builder.kinds[point] is PointKind.ZONE) is not self.between_zones:
            if self.between_zones:
                hint = "name zones in src and dst, and hosts or routers in gw_src and gw_dst"
                self.fault("not-a-zone", f"{attribute}: {name!r} is not a zone", hint)
            else:
                self.fault(
                    "not-a-host", f"{attribute}: {name!r} is a zone", "use zoneRoute or bypassZoneRoute between zones"
                )
            return None
        if builder.homes[point] == self.number:
            return point
        around = self.around(self.number)
        if self.tag == "bypassZoneRoute" and self.number in self.around(builder.homes[point]):
            return point
        if point in {builder.zones[i].point for i in around}:
            message = f"{attribute}: the zone {name!r} holds this route: a zone cannot contain itself"
            self.fault("cyclic-zone", message, "name the zones inside it")
            return None
        home = builder.homes[point]
        where = builder.zones[home].name if home >= 0 else "no zone"
        self.fault(
            "not-a-member",
            f"{attribute}: {name!r} lies in {where!r}, not in the zone {self.zone.name!r} of this route",
            "declare the route in the zone that holds both ends",
        )
        return None

    def ends_known(self) -> list[str]:
        """What ``src`` and ``dst`` may name: zones, or hosts and routers."""
        kinds = self.builder.kinds
        return [n for n, p in self.builder.points.items() if (kinds[p] is PointKind.ZONE) is self.between_zones]

    def gateways_known(self, zone: int | None) -> list[str]:
        """What lies in the zone that this point stands for."""
        return [n for n, p in self.builder.points.items() if zone is not None and self.inside(p, zone)]

    def around(self, zone: int) -> list[int]:
        """The zone and all around it."""
        path = []
        while zone >= 0:
            path.append(zone)
            zone = self.builder.zones[zone].parent
        return path

    def gateway(self, attribute: str, zone: int | None) -> int | None:
        """The point of a gateway: any host or router."""
        name = self.element.get(attribute)
        if name is None:
            return None
        builder = self.builder
        point = builder.points.get(name)
        if point is None:
            hint = self.values.suggest(name, lambda: self.gateways_known(zone))
            self.fault("unknown-gateway", f"{attribute}: there is no host or router {name!r}", hint)
            return None
        if builder.kinds[point] is PointKind.ZONE:
            self.fault("bad-gateway", f"{attribute}: {name!r} is a zone", "a gateway is a host or a router")
            return None
        return point

    def inside(self, point: int, zone: int) -> bool:
        """Whether a host or router lies in the zone that this point stands for, at any depth."""
        zones = self.builder.zones
        return any(zones[i].point == zone for i in self.around(self.builder.homes[point]))

    def gateways_fit(self, source: int, target: int, leave: int, enter: int) -> bool:
        """Whether each gateway lies in its zone."""
        names = self.builder.names
        if self.inside(leave, source) and self.inside(enter, target):
            if leave == enter:
                self.fault("bad-gateway", f"both gateways are {names[leave]!r}")
                return False
            return True
        if self.inside(leave, target) and self.inside(enter, source):
            message = f"the gateways are swapped: {names[leave]!r} lies in {names[target]!r}, {names[enter]!r} in "
            message += f"{names[source]!r}"
            self.fault("swapped-gateways", message, f"gw_src={names[enter]!r} gw_dst={names[leave]!r}")
            return False
        for attribute, point, zone in (("gw_src", leave, source), ("gw_dst", enter, target)):
            if not self.inside(point, zone):
                home = self.builder.zones[self.builder.homes[point]].name
                message = f"{attribute}: {names[point]!r} lies in {home!r}, not in {names[zone]!r}"
                self.fault("bad-gateway", message, f"choose a host or router of {names[zone]!r}")
        return False

    def enter_bypass(self, ends: tuple[int, int, int, int], links: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
        """A bypass holds in one direction."""
        source, target, leave, enter = ends
        if (source, target) in self.zone.bypasses:
            names = self.builder.names
            self.fault("duplicate-route", f"the bypass {names[source]!r} - {names[target]!r} is declared twice")
        self.zone.bypasses[source, target] = Leg(links[0], leave, enter)

    def enter(self, ends: tuple[int, int, int, int], links: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
        """A route, and the way back unless it is one-way."""
        source, target, leave, enter = ends
        names = self.builder.names
        symmetrical = self.element.get("symmetrical", "YES").upper() == "YES"
        if isinstance(self.zone, StarZone):
            if source != target:
                hint = "its members are joined by <host_link>, <cabinet> or <peer>"
                self.fault("no-route-here", f"a zone with routing {self.zone.routing} takes no routes", hint)
            else:
                self.zone.loopback[source] = links[0]
            return
        if not isinstance(self.zone, TableZone):
            self.fault("no-route-here", f"a zone with routing {self.zone.routing} takes no routes")
            return
        if source == target and symmetrical and not isinstance(self.zone, FullZone):
            self.fault(
                "duplicate-route",
                f"the route from {names[source]!r} to itself would be declared twice",
                "write symmetrical='NO'",
            )
            symmetrical = False
        new = self.declare(self.zone, (source, target), Leg(links[0], leave, enter))
        if new and symmetrical and source != target:
            self.declare(self.zone, (target, source), Leg(links[1], enter, leave))

    def declare(self, zone: TableZone, pair: tuple[int, int], leg: Leg) -> bool:
        """One direction; whether it is new."""
        if pair in zone.declared:
            a, b = (self.builder.names[p] for p in pair)
            self.fault(
                "duplicate-route",
                f"the route from {a!r} to {b!r} is declared twice",
                "routes hold in both directions unless symmetrical='NO'",
            )
            return False
        zone.declared[pair] = leg
        return True
