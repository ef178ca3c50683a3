"""Nodes by their free CPUs, as sets: what a selection asks of thousands of nodes is answered by a few operations.

For jobs of plain CPUs, memory for each of them and whole nodes only; what else is asked (generic resources, named
nodes...) is looked up node by node (:mod:`windtunnel.schedulers.slurm.select.fit`), with the same outcome.
"""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits, bounds, first_of
from windtunnel.schedulers.slurm.select.alike import at_most, most_nodes, take_alike
from windtunnel.schedulers.slurm.select.kept import NOT_KEPT, KeptPicks
from windtunnel.schedulers.slurm.select.memory_room import MemoryRoom
from windtunnel.schedulers.slurm.select.packed import changed, cpus_in, cut_to, holds, of_levels
from windtunnel.schedulers.slurm.select.plain_fit import in_steps
from windtunnel.schedulers.slurm.select.set_runs import runs_in
from windtunnel.schedulers.slurm.select.stretches import Stretches
from windtunnel.schedulers.slurm.select.takings import Choice, Taking

__all__ = ["FreeMasks"]

_FEW: Final = 16
"""So many changes are made in stretches faster than these are found anew."""


@mypyc_attr(allow_interpreted_subclasses=True)
class FreeMasks:
    """The nodes with each number of free CPUs."""

    __slots__ = (
        "_changes",
        "_stretches",
        "alike",
        "by_core",
        "cluster",
        "free",
        "kept",
        "least_memory",
        "masks",
        "room",
    )

    def __init__(self, cluster: Cluster, room: bool = True) -> None:
        self.cluster = cluster
        self.by_core = cluster.site.select.counts == "CORE"
        self.masks = list(cluster.total_masks)
        self.free = sum([cpus * nodes.bit_count() for cpus, nodes in enumerate(self.masks)])
        """The free CPUs of all nodes."""
        self.room = MemoryRoom(cluster) if cluster.site.select.memory and room else None
        """Where memory is counted."""
        self.least_memory = True
        """Whether a node has to have memory for the least CPUs of a job (:class:`~.plain_fit.PlainFit`)."""
        self.kept = KeptPicks()
        self.alike = not cluster.site.select.memory and cluster.by_weight == [cluster.all]
        """Whether free CPUs say all of any node."""
        self._stretches: list[int] | None = None
        """Nodes next to each other with as many free CPUs, once somebody has asked for them."""
        self._changes: list[tuple[list[int], int]] = []
        """Runs of nodes of which CPUs were taken (fewer than 0) or given back since then, and how many of each."""

    def copy(self) -> "FreeMasks":
        """The same, to be changed apart."""
        other = FreeMasks(self.cluster, room=False)
        other.masks = self.masks[:]
        other.free = self.free
        other.kept = self.kept
        other._stretches = self._stretches
        other._changes = self._changes[:]
        if self.room is not None:
            other.room = self.room.copy()
        return other

    def add(self, held: Holding) -> None:
        """A job takes what it holds."""
        self._note(held, -1)
        self.free -= self.cpus_of(held)
        masks = self.masks
        for count, memory, nodes in self.parts(held):
            if self.room is not None:
                self.room.change(nodes, -count, -memory)
            left = nodes if count else 0
            for free in range(count, len(masks)):
                those = masks[free]
                moved = those & left if those else 0
                if moved:
                    masks[free] = those ^ moved
                    masks[free - count] |= moved
                    left ^= moved
                    if not left:
                        break

    def remove(self, held: Holding) -> None:
        """A job gives back what it holds."""
        self._note(held, 1)
        self.free += self.cpus_of(held)
        masks = self.masks
        for count, memory, nodes in self.parts(held):
            if self.room is not None:
                self.room.change(nodes, count, memory)
            left = nodes if count else 0
            for free in range(len(masks) - 1 - count, -1, -1):
                those = masks[free]
                moved = those & left if those else 0
                if moved:
                    masks[free] = those ^ moved
                    masks[free + count] |= moved
                    left ^= moved
                    if not left:
                        break

    def _note(self, held: Holding, by: int) -> None:
        """Stretches follow when somebody asks for them, unless that takes longer than to find them anew."""
        if self._stretches is None:
            return
        changes = self._changes
        for count, runs in self.runs(held):
            changes.append((runs, by * count))
        if len(changes) > _FEW:
            self._stretches = None
            changes.clear()

    def parts(self, held: Holding) -> tuple[tuple[int, int, int], ...]:
        """The CPUs and memory a job holds, and on which nodes so much; worked out once."""
        if held.parts is None:
            found: dict[tuple[int, int], int] = {}
            for part in held.alike:
                node = (part.nodes & -part.nodes).bit_length() - 1
                count = part.cores.bit_count() * self.cluster.threads[node] if self.by_core else part.cpus
                found[count, part.memory] = found.get((count, part.memory), 0) | part.nodes
            for node in () if held.alike else held.cpus:
                cores = held.cores[node].bit_count() * self.cluster.threads[node]
                key = (cores if self.by_core else held.cpus[node], held.memory.get(node, 0))
                found[key] = found.get(key, 0) | 1 << node
            held.parts = tuple((count, memory, nodes) for (count, memory), nodes in found.items() if count or memory)
        return held.parts

    def runs(self, held: Holding) -> list[tuple[int, list[int]]]:
        """The CPUs a job holds, and the runs of nodes on which so many; worked out once."""
        if held.runs is None:
            held.runs = [(count, bounds(nodes)) for count, _, nodes in self.parts(held) if count]
        return held.runs

    def cpus_of(self, held: Holding) -> int:
        """All the CPUs that a job holds; counted once."""
        if held.total < 0:
            held.total = sum([count * nodes.bit_count() for count, _, nodes in self.parts(held)])
        return held.total

    def free_cpus(self, among: int) -> int:
        """The free CPUs of some nodes, where they are all alike."""
        return cpus_in(self.stretches(), self.kept.runs_of(among))

    def able(self) -> int:
        """The nodes that have any free CPU."""
        found = 0
        for nodes in self.masks[1:]:
            found |= nodes
        return found

    def idle(self) -> int:
        """The nodes of which nobody has anything."""
        found = 0
        for free, total in zip(self.masks, self.cluster.total_masks, strict=True):
            found |= free & total
        return found

    def may_hold(self, record: Record, among: int) -> bool:
        """Whether some nodes have the CPUs that a job needs; if not, no selection succeeds among them."""
        return self.spare_nodes(record, among) >= 0

    def spare_nodes(self, record: Record, among: int) -> int:
        """How many of some nodes may go, whichever, while the others have the CPUs that a job needs.

        At least so many; -1: already now they have not.
        """
        demand = record.demand
        if self.free < demand.cpus:
            return -1
        if demand.exclusive:
            among &= self.idle()
        masks, least, wanted = self.masks, self._least(record), demand.min_nodes
        most = most_nodes(demand)
        cpus = demand.cpus
        largest = 0
        for free in range(len(masks) - 1, least - 1, -1):
            nodes = masks[free]
            if not nodes:
                continue
            count = (nodes & among).bit_count()
            if not largest and count:
                largest = free
            cpus -= free * min(count, most)
            most -= min(count, most)
            wanted -= count
            if cpus <= 0 and wanted <= 0:
                return min(-wanted, -cpus // largest) if largest else 0
        return -1

    def pick(self, record: Record, among: int, kind: int) -> Choice | None:
        """What a job would take (§5.3): CPUs, and the nodes of which so many; None: no selection succeeds.

        Jobs of a kind are placed alike.
        """
        demand = record.demand
        if self.free < demand.cpus:
            return None
        least = self._least(record)
        if demand.exclusive:
            among &= self.idle()
        if self.alike:
            stretches = cut_to(self.stretches(), self.kept.runs_of(among), least)
            if not holds(stretches, demand.cpus, demand.min_nodes):
                return None
            return take_alike(demand, stretches, self.cluster.threads[0], len(self.masks) - 1)
        levels = [nodes & among if nodes and free >= least else 0 for free, nodes in enumerate(self.masks)]
        if self.room is not None and demand.memory_per_cpu:
            values = self._with_memory(levels, self.room, demand)
        else:
            values = None
        # Which numbers of CPUs there are tells one list of sets from another.
        key = (kind, sum([1 << free for free, nodes in enumerate(levels) if nodes]), *filter(None, levels))
        number = hash(key)
        found = self.kept.find(number, key)
        return self.kept.keep(number, key, self._pick(demand, levels, values)) if found is NOT_KEPT else found

    def stretches(self) -> list[int]:
        """The nodes next to each other that have as many free CPUs (:mod:`~.packed`)."""
        found = self._stretches
        if found is None:
            found = self._stretches = of_levels(list(enumerate(self.masks)))
        elif self._changes:
            for runs, by in self._changes:
                found = changed(found, runs, by)
            self._stretches = found
            self._changes.clear()
        return found

    def _pick(self, demand: Demand, levels: list[int], values: list[int] | None) -> Choice | None:
        """The same among nodes with so many usable CPUs."""
        able = cpus = 0
        counts = [0] * len(levels)
        for free, nodes in enumerate(levels):
            if nodes:
                able |= nodes
                count = counts[free] = nodes.bit_count()
                cpus += free * count
        most = most_nodes(demand)
        if cpus < demand.cpus or sum(counts) < demand.min_nodes or at_most(counts, most) < demand.cpus:
            return None
        largest = max([free for free, nodes in enumerate(levels) if nodes])
        unit = self.cluster.threads[0]
        found = self._best_fit(Taking(demand, most, unit, largest), levels, able, values)
        spare = sum(counts) - demand.min_nodes
        count = 0
        while found is None and spare > 0 and count < largest - 1:
            count += 1
            small = levels[count]
            if not small and count != 1:
                continue
            drop = first_of(small, spare)
            levels[count] ^= drop
            able ^= drop
            spare -= drop.bit_count()
            found = self._best_fit(Taking(demand, most, unit, largest), levels, able, values)
        return found

    def _with_memory(self, levels: list[int], room: MemoryRoom, demand: Demand) -> list[int]:
        """Nodes with too little memory have as many CPUs as there is memory for; the CPUs of each node."""
        each, least = demand.memory_per_cpu or 0, demand.least_tasks
        few = each * demand.least_cpus if self.least_memory else 0
        short = room.short_of(each)
        if not short:
            return room.cpus
        values = room.cpus[:]
        step = self.cluster.threads[0] if self.by_core else 1
        for free, nodes in enumerate(levels):
            less = nodes & short
            if less:
                levels[free] ^= less
                short ^= less
                for node in bits(less):
                    count = in_steps(free, room.memory[node] // each, step)
                    if count > 0 and count >= least and room.memory[node] >= few:
                        levels[count] |= 1 << node
                        values[node] = count
        return values

    @staticmethod
    def _least(record: Record) -> int:
        """The CPUs that a node must have free to be of any use (§5.2)."""
        demand = record.demand
        least = demand.least_tasks * demand.cpus_per_task
        if demand.min_cpus_per_node > least:  # noqa: PLR1730 -- a call costs more
            least = demand.min_cpus_per_node
        return least if least > 1 else 1  # noqa: FURB136 -- a call costs more

    def _best_fit(self, need: Taking, levels: list[int], able: int, values: list[int] | None) -> Choice | None:
        """Runs of consecutive nodes, weight by weight from the lightest."""
        for group in self.cluster.by_weight:
            inside = able & group
            if not inside:
                continue
            if inside == able:
                present = [(free, nodes) for free, nodes in enumerate(levels) if nodes]
            else:
                present = [(free, nodes & inside) for free, nodes in enumerate(levels) if nodes & inside]
            runs = Stretches(of_levels(present)) if values is None else runs_in(need, inside, present, values)
            if not need.done:
                runs.fill(need)
            if need.done or need.hopeless or need.most_nodes <= 0:
                break
        return need.choice
