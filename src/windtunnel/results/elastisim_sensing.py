"""What ElastiSim's sensing writes: the use of processors, network, file system and GPUs, every so many seconds."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TextIO

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.model import Platform
from windtunnel.results.elastisim import six_digits

__all__ = ["Levels", "Sensing", "links_named"]


class Levels(NamedTuple):
    """Where the present levels come from."""

    host: Callable[[int], float]
    """flop/s in use on a host."""
    link: Callable[[int], float]
    """B/s on a link."""
    gpus: Callable[[int], int]
    """GPUs of a host that are in use."""


class Sensing:
    """Writes a row to each file at each sample.

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
        self.others = [
            rank
            for rank, link in enumerate(links)
            if rank not in files_links and "loopback" not in link.id and "_limiter" not in link.id
        ]
        names = ",".join(host.name for host in self.hosts)
        files["cpu_utilization"].write(f"Time,{names}\n")
        files["gpu_utilization"].write(f"Time,{names}\n")
        files["network_activity"].write("Time,Utilization\n")
        files["pfs_utilization"].write("Time,Read,Write,Read (rel.),Write (rel.)\n")

    def sample(self, now: float, levels: Levels) -> None:
        """Write what is in use now."""
        date = six_digits(now)
        loads = (f"{levels.host(host.id) / host.speed if host.speed else 0.0:f}" for host in self.hosts)
        self.files["cpu_utilization"].write(f"{date},{','.join(loads)}\n")
        gpus = (self._gpus(host.resources.get("gpus", 0.0), levels.gpus(host.id)) for host in self.hosts)
        self.files["gpu_utilization"].write(f"{date},{','.join(gpus)}\n")
        shares = [levels.link(link) / self.bandwidth[link] for link in self.others if self.bandwidth[link]]
        mean = sum(shares) / len(self.others) if self.others else 0.0
        self.files["network_activity"].write(f"{date},{six_digits(mean)}\n")
        used = [sum(map(levels.link, links)) for links in (self.read, self.write)]
        there = [sum(self.bandwidth[link] for link in links) for links in (self.read, self.write)]
        parts = [six_digits(a / b) if b else "-nan" for a, b in zip(used, there, strict=True)]
        self.files["pfs_utilization"].write(f"{date},{','.join([*map(six_digits, used), *parts])}\n")

    @staticmethod
    def _gpus(count: float, used: int) -> str:
        return f"{used / count:f}" if count else "0"


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
