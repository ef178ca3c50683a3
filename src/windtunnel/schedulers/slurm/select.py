"""Which nodes a job gets: one selection, the main loop's groups of weights, and when it will run (§4.4, §5)."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.cluster import Cluster
from windtunnel.schedulers.slurm.fit import Fit
from windtunnel.schedulers.slurm.futures import Futures
from windtunnel.schedulers.slurm.jobs import Picked, Record
from windtunnel.schedulers.slurm.layout import lay_out
from windtunnel.schedulers.slurm.linear import jobs_at_once, linear_pick, linear_usable
from windtunnel.schedulers.slurm.masks import FreeMasks, plain_cluster, plain_record
from windtunnel.schedulers.slurm.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.occupancy import Holding, Occupancy
from windtunnel.schedulers.slurm.runs import Need, best_fit, most_cpus
from windtunnel.schedulers.slurm.switches import SwitchTree

__all__ = ["Selector"]

_FIRST_WINDOW: Final = 30
"""Seconds within which the first running jobs are taken away together (§4.4)."""
_NEVER: Final = 1 << 62
_MOST_KEPT: Final = 100_000
"""Answers that are kept."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Selector:
    """Selects nodes on one cluster, as select/linear or select/cons_tres do."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        select = cluster.site.select
        self.linear = select.type == "linear"
        self.fit = Fit(cluster)
        self.flags = frozenset(select.flags)
        self.tree = SwitchTree(cluster) if select.tree and cluster.site.switches else None
        self.tree_optional = select.tree_optional
        self.window_growth = cluster.site.backfill.bf_window_linear
        self.busy_first = cluster.site.backfill.bf_busy_nodes
        self.serial_at_end = cluster.site.main.pack_serial_at_end
        self.masks = FreeMasks(cluster) if plain_cluster(cluster) else None
        """What is free now, where sets of nodes say it all."""
        self.ends: list[tuple[int, int, int]] = []
        self.by_end: list[Holding] = []
        """What runs, the first to end first, and what that order is by."""
        self.futures = Futures(self.masks, self.by_end) if self.masks is not None else None
        self.whole_cores = self.fit.by_core and max(cluster.threads, default=1) > 1
        """Whether jobs take the whole of cores that have several threads."""
        self._rank = 0
        self._ranks: dict[str, int] = {}
        self._kinds: dict[tuple[object, ...], int] = {}
        self._empty = Occupancy(cluster)
        self.present = self._empty
        """What is held now, also while a future is tested."""
        self._empty_masks = FreeMasks(cluster)
        self._possible: dict[tuple[int, int, bytes], bool] = {}
        """Whether jobs of a kind could run on some nodes if they were empty."""

    def took(self, held: Holding) -> None:
        """A job runs now."""
        if self.masks is not None and self.futures is not None:
            self.masks.add(held)
            self.futures.changed()
        self._rank += 1
        self._ranks[held.job] = self._rank
        key = (held.end, held.order, self._rank)
        place = bisect_left(self.ends, key)
        self.ends.insert(place, key)
        self.by_end.insert(place, held)

    def gave_back(self, held: Holding) -> None:
        """A job runs no longer."""
        if self.masks is not None and self.futures is not None:
            self.masks.remove(held)
            self.futures.changed()
        place = bisect_left(self.ends, (held.end, held.order, self._ranks.pop(held.job)))
        del self.ends[place]
        del self.by_end[place]

    def start(self, record: Record, among: int, held: Occupancy, preferred: int = 0) -> Picked | None:
        """Where a job could start now: groups of equal weight are added one after another, lightest first (§5.1).

        Of equal weight, ``preferred`` nodes count as lighter: those that a limited group uses already.
        """
        self.present = held
        if self.masks is not None and not preferred and plain_record(record):
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

    def choose(self, record: Record, among: int, held: Occupancy, ahead: bool = False) -> Picked | None:
        """One selection among all nodes handed over (§5.3); ``ahead``: in a future that is tested."""
        for alternative in self._alternatives(record, among):
            placed = self._with_counts(
                record, alternative, held, lambda one, nodes, now: self._select(one, nodes, now, ahead=ahead)
            )
            if placed is not None:
                return placed
        return None

    def will_run(
        self,
        record: Record,
        among: int,
        held: Occupancy,
        now: int,
        preemptable: Sequence[Holding] = (),
        horizon: int = _NEVER,
    ) -> tuple[int, Picked] | None:
        """When a job could start at the earliest, and where (§4.4); None also when that is after ``horizon``."""
        self.present = held
        if self.futures is not None and not (preemptable or self.fit.lighter) and plain_record(record):
            return self._plain_will_run(record, among, self.futures, now, horizon)
        if not (self.linear or preemptable) and record.demand.plain_shape and not record.demand.over_subscribe:
            return self._bounded_will_run(record, among, held, now, horizon)
        placed = self.choose(record, among, held)
        if placed is not None:
            return now, placed
        future = held.copy()
        gone = list(preemptable)
        if gone:
            for one in gone:
                future.remove(one)
            placed = self.choose(record, among, future)
            if placed is not None:
                return now, placed
        running = sorted(future.holdings.values(), key=lambda one: (one.end, one.order))
        if self.linear:
            return self._one_by_one(record, among, future, running, now)
        return self._in_batches(record, among, future, running, now)

    def ever(self, record: Record, among: int) -> bool:
        """Whether a job could run on some nodes if nothing else ran there."""
        key = (self._kind(record), among, self.fit.traces(among))
        found = self._possible.get(key)
        if found is None:
            if len(self._possible) >= _MOST_KEPT:
                self._possible.clear()
            found = self._possible[key] = self._fits_empty(record, among)
        return found

    def _fits_empty(self, record: Record, among: int) -> bool:
        if self.masks is not None and plain_record(record):
            return self._empty_masks.pick(record, among & record.mask) is not None
        if not (record.demand.gres or record.demand.gpus_per_job):
            return self.choose(record, among, self._empty) is not None
        marks, lighter = self.fit.bytes[:], self.fit.lighter
        placed = self.choose(record, among, self._empty)
        self.fit.restore(marks, lighter)
        return placed is not None

    def _kind(self, record: Record) -> int:
        """A number that jobs share which are placed alike."""
        if record.kind < 0:
            ask = record.job.ask
            asked = (record.table.name, record.mask, record.job.named, ask.features, ask.prefer)
            ways = (ask.contiguous, ask.spread, ask.switches is not None)
            key = (*asked, *ways, *record.demand.signature(), *self._of_each_sort(record))
            record.kind = self._kinds.setdefault(key, len(self._kinds))
        return record.kind

    def _of_each_sort(self, record: Record) -> tuple[object, ...]:
        """What a job could use of an empty node of each sort, or the memory it asks for where that says more."""
        demand = record.demand
        if not demand.plain_shape or demand.memory_per_gpu is not None or self.linear:
            return (demand.memory_per_node, demand.memory_per_cpu, demand.memory_per_gpu)
        usable = self.fit.usable(record, self.cluster.sorts, self._empty)
        return tuple(usable.items())

    def _bounded_will_run(
        self, record: Record, among: int, held: Occupancy, now: int, horizon: int
    ) -> tuple[int, Picked] | None:
        """The same for jobs of CPUs and memory alone: no selection is made while CPUs or nodes cannot suffice."""
        demand = record.demand
        open_nodes = among & ~(held.full | held.exclusive)
        cpus = sum([held.idle[node] for node in bits(open_nodes)])
        if cpus >= demand.cpus and open_nodes.bit_count() >= demand.min_nodes:
            placed = self.choose(record, among, held)
            if placed is not None:
                return now, placed
        future: Occupancy | None = None
        waiting: list[Holding] = []
        for last, _ in self._batches(among, self.by_end, waiting.append):
            if last.end > horizon:
                return None
            if future is None:
                future = held.copy()
            for one in waiting:
                freed = one.nodes & among
                for node in bits(freed):
                    cpus -= future.idle[node]
                future.remove(one)
                for node in bits(freed):
                    cpus += future.idle[node]
                open_nodes |= freed
            waiting.clear()
            if cpus < demand.cpus or open_nodes.bit_count() < demand.min_nodes:
                continue
            placed = self.choose(record, among, future, ahead=True)
            if placed is not None:
                return (last.end if last.end > now else now + 1), placed
        return None

    def _one_by_one(
        self, record: Record, among: int, future: Occupancy, running: list[Holding], now: int
    ) -> tuple[int, Picked] | None:
        for one in running:
            future.remove(one)
            placed = self.choose(record, among, future, ahead=True)
            if placed is not None:
                return (now + 1 if one.end <= now else one.end), placed
        return None

    def _in_batches(
        self, record: Record, among: int, future: Occupancy, running: list[Holding], now: int
    ) -> tuple[int, Picked] | None:
        for last, _ in self._batches(among, running, future.remove):
            placed = self.choose(record, among, future, ahead=True)
            if placed is not None:
                return (last.end if last.end > now else now + 1), placed
        return None

    def _batches(
        self, among: int, running: Sequence[Holding], remove: Callable[[Holding], None]
    ) -> Iterator[tuple[Holding, int]]:
        """Running jobs are taken away in batches of those that end close together (§4.4, 4).

        Yields the last one of each batch, and how many of all have been looked at.
        """
        window = _FIRST_WINDOW
        edge = place = 0
        while place < len(running):
            last: Holding | None = None
            following: Holding | None = None
            while place < len(running):
                one = running[place]
                place += 1
                if not one.nodes & among:
                    continue  # not looked at again: the next one joins the batch unchecked
                if not edge:
                    edge = one.end + window - one.end % window
                last = one
                remove(one)
                following = running[place] if place < len(running) else None
                if following is not None and following.end > edge + window:
                    break
            if last is None:
                return
            while True:
                window = window + self.window_growth if self.window_growth else window * 2
                if following is None or following.end <= edge + window:
                    break
            yield last, place

    def _plain(self, record: Record, among: int, masks: FreeMasks) -> Picked | None:
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
        return self._placement(record, taken, usable, Need(demand, 0))

    def _plain_by_groups(self, record: Record, among: int, masks: FreeMasks) -> Picked | None:
        """By sets of nodes, the groups of equal weight added one after another."""
        together = 0
        for group in self.cluster.by_weight:
            inside = group & among
            together |= inside
            if inside and together.bit_count() >= record.demand.min_nodes:
                placed = self._plain(record, together, masks)
                if placed is not None:
                    return placed
        return None

    def _plain_will_run(
        self, record: Record, among: int, futures: Futures, now: int, horizon: int
    ) -> tuple[int, Picked] | None:
        """By sets of nodes; no more is looked at than may make a difference."""
        demand = record.demand
        least = futures.least_gone(among, demand.min_nodes, demand.cpus)
        if least < 0 or (least and self.by_end[least - 1].end > horizon):
            return None
        if not least:
            placed = self._plain(record, among, futures.now)
            if placed is not None:
                return now, placed
        gone: list[Holding] = []
        for last, place in self._batches(among, self.by_end, gone.append):
            if last.end > horizon:
                return None
            if place < least:
                continue
            placed = self._plain(record, among, futures.after(place))
            if placed is not None:
                return (last.end if last.end > now else now + 1), placed
        return None

    def _alternatives(self, record: Record, among: int) -> list[int]:
        """The sets of nodes of which one has to serve the job."""
        found = [nodes & among for nodes in record.job.constraint.alternatives]
        return [nodes & liked for liked in record.job.preferred for nodes in found] + found

    def by_switches(self, record: Record) -> bool:
        """Whether switches are looked at when nodes are picked: not for jobs that go to the least loaded nodes."""
        least_loaded = "CR_LLN" in self.flags or record.table.partition.lln
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

    def _select(
        self, record: Record, among: int, held: Occupancy, required: int = 0, ahead: bool = False
    ) -> Picked | None:
        """One selection: idle resources first, then beside jobs that share."""
        if self.linear:
            return self._select_linear(record, among, held, required)
        placed = self._select_shared(record, among, held, required, -1, ahead)
        if placed is None and record.demand.over_subscribe and not record.demand.exclusive:
            for row in range(record.table.partition.share_count):
                placed = self._select_shared(record, among, held, required, row, ahead)
                if placed is not None:
                    placed.row = row
                    break
        return placed

    def _now(self, record: Record, among: int, held: Occupancy) -> Picked | None:
        """One selection of what starts: select/linear shares nodes with as few jobs as it can."""
        if self.linear:
            for most in range(1, jobs_at_once(record)):
                placed = self._select_linear(record, among, held, record.job.named, most)
                if placed is not None:
                    return placed
        placed = self._select(record, among, held)
        return None if placed is not None and self._short_of_memory(record, placed, held) else placed

    def _short_of_memory(self, record: Record, placed: Picked, held: Occupancy) -> bool:
        """Whether whole sockets have more CPUs than there is memory for: seen at the start only, not in plans."""
        each = record.demand.memory_per_cpu
        if not (self.fit.by_socket and self.fit.memory and each) or record.demand.exclusive:
            return False
        left = {node: self.cluster.memory[node] - held.memory[node] for node in placed.cpus}
        return any(count * each > left[node] for node, count in placed.cpus.items())

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

    def _select_shared(
        self, record: Record, among: int, held: Occupancy, required: int, row: int, ahead: bool
    ) -> Picked | None:
        """cons_tres: pick, and if that fails drop the nodes with least CPUs step by step (§5.3, 5)."""
        usable = self.fit.usable(record, among, held, row)
        demand = record.demand
        most = demand.max_nodes
        if demand.tasks_given and most > demand.tasks:
            most = max(demand.tasks, demand.min_nodes)
        if not required and self.tree is None and most_cpus(usable, most) < demand.cpus:
            return None
        placed = self._pick(record, usable, held, required, most, ahead)
        if placed is not None or len(usable) <= demand.min_nodes:
            return placed
        for count in range(1, max(usable.values())):
            small = [node for node, cpus in usable.items() if cpus <= count and not required >> node & 1]
            if not small and count != 1:
                continue
            for node in small:
                del usable[node]
                if len(usable) <= demand.min_nodes:
                    break
            if required or self.tree is not None or most_cpus(usable, most) >= demand.cpus:
                placed = self._pick(record, usable, held, required, most, ahead)
                if placed is not None:
                    return placed
            if len(usable) <= demand.min_nodes:
                break
        return None

    def _pick(
        self, record: Record, usable: dict[int, int], held: Occupancy, required: int, most: int, ahead: bool
    ) -> Picked | None:
        demand = record.demand
        if len(usable) < demand.min_nodes:
            return None
        need = Need(demand, most)
        per_job = demand.gpus_per_job

        def gpus(node: int) -> int:
            if not per_job:
                return 0
            free = self.fit.free_gpus(node, held)
            each = demand.gpus_per_task
            return min(free, usable[node] // demand.cpus_per_task * each) if each else free

        for node in bits(required):
            if node not in usable:
                return None
            need.take(node, usable[node], gpus(node))
        taken = self._variant(record, need, usable, held, gpus, ahead)
        if taken is None:
            return None
        if self.fit.by_socket and self.fit.memory:  # a socket is given whole, whatever memory there is for its CPUs
            usable = {node: max(cpus, self.fit.free_cpus(record, node, held, -1)) for node, cpus in usable.items()}
        return self._placement(record, taken, usable, need)

    def _variant(
        self,
        record: Record,
        need: Need,
        usable: dict[int, int],
        held: Occupancy,
        gpus: Callable[[int], int],
        ahead: bool,
    ) -> dict[int, int] | None:
        """Which of the ways of §5.3 is taken."""
        ask = record.job.ask
        cluster = self.cluster
        if ask.spread:
            return self._in_order(need, sorted(usable), usable, gpus, spread=True)
        if self.busy_first and ahead and not ask.contiguous:
            return self._busy_first(need, usable, gpus)
        if "CR_LLN" in self.flags or record.table.partition.lln:
            weights, given, whole = self.fit.weights, held.cpus, cluster.cpus
            order = sorted(usable, key=lambda node: (weights[node], given[node] / whole[node], node))
            return self._in_order(need, order, usable, gpus)
        if self.serial_at_end and record.demand.cpus == 1:
            return self._in_order(need, sorted(usable, reverse=True), usable, gpus)
        if self.tree is not None and (not self.tree_optional or ask.switches is not None):
            return self.tree.pick(need, usable, gpus)
        return best_fit(need, usable, self.fit.weights, gpus, ask.contiguous)

    def _busy_first(self, need: Need, usable: dict[int, int], gpus: Callable[[int], int]) -> dict[int, int] | None:
        """Of each weight the nodes that are used now, then one of those that are idle now even if none is needed."""
        lightest_first = sorted({self.fit.weights[node] for node in usable})
        for weight in lightest_first:
            if need.done or need.most_nodes <= 0:
                break
            inside = [node for node in usable if self.fit.weights[node] == weight and node not in need.taken]
            for idle in (False, True):
                for node in inside:
                    if bool(self.present.used >> node & 1) is idle:
                        continue
                    if need.most_nodes == 1 and (usable[node] < need.cpus or gpus(node) < need.gpus):
                        continue
                    need.take(node, usable[node], gpus(node))
                    if need.done or need.most_nodes <= 0:
                        break
        return need.taken if need.done or need.enough else None

    @staticmethod
    def _in_order(
        need: Need, order: list[int], usable: dict[int, int], gpus: Callable[[int], int], spread: bool = False
    ) -> dict[int, int] | None:
        """Nodes one after another until they suffice; ``spread``: as many as possible."""
        if spread:
            need.nodes = need.least = max(need.least, min(len(order), need.most_nodes))
        for node in order:
            if need.done or need.most_nodes <= 0:
                break
            if node in need.taken:
                continue
            if need.most_nodes == 1 and (usable[node] < need.cpus or gpus(node) < need.gpus):
                continue
            need.take(node, usable[node], gpus(node))
        return need.taken if need.done or need.enough else None

    def _whole_cores(self, record: Record, node: int, count: int, usable: int) -> int:
        """The CPUs of the cores, or whole sockets, on which so many CPUs' worth of tasks are."""
        cluster, demand = self.cluster, record.demand
        threads = cluster.threads[node]
        if threads > 1 and (demand.one_thread or demand.tasks_per_core):
            each = 1 if demand.one_thread else (demand.tasks_per_core or 1) * demand.cpus_per_task
            cores = -(-count // each) * -(-each // threads)
            count = min(cluster.cpus[node], cores * threads)
        if self.fit.by_socket:
            whole = cluster.sockets[node][0].bit_count() * threads
            block = "CR_CORE_DEFAULT_DIST_BLOCK" in self.flags
            touched = -(-count // whole) if block else -(-count // threads)
            count = max(count, min(usable, touched * whole))
        return count

    def _placement(self, record: Record, taken: dict[int, int], usable: dict[int, int], need: Need) -> Picked:
        """CPUs of each node: all of those for jobs alone on nodes, whole cores where cores are counted (§5.4)."""
        cluster = self.cluster
        if record.demand.exclusive:
            cpus = {node: cluster.cpus[node] for node in taken}
        else:
            cpus = lay_out(record.demand, taken, usable)
            cpus = {node: self._whole_cores(record, node, count, usable[node]) for node, count in cpus.items()}
            if self.fit.by_core:
                cpus = {
                    node: -(-count // cluster.threads[node]) * cluster.threads[node] for node, count in cpus.items()
                }
        return Picked(mask_of(taken), cpus, dict(need.taken_gpus))
