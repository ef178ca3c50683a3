"""Whether a job could ever run on some nodes: if nothing else ran there (§4.3, §5.1)."""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.select.linear import ANY
from windtunnel.schedulers.slurm.select.masks import FreeMasks
from windtunnel.schedulers.slurm.select.plain_earliest import PlainSelector

__all__ = ["PossibleSelector"]

_MOST_KEPT: Final = 100_000
"""Answers that are kept."""


@mypyc_attr(allow_interpreted_subclasses=True)
class PossibleSelector(PlainSelector):
    """Selects nodes of one cluster as if it were empty."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._empty_masks = FreeMasks(cluster)
        self._empty_masks.least_memory = False
        self._possible: dict[tuple[int, int, tuple[int, ...]], tuple[bool, dict[int, int]]] = {}
        """Whether jobs of a kind could run on some nodes if they were empty, and the traces that the test leaves."""
        self._on_any: set[tuple[int, int]] = set()
        """Kinds of jobs, and nodes each of which would do for them alone."""

    def ever(self, record: Record, among: int) -> bool:
        """Whether a job could run on some nodes if nothing else ran there; the test leaves its traces (§5.7)."""
        # Whether one node suffices does not depend on which comes first.
        kind, weights = self.kind(record), self.fit.weights
        single = (record.demand.max_nodes == 1 and self.tree is None) or (kind, among) in self._on_any
        key = (kind, among, () if single else weights.traces(among))
        found = self._possible.get(key)
        if found is not None:
            weights.leave(found[1])
            return found[0]
        if len(self._possible) >= _MOST_KEPT:
            self._possible.clear()
            self._on_any.clear()
        noted: dict[int, int] = {}
        weights.noted = noted if record.demand.asks_gres else None
        possible = self._fits_empty(record, among)
        weights.noted = None
        self._possible[key] = possible, noted
        if possible and not single and self._suits_every_node(record, among):
            self._on_any.add((kind, among))
            self._possible[kind, among, ()] = possible, noted
        return possible

    def beyond_most(self, record: Record, among: int) -> bool:
        """Whether of empty nodes below switches more would be picked than a job may have: then it is never started.

        That happens beside nodes that it names, and where whole sockets are left for nodes that it still needs.
        """
        if self.tree is None or not (record.job.named or self.fit.by_socket):
            return False
        kept = self.fit.weights.kept()
        placed = self.choose(record, among, self.empty)
        self.fit.weights.restore(kept)
        return placed is not None and placed.nodes.bit_count() > record.demand.max_nodes

    def _suits_every_node(self, record: Record, among: int) -> bool:
        """Whether a job could run on any of the nodes that it could use if they were empty, whichever comes first."""
        alternatives = self.alternatives(record, among)
        if self.linear or len(alternatives) > 1 or record.demand.over_subscribe:
            return False
        kept = self.fit.weights.kept()
        found = self.cons_tres.suits_every_node(record, alternatives[0], self.empty)
        self.fit.weights.restore(kept)
        return found

    def _fits_empty(self, record: Record, among: int) -> bool:
        if self.tree is not None:
            self.tree.most_leaves = 0  # nobody asks how many there are
        if self.masks is not None and not self.fit.weights.marked & among and self.by_sets(record, among):
            return self._empty_masks.pick(record, among & record.mask, self.kind(record)) is not None
        beside = None if record.demand.asks_gres else ANY
        self.fit.least_memory = False
        found = self.choose(record, among, self.empty, beside=beside) is not None
        self.fit.least_memory = True
        return found
