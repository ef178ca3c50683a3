"""The hosts of one partition, as its scheduler sees them, with the sums that are asked for at each submission."""

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from msgspec.structs import replace

from windtunnel.model import Host
from windtunnel.model.demands import Demands
from windtunnel.schedulers.partitioned.part import capped
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.nodes.partition_table import PartitionTable

__all__ = ["TableHosts"]


class TableHosts:
    """The hosts of a partition, each with as many cores as the partition's jobs may use of it together."""

    def __init__(self, table: PartitionTable, hosts: Sequence[Host]) -> None:
        inside = [hosts[node] for node in bits(table.mask)]
        usable = [capped(host, table.partition.max_cpus_per_node) for host in inside]
        self.demands = Demands([replace(host, id=place) for place, host in enumerate(usable)])
        self.most_cores: int = max((host.cores for host in usable), default=1)
        """Of any of them."""
        self.all_cores: int = sum(host.cores for host in usable)
        """Of all of them together."""
        self._inside = inside

    @cached_property
    def _of_largest(self) -> list[int]:
        return [0, *accumulate(sorted((host.cores for host in self._inside), reverse=True))]

    def cores_of_largest(self, count: int) -> float:
        """All cores of so many hosts, those with most: whoever has hosts whole is charged with no more."""
        return float(self._of_largest[min(count, len(self._inside))])
