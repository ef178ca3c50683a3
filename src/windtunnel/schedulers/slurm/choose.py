"""Where a job could start: one selection, what features narrow it to, and the groups of weights (§5.1)."""

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.cluster import Cluster
from windtunnel.schedulers.slurm.cons_tres import ConsTres
from windtunnel.schedulers.slurm.fit import Fit
from windtunnel.schedulers.slurm.jobs import Picked, Record
from windtunnel.schedulers.slurm.linear import jobs_at_once, linear_pick, linear_usable
from windtunnel.schedulers.slurm.masks import FreeMasks, plain_cluster, plain_record
from windtunnel.schedulers.slurm.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.occupancy import Occupancy
from windtunnel.schedulers.slurm.runs import Need
from windtunnel.schedulers.slurm.switches import SwitchTree

__all__ = ["Chooser"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Chooser:
    """Chooses nodes on one cluster as they are held at an instant, as select/linear or select/cons_tres do."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        select = cluster.site.select
        self.linear = select.type == "linear"
        self.fit = Fit(cluster)
        self.tree = SwitchTree(cluster) if select.tree and cluster.site.switches else None
        self.cons_tres = ConsTres(cluster, self.fit, self.tree)
        self.masks = FreeMasks(cluster) if plain_cluster(cluster) else None
        """What is free now, where sets of nodes say it all."""
        self.whole_cores = self.fit.by_core and max(cluster.threads, default=1) > 1
        """Whether jobs take the whole of cores that have several threads."""

    def start(self, record: Record, among: int, held: Occupancy, preferred: int = 0) -> Picked | None:
        """Where a job could start now: groups of equal weight are added one after another, lightest first (§5.1).

        Of equal weight, ``preferred`` nodes count as lighter: those that a limited group uses already.
        """
        self.cons_tres.present = held
        if self.masks is not None and not preferred and self.by_sets(record, among):
            if self.fit.lighter:
                self.fit.reset_bytes(among & self.fit.lighter)
            if not self.fit.lighter:
                return self._plain_by_groups(record, among, self.masks)
        for alternative in self._alternatives(record, among):
            placed = self._with_counts(
                record, alternative, held, lambda one, nodes, now: self._by_groups(one, nodes, now, preferred)
            )
            if placed is not None:
                return placed
        return None

    def by_sets(self, record: Record, among: int) -> bool:
        """Whether sets of nodes by their free CPUs tell where a job goes: no traces of GPU jobs on weights either."""
        return not among & self.fit.gpu_nodes and plain_record(record, self.fit.memory)

    def choose(self, record: Record, among: int, held: Occupancy, ahead: bool = False) -> Picked | None:
        """One selection among all nodes handed over (§5.3); ``ahead``: in a future that is tested."""
        for alternative in self._alternatives(record, among):
            placed = self._with_counts(
                record, alternative, held, lambda one, nodes, now: self._select(one, nodes, now, ahead=ahead)
            )
            if placed is not None:
                return placed
        return None

    def _alternatives(self, record: Record, among: int) -> list[int]:
        """The sets of nodes of which one has to serve the job."""
        found = [nodes & among for nodes in record.job.constraint.alternatives]
        return [nodes & liked for liked in record.job.preferred for nodes in found] + found

    def by_switches(self, record: Record) -> bool:
        """Whether switches are looked at when nodes are picked: not for jobs that go to the least loaded nodes."""
        least_loaded = "CR_LLN" in self.cons_tres.flags or record.table.partition.lln
        return self.tree is not None and (self.linear or not (record.job.ask.spread or least_loaded))

    def _with_counts(
        self,
        record: Record,
        among: int,
        held: Occupancy,
        select: Callable[[Record, int, Occupancy], Picked | None],
    ) -> Picked | None:
        """Features with counts: so many nodes of each first (§5.1)."""
        required = record.job.named
        for nodes, count in record.job.constraint.counts:
            part = self._some(record, nodes & among & ~required, held, count)
            if part is None:
                return None
            required |= part
        if required & ~among:
            return None
        if not required:
            return select(record, among, held)
        return self._select(record, among, held, required)

    def _some(self, record: Record, among: int, held: Occupancy, count: int) -> int | None:
        if self.linear:
            free = linear_usable(self.cluster, record, among, held, self.fit.memory)
        else:
            free = list(self.fit.usable(record, among, held))
        return mask_of(free[:count]) if len(free) >= count else None

    def _by_groups(self, record: Record, among: int, held: Occupancy, preferred: int) -> Picked | None:
        demand = record.demand
        self.fit.reset_bytes(among)
        self.fit.lighten(among & preferred)
        together = 0
        placed: Picked | None = None
        groups = [part for group in self.cluster.by_weight for part in (group & preferred, group & ~preferred)]
        here = [group & among for group in groups if group & among]
        for inside in here:
            together |= inside
            if together.bit_count() >= demand.min_nodes:
                placed = self._now(record, together, held) or placed
                if placed is not None and placed.nodes.bit_count() >= demand.requested_nodes:
                    break  # with fewer nodes than a range allows heavier ones are added
        return placed

    def _now(self, record: Record, among: int, held: Occupancy) -> Picked | None:
        """One selection of what starts: select/linear shares nodes with as few jobs as it can."""
        if self.linear:
            for most in range(1, jobs_at_once(record)):
                placed = self._select_linear(record, among, held, record.job.named, most)
                if placed is not None:
                    return placed
        placed = self._select(record, among, held)
        return None if placed is not None and self.cons_tres.short_of_memory(record, placed, held) else placed

    def _select(
        self, record: Record, among: int, held: Occupancy, required: int = 0, ahead: bool = False
    ) -> Picked | None:
        """One selection: idle resources first, then beside jobs that share."""
        if self.linear:
            return self._select_linear(record, among, held, required)
        placed = self.cons_tres.select(record, among, held, required, -1, ahead)
        if placed is None and record.demand.over_subscribe and not record.demand.exclusive:
            for row in range(record.table.partition.share_count):
                placed = self.cons_tres.select(record, among, held, required, row, ahead)
                if placed is not None:
                    placed.row = row
                    break
        return placed

    def _select_linear(
        self, record: Record, among: int, held: Occupancy, required: int, most: int = 0
    ) -> Picked | None:
        nodes = linear_usable(self.cluster, record, among, held, self.fit.memory, most)
        if required & ~mask_of(nodes):
            return None
        if self.tree is not None:
            need = Need(record.demand, record.demand.max_nodes)
            need.exclusive = True
            cpus = {node: self.cluster.cpus[node] for node in nodes}
            for node in bits(required):
                need.take(node, cpus[node])
            found = self.tree.pick(need, cpus, lambda _: 0) if len(nodes) >= record.demand.min_nodes else None
            picked = None if found is None else mask_of(found)
        else:
            picked = linear_pick(self.cluster, record, nodes, required)
        if picked is None:
            return None
        return Picked(picked, {node: self.cluster.cpus[node] for node in bits(picked)})

    def _plain_by_groups(self, record: Record, among: int, masks: FreeMasks) -> Picked | None:
        """By sets of nodes, the groups of equal weight added one after another."""
        together = 0
        placed: Picked | None = None
        for group in self.cluster.by_weight:
            inside = group & among
            together |= inside
            if inside and together.bit_count() >= record.demand.min_nodes:
                placed = self.plain(record, together, masks) or placed
                if placed is not None and placed.nodes.bit_count() >= record.demand.requested_nodes:
                    break  # with fewer nodes than a range allows heavier ones are added
        return placed

    def plain(self, record: Record, among: int, masks: FreeMasks) -> Picked | None:
        """A selection by sets of nodes."""
        parts = masks.pick(record, among & record.mask)
        if parts is None:
            return None
        demand = record.demand
        if not (demand.cpus_per_task > 1 or demand.tasks_per_node or demand.exclusive or self.whole_cores):
            nodes = 0
            for _, some in parts:
                nodes |= some
            return Picked(nodes, parts=parts)
        taken = {node: each for each, some in parts for node in bits(some)}
        usable = taken
        if demand.cpus_per_task > 1 or demand.tasks_per_node:
            usable = {node: masks.free_of(node) for node in taken}
        return self.cons_tres.placement(record, taken, usable, Need(demand, 0))
