"""Descriptions of a platform and of a route, as plain structures."""

from collections.abc import Sequence

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.model.host import Host
from windtunnel.model.network.network import ZonedNetwork
from windtunnel.model.network.routes import PointKind
from windtunnel.model.platform import Link, Platform, column_of

__all__ = [
    "HostGroup",
    "LinkGroup",
    "PlatformDescription",
    "RouteDescription",
    "RouteLink",
    "ZoneDescription",
    "describe",
    "describe_route",
]

TCP_GAMMA = 4194304.0
"""The default of SimGrid's ``network/TCP-gamma``: bytes that may be under way to one receiver."""


class HostGroup(msgspec.Struct, frozen=True):
    """Hosts that differ in nothing but their names and properties."""

    count: int
    first: str
    last: str
    cores: int
    speeds: tuple[float, ...]
    """flop/s of one core, per power state."""
    pstate: int
    watts: tuple[tuple[float, float, float] | None, ...]
    """Idle, as soon as it computes, all cores computing; per power state, None where not given."""
    sleep_pstates: tuple[int, ...]
    profiles: tuple[str, ...]
    """What changes with time: ``speed``, ``state``."""


class LinkGroup(msgspec.Struct, frozen=True):
    """Links that differ in nothing but their names."""

    count: int
    first: str
    bandwidth: float
    latency: float
    shared: bool


class ZoneDescription(msgspec.Struct, frozen=True):
    """A zone of the network."""

    name: str
    routing: str
    depth: int
    hosts: int
    """Directly inside."""
    routers: int
    zones: int


class PlatformDescription(msgspec.Struct, frozen=True):
    """What a platform holds."""

    name: str
    path: str
    hosts: int
    cores: int
    speed: float
    """flop/s of all cores of compute hosts together."""
    compute: tuple[HostGroup, ...]
    storages: tuple[HostGroup, ...]
    master: str
    zones: tuple[ZoneDescription, ...]
    """In order of declaration, each after the zone around it."""
    links: tuple[LinkGroup, ...]
    config: dict[str, str]


class RouteLink(msgspec.Struct, frozen=True):
    """One link of a route."""

    id: str
    bandwidth: float
    latency: float
    shared: bool


class RouteDescription(msgspec.Struct, frozen=True):
    """A route between two hosts."""

    source: str
    target: str
    links: tuple[RouteLink, ...]
    latency: float
    """s"""
    bottleneck: str
    """The link with the least bandwidth; "" on a route without links."""
    bandwidth: float | None
    """Its bandwidth (bytes/s); None without links: then sending takes no longer than the latency."""
    window: float | None
    """The rate (bytes/s) that TCP's window allows one flow; None without latency."""

    @property
    def rate(self) -> float | None:
        """bytes/s of a flow that is alone; None: unlimited."""
        return min((r for r in (self.bandwidth, self.window) if r is not None), default=None)


def describe(platform: Platform) -> PlatformDescription:
    """What a platform holds, equal hosts and links together."""
    network = platform.network
    zones: tuple[ZoneDescription, ...] = ()
    if isinstance(network, ZonedNetwork):
        zones = _zones(network)
    return PlatformDescription(
        name=platform.name,
        path=platform.path,
        hosts=len(platform.hosts),
        cores=sum(column_of(platform.hosts, "cores")),
        speed=sum(host.cores * host.speed for host in platform.hosts),
        compute=_host_groups(platform.hosts),
        storages=_host_groups(platform.storages),
        master=platform.master,
        zones=zones,
        links=_link_groups(network.links if network is not None else ()),
        config=dict(platform.config),
    )


def _host_groups(hosts: Sequence[Host]) -> tuple[HostGroup, ...]:
    groups: dict[object, list[Host]] = {}
    for host in hosts:
        profiles = host.speed_profile, host.speed_period, host.state_profile, host.state_period
        sleep = tuple(sorted(host.sleep_pstates.items()))
        groups.setdefault((host.cores, host.pstates, host.pstate, sleep, profiles), []).append(host)
    return tuple(_host_group(members) for members in groups.values())


def _host_group(members: Sequence[Host]) -> HostGroup:
    host = members[0]
    profiles = (("speed", host.speed_profile), ("state", host.state_profile))
    return HostGroup(
        count=len(members),
        first=host.name,
        last=members[-1].name,
        cores=host.cores,
        speeds=tuple(state.speed for state in host.pstates),
        pstate=host.pstate,
        watts=tuple(
            None
            if state.idle is None or state.full is None
            else (state.idle, state.idle if state.epsilon is None else state.epsilon, state.full)
            for state in host.pstates
        ),
        sleep_pstates=tuple(sorted(host.sleep_pstates)),
        profiles=tuple(name for name, profile in profiles if profile),
    )


def _link_groups(links: Sequence[Link]) -> tuple[LinkGroup, ...]:
    groups: dict[tuple[float, float, bool], list[Link]] = {}
    for link in links:
        groups.setdefault((link.bandwidth, link.latency, link.shared), []).append(link)
    return tuple(LinkGroup(len(members), members[0].id, *key) for key, members in groups.items())


def _zones(network: ZonedNetwork) -> tuple[ZoneDescription, ...]:
    inside = [[0, 0, 0] for _ in network.zones]
    for kind, home in zip(network.kinds, network.homes, strict=True):
        if home >= 0:
            inside[home][kind] += 1
    return tuple(
        ZoneDescription(
            name=zone.name,
            routing=zone.routing,
            depth=len(network.way_up(number)) - 1,
            hosts=inside[number][PointKind.HOST],
            routers=inside[number][PointKind.ROUTER],
            zones=inside[number][PointKind.ZONE],
        )
        for number, zone in enumerate(network.zones)
    )


def describe_route(platform: Platform, source: str, target: str) -> RouteDescription:
    """The route between two hosts (or routers, or the master), by name.

    Raises:
        UsageError: There is no such host, or the platform declares no route between them.
    """
    network = platform.network
    ends = _endpoint(platform, source), _endpoint(platform, target)
    numbers: tuple[int, ...] = ()
    latency = 0.0
    if network is not None:
        numbers, latency = network.route(*ends)
    links = [network.links[i] for i in numbers] if network is not None else []
    narrow = min(links, key=lambda link: link.bandwidth, default=None)
    gamma = float(platform.config.get("network/TCP-gamma", TCP_GAMMA))
    return RouteDescription(
        source=source,
        target=target,
        links=tuple(RouteLink(link.id, link.bandwidth, link.latency, link.shared) for link in links),
        latency=latency,
        bottleneck=narrow.id if narrow is not None else "",
        bandwidth=narrow.bandwidth if narrow is not None else None,
        window=gamma / (2 * latency) if latency > 0 else None,
    )


def _endpoint(platform: Platform, name: str) -> int:
    if isinstance(platform.network, ZonedNetwork):
        return platform.network.endpoint(name)
    known = {host.name: host.endpoint for host in (*platform.hosts, *platform.storages)}
    if name not in known:
        raise UsageError(f"the platform has no host {name!r}", did_you_mean(name, known))
    return known[name]
