"""GPUs that gres.conf binds to cores of their nodes (``Cores=``), by the sockets to which these belong (§5.7)."""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import SlurmNode
from windtunnel.schedulers.slurm.nodes.nodesets import mask_of

__all__ = ["BoundGpus"]

_ANY: Final = -1


@mypyc_attr(allow_interpreted_subclasses=True)
class BoundGpus:
    """Of each node the GPUs of each socket, and those that serve any."""

    def __init__(self, nodes: Sequence[SlurmNode], sockets: Sequence[list[int]]) -> None:
        """``sockets``: of each node the cores of each, as sets."""
        self.sockets = sockets
        self._groups: dict[int, list[tuple[int, int]]] = {}
        """Of each node with such GPUs the indices that belong together, and their socket."""
        for number, node in enumerate(nodes):
            groups = self._groups_of(node, sockets[number])
            if any(socket != _ANY for _, socket in groups):
                self._groups[number] = groups
        self.nodes = mask_of(self._groups)
        """The nodes that have any."""

    @staticmethod
    def _groups_of(node: SlurmNode, sockets: Sequence[int]) -> list[tuple[int, int]]:
        """What is bound to cores of all sockets is bound to none; of several the first one counts."""
        found: list[tuple[int, int]] = []
        first = 0
        for item in node.gres:
            if item.name != "gpu":
                continue
            cores = mask_of(item.cores)
            beside = [place for place, socket in enumerate(sockets) if socket & cores]
            bound = 0 < len(beside) < len(sockets)
            found.append((((1 << item.count) - 1) << first, beside[0] if bound else _ANY))
            first += item.count
        return found

    def at(self, node: int) -> bool:
        """Whether a node has any."""
        return bool(self.nodes >> node & 1)

    def of_sockets(self, node: int, free: int) -> tuple[int, list[int]]:
        """Of GPUs of a node those that serve any socket, and those of each socket."""
        loose = 0
        bound = [0] * len(self.sockets[node])
        for indices, socket in self._groups[node]:
            if socket == _ANY:
                loose |= indices & free
            else:
                bound[socket] |= indices & free
        return loose, bound
