"""select/cons_tres: the nodes and CPUs of one selection, in the way the site or the job asks for (§5.3, §5.4)."""

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import OverSubscribe
from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of, union, without
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.nodes.resting import nodes_in_use
from windtunnel.schedulers.slurm.select.cores import take_cores
from windtunnel.schedulers.slurm.select.cpus_on_nodes import CpusOnNodes
from windtunnel.schedulers.slurm.select.fit import Fit
from windtunnel.schedulers.slurm.select.free_sockets import free_in_sockets, whole_cpus
from windtunnel.schedulers.slurm.select.gpu_cores import binds
from windtunnel.schedulers.slurm.select.node_fit import EMPTY, IDLE
from windtunnel.schedulers.slurm.select.runs import Need, best_fit, most_cpus
from windtunnel.schedulers.slurm.select.switches import SwitchTree
from windtunnel.schedulers.slurm.select.ways import busy_first, in_order, least_loaded

__all__ = ["ConsTres"]


@mypyc_attr(allow_interpreted_subclasses=True)
class ConsTres:
    """Picks nodes for one job at a time among those whose CPUs it could use."""

    def __init__(self, cluster: Cluster, fit: Fit, tree: SwitchTree | None) -> None:
        self.cluster = cluster
        self.fit = fit
        self.tree = tree
        select = cluster.site.select
        self.flags = frozenset(select.flags)
        self.tree_optional = select.tree_optional
        self.busy_first = cluster.site.backfill.bf_busy_nodes
        self.serial_at_end = cluster.site.main.pack_serial_at_end
        self.most_cpus = max(cluster.cpus, default=0)
        """Of any node."""
        self.cpus_on_nodes = CpusOnNodes(cluster, fit)
        self.single_threads = max(cluster.threads, default=1) == 1
        self._known_units: dict[tuple[bool, int | None, int], list[int]] = {}
        self.rescued = False
        """Whether nodes were found only after others had been dropped."""
        self.present = Occupancy(cluster)
        """What is held now, also while a future is tested."""

    def select(
        self, record: Record, among: int, held: Occupancy, required: int, row: int, ahead: bool
    ) -> Picked | None:
        """cons_tres: pick, and if that fails drop the nodes with least CPUs and GPUs step by step (§5.3, 5)."""
        demand = record.demand
        most = demand.max_nodes
        self.rescued = False
        if demand.tasks_given and most > demand.tasks:
            least = required.bit_count() if record.counts else 0  # so many are needed of all features together
            most = max(demand.tasks, demand.min_nodes, least)
        again = False
        if among & self.cluster.bound.nodes and binds(demand):
            near = self.fit.usable(record, among, held, row, near=True)
            placed = self._pick(record, near, held, required, most, row, ahead)
            if placed is not None:
                placed.near = True
                return placed
            again = True
        usable = self.fit.usable(record, among, held, row, again=again)
        bounded = not (required or self.tree is not None or (self.busy_first and ahead))
        if bounded and most_cpus(usable, most) < demand.cpus:
            return None
        placed = self._pick(record, usable, held, required, most, row, ahead)
        if placed is not None or len(usable) <= demand.min_nodes:
            return placed
        gpus = self._all_free_gpus(demand, usable, held)
        for count in range(1, max([cpus + gpus.get(node, 0) for node, cpus in usable.items()])):
            small = [
                node
                for node, cpus in usable.items()
                if cpus + gpus.get(node, 0) <= count and not required >> node & 1
            ]
            if not small and count != 1:
                continue
            for node in small:
                del usable[node]
                if len(usable) <= demand.min_nodes:
                    break
            if not bounded or most_cpus(usable, most) >= demand.cpus:
                placed = self._pick(record, usable, held, required, most, row, ahead)
                if placed is not None:
                    self.rescued = True
                    return placed
            if len(usable) <= demand.min_nodes:
                break
        return None

    def _all_free_gpus(self, demand: Demand, usable: dict[int, int], held: Occupancy) -> dict[int, int]:
        """The free GPUs of each node, which count beside its CPUs when the least nodes are dropped."""
        if not demand.asks_gres:
            return {}
        return {node: self.fit.gpus_seen(demand, node, held) for node in usable}

    def fits_free(self, record: Record, among: int, held: Occupancy, required: int) -> bool:
        """Whether nodes would do, and be below few switches (``--switches``), if all of their cores were free.

        Of partitions that give whole nodes only idle ones are looked at. Also of a future that is tested it is the
        present that says it, whatever comes first then.
        """
        alone = record.table.partition.over_subscribe is OverSubscribe.EXCLUSIVE
        seen = without(among, held.used) if alone else among
        return self.select(record, seen, held, required, EMPTY, False) is not None and record.job.few_switches

    def _pick(
        self,
        record: Record,
        usable: dict[int, int],
        held: Occupancy,
        required: int,
        most: int,
        row: int,
        ahead: bool,
    ) -> Picked | None:
        demand = record.demand
        if demand.tasks_given and most > demand.tasks and self._node_for_each_task(record, ahead):
            most = demand.tasks
        if len(usable) < demand.min_nodes or required.bit_count() > most:
            return None
        need = Need(demand, most, self._units(record))
        if record.counts:  # as many nodes as its features name are the least it has
            need.least = max(need.least, required.bit_count())
            need.nodes = max(need.nodes, required.bit_count())

        def gpus(node: int) -> int:
            return self._gpus(demand, node, usable[node], held)

        for node in bits(required):
            if node not in usable:
                return None
            need.take(node, usable[node], gpus(node))
        taken = self._variant(record, need, usable, held, gpus, row, ahead)
        if taken is None:
            # Of what was looked at no more counts from now on than was taken of it, though of GPUs' CPUs in whole.
            usable.update(need.beside or need.taken)
            return None
        if self.fit.by_socket or (self.fit.by_core and demand.tasks_per_core and not self.single_threads):
            # Cores and sockets are given whole, whatever memory there is for their CPUs, and however many counted.
            for node in taken.keys() | need.beside.keys():
                free = self.fit.near_cpus.get(node, self.fit.free_cpus(record, node, held, row))
                usable[node] = max(usable[node], free // self.cluster.threads[node] if demand.one_thread else free)
        if self.fit.by_socket and row == IDLE:
            for node in taken:
                left = union(free_in_sockets(self.cluster, held, node, record.table.name))
                if whole_cpus(self.cluster, node, left) > left.bit_count() * self.cluster.threads[node]:
                    count = whole_cpus(self.cluster, node, left)
                    usable[node] = count // self.cluster.threads[node] if demand.one_thread else count
        placed = self.cpus_on_nodes.of(record, taken, usable, need)
        of_gpus = demand.asks_gres and not (demand.exclusive or demand.tasks_per_socket)
        if self.fit.by_socket and of_gpus and row == IDLE:
            return self._of_touched_sockets(record, placed, held)
        return placed

    def _of_touched_sockets(self, record: Record, placed: Picked, held: Occupancy) -> Picked:
        """A job with GPUs has the CPUs of all sockets that its tasks are laid out on, whichever it gets of them."""
        cores = take_cores(self.cluster, held, placed, record, False)
        cpus = {node: whole_cpus(self.cluster, node, own) for node, own in cores.items()}
        found = Picked(placed.nodes, cpus, placed.gres, again=placed.again)
        found.laid_out = placed.laid_out
        return found

    def _gpus(self, demand: Demand, node: int, usable: int, held: Occupancy) -> int:
        """The GPUs of a node that a job could have, of those that it asks for in all."""
        if not demand.gpus_per_job:
            return 0
        free = self.fit.gpus_with_memory(demand, node, held)
        if demand.cpus_beside_gpu:  # also where it is only the site's default
            free = min(free, self.fit.gpus_with_cpus.get(node, usable // demand.cpus_beside_gpu))
        each = demand.gpus_per_task
        return min(free, usable // demand.cpus_per_task * each) if each else free

    def suits_every_node(self, record: Record, among: int, held: Occupancy) -> bool:
        """Whether each node that a job could use would do alone: then it does not matter which comes first."""
        demand, ask = record.demand, record.job.ask
        if self.tree is not None or demand.min_nodes != 1 or demand.requested_nodes != 1:
            return False
        if record.job.named or record.counts or ask.spread or ask.contiguous or demand.cpus > self.most_cpus:
            return False
        nodes = among
        if not self.cluster.gres_names and not held.used:  # empty nodes of a sort are alike
            nodes = union([sort & among & -(sort & among) for sort in self.cluster.alike])
        usable = self.fit.usable(record, nodes, held)
        return bool(usable) and all(
            cpus >= demand.cpus and self._gpus(demand, node, cpus, held) >= demand.gpus_per_job
            for node, cpus in usable.items()
        )

    def _units(self, record: Record) -> list[int]:
        """The CPUs of each node that are left for every node still required: those of a core, or of a socket."""
        cluster, demand = self.cluster, record.demand
        if not self.fit.by_socket and (demand.one_thread or self.single_threads):
            return []
        key = (demand.one_thread, demand.tasks_per_core, demand.cpus_per_task if demand.tasks_per_core else 1)
        known = self._known_units.get(key)
        if known is not None:
            return known
        found = self._known_units[key] = []
        for node, threads in enumerate(cluster.threads):
            each = 1 if demand.one_thread else threads
            if demand.tasks_per_core:
                each = min(each, demand.tasks_per_core * demand.cpus_per_task)
            found.append(each * (cluster.sockets[node][0].bit_count() if self.fit.by_socket else 1))
        return found

    def _variant(
        self,
        record: Record,
        need: Need,
        usable: dict[int, int],
        held: Occupancy,
        gpus: Callable[[int], int],
        row: int,
        ahead: bool,
    ) -> dict[int, int] | None:
        """Which of the ways of §5.3 is taken."""
        ask = record.job.ask
        cluster = self.cluster
        if ask.spread:
            weights = self.fit.weights.weights
            order = sorted(usable, key=lambda node: (weights[node], node))
            return in_order(need, order, usable, gpus, spread=not record.demand.few_nodes)
        if self.busy_first and ahead and not ask.contiguous:
            return busy_first(need, usable, self.fit.weights.weights, nodes_in_use(self.cluster, self.present), gpus)
        if self._loads_least(record):
            free = self._free(record, usable, held, row)
            own = {node: gpus(node) for node in usable} if need.gpus else {}  # however few of their CPUs count
            return least_loaded(need, usable, free, cluster.cpus, self.fit.weights.weights, own)
        if self.goes_to_the_end(record.demand):
            weights = self.fit.weights.weights
            order = sorted(usable, key=lambda node: (weights[node], -node))
            return in_order(need, order, usable, gpus, all_count=True)
        if self.tree is not None and not ask.contiguous and (ask.switches or not self.tree_optional):
            taken = self.tree.pick(need, usable, self.fit.weights, gpus)
            if taken is not None and ask.switches:
                record.job.few_switches = self.tree.few_enough(mask_of(taken))
            return taken
        return best_fit(need, usable, self.fit.weights.weights, gpus, ask.contiguous)

    def _node_for_each_task(self, record: Record, ahead: bool) -> bool:
        """Whether a job gets no more nodes than it has tasks, even if it needs more (MinNodes, features)."""
        ask = record.job.ask
        if ask.spread or (self.busy_first and ahead and not ask.contiguous) or self._loads_least(record):
            return True
        return self.goes_to_the_end(record.demand)

    def _loads_least(self, record: Record) -> bool:
        """Whether the nodes with most free CPUs for their size come first."""
        return "CR_LLN" in self.flags or record.table.partition.lln

    def _free(self, record: Record, usable: dict[int, int], held: Occupancy, row: int) -> dict[int, int]:
        """The free CPUs of nodes; beside or instead of others those that are not theirs who count for that."""
        if self.fit.by_socket or row != IDLE:
            return {node: self.fit.free_cpus(record, node, held, row) for node in usable}
        whole = self.cluster.cpus
        return {node: whole[node] - held.cpus[node] for node in usable}

    def goes_to_the_end(self, demand: Demand) -> bool:
        """Whether a job is kept out of the way of larger ones (``pack_serial_at_end``)."""
        return self.serial_at_end and demand.cpus == demand.requested_nodes == 1

    def short_of_memory(self, record: Record, placed: Picked, held: Occupancy) -> bool:
        """Whether whole cores or sockets have more CPUs than there is memory for: seen at the start, not in plans."""
        demand, cluster = record.demand, self.cluster
        each = demand.memory_per_cpu
        if not (self.fit.memory and each) or demand.exclusive or placed.parts:
            return False
        return any(
            each * cluster.cpus_with_memory(node, count, demand.one_thread) > cluster.memory[node] - held.memory[node]
            for node, count in placed.cpus.items()
        )
