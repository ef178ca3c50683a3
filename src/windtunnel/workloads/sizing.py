"""How many hosts the jobs of an arranged workload get, and which cores of them."""

from typing import NamedTuple

from msgspec.structs import replace

from windtunnel.model import Request
from windtunnel.model.abilities import OfSharedNodes
from windtunnel.workloads.columns import Columns

__all__ = ["Sizing"]


class Sizing(NamedTuple):
    """For which hosts jobs that count processors are sized."""

    cores_per_host: int = 1
    """The cores of a host."""
    parts: bool = False
    """Whether jobs that can take cores of hosts do, and leave the others."""

    def request(self, columns: Columns, index: int, asked: Request) -> Request:
        """What a job asks for, whose source asked for that."""
        size = columns.processors[index] if columns.processors is not None else asked.processors or asked.hosts
        if not asked.processors:
            return replace(asked, hosts=size)
        parts = self._takes_cores(columns, index)
        return replace(asked, processors=size).on_hosts_of(self.cores_per_host, parts=parts)

    def _takes_cores(self, columns: Columns, index: int) -> bool:
        if columns.elastic is not None and columns.elastic[index]:
            return False  # jobs that change size have whole hosts
        return self.parts and isinstance(columns.bases[columns.origins[index]], OfSharedNodes)

    def larger_than(self, columns: Columns, hosts: int, cores: int | None) -> tuple[list[int], int]:
        """The ranks of the jobs that want more than there is, and what the largest wants; see ``Sized``."""
        limit, per_host = (hosts, self.cores_per_host) if cores is None else (cores, 1)
        whole = 1 if cores is None else cores // max(hosts, 1)  # what a job that asks for hosts wants of each
        sizes = [-(-size // per_host) if counts else size * whole for size, counts in _asked(columns)]
        ranks = [rank for rank, size in enumerate(sizes) if size > limit]
        return ranks, max(sizes) if ranks else 0

    def cores_in_vain(self, columns: Columns) -> tuple[list[int], int]:
        """The ranks of the jobs that use fewer cores than their hosts have, and how many fewer in all."""
        cores = self.cores_per_host
        asked = _asked(columns) if cores > 1 else []
        vain = {rank: -size % cores for rank, (size, counts) in enumerate(asked) if counts and size % cores}
        ranks = [rank for rank in vain if not self._takes_cores(columns, rank)]
        return ranks, sum(vain[rank] for rank in ranks)


def _asked(columns: Columns) -> list[tuple[int, bool]]:
    """What each job asks for, and whether it counts processors rather than hosts: merged workloads may do either."""
    asked = [job.request for job in columns.sources()]
    sizes = columns.processors or [one.processors or one.hosts for one in asked]
    return [(size, one.processors > 0) for size, one in zip(sizes, asked, strict=True)]
