"""What is taken on nodes, and by which jobs (§5.2).

Where sets of nodes by their free CPUs say all that most jobs ask about, nodes are summed up one by one only when
somebody asks: jobs that have come and gone by then are never looked at.
"""

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding, Part
from windtunnel.schedulers.slurm.nodes.nodesets import bits, first_of, spans, without
from windtunnel.schedulers.slurm.nodes.on_nodes import OnNodes

__all__ = ["Occupancy"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Occupancy(OnNodes):
    """All that is held, summed up node by node: at once, or when it is asked for (:meth:`settle`)."""

    __slots__ = ("_ahead", "_gone", "_late", "_new")

    def __init__(self, cluster: Cluster, idle: Sequence[int] | None = None, late: bool = False) -> None:
        super().__init__(cluster, idle)
        self._late = late
        """Whether nodes are summed up only when it is asked for."""
        self._new: dict[str, Holding] = {}
        """Of the jobs in ``holdings`` those that are not summed up yet."""
        self._ahead = False
        """Whether it is a copy, in which running jobs are taken away for a test: types counted apart stay (§4.4)."""
        self._gone: list[Holding] = []
        """What is summed up though it is held no more."""

    def copy(self) -> "Occupancy":
        """The same, to be changed apart."""
        self.settle()
        other = Occupancy(self.cluster, self.idle)
        other._ahead = True
        other.cpus = self.cpus[:]
        other.cores = self.cores[:]
        other.memory = self.memory[:]
        other.jobs = self.jobs[:]
        other.gres = {name: table[:] for name, table in self.gres.items()}
        other.typed = {name: table[:] for name, table in self.typed.items()}
        other.exclusive = self.exclusive
        other.used = self.used
        other.several = self.several
        other.full = self.full
        other.holdings = dict(self.holdings)
        other.on_node = self.on_node[:]
        other.rows = self.rows.copy()
        return other

    def empty(self) -> "Occupancy":
        """The same cluster without jobs."""
        return Occupancy(self.cluster)

    def add(self, held: Holding) -> None:
        """A job takes what it holds."""
        self.holdings[held.job] = held
        if self._late:
            self._new[held.job] = held
            if held.exclusive:
                self.exclusive |= held.nodes
        else:
            self._count(held)

    def settle(self) -> None:
        """Sum up what has not been yet: first what is gone, then what is new, which gets its cores now."""
        if self._gone:
            for held in self._gone:
                self._discount(held)
            self._gone.clear()
        if self._new:
            for held in self._new.values():
                if not held.numbered:
                    self._number(held)
                self._count(held)
            self._new.clear()

    def _number(self, held: Holding) -> None:
        """A job gets the first free cores of each node, as many as it holds there."""
        parts: list[Part] = []
        for part in held.alike:
            fresh = without(part.nodes, self.used)
            if fresh:
                parts.append(Part(fresh, part.cpus, part.cores, part.memory))
            wanted = part.cores.bit_count()
            for node in bits(part.nodes & self.used):
                cores = first_of(without(self.cluster.core_masks[node], self.cores[node]), wanted)
                parts.append(Part(1 << node, part.cpus, cores, part.memory))
        held.renumber(parts)

    def _count(self, held: Holding) -> None:
        self.rows.add(held)
        self.several |= held.nodes & self.used
        if held.alike and not held.shares:
            for part in held.alike:
                fresh = without(part.nodes, self.used)
                if fresh:
                    self._fill(fresh, held.job, part)
            rest = held.nodes & self.used
        else:
            rest = held.nodes
        if rest:
            self._add_to(rest, held)
        if held.exclusive:
            self.exclusive |= held.nodes
        if held.shares:
            self._sum_shared(held.nodes)
        self.used |= held.nodes
        if rest:
            self._find_full(rest)

    def _add_to(self, nodes: int, held: Holding) -> None:
        """Node by node: others may be there."""
        for node in bits(nodes):
            self.jobs[node] += 1
            self.on_node[node] = (*self.on_node[node], held.job)
            self.memory[node] += held.memory.get(node, 0)
            if not held.shares:
                self.cpus[node] += held.cpus.get(node, 0)
                self.cores[node] |= held.cores.get(node, 0)
            for name, indices in held.gres.get(node, {}).items():
                self.gres[name][node] |= indices
            for name, indices in held.typed.get(node, {}).items():
                self.typed[name][node] |= indices

    def _fill(self, nodes: int, job: str, part: Part | None) -> None:
        """Nodes of one sort that one job has for itself, or (no part) nobody any more: many at once."""
        one = (nodes & -nodes).bit_length() - 1
        cores = cpus = memory = count = 0
        jobs: tuple[str, ...] = ()
        if part is not None:
            cores, cpus, memory = part.cores, part.cpus, part.memory
            count, jobs = 1, (job,)
        left = self.cluster.free_of(one, cores, cpus)
        for begin, end in spans(nodes):
            size = end - begin
            self.jobs[begin:end] = [count] * size
            self.on_node[begin:end] = [jobs] * size
            self.cpus[begin:end] = [cpus] * size
            self.cores[begin:end] = [cores] * size
            self.memory[begin:end] = [memory] * size
            self.idle[begin:end] = [left] * size
        if left <= 0:
            self.full |= nodes
        else:
            self.full = without(self.full, nodes)

    def remove(self, held: Holding) -> None:
        """A job gives back what it holds."""
        del self.holdings[held.job]
        if not self._late:
            self._discount(held)
            return
        if held.exclusive:
            self.exclusive = without(self.exclusive, held.nodes)
        if self._new.pop(held.job, None) is None:
            self._gone.append(held)

    def keep(self, held: Holding) -> None:
        """A job that has been removed has its memory and generic resources still: it is suspended."""
        for node, memory in held.memory.items():
            self.memory[node] += memory
        for node, own in held.gres.items():
            for name, indices in own.items():
                self.gres[name][node] |= indices

    def _discount(self, held: Holding) -> None:
        self.rows.remove(held)
        rest = held.nodes
        if held.alike and not held.shares:
            rest &= self.several
            for part in held.alike:
                alone = without(part.nodes, self.several)
                if alone:
                    self._fill(alone, "", None)
        self.used = without(self.used, held.nodes)
        if held.exclusive:
            self.exclusive = without(self.exclusive, held.nodes)
        if rest:
            self._remove_from(rest, held)
            if held.shares:
                self._find_exclusive(rest)

    def _remove_from(self, nodes: int, held: Holding) -> None:
        """Node by node: others may stay there."""
        for node in bits(nodes):
            self.jobs[node] -= 1
            self.on_node[node] = tuple([job for job in self.on_node[node] if job != held.job])
            self.memory[node] -= held.memory.get(node, 0)
            if not held.shares:
                self.cpus[node] -= held.cpus.get(node, 0)
                self.cores[node] &= ~held.cores.get(node, 0)
            for name, indices in held.gres.get(node, {}).items():
                self.gres[name][node] &= ~indices
            if held.typed and not self._ahead:
                for name, indices in held.typed.get(node, {}).items():
                    self.typed[name][node] &= ~indices
        if held.shares:
            self._sum_shared(nodes)
        still = single = 0
        for node in bits(nodes):
            count = self.jobs[node]
            if count:
                still |= 1 << node
                if count == 1:
                    single |= 1 << node
        self.used |= still
        self.several = without(self.several, without(nodes, still) | single)
        self._find_full(nodes)

    def _find_full(self, nodes: int) -> None:
        """What is free on some nodes, and which of them have nothing free."""
        cluster, idle = self.cluster, self.idle
        full = 0
        for node in bits(nodes):
            left = idle[node] = cluster.free_of(node, self.cores[node], self.cpus[node])
            if left <= 0:
                full |= 1 << node
        self.full = without(self.full, nodes) | full

    def _find_exclusive(self, nodes: int) -> None:
        """Where jobs are suspended for others, a node may have belonged to one job beneath another."""
        for node in bits(nodes):
            if any(self.holdings[job].exclusive for job in self.on_node[node]):
                self.exclusive |= 1 << node

    def _sum_shared(self, nodes: int) -> None:
        """Cores that are shared are busy once, however many jobs use them."""
        for node in bits(nodes):
            taken = 0
            threads = self.cluster.threads[node]
            own = 0
            for job in self.on_node[node]:
                held = self.holdings[job]
                taken |= held.cores.get(node, 0)
                own += 0 if held.shares else held.cpus.get(node, 0)
            shared = (taken & ~self.unshared(node)).bit_count() * threads
            self.cores[node] = taken
            self.cpus[node] = own + shared
