"""Where a selection sends a job: its nodes, and what it takes of each."""

from collections.abc import Mapping, Sequence

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.nodesets import bits

__all__ = ["Picked"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Picked:
    """Where a job goes: its nodes, and what it takes of each."""

    __slots__ = ("_cpus", "_total", "again", "gres", "laid_out", "near", "nodes", "parts", "row")

    def __init__(
        self,
        nodes: int,
        cpus: dict[int, int] | None = None,
        gres: dict[int, int] | None = None,
        row: int = -1,
        parts: Sequence[tuple[int, int]] = (),
        again: Mapping[int, int] | None = None,
        total: int = -1,
    ) -> None:
        self.nodes = nodes
        self.again = again
        """CPUs of nodes that were looked at again and again: a job with GPUs may have no more cores of them."""
        self._cpus = cpus
        self._total = total
        """CPUs in all; -1: they are not counted yet."""
        self.parts = parts
        """Where that says all: CPUs, and the nodes of which so many."""
        self.gres = gres or {}
        """GPUs of each node, for jobs that ask for GPUs in all."""
        self.row = row
        self.near = False
        """Whether it was found at the first try, which gives only cores beside GPUs (:mod:`~.gpu_cores`)."""
        self.laid_out: Mapping[int, int] | None = None
        """CPUs of each node that tasks use, of jobs that count tasks of sockets, or of whole sockets with GPUs."""

    @property
    def cpus(self) -> dict[int, int]:
        """CPUs of each node; plans are made and dropped without anybody asking for them."""
        if self._cpus is None:
            self._cpus = {node: each for each, nodes in self.parts for node in bits(nodes)}
        return self._cpus

    @property
    def total(self) -> int:
        """CPUs in all."""
        if self._total < 0:
            if self._cpus is not None:
                self._total = sum(self._cpus.values())
            else:
                self._total = sum([each * nodes.bit_count() for each, nodes in self.parts])
        return self._total
