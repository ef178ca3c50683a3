"""The simulated site: hosts (compute and storage), their power states, resources and place, and the network."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from windtunnel.diagnostics import Finding, without_garbage_collection
from windtunnel.model.workload import EventList

__all__ = ["Host", "Link", "Network", "Platform", "PowerState", "natural_key"]


class PowerState(msgspec.Struct, frozen=True):
    """One power state of a host. Watts are None where the input gives none; speed is flop/s of one core."""

    speed: float
    idle: float | None = None
    epsilon: float | None = None
    """Watts as soon as the load is not zero; equal to ``idle`` where the input gives two values only."""
    full: float | None = None
    """Watts when all cores compute."""


class Host(msgspec.Struct, kw_only=True):
    """A machine that jobs can be given (or a storage)."""

    id: int
    name: str
    cores: int = 1
    pstates: tuple[PowerState, ...] = (PowerState(1e9),)
    pstate: int = 0
    """The power state at the start."""
    sleep_pstates: Mapping[int, tuple[int, int]] = {}
    """sleep pstate -> (virtual pstate while switching off, virtual pstate while switching on)."""
    watts_off: float = 0.0
    storage: bool = False
    resources: Mapping[str, float] = {}
    """Further resources: memory (bytes), gpus (count), anything named."""
    properties: Mapping[str, str] = {}
    zone_properties: Mapping[str, str] = {}
    endpoint: int = -1
    """Its number in the network; -1 without a network."""
    place: tuple[str, ...] = ()
    """From the outside in: datacenter, room, rack."""
    speed_profile: tuple[tuple[float, float], ...] = ()
    """(date, factor) pairs that scale the speed; with ``speed_period`` > 0 they repeat."""
    speed_period: float = 0.0
    state_profile: tuple[tuple[float, float], ...] = ()
    """(date, 0 = off / 1 = on) pairs."""
    state_period: float = 0.0

    @property
    def speed(self) -> float:
        """flop/s of one core in the power state of the start."""
        return self.pstates[self.pstate].speed

    def computes_in(self, pstate: int) -> bool:
        """Whether a power state is one for computing: neither asleep nor on the way."""
        return not self.sleep_pstates or (
            pstate not in self.sleep_pstates and not any(pstate in pair for pair in self.sleep_pstates.values())
        )


class Link(msgspec.Struct, frozen=True):
    """A network link. ``shared`` is False for FATPIPE links, on which flows do not disturb each other."""

    id: str
    bandwidth: float
    """bytes/s"""
    latency: float = 0.0
    """s"""
    shared: bool = True
    bandwidth_profile: tuple[tuple[float, float], ...] = ()
    """(date, bytes/s) pairs; with ``bandwidth_period`` > 0 they repeat."""
    bandwidth_period: float = 0.0
    latency_profile: tuple[tuple[float, float], ...] = ()
    """(date, seconds) pairs."""
    latency_period: float = 0.0
    state_profile: tuple[tuple[float, float], ...] = ()
    """(date, 0 = off / 1 = on) pairs."""
    state_period: float = 0.0


class Network(Protocol):
    """Routes between endpoints (hosts name theirs). Immutable and picklable."""

    @property
    def links(self) -> Sequence[Link]:
        """All links; routes name them by index."""

    def route(self, source: int, target: int) -> tuple[tuple[int, ...], float]:
        """The links from one endpoint to another, in order, and the sum of their latencies (s)."""

    def all_to_all(self, endpoints: Sequence[int], amount: float) -> tuple[dict[int, float], float]:
        """Bytes over each link (the maximum over flows for FATPIPE) when each endpoint sends ``amount`` bytes to each
        other position, and the greatest latency of a route.
        """


class Platform(msgspec.Struct, kw_only=True):
    """A site as the engine sees it. Compute hosts have ids 0..C-1, storages follow."""

    name: str
    hosts: tuple[Host, ...]
    storages: tuple[Host, ...] = ()
    network: Network | None = None
    """None: communication is free."""
    master: str = ""
    """The name of the host that runs the scheduler, where the input has one."""
    config: Mapping[str, str] = {}
    """SimGrid's configuration items of the input."""
    site: Any = None
    """The full description the platform was made from, where there is one (datacenters, racks...)."""
    events: EventList | None = None
    """What the description itself says will happen (states of machines, changes of schedulers)."""
    shares_nodes: bool = False
    """Whether the system it describes lets jobs share nodes: those of its logs take cores, not whole hosts."""
    path: str = ""
    options: Mapping[str, Any] = {}
    """What its reader was told besides the path, so that it can be read again just so."""
    warnings: tuple[Finding, ...] = ()
    """What the reader found odd in the input."""

    def __repr__(self) -> str:
        return f"<Platform {self.name!r}: {_counted(self)}>"

    def __str__(self) -> str:
        return f"{self.name}: {_counted(self)}"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from collections import Counter

        from windtunnel.diagnostics.html_tables import html_table

        kinds = Counter((host.cores, host.pstates[0].speed if host.pstates else 0.0) for host in self.hosts)
        rows = [(f"{count:,} hosts", f"{cores:,}", f"{speed:g}") for (cores, speed), count in kinds.most_common()]
        rows += [(f"{len(self.storages):,} storages", "", "")] if self.storages else []
        rows += [("network", "free" if self.network is None else "simulated", "")]
        return html_table(rows, ("", "cores", "flop/s of a core"), str(self))

    @property
    def cores_per_host(self) -> int:
        """The smallest number of cores of a compute host."""
        return min((h.cores for h in self.hosts), default=1)

    @classmethod
    def uniform(cls, hosts: int, cores: int = 1, speed: float = 1e9, name: str = "") -> "Platform":
        """``hosts`` equal hosts of ``cores`` cores, without network; what ``hosts:64x32`` means."""
        state = (PowerState(speed),)
        with without_garbage_collection():
            made = tuple(Host(id=i, name=f"host{i}", cores=cores, pstates=state) for i in range(hosts))
        return cls(name=name or f"hosts:{hosts}x{cores}", hosts=made)


def _counted(platform: Platform) -> str:
    """How many hosts, cores and storages, in words."""
    cores = sum(host.cores for host in platform.hosts)
    storages = f", {len(platform.storages):,} storages" if platform.storages else ""
    return f"{len(platform.hosts):,} hosts, {cores:,} cores{storages}"


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
