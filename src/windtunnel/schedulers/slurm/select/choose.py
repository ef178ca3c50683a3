"""Where a job could start: one selection, what features narrow it to, and the groups of weights (§5.1)."""

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import OverSubscribe
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of, without
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.cons_tres import ConsTres
from windtunnel.schedulers.slurm.select.fit import Fit
from windtunnel.schedulers.slurm.select.in_turn import Turn, look_in_turn
from windtunnel.schedulers.slurm.select.kinds import Kinds
from windtunnel.schedulers.slurm.select.linear import jobs_beside, linear_usable
from windtunnel.schedulers.slurm.select.masks import FreeMasks
from windtunnel.schedulers.slurm.select.node_fit import BENEATH, EMPTY, IDLE
from windtunnel.schedulers.slurm.select.own_tier import in_own_tier, suspendable
from windtunnel.schedulers.slurm.select.plain import plain_cluster, plain_record
from windtunnel.schedulers.slurm.select.runs import Need
from windtunnel.schedulers.slurm.select.switches import SwitchTree
from windtunnel.schedulers.slurm.select.whole_nodes import WholeNodes

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
        self.preempts = False
        """Whether a job may have the row that is kept for those which preempt by QOS."""
        self.cons_tres = ConsTres(cluster, self.fit, self.tree)
        self.whole_nodes = WholeNodes(cluster, self.fit.memory, self.tree)
        self.masks = FreeMasks(cluster) if plain_cluster(cluster) else None
        """What is free now, where sets of nodes say it all."""
        self.empty = Occupancy(cluster)
        """Nobody holds anything."""
        self._kinds = Kinds(self.fit, self.empty, self.linear)
        self.whole_cores = self.fit.by_core and max(cluster.threads, default=1) > 1
        """Whether jobs take the whole of cores that have several threads."""

    def start(
        self, record: Record, among: int, held: Occupancy, preferred: int = 0, afresh: int | None = None, own: int = 0
    ) -> Picked | None:
        """Where a job could start now (§5.1).

        ``preferred`` nodes go before others described alike, its ``own``, of a flexible reservation, before all. The
        nodes ``afresh`` (None: those among which is selected) lose what earlier tests left on them.
        """
        if record.job.named and record.job.named & ~among:
            return None  # before any node is looked at
        self.cons_tres.present = held
        weights = self.fit.weights
        weights.look_at(among if afresh is None else afresh, preferred, own)
        if self.masks is not None and not weights.marked & among and self.by_sets(record, among):
            return self.plain(record, among, self.masks)
        held.settle()
        among = suspendable(self.cluster, held, record, among)
        for alternative in self.alternatives(record, among):
            placed = self._start_in(record, alternative, held)
            if placed is not None and placed.nodes.bit_count() <= record.demand.max_nodes:
                return placed  # beside named nodes of a tree too many may be found (§5.6)
        return None

    def by_sets(self, record: Record, among: int) -> bool:
        """Whether sets of nodes by their free CPUs tell where a job goes: no traces of GPU jobs on weights either."""
        if record.plain < 0:
            record.plain = 1 if plain_record(record, self.fit.memory) else 0
        gpu_nodes = self.fit.gpu_nodes
        return bool(record.plain) and not (gpu_nodes and among & gpu_nodes)

    def choose(
        self, record: Record, among: int, held: Occupancy, ahead: bool = False, beside: int | None = None
    ) -> Picked | None:
        """One selection among all nodes handed over (§5.3); ``ahead``: in a future that is tested.

        Of select/linear, ``beside`` is how many jobs may be on the nodes already (None: as many as may share them).
        """
        for alternative in self.alternatives(record, among):
            placed = self.choose_in(record, alternative, held, ahead, beside)
            if placed is not None:
                return placed
        return None

    def choose_in(
        self, record: Record, among: int, held: Occupancy, ahead: bool = False, beside: int | None = None
    ) -> Picked | None:
        """The same in one of the sets of nodes of which one has to serve the job."""
        required = self._required(record, among, held, beside, False)
        return None if required is None else self._select(record, among, held, required, ahead, beside)

    def alternatives(self, record: Record, among: int) -> list[int]:
        """The sets of nodes of which one has to serve the job."""
        return [nodes & among for nodes in record.constraint.alternatives]

    def by_switches(self, record: Record) -> bool:
        """Whether switches are looked at when nodes are picked now (§5.6).

        Not for jobs that go to the least loaded nodes, to consecutive ones, as many as possible, or the last.
        """
        ask, optional = record.job.ask, self.cons_tres.tree_optional
        if self.tree is None or (optional and not ask.switches):
            return False
        least_loaded = "CR_LLN" in self.cons_tres.flags or record.table.partition.lln
        return self.linear or not (
            ask.spread or ask.contiguous or least_loaded or self.cons_tres.goes_to_the_end(record.demand)
        )

    def _start_in(self, record: Record, among: int, held: Occupancy) -> Picked | None:
        required = self._required(record, among, held, None, True)
        if required is None or (self.linear and not required):
            return None if required is None else self.whole_nodes.now(record, among, held, self.by_switches(record))
        placed = self._select(record, among, held, required)
        if placed is None or not self.cons_tres.short_of_memory(record, placed, held):
            return placed
        return None

    def _required(self, record: Record, among: int, held: Occupancy, beside: int | None, now: bool) -> int | None:
        """The nodes that a job names, and so many of each feature with a count (§5.1); None: there are too few."""
        required = record.job.named
        if record.counts:
            turn = self.turn(record, among, held, beside, now)
            required |= turn.found
            if now and turn.found:
                record.job.last_cpus = turn.cpus  # limits know of no others if no place is found
            if turn.at_odds or turn.lacking is not None or required.bit_count() > record.demand.max_nodes:
                return None
        return None if required & ~among else required

    def turn(self, record: Record, among: int, held: Occupancy, beside: int | None = None, now: bool = False) -> Turn:
        """What is found of features with counts, one after another; ``now``: at a start."""

        def select(part: Record, nodes: int, required: int) -> Picked | None:
            if now and self.linear and not required:
                return self.whole_nodes.now(part, nodes & among, held, self.by_switches(part))
            return self._select(part, nodes & among, held, required, beside=beside)

        return look_in_turn(select, record, self.cluster.site)

    def fits_empty(self, turn: Turn, among: int) -> bool:
        """Whether the feature for which nodes are lacking would have them if nothing ran on some nodes."""
        if turn.lacking is None:
            return True
        kept = self.fit.weights.kept()
        placed = self._select(turn.lacking, turn.nodes & among, self.empty, turn.required)
        self.fit.weights.restore(kept)
        return placed is not None

    def _select(
        self,
        record: Record,
        among: int,
        held: Occupancy,
        required: int = 0,
        ahead: bool = False,
        beside: int | None = None,
    ) -> Picked | None:
        """One selection: idle resources first, then beside jobs that share."""
        if self.linear:
            room = jobs_beside(record) if beside is None else beside
            nodes = linear_usable(self.cluster, record, among, held, self.fit.memory, room)
            return self.whole_nodes.pick(record, nodes, required, self.by_switches(record))
        by_switches = self.by_switches(record)  # the highest switch that is chosen may be another while jobs run
        counts = record.demand.most_per_gpu and record.demand.gpus_per_job  # other nodes may do with fewer free cores
        looks_free = by_switches or bool(counts)
        if looks_free and self._only_idle(record):  # one that fails needs no second look
            placed = self.cons_tres.select(record, among, held, required, IDLE, ahead)
            fits = placed is not None and self.cons_tres.fits_free(record, among, held, required)
            return placed if fits else None
        if looks_free and not self.cons_tres.fits_free(record, among, held, required):
            return None
        placed = self.cons_tres.select(record, among, held, required, IDLE, ahead)
        if self.cons_tres.rescued and not self.cons_tres.fits_free(record, among, held, required):
            return None
        if placed is not None and not record.job.few_switches:
            placed = None
        if placed is None and self.cluster.suspends:
            placed = self._over_others(record, among, held, required, ahead)
        shares = record.demand.over_subscribe and record.table.name not in self.cluster.apart
        if self.shares_by_turns(record):  # whether the job asks for it or not
            shares = record.table.name not in self.cluster.apart
        if placed is None and shares and record.demand.exclusive and self.cluster.untouched:
            shares = self._fits_beneath(record, among, held, required)
        if placed is None and shares and self.cluster.shares_by_tiers and not record.demand.exclusive:
            ways = self.cluster.ways[record.table.name]
            here = without(among, held.exclusive)
            placed = in_own_tier(lambda row: self.cons_tres.select(record, here, held, required, row, ahead), ways)
        if placed is None and shares and (self.fit.turns or not record.demand.alone):
            if not self.cluster.rows_by_qos:
                held.rows.sort(record.table.name)
            for row in range(self._rows(record)):
                placed = self.cons_tres.select(record, among, held, required, row, ahead)
                if placed is not None:
                    placed.row = row
                    break
        return placed if record.job.few_switches else None

    def _only_idle(self, record: Record) -> bool:
        """Whether nothing but idle cores is looked for, and a selection that fails makes no difference to others."""
        demand = record.demand
        alone = not (self.cluster.suspends or demand.over_subscribe or self.shares_by_turns(record))
        return alone and not (demand.asks_gres or record.job.ask.switches)

    def shares_by_turns(self, record: Record) -> bool:
        """Whether a job gets cores beside others because jobs take turns: partitions that give whole nodes do not."""
        part, preempt = record.table.partition, self.cluster.site.preempt
        if part.share_count > 1 or not self.fit.turns or self.linear:
            return self.fit.turns and part.share_count > 1
        return preempt.type != "partition_prio" and part.over_subscribe is not OverSubscribe.EXCLUSIVE

    def _rows(self, record: Record) -> int:
        """How many rows of its partition a job is tried in: by QOS only one, unless it asks to share."""
        if self.cluster.rows_by_qos and not record.demand.over_subscribe:
            return 1
        return record.table.partition.share_count + (1 if self.preempts else 0)

    def _fits_beneath(self, record: Record, among: int, held: Occupancy, required: int) -> bool:
        """Whether a job that wants whole nodes would fit those of partitions that may have to make room for it."""
        others = self.cluster.untouched[record.table.name]
        away = mask_of(
            node
            for node in bits(among & held.used)
            if any(held.holdings[job].partition in others for job in held.on_node[node])
        )
        return self.cons_tres.select(record, without(among, away), held, required, EMPTY, False) is not None

    def _over_others(self, record: Record, among: int, held: Occupancy, required: int, ahead: bool) -> Picked | None:
        """Where jobs are suspended for others: on cores of lower tiers, of as few of them as can be (§9).

        If those do not suffice, on cores of other partitions of its own tier, with whose jobs it takes turns.
        """
        *lower, same, _ = self.cluster.ways[record.table.name].tried
        last = BENEATH - len(lower) - 1
        whole = record.demand.exclusive
        if whole and self.cons_tres.select(record, among, held, required, last, ahead) is None:
            return None
        found: Picked | None = None
        for row in range(BENEATH, last + 1, -1) if lower[0] or whole else ():
            placed = self.cons_tres.select(record, among, held, required, row, ahead)
            if placed is None:
                break
            placed.row = row
            found = placed
        if found is None and same != lower[0] and not record.demand.over_subscribe:
            found = self.cons_tres.select(record, among, held, required, last + 1, ahead)
            if found is not None:
                found.row = last + 1
        return found

    def plain(self, record: Record, among: int, masks: FreeMasks) -> Picked | None:
        """A selection by sets of nodes."""
        found = masks.pick(record, among & record.mask, self.kind(record))
        if found is None:
            return None
        demand = record.demand
        varied = demand.cpus_per_task > 1 or demand.tasks_per_node or demand.exclusive or self.whole_cores
        if found.cpus == demand.cpus and not varied:
            return Picked(found.nodes, parts=found.parts, total=found.cpus)
        taken = {node: each for each, some in found.parts for node in bits(some)}
        return self.cons_tres.cpus_on_nodes.of(record, taken, taken, Need(demand, 0))

    def kind(self, record: Record) -> int:
        """A number that jobs share which are placed alike."""
        if record.kind < 0:
            record.kind = self._kinds.of(record)
        return record.kind
