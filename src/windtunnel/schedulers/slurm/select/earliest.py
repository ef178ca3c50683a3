"""When a job will run at the earliest, and where: running jobs are taken away, the first to end first (§4.4)."""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import OverSubscribe
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.alike import most_nodes
from windtunnel.schedulers.slurm.select.batches import Batches
from windtunnel.schedulers.slurm.select.instant import Earliest, Instant
from windtunnel.schedulers.slurm.select.linear import jobs_beside
from windtunnel.schedulers.slurm.select.node_fit import IDLE
from windtunnel.schedulers.slurm.select.openings import NO_ROOM, Openings
from windtunnel.schedulers.slurm.select.plain_earliest import NEVER
from windtunnel.schedulers.slurm.select.possible import PossibleSelector
from windtunnel.schedulers.slurm.select.room import Room
from windtunnel.schedulers.slurm.select.vacated import Vacated

__all__ = ["Selector"]

_MOST_VACATED: Final = 8
"""Sets of jobs without which it is kept what others leave."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Selector(PossibleSelector):
    """Selects nodes on one cluster, now and in times to come."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._instant = Instant()

    def will_run(
        self,
        record: Record,
        among: int,
        held: Occupancy,
        now: int,
        preemptable: Sequence[Holding] = (),
        horizon: int = NEVER,
    ) -> tuple[int, Picked] | None:
        """When a job could start at the earliest, and where (§4.4); None also when that is after ``horizon``."""
        self.cons_tres.present = held
        self.latest = None
        traced = self.fit.weights.marked & among
        if self.futures is not None and not (preemptable or traced) and self.by_sets(record, among):
            return self.plain_will_run(record, among, self.futures, now, horizon)
        held.settle()
        if record.constraint.in_turn:
            return self._counted_will_run(record, among, held, now, preemptable, horizon)
        best: tuple[int, Picked] | None = None
        for alternative in self._tested(record, among):
            found = self._will_run_in(record, alternative, held, now, preemptable, horizon)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        return best

    @staticmethod
    def _tested(record: Record, among: int) -> list[int]:
        """The sets of nodes that are tested each for itself (§4.4)."""
        tested = record.constraint.tested
        return [nodes & among for nodes, _ in tested] if tested else [among & record.constraint.base]

    def _counted_will_run(
        self, record: Record, among: int, held: Occupancy, now: int, preemptable: Sequence[Holding], horizon: int
    ) -> tuple[int, Picked] | None:
        """Of features with counts: each for itself, the job starts with the last; then any nodes for what is left.

        Where nodes are left to be found, it is forgotten that a feature has too few: the nodes need not have it. Of
        the CPUs in all only those of the last test are known.
        """
        demand, site = record.demand, self.cluster.site
        spread = min(demand.most_looked_for, demand.max_nodes) if record.job.ask.spread else 0
        spread = 0 if demand.few_nodes else spread
        wanted = max(demand.min_nodes, demand.requested_nodes, spread)
        total = 0
        when = nodes = 0
        cpus: dict[int, int] = {}
        on_node = demand.tasks_per_node
        for those, count in record.constraint.tested:
            least = max(count, -(-demand.tasks // on_node)) if on_node else count
            part = record.part(site, least, least, demand.max_nodes)
            found = self._will_run_in(part, those & among & ~nodes, held, now, preemptable, horizon)
            if found is None:
                if not nodes and demand.asks_gres:  # any nodes are tested all the same, which leaves traces (§5.7)
                    any_nodes = record.part(site, demand.min_nodes, wanted, demand.max_nodes)
                    self._will_run_in(any_nodes, among, held, now, preemptable, NEVER)
                late = self._will_run_in(part, those & among & ~nodes, held, now, preemptable, NEVER) is not None
                if late or not nodes or nodes.bit_count() >= wanted:
                    return None
                break
            when, nodes, total = max(when, found[0]), nodes | found[1].nodes, found[1].total
            cpus.update(found[1].cpus)
        count = nodes.bit_count()
        if demand.min_nodes < count < wanted:
            return None  # fewer than none are left to be found
        if count < wanted:
            part = record.part(site, demand.min_nodes - count, wanted - count, demand.max_nodes - count)
            found = self._will_run_in(part, among & ~nodes, held, now, preemptable, NEVER)
            if found is None:
                return None
            nodes, total = nodes | found[1].nodes, found[1].total
            cpus.update(found[1].cpus)
        return when, Picked(nodes, cpus, total=total)

    def _will_run_in(
        self, record: Record, among: int, held: Occupancy, now: int, preemptable: Sequence[Holding], horizon: int
    ) -> tuple[int, Picked] | None:
        """When, and where, in one of the sets of nodes of which one has to serve the job."""
        demand = record.demand
        if among.bit_count() < record.demand.min_nodes:
            return None
        shares = demand.over_subscribe or self.shares_by_turns(record)
        alone = not (self.linear or self.cluster.suspends or shares or demand.asks_gres)
        if alone and (not record.job.ask.switches or (demand.plain_shape and not preemptable)):
            return self._bounded_will_run(record, among, held, now, preemptable, horizon)
        if not self.linear and self._may_share(record):  # it is tried as one that shares nothing first
            apart = record.part(self.cluster.site, demand.min_nodes, demand.requested_nodes, demand.max_nodes)
            apart.demand.over_subscribe = False
            placed = self.choose_in(apart, among, held)
            if placed is not None:
                return now, placed
        beside = max(1, jobs_beside(record))  # also beside one that shares: whether it may is seen at the start
        placed = self.choose_in(record, among, held, beside=beside)
        if placed is not None:
            return now, placed
        future = held.copy()
        gone = list(preemptable)
        if gone:
            beneath = self.cluster.gives_way.get(record.table.name, ())
            for one in gone:
                future.remove(one)
                if one.partition in beneath:
                    future.keep(one)
            placed = self.choose_in(record, among, future, beside=beside)
            if placed is not None:
                return now, placed
        running = sorted(future.holdings.values(), key=lambda one: (one.end, one.order))
        if self.linear:
            return self._one_by_one(record, among, future, running, now, beside)
        return self._in_batches(record, among, future, running, now)

    @staticmethod
    def _may_share(record: Record) -> bool:
        """Whether a job asks to share nodes, and its partition leaves that to jobs."""
        return record.demand.over_subscribe and record.table.partition.over_subscribe is OverSubscribe.YES

    def _bounded_will_run(
        self, record: Record, among: int, held: Occupancy, now: int, preemptable: Sequence[Holding], horizon: int
    ) -> tuple[int, Picked] | None:
        """The same for jobs without generic resources: no selection is made while CPUs or nodes cannot suffice."""
        demand = record.demand
        known = self._instant.at(now, self.turnover)
        if demand.exclusive_user or record.job.ask.switches:
            return self._earliest(record, among, held, now, preemptable, horizon).within(horizon)
        memory = (demand.memory_per_node, demand.memory_per_cpu)  # of a kind are all that have room on empty nodes
        nodes = (among, record.too_large, self.fit.weights.traces(among))
        key = (self.kind(record), memory, nodes, *[one.job for one in preemptable])
        found = known.get(key)
        if found is None or not found.tells(horizon):
            found = known[key] = self._earliest(record, among, held, now, preemptable, horizon)
        return found.within(horizon)

    def _earliest(
        self, record: Record, among: int, held: Occupancy, now: int, preemptable: Sequence[Holding], horizon: int
    ) -> Earliest:
        """Now, without those that may be preempted, or after one batch of running jobs or another."""
        vacated = self._instant.vacated.get(tuple([one.job for one in preemptable]))
        first = 0
        if vacated is not None and vacated.openings is not None:
            first = self._first_room(record, among, vacated)
        if not first or vacated is None:
            placed = self._now(record, among, held, preemptable)
            if placed is not None:
                return Earliest((now, placed))
            vacated = self._vacated(held, preemptable)
            first = self._first_room(record, among, vacated)
        if first == NO_ROOM:
            return Earliest(None, NEVER)
        if first and vacated.dates[first - 1] > horizon:
            return Earliest(None, horizon)
        return self._once_gone(record, among, vacated, first, now, horizon)

    def _now(
        self, record: Record, among: int, held: Occupancy, preemptable: Sequence[Holding]
    ) -> Picked | None:
        """Where a job could start now, or if those were gone that may be preempted."""
        room = self._room(record, among, held)
        if room.suffices(held):
            placed = self.choose_in(record, among, held)
            if placed is not None:
                return placed
            room.failed()
        if not preemptable:
            return None
        first = self._vacated(held, preemptable).first
        room.leave(preemptable)
        return self.choose_in(record, among, first) if room.may_suffice and room.recount(first) else None

    def _once_gone(
        self, record: Record, among: int, vacated: Vacated, first: int, now: int, horizon: int
    ) -> Earliest:
        """After one batch of running jobs or another; not before so many are gone as ``first`` says."""
        summed_up = None if self.fit.says_it_all(record, IDLE) else self._room(record, among, vacated.first)
        room: Room | None = None
        future = vacated.first
        batches = Batches(vacated.running, vacated.dates, among, self.window_growth)
        while batches.advance():
            if batches.end > horizon:
                return Earliest(None, horizon)
            if room is not None:
                for one in batches.batch():
                    room.without(one, future)
            else:
                if summed_up is not None:
                    summed_up.leave(batches.batch())
                if batches.place < first or not (summed_up is None or summed_up.may_suffice):
                    continue
                future = vacated.after(batches.place, among)
                room = self._room(record, among, future)
            if not room.suffices(future):
                continue
            placed = self.choose_in(record, among, future, ahead=True)
            if placed is not None:
                return Earliest((self.gone_by(batches.end, batches.last, now), placed), batches.end)
            room.failed()
        return Earliest(None, NEVER)

    def _first_room(self, record: Record, among: int, vacated: Vacated) -> int:
        """After how many of the running jobs there may be room at the earliest, where free cores and memory tell."""
        if not self.fit.says_it_all(record, IDLE):
            return 0
        if vacated.openings is None:
            vacated.openings = Openings(vacated.first, vacated.running, self.fit)
        most = most_nodes(record.demand) if self._bounds_nodes(record) else self.cluster.size
        return vacated.openings.first(record, among & ~record.too_large, most)

    def _room(self, record: Record, among: int, held: Occupancy) -> Room:
        slow = self.tree is not None or not record.demand.plain_shape
        return Room(record, among, held, self.fit, bounded=self._bounds_nodes(record), each=slow)

    def _vacated(self, held: Occupancy, preemptable: Sequence[Holding]) -> Vacated:
        """What is held as running jobs go, without those that may be preempted."""
        key = tuple([one.job for one in preemptable])
        known = self._instant.vacated
        found = known.get(key)
        if found is None:
            if len(known) >= _MOST_VACATED:
                known.clear()
            found = known[key] = Vacated(held, preemptable, None if preemptable else self.by_end)
        return found

    def _bounds_nodes(self, record: Record) -> bool:
        """Whether no selection finds more nodes for a job than it allows: of some it is seen only at the start."""
        named = bool(record.job.named or record.counts)
        return not (named or self.cons_tres.busy_first or (self.tree is not None and self.fit.by_socket))

    def _one_by_one(
        self, record: Record, among: int, future: Occupancy, running: list[Holding], now: int, beside: int
    ) -> tuple[int, Picked] | None:
        for one in running:
            future.remove(one)
            placed = self.choose_in(record, among, future, beside=beside)
            if placed is not None:
                return (now + 1 if one.end <= now else one.end), placed
        return None

    def _in_batches(
        self, record: Record, among: int, future: Occupancy, running: list[Holding], now: int
    ) -> tuple[int, Picked] | None:
        batches = Batches(running, [one.end for one in running], among, self.window_growth)
        while batches.advance():
            for one in batches.batch():
                future.remove(one)
            placed = self.choose_in(record, among, future, ahead=True)
            if placed is not None:
                return self.gone_by(batches.end, batches.last, now), placed
        return None
