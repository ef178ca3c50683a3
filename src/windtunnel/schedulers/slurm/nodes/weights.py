"""What nodes weigh for selection: the site's weights, and what tests leave on them for later ones (§5.7)."""

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of

__all__ = ["NodeWeights"]

_UNIT = 256
_PLAIN = 255
"""The low byte of a node that no job with GPUs was tested on."""
_LAST = _UNIT << 32
"""What a node weighs more than any that goes before all others."""


@mypyc_attr(allow_interpreted_subclasses=True)
class NodeWeights:
    """The weight of each node: 256 times the site's, and a byte by which nodes with GPUs for a job go first."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.plain = [weight * _UNIT + _PLAIN for weight in cluster.weight]
        """Without any traces."""
        self.weights = self.plain[:]
        self.marked = 0
        """The nodes with traces."""
        self.noted: dict[int, int] | None = None
        """Where the traces are noted that a test leaves: nodes by their low byte; None: nowhere."""

    def reset(self, nodes: int) -> None:
        """Nodes are looked at afresh."""
        if not self.marked:
            return
        for node in bits(nodes & self.marked):
            self.weights[node] = self.plain[node]
        self.marked &= ~nodes

    def look_at(self, nodes: int, preferred: int, own: int) -> None:
        """Nodes are looked at afresh for a job that prefers some, and whose ``own`` go before all (FLEX, §8)."""
        self.reset(nodes)
        if preferred:
            self.prefer(nodes, preferred)
        if own and nodes & own:
            for node in bits(nodes & ~own):
                self.weights[node] += _LAST
            self.marked |= nodes & ~own

    def prefer(self, nodes: int, preferred: int) -> None:
        """Of nodes described alike, those that are not preferred weigh one more, where some are and some are not."""
        for group in self.cluster.by_sort:
            inside = group & nodes
            if inside & preferred and inside & ~preferred:
                for node in bits(inside & ~preferred):
                    self.weights[node] = self.plain[node] + _UNIT
                self.marked |= inside & ~preferred

    def count_gpus(self, nodes: Sequence[int], gpus: int) -> None:
        """A job may have so many GPUs of each of these nodes: the more, the sooner they are taken."""
        weights = self.weights
        low = max(0, _PLAIN - gpus)
        for node in nodes:
            weights[node] = weights[node] // _UNIT * _UNIT + low
        traced = mask_of(nodes)
        self.marked |= traced
        noted = self.noted
        if noted is not None:
            for other in noted:
                noted[other] &= ~traced
            noted[low] = noted.get(low, 0) | traced

    def leave(self, traces: dict[int, int]) -> None:
        """Leave the traces of a test that left them before: nodes by their low byte."""
        weights = self.weights
        for low, nodes in traces.items():
            for node in bits(nodes):
                weights[node] = weights[node] // _UNIT * _UNIT + low
            self.marked |= nodes

    def groups(self, nodes: int) -> list[int]:
        """Some nodes by what they weigh now, the lightest first."""
        if not nodes & self.marked:
            return [group & nodes for group in self.cluster.by_weight if group & nodes]
        found: dict[int, int] = {}
        for node in bits(nodes):
            weight = self.weights[node]
            found[weight] = found.get(weight, 0) | 1 << node
        return [found[weight] for weight in sorted(found)]

    def traces(self, nodes: int) -> tuple[int, ...]:
        """What tells the weights of some nodes now from those the site gives them."""
        if not nodes & self.marked:
            return ()
        return (nodes & self.marked, *(self.weights[node] for node in bits(nodes & self.marked)))

    def kept(self) -> tuple[list[int], int]:
        """All traces, to come back to."""
        return self.weights[:], self.marked

    def restore(self, kept: tuple[list[int], int]) -> None:
        """All traces as they were at another time."""
        self.weights, self.marked = kept[0][:], kept[1]
