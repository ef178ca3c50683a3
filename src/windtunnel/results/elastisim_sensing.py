"""What ElastiSim's sensing writes: the use of processors, network, file system and GPUs, every so many seconds."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TextIO

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.model import Platform
from windtunnel.results.elastisim import six_digits

__all__ = ["Levels", "Sensing", "links_named"]


class Levels(NamedTuple):
    """The present levels."""

    hosts: Sequence[float]
    """flop/s in use on each host."""
    links: Sequence[float]
    """B/s on each link."""
    gpus: Mapping[int, Sequence[bool]]
    """By host, where any has been used: which of its GPUs are in use."""


class Sensing:
    """Writes a row to each file at each sample. Where nothing has changed, rows differ in the date.

    Args:
        platform: The site.
        files: By what is sensed (``cpu_utilization`` ...).
        read: The links by which the file system is read.
        write: Those by which it is written.
    """

    def __init__(
        self, platform: Platform, files: Mapping[str, TextIO], read: Sequence[int], write: Sequence[int]
    ) -> None:
        self.hosts = platform.hosts
        self.files = files
        network = platform.network
        links: Sequence[Any] = () if network is None else network.links
        self.bandwidth = [link.bandwidth for link in links]
        self.read, self.write = read, write
        files_links = {*self.read, *self.write}
        others = [
            rank
            for rank, link in enumerate(links)
            if rank not in files_links and "loopback" not in link.id and "_limiter" not in link.id
        ]
        self.others = len(others)
        self.carrying = [(rank, self.bandwidth[rank]) for rank in others if self.bandwidth[rank]]
        self.rows: list[tuple[TextIO, str]] = []
        """By file: what follows the date in its last row."""
        names = ",".join(host.name for host in self.hosts)
        files["cpu_utilization"].write(f"Time,{names}\n")
        files["gpu_utilization"].write(f"Time,{names}\n")
        files["network_activity"].write("Time,Utilization\n")
        files["pfs_utilization"].write("Time,Read,Write,Read (rel.),Write (rel.)\n")

    def sample(self, now: float, levels: Levels) -> None:
        """Write what is in use now."""
        use = zip(levels.hosts, self.hosts, strict=True)
        loads = [f"{load / host.speed if host.speed else 0.0:f}" for load, host in use]
        gpus = [self._gpus(host.resources.get("gpus", 0.0), levels.gpus.get(host.id, ())) for host in self.hosts]
        mean = sum([levels.links[link] / bandwidth for link, bandwidth in self.carrying]) / (self.others or 1)
        used = [sum([levels.links[link] for link in links]) for links in (self.read, self.write)]
        there = [sum([self.bandwidth[link] for link in links]) for links in (self.read, self.write)]
        parts = [six_digits(a / b) if b else "-nan" for a, b in zip(used, there, strict=True)]
        self.rows = [
            (self.files["cpu_utilization"], ",".join(loads)),
            (self.files["gpu_utilization"], ",".join(gpus)),
            (self.files["network_activity"], six_digits(mean)),
            (self.files["pfs_utilization"], ",".join([*map(six_digits, used), *parts])),
        ]
        self.again(now)

    def again(self, now: float) -> None:
        """Write that what was in use at the last sample still is."""
        date = six_digits(now)
        for file, row in self.rows:
            file.write(f"{date},{row}\n")

    @staticmethod
    def _gpus(count: float, states: Sequence[bool]) -> str:
        return f"{sum(states) / count:f}" if count else "0"


def links_named(platform: Platform, names: Sequence[str]) -> list[int]:
    """The numbers of links.

    Raises:
        UsageError: The platform has no such link.
    """
    links: Sequence[Any] = () if platform.network is None else platform.network.links
    numbers = {link.id: rank for rank, link in enumerate(links)}
    for name in names:
        if name not in numbers:
            raise UsageError(f"the platform has no link {name!r} to be sensed", did_you_mean(name, numbers))
    return [numbers[name] for name in names]
