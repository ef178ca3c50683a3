"""Which nodes a job that waited could have used, as far as the log says: other waits tell nothing of a node."""

from collections.abc import Sequence
from math import inf
from typing import Final

from windtunnel.model import Platform
from windtunnel.model.slurm import GresAsk, JobAsk, SlurmNode, SlurmSite
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.features import Constraint
from windtunnel.twin.replay import Outcome

__all__ = ["Fitting"]

_BEYOND: Final = ("gres_per_task", "gres_per_socket", "memory_per_gpu", "switches", "licences", "array_limit")
"""Fields of requests that say too little of a node, or of which others than nodes keep a job waiting."""


class Fitting:
    """The nodes of a platform, asked by the places of its hosts."""

    def __init__(self, platform: Platform) -> None:
        self._site: SlurmSite | None = platform.site
        self._cluster = Cluster(self._site) if self._site is not None else None
        self._constraints: dict[str, Constraint] = {}

    def kind(self, place: int) -> tuple[object, ...]:
        """Nodes with the same answer hold the same jobs."""
        if self._site is None:
            return ()
        node = self._site.nodes[place]
        return node.memory, node.memory_reserved, node.features, node.gres

    def waits(self, one: Outcome) -> bool:
        """Whether a job waited for nothing but nodes, once it could start at all."""
        ask = one.ask
        if ask is None:
            return True
        if any(getattr(ask, field) for field in _BEYOND) or ask.nodes or ask.reservation or ask.components:
            return False
        return not ask.dependencies or ask.begin is not None  # which says when they were satisfied

    def holds(self, place: int, one: Outcome) -> bool:
        """Whether a node could hold a job of one node, but for its CPUs."""
        if self._site is None or one.ask is None:
            return True
        node = self._site.nodes[place]
        room = node.memory - node.memory_reserved if self._site.select.memory else inf
        return (
            node.name not in one.ask.exclude
            and self._has_features(place, one.ask.features)
            and _has_devices(node, (*one.ask.gres_per_node, *one.ask.gres_per_job))
            and _memory(one.ask, one.processors) <= room
        )

    def _has_features(self, place: int, text: str) -> bool:
        if not text or self._cluster is None:
            return True
        known = self._constraints.get(text)
        if known is None:
            known = self._constraints[text] = Constraint(text, self._cluster)
        return known.readable and not known.counts and bool(known.base >> place & 1)


def _has_devices(node: SlurmNode, asks: Sequence[GresAsk]) -> bool:
    for ask in asks:
        there = [item.count for item in node.gres if item.name == ask.name and ask.type in ("", item.type)]
        if sum(there) < ask.count:
            return False
    return True


def _memory(ask: JobAsk, processors: int) -> int:
    """MB on one node."""
    return ask.memory_per_node or (ask.memory_per_cpu or 0) * processors
