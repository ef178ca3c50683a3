"""When a job will run at the earliest, and where: running jobs are taken away, the first to end first (§4.4)."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import OverSubscribe
from windtunnel.model.slurm.cluster import FOR_EVER
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.answers import Answer, Answers, Changes
from windtunnel.schedulers.slurm.select.batches import Batches
from windtunnel.schedulers.slurm.select.choose import Chooser
from windtunnel.schedulers.slurm.select.futures import Futures
from windtunnel.schedulers.slurm.select.linear import ANY, jobs_beside
from windtunnel.schedulers.slurm.select.masks import FreeMasks

__all__ = ["Selector"]

_NEVER: Final = 1 << 62
_AT_ONCE: Final = -1
"""As dates of starts."""
_MOST_KEPT: Final = 100_000
"""Answers that are kept."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Selector(Chooser):
    """Selects nodes on one cluster, now and in times to come."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.window_growth = cluster.site.backfill.bf_window_linear
        self.ends: list[tuple[int, int, int]] = []
        self.by_end: list[Holding] = []
        """What runs, the first to end first, and what that order is by."""
        self.dates: list[int] = []
        """When each of them ends."""
        self.futures = Futures(self.masks, self.by_end) if self.masks is not None else None
        self.answers = Answers()
        self.latest: Answer | None = None
        """The answer given last, if it was one that may hold longer."""
        self._rank = 0
        self._ranks: dict[str, int] = {}
        self._empty_masks = FreeMasks(cluster)
        self._possible: dict[tuple[int, int, tuple[int, ...]], bool] = {}
        """Whether jobs of a kind could run on some nodes if they were empty."""
        self._on_any: set[tuple[int, int]] = set()
        """Kinds of jobs, and nodes each of which would do for them alone."""

    def took(self, held: Holding) -> None:
        """A job runs now."""
        self.answers.changed(held, 1)
        self._rank += 1
        self._ranks[held.job] = self._rank
        key = (held.end, held.order, self._rank)
        place = bisect_left(self.ends, key)
        self.ends.insert(place, key)
        self.by_end.insert(place, held)
        self.dates.insert(place, held.end)
        if self.masks is not None and self.futures is not None:
            self.masks.add(held)
            self.futures.began(place, held)

    def gave_back(self, held: Holding) -> None:
        """A job runs no longer."""
        self.answers.changed(held, -1)
        place = bisect_left(self.ends, (held.end, held.order, self._ranks.pop(held.job)))
        del self.ends[place]
        del self.by_end[place]
        del self.dates[place]
        if self.masks is not None and self.futures is not None:
            self.masks.remove(held)
            self.futures.ended(place, held)

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
        self.cons_tres.present = held
        self.latest = None
        traced = self.fit.weights.marked & among
        if self.futures is not None and not (preemptable or traced) and self.by_sets(record, among):
            return self._plain_will_run(record, among, self.futures, now, horizon)
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
        """Of features with counts: each for itself, the job starts with the last; then any nodes for what is left."""
        demand, site = record.demand, self.cluster.site
        when = nodes = 0
        cpus: dict[int, int] = {}
        on_node = demand.tasks_per_node
        for those, count in record.constraint.tested:
            least = max(count, -(-demand.tasks // on_node)) if on_node else count
            part = record.part(site, least, least, demand.max_nodes)
            found = self._will_run_in(part, those & among & ~nodes, held, now, preemptable, horizon)
            if found is None:
                return None
            when, nodes = max(when, found[0]), nodes | found[1].nodes
            cpus.update(found[1].cpus)
        wanted = max(demand.min_nodes, demand.requested_nodes)
        count = nodes.bit_count()
        if count < wanted:
            part = record.part(site, demand.min_nodes - count, wanted - count, demand.max_nodes - count)
            found = self._will_run_in(part, among & ~nodes, held, now, preemptable, _NEVER)
            if found is None:
                return None
            nodes |= found[1].nodes
            cpus.update(found[1].cpus)
        return when, Picked(nodes, cpus)

    def _will_run_in(
        self, record: Record, among: int, held: Occupancy, now: int, preemptable: Sequence[Holding], horizon: int
    ) -> tuple[int, Picked] | None:
        """When, and where, in one of the sets of nodes of which one has to serve the job."""
        demand = record.demand
        if among.bit_count() < record.demand.min_nodes:
            return None
        if not (self.linear or preemptable or self.cluster.suspends or record.demand.over_subscribe) and (
            record.demand.plain_shape
        ):
            return self._bounded_will_run(record, among, held, now, horizon)
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

    def ever(self, record: Record, among: int) -> bool:
        """Whether a job could run on some nodes if nothing else ran there."""
        # Whether one node suffices does not depend on which comes first.
        kind = self.kind(record)
        single = (record.demand.max_nodes == 1 and self.tree is None) or (kind, among) in self._on_any
        key = (kind, among, () if single else self.fit.weights.traces(among))
        found = self._possible.get(key)
        if found is None:
            if len(self._possible) >= _MOST_KEPT:
                self._possible.clear()
                self._on_any.clear()
            found = self._possible[key] = self._fits_empty(record, among)
            if found and not single and self._suits_every_node(record, among):
                self._on_any.add((kind, among))
                self._possible[kind, among, ()] = True
        return found

    def _suits_every_node(self, record: Record, among: int) -> bool:
        """Whether a job could run on any of the nodes that it could use if they were empty, whichever comes first."""
        alternatives = self.alternatives(record, among)
        if self.linear or len(alternatives) > 1 or record.demand.over_subscribe:
            return False
        kept = self.fit.weights.kept()
        found = self.cons_tres.suits_every_node(record, alternatives[0], self.empty)
        self.fit.weights.restore(kept)
        return found

    def _fits_empty(self, record: Record, among: int) -> bool:
        if self.tree is not None:
            self.tree.most_leaves = 0  # nobody asks how many there are
        if self.masks is not None and not self.fit.weights.marked & among and self.by_sets(record, among):
            return self._empty_masks.pick(record, among & record.mask, self.kind(record)) is not None
        if not record.demand.asks_gres:
            return self.choose(record, among, self.empty, beside=ANY) is not None
        kept = self.fit.weights.kept()
        placed = self.choose(record, among, self.empty)
        self.fit.weights.restore(kept)
        return placed is not None

    def _bounded_will_run(
        self, record: Record, among: int, held: Occupancy, now: int, horizon: int
    ) -> tuple[int, Picked] | None:
        """The same for jobs of CPUs and memory alone: no selection is made while CPUs or nodes cannot suffice."""
        demand = record.demand
        open_nodes = among & ~(held.full | held.exclusive)
        cpus = sum([held.idle[node] for node in bits(open_nodes)])
        if cpus >= demand.cpus and open_nodes.bit_count() >= demand.min_nodes:
            placed = self.choose_in(record, among, held)
            if placed is not None:
                return now, placed
        future: Occupancy | None = None
        batches = Batches(self.by_end, self.dates, among, self.window_growth)
        while batches.advance():
            if batches.end > horizon:
                return None
            if future is None:
                future = held.copy()
            for one in batches.batch():
                freed = one.nodes & among
                for node in bits(freed):
                    cpus -= future.idle[node]
                future.remove(one)
                for node in bits(freed):
                    cpus += future.idle[node]
                open_nodes |= freed
            if cpus < demand.cpus or open_nodes.bit_count() < demand.min_nodes:
                continue
            placed = self.choose_in(record, among, future, ahead=True)
            if placed is not None:
                return self._gone_by(batches.end, batches.last, now), placed
        return None

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
                return self._gone_by(batches.end, batches.last, now), placed
        return None

    def _gone_by(self, end: int, last: Holding | None, now: int) -> int:
        """When the last of some jobs is expected to be gone: at its end, or after its OverTimeLimit."""
        if end > now or last is None:
            return end
        site = self.cluster.site
        over = site.over_time_limit_of(self.cluster.partitions[last.partition].partition)
        guess = now + last.limit * 60 if over >= FOR_EVER else end + site.main.kill_wait + over * 60
        return max(guess, now + 1)

    def _plain_will_run(
        self, record: Record, among: int, futures: Futures, now: int, horizon: int
    ) -> tuple[int, Picked] | None:
        """By sets of nodes; until a job starts or ends on one of them the answer for jobs of a kind is the same."""
        key = (self.kind(record), record.demand.memory_per_cpu or 0, hash(among))
        answer = self.answers.find(key, among)
        if answer is None or (answer.placed is None and answer.when < horizon) or not self.stands(answer):
            answer = self._search(record, among, futures, horizon)
            self.answers.keep(key, answer)
        self.latest = answer
        when = answer.when
        if answer.placed is None or when > horizon:
            return None
        if when == _AT_ONCE:
            return now, answer.placed
        return (when if when > now else self._gone_by(when, answer.lasts[-1], now)), answer.placed

    def stands(self, answer: Answer) -> bool:
        """Whether an answer still holds: nothing has changed on its nodes, and jobs go away in the same batches."""
        answers = self.answers
        if answer.version != answers.version:
            stands = False
            if answer.version >= 0:
                changes = answers.since(answer.version)
                if changes.nodes & answer.among:
                    stands = self._still_too_few(answer, changes)
                else:
                    stands = self._same_batches(answer, changes)
            answer.version = answers.version if stands else -1
        return answer.version >= 0

    def _same_batches(self, answer: Answer, changes: Changes) -> bool:
        """Whether running jobs that have the nodes of an answer would still be taken away in the same batches."""
        if not answer.lasts or changes.first > answer.reach or changes.last < answer.begin:
            return True
        batches = Batches(self.by_end, self.dates, answer.among, self.window_growth)
        for last in answer.lasts:
            if not batches.advance():
                return False
            if batches.last is not last:
                return False
        return True

    def _still_too_few(self, answer: Answer, changes: Changes) -> bool:
        """Whether too few nodes are free until an answer's date, and from then on changes make no difference."""
        futures, among, wanted = self.futures, answer.among, answer.wanted
        if futures is None or answer.when == _AT_ONCE:
            return False
        if answer.placed is None:
            answer.lasts = []  # however jobs go away
            return futures.short(self._gone_until(answer.when), among, wanted)
        if not changes.end_before(answer.when, among) or not futures.short(0, among, wanted):
            return False
        batches = Batches(self.by_end, self.dates, among, self.window_growth)
        final = answer.lasts[-1]
        for last in answer.lasts:
            if not batches.advance() or batches.last is not last:
                return False
            if last is not final and not futures.short(batches.place, among, wanted):
                return False
        answer.begin, answer.reach = batches.begin, batches.reach
        return True

    def _gone_until(self, horizon: int) -> int:
        """How many of the running jobs end by a date."""
        return len(self.by_end) if horizon == _NEVER else bisect_right(self.dates, horizon)

    def least_nodes(self, record: Record) -> int:
        """So many nodes are needed at the least, if sets of nodes tell where a job goes; with fewer none is found."""
        demand = record.demand
        if self.futures is None:
            return demand.min_nodes
        return max(demand.min_nodes, -(-demand.cpus // self.futures.most_cpus))

    def _search(self, record: Record, among: int, futures: Futures, horizon: int) -> Answer:
        """When, and where; or until when at least nowhere. No more is looked at than may make a difference."""
        wanted = self.least_nodes(record)
        lasts: list[Holding] = []
        if futures.short(self._gone_until(horizon), among, wanted):
            return Answer(among, wanted, horizon, None, lasts)
        enough = not futures.short(0, among, wanted)
        if enough:
            placed = self.plain(record, among, futures.now)
            if placed is not None:
                return Answer(among, wanted, _AT_ONCE, placed, lasts)
        answer = Answer(among, wanted, _NEVER, None, lasts)
        batches = Batches(self.by_end, self.dates, among, self.window_growth)
        while batches.advance():
            if batches.last is not None:
                lasts.append(batches.last)
            answer.begin, answer.reach = batches.begin, batches.reach
            if batches.end > horizon:
                answer.when = horizon
                break
            if not enough and futures.short(batches.place, among, wanted):
                continue
            enough = True
            placed = self.plain(record, among, futures.after(batches.place))
            if placed is not None:
                answer.when, answer.placed = batches.end, placed
                break
        return answer
