"""Nodes by their free CPUs, as sets: what a selection asks of thousands of nodes is answered by a few operations.

For jobs of plain CPUs and whole nodes only; what else is asked (memory, generic resources, named nodes...) is looked
up node by node (:mod:`windtunnel.schedulers.slurm.fit`), with the same outcome.
"""

import re
from typing import Final

from windtunnel.schedulers.slurm.cluster import Cluster
from windtunnel.schedulers.slurm.jobs import Record
from windtunnel.schedulers.slurm.nodesets import bits
from windtunnel.schedulers.slurm.occupancy import Holding
from windtunnel.schedulers.slurm.runs import Need

__all__ = ["FreeMasks", "plain_cluster", "plain_record"]

_RUN: Final = re.compile("1+")


def plain_cluster(cluster: Cluster) -> bool:
    """Whether free CPUs say all there is to say of a cluster's nodes."""
    select = cluster.site.select
    return (
        select.type != "linear"
        and select.counts in ("CPU", "CORE")
        and not select.memory
        and not select.tree
        and not cluster.gres_names
        and "CR_LLN" not in select.flags
        and not cluster.site.main.pack_serial_at_end
        and not cluster.site.backfill.bf_busy_nodes
        and all(
            one.partition.over_subscribe.value in ("NO", "EXCLUSIVE")
            and not one.partition.lln
            and one.partition.max_cpus_per_node is None
            for one in cluster.partitions.values()
        )
    )


def plain_record(record: Record) -> bool:
    """Whether a job asks for nothing but CPUs and nodes."""
    ask, demand = record.job.ask, record.demand
    return not (
        demand.gres
        or demand.gpus_per_job
        or demand.exclusive_user
        or demand.one_thread
        or demand.tasks_per_core
        or demand.tasks_per_socket
        or demand.cores_per_socket
        or ask.prefer
        or ask.contiguous
        or ask.spread
        or record.job.named
        or record.job.constraint.counts
        or len(record.job.constraint.alternatives) > 1
    )


class FreeMasks:
    """The nodes with each number of free CPUs."""

    __slots__ = ("by_core", "cluster", "masks")

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.by_core = cluster.site.select.counts == "CORE"
        self.masks = list(cluster.total_masks)

    def copy(self) -> "FreeMasks":
        """The same, to be changed apart."""
        other = FreeMasks.__new__(FreeMasks)
        other.cluster = self.cluster
        other.by_core = self.by_core
        other.masks = self.masks[:]
        return other

    def add(self, held: Holding) -> None:
        """A job takes what it holds."""
        masks = self.masks
        for count, nodes in self.parts(held):
            left = nodes
            for free in range(count, len(masks)):
                moved = masks[free] & left
                if moved:
                    masks[free] ^= moved
                    masks[free - count] |= moved
                    left ^= moved
                    if not left:
                        break

    def remove(self, held: Holding) -> None:
        """A job gives back what it holds."""
        masks = self.masks
        for count, nodes in self.parts(held):
            left = nodes
            for free in range(len(masks) - 1 - count, -1, -1):
                moved = masks[free] & left
                if moved:
                    masks[free] ^= moved
                    masks[free + count] |= moved
                    left ^= moved
                    if not left:
                        break

    def parts(self, held: Holding) -> tuple[tuple[int, int], ...]:
        """The CPUs a job holds, and on which nodes so many; worked out once."""
        if held.parts is None:
            found: dict[int, int] = {}
            for node in held.cpus:
                cores = held.cores[node].bit_count() * self.cluster.threads[node]
                count = cores if self.by_core else held.cpus[node]
                found[count] = found.get(count, 0) | 1 << node
            held.parts = tuple((count, nodes) for count, nodes in found.items() if count)
        return held.parts

    def with_any(self, among: int) -> tuple[int, int]:
        """The free CPUs of some nodes in all, and those of them that have any."""
        cpus = able = 0
        for free in range(1, len(self.masks)):
            here = self.masks[free] & among
            if here:
                able |= here
                cpus += free * here.bit_count()
        return cpus, able

    def idle(self) -> int:
        """The nodes of which nobody has anything."""
        found = 0
        for free, total in zip(self.masks, self.cluster.total_masks, strict=True):
            found |= free & total
        return found

    def pick(self, record: Record, among: int) -> dict[int, int] | None:
        """The CPUs of each node that a job would take (§5.3), or None; as the search node by node finds them."""
        demand = record.demand
        need_here = self._least(record)
        masks = self.masks
        if demand.exclusive:
            among &= self.idle()
        able = 0
        cpus = 0
        for free in range(need_here, len(masks)):
            here = masks[free] & among
            if here:
                able |= here
                cpus += free * here.bit_count()
        most = demand.max_nodes
        if demand.tasks_given and most > demand.tasks:
            most = max(demand.tasks, demand.min_nodes)
        if cpus < demand.cpus or able.bit_count() < demand.min_nodes or self._at_most(able, most) < demand.cpus:
            return None
        found = self._best_fit(Need(demand, most), able)
        spare = able.bit_count() - demand.min_nodes
        count = 0
        while found is None and spare > 0 and count < len(masks) - 2:
            count += 1
            small = masks[count] & able
            if not small and count != 1:
                continue
            drop = small
            if small.bit_count() > spare:
                drop = sum(1 << node for node, _ in zip(bits(small), range(spare), strict=False))
            able ^= drop
            spare -= drop.bit_count()
            found = self._best_fit(Need(demand, most), able)
        return found

    def _at_most(self, able: int, nodes: int) -> int:
        """The CPUs that so many nodes could give at best."""
        cpus = 0
        for free in range(len(self.masks) - 1, 0, -1):
            count = min(nodes, (self.masks[free] & able).bit_count())
            cpus += free * count
            nodes -= count
            if nodes <= 0:
                break
        return cpus

    @staticmethod
    def _least(record: Record) -> int:
        """The CPUs that a node must have free to be of any use (§5.2)."""
        demand = record.demand
        whole_job = demand.tasks if demand.max_nodes == 1 and demand.tasks_given else 1
        need = (demand.tasks_per_node or whole_job) * demand.cpus_per_task
        return max(1, need, demand.min_cpus_per_node)

    def free_of(self, node: int) -> int:
        """The free CPUs of a node."""
        for free in range(len(self.masks) - 1, 0, -1):
            if self.masks[free] >> node & 1:
                return free
        return 0

    def _best_fit(self, need: Need, able: int) -> dict[int, int] | None:
        """Runs of consecutive nodes, weight by weight from the lightest."""
        for group in self.cluster.by_weight:
            inside = able & group
            if not inside:
                continue
            runs = self._runs(inside)
            while runs and need.most_nodes > 0:
                run, _ = runs.pop(self._choose(need, runs))
                self._take(need, run)
                if need.done:
                    return need.taken
            if need.most_nodes <= 0:
                break
        return need.taken if need.enough else None

    def _runs(self, inside: int) -> list[tuple[int, int]]:
        """The runs of a set, each with its CPUs."""
        text = bin(inside)[:1:-1]
        if "01" not in text.lstrip("0"):
            spans = [inside]
        else:
            spans = [((1 << (one.end() - one.start())) - 1) << one.start() for one in _RUN.finditer(text)]
        present = [(free, mask & inside) for free, mask in enumerate(self.masks) if free and mask & inside]
        if len(present) == 1:
            return [(span, present[0][0] * span.bit_count()) for span in spans]
        return [(span, sum(free * (mask & span).bit_count() for free, mask in present)) for span in spans]

    @staticmethod
    def _choose(need: Need, runs: list[tuple[int, int]]) -> int:
        best, best_cpus, best_suffices = -1, 0, False
        for place, (run, cpus) in enumerate(runs):
            suffices = cpus >= need.cpus and need.suffices(run.bit_count(), cpus)
            better = (not best_suffices or cpus < best_cpus) if suffices else cpus > best_cpus
            if best < 0 or better:
                best, best_cpus, best_suffices = place, cpus, suffices
        return best

    def _take(self, need: Need, run: int) -> None:
        if need.nodes <= 1:
            for free in range(max(1, need.cpus), len(self.masks)):
                tight = self.masks[free] & run
                if tight:
                    need.take((tight & -tight).bit_length() - 1, free)
                    return
        alike = next((free for free in range(len(self.masks) - 1, 0, -1) if self.masks[free] & run == run), 0)
        for node in bits(run):
            if need.most_nodes <= 0 or need.done:
                return
            free = alike or self.free_of(node)
            if need.most_nodes == 1 and free < need.cpus:
                continue
            need.take(node, free)
