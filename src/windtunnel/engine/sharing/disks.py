"""Disks of hosts (burst buffers) as constraints of the sharing system: what is read, what is written, and both.

Reads share one bandwidth, writes another, and together they get no more than the larger of the two, as on SimGrid's
disks.
"""

from collections.abc import Mapping, Sequence

from windtunnel.engine.sharing.tasks import Task
from windtunnel.model import Host, Link

__all__ = ["disk_links", "disk_task"]


def disk_links(hosts: Sequence[Host]) -> tuple[dict[int, int], list[Link]]:
    """By host with a disk: the rank of its first constraint among those of disks; and three constraints for each."""
    ranks: dict[int, int] = {}
    links: list[Link] = []
    for number, host in enumerate(hosts):
        read = host.resources.get("bb_read_bw", 0.0)
        write = host.resources.get("bb_write_bw", 0.0)
        if read or write:
            ranks[number] = len(links)
            links += [
                Link(f"{host.name}_disk_read", read),
                Link(f"{host.name}_disk_write", write),
                Link(f"{host.name}_disk", max(read, write)),
            ]
    return ranks, links


def disk_task(disks: Mapping[int, int], host: int, amount: float, *, write: bool) -> Task:
    """A transfer of so many bytes from or to the disk of a host; ``disks``: the first constraint of each."""
    first = disks[host]
    return Task((host,), links=(((first + write, first + 2), float(amount)),) if amount else ())
