"""When a job will run at the earliest, and where: running jobs are taken away, the first to end first (§4.4)."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.choose import Chooser
from windtunnel.schedulers.slurm.cluster import Cluster
from windtunnel.schedulers.slurm.futures import Futures
from windtunnel.schedulers.slurm.jobs import Picked, Record
from windtunnel.schedulers.slurm.linear import ANY, jobs_beside
from windtunnel.schedulers.slurm.masks import FreeMasks
from windtunnel.schedulers.slurm.nodesets import bits
from windtunnel.schedulers.slurm.occupancy import Holding, Occupancy

__all__ = ["Selector"]

_FIRST_WINDOW: Final = 30
"""Seconds within which the first running jobs are taken away together (§4.4)."""
_NEVER: Final = 1 << 62
_UNKNOWN: Final = -2
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
        self.futures = Futures(self.masks, self.by_end) if self.masks is not None else None
        self._rank = 0
        self._ranks: dict[str, int] = {}
        self._empty_masks = FreeMasks(cluster)
        self._possible: dict[tuple[int, int, tuple[int, ...]], bool] = {}
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
        traced = self.fit.weights.marked & among
        if self.futures is not None and not (preemptable or traced) and self.by_sets(record, among):
            return self._plain_will_run(record, among, self.futures, now, horizon)
        if record.counts:
            return self._counted_will_run(record, among, held, now, preemptable, horizon)
        best: tuple[int, Picked] | None = None
        for alternative in self.alternatives(record, among):
            found = self._will_run_in(record, alternative, held, now, preemptable, horizon)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        return best

    def _counted_will_run(
        self, record: Record, among: int, held: Occupancy, now: int, preemptable: Sequence[Holding], horizon: int
    ) -> tuple[int, Picked] | None:
        """Of features with counts: each for itself, the job starts with the last; then any nodes for what is left."""
        demand, site = record.demand, self.cluster.site
        when = nodes = 0
        cpus: dict[int, int] = {}
        for those, count in record.counts:
            part = record.part(site, count, count, demand.max_nodes)
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
        if among.bit_count() < record.demand.min_nodes:
            return None
        if not (self.linear or preemptable) and record.demand.plain_shape and not record.demand.over_subscribe:
            return self._bounded_will_run(record, among, held, now, horizon)
        beside = max(1, jobs_beside(record))  # also beside one that shares: whether it may is seen at the start
        placed = self.choose_in(record, among, held, beside=beside)
        if placed is not None:
            return now, placed
        future = held.copy()
        gone = list(preemptable)
        if gone:
            for one in gone:
                future.remove(one)
            placed = self.choose_in(record, among, future, beside=beside)
            if placed is not None:
                return now, placed
        running = sorted(future.holdings.values(), key=lambda one: (one.end, one.order))
        if self.linear:
            return self._one_by_one(record, among, future, running, now, beside)
        return self._in_batches(record, among, future, running, now)

    def ever(self, record: Record, among: int) -> bool:
        """Whether a job could run on some nodes if nothing else ran there."""
        # Whether one node suffices does not depend on which comes first.
        single = record.demand.max_nodes == 1 and self.tree is None
        key = (self.kind(record), among, () if single else self.fit.weights.traces(among))
        found = self._possible.get(key)
        if found is None:
            if len(self._possible) >= _MOST_KEPT:
                self._possible.clear()
            found = self._possible[key] = self._fits_empty(record, among)
        return found

    def _fits_empty(self, record: Record, among: int) -> bool:
        if self.masks is not None and not self.fit.weights.marked & among and self.by_sets(record, among):
            return self._empty_masks.pick(record, among & record.mask, self.kind(record)) is not None
        if not (record.demand.gres or record.demand.gpus_per_job):
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
            placed = self.choose_in(record, among, future, ahead=True)
            if placed is not None:
                return (last.end if last.end > now else now + 1), placed
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
        for last, _ in self._batches(among, running, future.remove):
            placed = self.choose_in(record, among, future, ahead=True)
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

    def _plain_will_run(
        self, record: Record, among: int, futures: Futures, now: int, horizon: int
    ) -> tuple[int, Picked] | None:
        """By sets of nodes; until a job starts or ends the answer for jobs of a kind is the same."""
        key = (self.kind(record), record.demand.memory_per_cpu or 0, among)
        when, placed = futures.answers.get(key, (_UNKNOWN, None))
        if when == _UNKNOWN or (placed is None and when < horizon):
            when, placed = futures.answers[key] = self._search(record, among, futures, horizon)
        if placed is None or when > horizon:
            return None
        return (now if when == _AT_ONCE else max(when, now + 1)), placed

    def _search(self, record: Record, among: int, futures: Futures, horizon: int) -> tuple[int, Picked | None]:
        """When, and where; or until when at least nowhere. No more is looked at than may make a difference."""
        demand = record.demand
        least = futures.least_gone(among, demand.min_nodes, demand.cpus)
        if least < 0:
            return _NEVER, None
        if least and self.by_end[least - 1].end > horizon:
            return horizon, None
        if not least:
            placed = self.plain(record, among, futures.now)
            if placed is not None:
                return _AT_ONCE, placed
        gone: list[Holding] = []
        for last, place in self._batches(among, self.by_end, gone.append):
            if last.end > horizon:
                return horizon, None
            if place < least:
                continue
            placed = self.plain(record, among, futures.after(place))
            if placed is not None:
                return last.end, placed
        return _NEVER, None
