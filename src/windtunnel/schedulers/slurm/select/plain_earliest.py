"""When jobs of plain CPUs will run at the earliest, by sets of nodes; answers are kept while they hold (§4.4)."""

from bisect import bisect_left, bisect_right
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm.cluster import FOR_EVER
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.select.answers import Answer, Answers, Changes
from windtunnel.schedulers.slurm.select.batches import Batches
from windtunnel.schedulers.slurm.select.choose import Chooser
from windtunnel.schedulers.slurm.select.futures import Futures

__all__ = ["NEVER", "PlainSelector"]

NEVER: Final = 1 << 62
_AT_ONCE: Final = -1
"""As dates of starts."""


@mypyc_attr(allow_interpreted_subclasses=True)
class PlainSelector(Chooser):
    """Knows when what runs ends, and selects nodes for jobs of plain CPUs now and in times to come."""

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
        self.turnover = 0
        """How many jobs have started and ended."""
        self._rank = 0
        self._ranks: dict[str, int] = {}

    def took(self, held: Holding) -> None:
        """A job runs now."""
        self.answers.changed(held, 1)
        self.turnover += 1
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
        self.turnover += 1
        place = bisect_left(self.ends, (held.end, held.order, self._ranks.pop(held.job)))
        del self.ends[place]
        del self.by_end[place]
        del self.dates[place]
        if self.masks is not None and self.futures is not None:
            self.masks.remove(held)
            self.futures.ended(place, held)

    def gone_by(self, end: int, last: Holding | None, now: int) -> int:
        """When the last of some jobs is expected to be gone: at its end, or after its OverTimeLimit."""
        if end > now or last is None:
            return end
        site = self.cluster.site
        over = site.over_time_limit_of(self.cluster.partitions[last.partition].partition)
        guess = now + last.limit * 60 if over >= FOR_EVER else end + site.main.kill_wait + over * 60
        return max(guess, now + 1)

    def plain_will_run(
        self, record: Record, among: int, futures: Futures, now: int, horizon: int
    ) -> tuple[int, Picked] | None:
        """By sets of nodes; until a job starts or ends on one of them the answer for jobs of a kind is the same."""
        wanted = self.least_nodes(record)
        if self._too_few(record.demand.cpus, wanted, among, futures, horizon):
            self.latest = Answer(among, record.demand.cpus, wanted, horizon, None, [])
            self.latest.version = self.answers.version
            return None
        key = (self.kind(record), record.demand.memory_per_cpu or 0, hash(among))
        answer = self.answers.find(key, among)
        if answer is None or (answer.placed is None and answer.when < horizon) or not self.stands(answer):
            answer = self._look_for(key, record, wanted, among, futures, horizon)
        self.latest = answer
        when = answer.when
        if answer.placed is None or when > horizon:
            return None
        if when == _AT_ONCE:
            return now, answer.placed
        return (when if when > now else self.gone_by(when, answer.lasts[-1], now)), answer.placed

    def _look_for(
        self, key: tuple[int, int, int], record: Record, wanted: int, among: int, futures: Futures, horizon: int
    ) -> Answer:
        """An answer for jobs of a kind, which is kept."""
        answer = self._search(record, wanted, among, futures, horizon)
        answer.record, answer.kind = record, key[0]
        self.answers.keep(key, answer)
        return answer

    def again(self, answer: Answer) -> Answer | None:
        """An answer that says the same as things are now: it itself, or one that is looked for anew; None: none does.

        What is found is kept, so that whoever asks next need not look for it.
        """
        if self.stands(answer):
            return answer
        record, futures, among = answer.record, self.futures, answer.among
        if record is None or futures is None or answer.when == _AT_ONCE or self.kind(record) != answer.kind:
            return None
        key = (answer.kind, record.demand.memory_per_cpu or 0, hash(among))
        found = self.answers.find(key, among)
        if found is None or (found.placed is None and found.when < answer.when) or not self.stands(found):
            found = self._look_for(key, record, answer.wanted, among, futures, answer.when)
        return found if found.same_as(answer) else None

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
            return self._too_few(answer.cpus, wanted, among, futures, answer.when)
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
        return len(self.by_end) if horizon == NEVER else bisect_right(self.dates, horizon)

    def least_nodes(self, record: Record) -> int:
        """So many nodes are needed at the least, if sets of nodes tell where a job goes; with fewer none is found."""
        demand = record.demand
        if self.futures is None:
            return demand.min_nodes
        return max(demand.min_nodes, -(-demand.cpus // self.futures.most_cpus))

    def _too_few(self, cpus: int, nodes: int, among: int, futures: Futures, until: int) -> bool:
        """Whether so many CPUs or nodes have not come free by a date for certain."""
        gone = self._gone_until(until)
        return futures.gone_for(cpus - futures.now.free) > gone or futures.short(gone, among, nodes)

    def _search(self, record: Record, wanted: int, among: int, futures: Futures, horizon: int) -> Answer:
        """When, and where; or until when at least nowhere. No more is looked at than may make a difference."""
        cpus = record.demand.cpus
        lasts: list[Holding] = []
        first = self._first_with_cpus(record, among, futures)
        if first > self._gone_until(horizon):
            return Answer(among, cpus, wanted, horizon, None, lasts)
        enough = not (first or futures.short(0, among, wanted))
        if enough:
            placed = self.plain(record, among, futures.now)
            if placed is not None:
                return Answer(among, cpus, wanted, _AT_ONCE, placed, lasts)
        answer = Answer(among, cpus, wanted, NEVER, None, lasts)
        batches = Batches(self.by_end, self.dates, among, self.window_growth)
        while batches.advance():
            if batches.last is not None:
                lasts.append(batches.last)
            answer.begin, answer.reach = batches.begin, batches.reach
            if batches.end > horizon:
                answer.when = horizon
                break
            if not enough and (batches.place < first or futures.short(batches.place, among, wanted)):
                continue
            enough = True
            placed = self.plain(record, among, futures.after(batches.place))
            if placed is not None:
                answer.when, answer.placed = batches.end, placed
                break
        return answer

    def _first_with_cpus(self, record: Record, among: int, futures: Futures) -> int:
        """How many running jobs have to be gone at the least for some nodes to have the CPUs that a job needs."""
        now = futures.now
        if not now.alike:
            return 0
        missing = record.demand.cpus - now.free_cpus(among & record.mask)
        return futures.gone_for(missing)
