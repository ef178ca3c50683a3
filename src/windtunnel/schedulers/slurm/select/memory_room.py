"""The memory that goes with free CPUs: of which nodes there is too little for so much per CPU (§5.2)."""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits, spans

__all__ = ["MemoryRoom"]

_MANY: Final = 6
"""So many nodes, often alike, are changed in runs."""


@mypyc_attr(allow_interpreted_subclasses=True)
class MemoryRoom:
    """Free CPUs and memory of each node, and the nodes by the memory (MB) for each of their free CPUs."""

    __slots__ = ("_by_share", "cpus", "memory")

    def __init__(self, cluster: Cluster | None) -> None:
        self.cpus: list[int] = []
        self.memory: list[int] = []
        self._by_share: dict[int, int] = {}
        """Nodes without a free CPU are in none of them."""
        if cluster is None:
            return
        self.cpus = [0] * cluster.size
        for free, nodes in enumerate(cluster.total_masks):
            for node in bits(nodes):
                self.cpus[node] = free
        self.memory = cluster.memory[:]
        for node, (free, memory) in enumerate(zip(self.cpus, self.memory, strict=True)):
            if free > 0:
                share = memory // free
                self._by_share[share] = self._by_share.get(share, 0) | 1 << node

    def copy(self) -> "MemoryRoom":
        """The same, to be changed apart."""
        other = MemoryRoom(None)
        other.cpus = self.cpus[:]
        other.memory = self.memory[:]
        other._by_share = dict(self._by_share)
        return other

    def change(self, nodes: int, cpus: int, memory: int) -> None:
        """So many CPUs, and so much memory, of each of these nodes become free (or, below 0, are taken)."""
        if nodes.bit_count() >= _MANY:
            for begin, end in spans(nodes):
                self._change_run(begin, end, cpus, memory)
            return
        idle, left, by_share = self.cpus, self.memory, self._by_share
        for node in bits(nodes):
            one = 1 << node
            free = idle[node]
            if free > 0:
                share = left[node] // free
                others = by_share[share] ^ one
                if others:
                    by_share[share] = others
                else:
                    del by_share[share]
            free += cpus
            room = left[node] + memory
            idle[node] = free
            left[node] = room
            if free > 0:
                share = room // free
                by_share[share] = by_share.get(share, 0) | one

    def _change_run(self, begin: int, end: int, cpus: int, memory: int) -> None:
        """The same of consecutive nodes: those alike at once."""
        idle, left = self.cpus, self.memory
        while begin < end:
            free, room = idle[begin], left[begin]
            behind = end
            if idle[begin:end].count(free) < end - begin or left[begin:end].count(room) < end - begin:
                behind = begin + 1
                while behind < end and idle[behind] == free and left[behind] == room:
                    behind += 1
            self._change_alike(begin, behind, cpus, memory)
            begin = behind

    def _change_alike(self, begin: int, end: int, cpus: int, memory: int) -> None:
        """The same of consecutive nodes that have as many free CPUs each, and as much memory."""
        by_share = self._by_share
        size = end - begin
        nodes = ((1 << size) - 1) << begin
        free, room = self.cpus[begin], self.memory[begin]
        if free > 0:
            others = by_share[room // free] ^ nodes
            if others:
                by_share[room // free] = others
            else:
                del by_share[room // free]
        free += cpus
        room += memory
        self.cpus[begin:end] = [free] * size
        self.memory[begin:end] = [room] * size
        if free > 0:
            by_share[room // free] = by_share.get(room // free, 0) | nodes

    def short_of(self, each: int) -> int:
        """The nodes with too little memory for so much for each of their free CPUs."""
        found = 0
        for share, nodes in self._by_share.items():
            if share < each:
                found |= nodes
        return found
