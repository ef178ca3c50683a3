"""A site as the core looks things up in it: nodes by number, partitions and features as sets of nodes."""

from collections.abc import Mapping

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import OverSubscribe, SlurmSite
from windtunnel.schedulers.slurm.nodes.bound_gpus import BoundGpus
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.nodes.partition_table import PartitionTable
from windtunnel.schedulers.slurm.nodes.tiers import (
    ends_beneath,
    giving_way,
    overlooked,
    suspends,
    suspends_nodes,
    untouched,
    ways_of,
)

__all__ = ["Cluster"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Cluster:
    """What does not change while jobs come and go."""

    def __init__(self, site: SlurmSite) -> None:
        self.site = site
        nodes = site.nodes
        self.size = len(nodes)
        self.all = (1 << self.size) - 1
        self.index = {node.name: i for i, node in enumerate(nodes)}
        self.names = [node.name for node in nodes]
        self.threads = [max(1, node.threads_per_core) for node in nodes]
        self.cpus = [node.cpus - node.cores_reserved * node.threads_per_core for node in nodes]
        self.cores = [max(1, node.cpus // max(1, node.threads_per_core)) for node in nodes]
        self.core_masks = [(1 << count) - 1 for count in self.cores]
        self.sockets = [self._sockets(i) for i in range(self.size)]
        self.memory = [node.memory - node.memory_reserved for node in nodes]
        self._described: dict[tuple[int, int, int, int, int], int] = {}
        self.by_memory: dict[int, int] = {}
        """The nodes with so much memory."""
        for i, memory in enumerate(self.memory):
            self.by_memory[memory] = self.by_memory.get(memory, 0) | 1 << i
        self.weight = [node.weight for node in nodes]
        self.qos = {one.name: one for one in site.qos}
        self.partitions = {one.name: PartitionTable(one, site, self.qos.get(one.qos)) for one in site.partitions}
        several = (OverSubscribe.YES, OverSubscribe.FORCE)
        self.sharing = frozenset(
            one.name for one in site.partitions if one.over_subscribe in several and one.share_count > 1
        )
        """The partitions in which several jobs may have the same cores."""
        forced = {one.name for one in site.partitions if one.over_subscribe is OverSubscribe.FORCE}
        self.open = self.sharing | forced
        """These, and those whose jobs go beside such jobs, though not with each other (FORCE:1)."""
        self.rows_by_qos = site.preempt.type == "qos"
        """Whether partitions keep one row more, for jobs that preempt others; rows keep their order then."""
        one_more = 1 if self.rows_by_qos else 0
        self.rows = {one.name: one.share_count + one_more for one in site.partitions if one.name in self.open}
        """How many jobs may have the same cores, at most."""
        by_tier = site.preempt.type == "partition_prio"
        self.apart = frozenset(
            one.name for one in site.partitions if by_tier and "OFF" in (one.preempt_mode or ())
        )
        """The partitions whose jobs leave their cores to nobody, not even to others of the same partition."""
        self.suspends = suspends(site)
        self.ends_beneath = self.suspends and ends_beneath(site)
        self.holds_on = self.suspends or suspends_nodes(site)
        """Whether suspended jobs keep what they have, which others then have besides."""
        self.gives_way = giving_way(site)
        """For each partition those whose jobs are suspended for its jobs."""
        self.ways = ways_of(site)
        self.shares_by_tiers = bool(self.ways) and not self.suspends
        self.overlooked = overlooked(site, self.open, self.gives_way)
        self.untouched = untouched(site)
        """For each partition those whose jobs nobody looks at where jobs get the same cores (§5.1)."""
        leading = next(iter(self.partitions), "")
        self.default = next((one.name for one in site.partitions if one.default), leading)
        """Where jobs go that name no partition; where none is the default, the first."""
        self.features: dict[str, int] = {}
        for i, node in enumerate(nodes):
            for feature in node.features:
                self.features[feature] = self.features.get(feature, 0) | 1 << i
        self.by_weight = self._grouped(alike=False)
        """The nodes of each weight, the lightest first."""
        self.by_sort = self._grouped(alike=True)
        """The same, and of each weight those described alike apart, in their order."""
        self.total_masks = [0] * (max(self._countable(), default=0) + 1)
        """The nodes with each number of CPUs."""
        for i, count in enumerate(self._countable()):
            self.total_masks[count] |= 1 << i
        self.by_core = site.select.counts in ("CORE", "SOCKET")
        """Whether cores are counted, not CPUs."""
        sorts: dict[tuple[object, ...], int] = {}
        for i, node in enumerate(nodes):
            sort = (self.cpus[i], self.cores[i], self.threads[i], self.memory[i], node.sockets, node.cores_per_socket)
            sorts[sort] = sorts.get(sort, 0) | 1 << i
        self.alike = list(sorts.values())
        """The nodes of each sort."""
        self.sorts = mask_of((alike & -alike).bit_length() - 1 for alike in self.alike)
        """A node of each sort: empty ones of a sort are alike but for generic resources."""
        self.gres_names = sorted({item.name for node in nodes for item in node.gres})
        self.gres_nodes = {
            name: mask_of(i for i, node in enumerate(nodes) if any(item.name == name for item in node.gres))
            for name in self.gres_names
        }
        """The nodes that have some of a generic resource."""
        self.counted = {
            name: mask_of(
                i
                for i, node in enumerate(nodes)
                if [item.counted and bool(item.type) for item in node.gres if item.name == name] == [True]
            )
            for name in self.gres_names
        }
        """The nodes whose generic resource has a type that is counted apart (`GresItem.counted`), and no other."""
        self.counts_types = any(self.counted.values())
        self.gres_types = {
            name: sorted({item.type for node in nodes for item in node.gres if item.name == name and item.type})
            for name in self.gres_names
        }
        self.bound = BoundGpus(nodes, self.sockets)
        self._gres_sets: dict[tuple[str, str], list[int]] = {}
        """Of each resource and type that was asked for, the set of its indices on each node."""
        self.unusable = mask_of(i for i, node in enumerate(nodes) if not node.usable)
        self.cores_alike = not self.gres_names and all(
            len(sockets) in (1, count) for sockets, count in zip(self.sockets, self.cores, strict=True)
        )
        """Whether any core of a node is as good as another: they are all in one socket, or each in its own."""

    def described_with(self, memory: int, sockets: int, cores: int, threads: int, cpus: int = 0) -> int:
        """The nodes described with so much memory (MB), sockets, cores and threads of these, CPUs, or more (§5.1).

        Others are no candidates, whatever of it is counted. Nodes whose RealMemory is not given (1) may have any.
        """
        key = (memory, sockets, cores, threads, cpus)
        found = self._described.get(key)
        if found is None:
            found = self._described[key] = mask_of(
                i
                for i, node in enumerate(self.site.nodes)
                if (node.memory >= memory or node.memory == 1)
                and len(self.sockets[i]) >= sockets
                and self.cores[i] >= cores * len(self.sockets[i])
                and self.threads[i] >= threads
                and self.cpus[i] >= cpus
            )
        return found

    def _countable(self) -> list[int]:
        """The CPUs of each node that selection counts."""
        if self.site.select.counts == "CORE":
            return [cores * threads for cores, threads in zip(self.cores, self.threads, strict=True)]
        return self.cpus

    def gres_on(self, nodes: int) -> dict[str, float]:
        """All generic resources of some nodes, in all and by type, as TRES."""
        found: dict[str, float] = {}
        for name in self.gres_names:
            for kind in ("", *self.gres_types[name]):
                sets = self.gres_sets(name, kind)
                found[_tres(name, kind)] = sum([sets[node].bit_count() for node in bits(nodes)])
        return found

    def types_among(self, held: Mapping[int, Mapping[str, int]]) -> dict[str, float]:
        """Of what is held of each node, the TRES of types: they count whether or not they were asked for."""
        found: dict[str, float] = {}
        for node, own in held.items():
            for name, indices in own.items():
                for kind in self.gres_types.get(name, ()):
                    count = (indices & self.gres_indices(node, name, kind)).bit_count()
                    if count:
                        found[_tres(name, kind)] = found.get(_tres(name, kind), 0) + count
        return found

    def gres_indices(self, node: int, name: str, kind: str = "") -> int:
        """The set of indices of a generic resource on a node, of one type or any."""
        return self.gres_sets(name, kind)[node]

    def places_gpus(self, node: int) -> bool:
        """Whether GPUs of a node are told apart, by types or by the cores they are bound to (§5.7)."""
        return any(item.name == "gpu" and (item.type or item.cores) for item in self.site.nodes[node].gres)

    def counts_gpus(self, node: int) -> bool:
        """Whether GPUs of a node are a number alone, without types or cores, be there files or not (§5.7)."""
        return not self.places_gpus(node)

    def gres_sets(self, name: str, kind: str = "") -> list[int]:
        """The same of all nodes."""
        found = self._gres_sets.get((name, kind))
        if found is None:
            found = self._gres_sets[name, kind] = [self._gres_of(node, name, kind) for node in range(self.size)]
        return found

    def _gres_of(self, node: int, name: str, kind: str) -> int:
        found = first = 0
        for item in self.site.nodes[node].gres:
            if item.name == name:
                if not kind or item.type == kind:
                    found |= ((1 << item.count) - 1) << first
                first += item.count
        return found

    def free_of(self, node: int, cores: int, cpus: int) -> int:
        """The CPUs of a node that are free beside some cores, or where CPUs are counted beside so many of them.

        Nobody gets the idle threads of a core that has a busy one, whatever is counted.
        """
        threads = self.threads[node]
        if self.by_core:
            return (self.core_masks[node] & ~cores).bit_count() * threads
        left = self.cpus[node] - cpus
        return left if threads == 1 else min(left, (self.core_masks[node] & ~cores).bit_count() * threads)

    def cpus_with_memory(self, node: int, cpus: int, one_thread: bool) -> int:
        """For how many of its CPUs on a node a job gets memory: of cores of which it uses one thread for that one."""
        threads = self.threads[node] if one_thread and self.site.select.counts != "CPU" else 1
        return -(-cpus // threads)

    def memory_of(self, nodes: int) -> int:
        """The memory of some nodes in all (MB)."""
        return sum([memory * (nodes & some).bit_count() for memory, some in self.by_memory.items()])

    def named(self, names: tuple[str, ...]) -> int:
        """The nodes of some names; those that are not there are left out."""
        return mask_of(self.index[name] for name in names if name in self.index)

    def _sockets(self, node: int) -> list[int]:
        """The cores of each socket, as sets."""
        sockets = max(1, min(self.site.nodes[node].sockets, self.cores[node]))
        each = self.cores[node] // sockets
        return [((1 << each) - 1) << (each * socket) for socket in range(sockets)]

    def _grouped(self, alike: bool) -> list[int]:
        """The nodes of each weight, or of each weight and description, the lightest first."""
        groups: dict[tuple[object, ...], int] = {}
        for i, node in enumerate(self.site.nodes):
            kind = (node.cpus, node.sockets, node.memory, node.features, node.gres) if alike else ()
            key = (self.weight[i], *kind)
            groups[key] = groups.get(key, 0) | 1 << i
        return sorted(groups.values(), key=lambda group: self.weight[(group & -group).bit_length() - 1])


def _tres(name: str, kind: str) -> str:
    return f"gres/{name}:{kind}" if kind else f"gres/{name}"
