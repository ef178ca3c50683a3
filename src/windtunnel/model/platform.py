"""The simulated site: its hosts, which compute or only store data, and the network between them."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, Protocol

import msgspec

from windtunnel.diagnostics import Finding, counted
from windtunnel.model.host import Host, PowerState
from windtunnel.model.workload import EventList

__all__ = ["Link", "Loads", "Network", "Platform", "by_amount", "column_of", "kinds_of", "natural_key"]

_FEW: Final = 1000
"""At most this many hosts are made at once."""


class Link(msgspec.Struct, frozen=True):
    """A network link. ``shared`` is False for FATPIPE links, on which flows do not share the bandwidth."""

    id: str
    bandwidth: float
    """bytes/s"""
    latency: float = 0.0
    """s"""
    shared: bool = True
    bandwidth_profile: tuple[tuple[float, float], ...] = ()
    """(time, bytes/s) pairs; with ``bandwidth_period`` > 0 they repeat."""
    bandwidth_period: float = 0.0
    latency_profile: tuple[tuple[float, float], ...] = ()
    """(time, seconds) pairs."""
    latency_period: float = 0.0
    state_profile: tuple[tuple[float, float], ...] = ()
    """(time, 0 = off / 1 = on) pairs."""
    state_period: float = 0.0


Loads = list[tuple[list[int], float]]
"""Links, or hosts, and the bytes of each of them."""


def by_amount(amounts: Mapping[int, float]) -> Loads:
    """Those of one amount together, in the order in which they are first met, without those of none."""
    alike: dict[float, list[int]] = {}
    for number, amount in amounts.items():
        if amount:
            alike.setdefault(amount, []).append(number)
    return [(numbers, amount) for amount, numbers in alike.items()]


class Network(Protocol):
    """Routes between endpoints (each host names its own). Immutable and picklable."""

    @property
    def links(self) -> Sequence[Link]:
        """All links; routes name them by index."""

    def route(self, source: int, target: int) -> tuple[tuple[int, ...], float]:
        """The links from one endpoint to another, in order, and the sum of their latencies (s)."""

    def all_to_all(self, endpoints: Sequence[int], amount: float) -> tuple[Loads, float]:
        """Links by the bytes over each (the maximum over flows for FATPIPE) when each endpoint sends ``amount`` bytes
        to each other position, and the greatest latency (s) of any route.
        """


class Platform(msgspec.Struct, kw_only=True):
    """A site as the engine sees it. Compute hosts have ids 0..C-1, storages follow."""

    name: str
    hosts: Sequence[Host]
    """A tuple or, for many equal hosts, a sequence that makes each host on demand."""
    storages: tuple[Host, ...] = ()
    network: Network | None = None
    """None: communication takes no time."""
    master: str = ""
    """The name of the host that runs the scheduler, if the input has one."""
    config: Mapping[str, str] = {}
    """The SimGrid configuration items in the input."""
    site: Any = None
    """The full description the platform was made from, if any (datacenters, racks...)."""
    events: EventList | None = None
    """The events that the description itself announces (machine states, scheduler changes)."""
    shares_nodes: bool = False
    """Whether the system lets jobs share nodes, so that the jobs of its logs take cores, not whole hosts."""
    path: str = ""
    options: Mapping[str, Any] = {}
    """The reader's arguments besides the path, so that it can be read again in the same way."""
    warnings: tuple[Finding, ...] = ()
    """What the reader found suspicious in the input."""

    def __repr__(self) -> str:
        return f"<Platform {self.name!r}: {_counted(self)}>"

    def __str__(self) -> str:
        return f"{self.name}: {_counted(self)}"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from collections import Counter

        from windtunnel.diagnostics.html_tables import html_table

        kinds = Counter((host.cores, host.pstates[0].speed if host.pstates else 0.0) for host in self.hosts)
        rows = [(counted(count, "host"), f"{cores:,}", f"{speed:g}") for (cores, speed), count in kinds.most_common()]
        rows += [(counted(len(self.storages), "storage"), "", "")] if self.storages else []
        rows += [("network", "free" if self.network is None else "simulated", "")]
        return html_table(rows, ("", "cores", "flop/s of a core"), str(self))

    @property
    def cores_per_host(self) -> int:
        """The smallest number of cores of a compute host."""
        return min((host.cores for host in kinds_of(self.hosts)), default=1)

    @classmethod
    def uniform(cls, hosts: int, cores: int = 1, speed: float = 1e9, name: str = "") -> "Platform":
        """``hosts`` identical hosts of ``cores`` cores, without network; the meaning of ``hosts:64x32``."""
        name, states = name or f"hosts:{hosts}x{cores}", (PowerState(speed),)
        if hosts > _FEW:
            from windtunnel.model.equal_hosts import EqualHosts

            return cls(name=name, hosts=EqualHosts(hosts, cores, states))
        made = tuple(Host(id=i, name=f"host{i}", cores=cores, pstates=states) for i in range(hosts))
        return cls(name=name, hosts=made)


def _counted(platform: Platform) -> str:
    """How many hosts, cores and storages, in words."""
    cores = sum(column_of(platform.hosts, "cores"))
    storages = f", {counted(len(platform.storages), 'storage')}" if platform.storages else ""
    return f"{counted(len(platform.hosts), 'host')}, {counted(cores, 'core')}{storages}"


def column_of(hosts: Sequence[Host], name: str) -> list[Any]:
    """The values of one field (neither ``id`` nor ``name``) of all hosts, by position."""
    if not isinstance(hosts, tuple):
        from windtunnel.model.equal_hosts import EqualHosts

        if isinstance(hosts, EqualHosts):
            return hosts.column(name)
    return [*map(attrgetter(name), hosts)]


def kinds_of(hosts: Sequence[Host]) -> Sequence[Host]:
    """One host of each kind, apart from numbers and names: enough to check whether any host has something."""
    if not isinstance(hosts, tuple):
        from windtunnel.model.equal_hosts import EqualHosts

        if isinstance(hosts, EqualHosts):
            return hosts.kinds()
    return hosts


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key in which runs of digits compare as numbers: host2 < host10 (Batsim 5's numbering)."""
    parts: list[tuple[int, int, str]] = []
    text = ""
    digits = ""
    for char in name + "\0":
        if char.isascii() and char.isdigit():
            if text:
                parts.append((1, 0, text))
                text = ""
            digits += char
        else:
            if digits:
                parts.append((0, int(digits), digits))
                digits = ""
            if char != "\0":
                text += char
    if text:
        parts.append((1, 0, text))
    return tuple(parts)
