"""Which jobs could still start in a cycle of backfill, and which plans make no difference to that.

What starts now needs nodes that are free now and that no plan takes as long as it may run. Plans and starts of a
cycle only take nodes, so a job for which there are too few stays behind for the rest of the cycle, and so do all like
it. The longest of the others says how far ahead plans matter: one that begins later keeps none of them from starting.
"""

from bisect import bisect_right
from collections.abc import Iterable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.tracked import tres_of
from windtunnel.schedulers.slurm.loops.main_loop import forget_limits
from windtunnel.schedulers.slurm.loops.plan_making import minutes_of
from windtunnel.schedulers.slurm.loops.planner import Planner
from windtunnel.schedulers.slurm.select.masks import FreeMasks
from windtunnel.schedulers.slurm.state import State

__all__ = ["Prospects", "Sort"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Sort:
    """Jobs of one cycle that start alike."""

    __slots__ = ("behind", "hopeless", "last", "length", "none_by", "opaque", "out", "record", "seen", "spare")

    def __init__(self, record: Record, length: int, opaque: bool) -> None:
        self.record = record
        """One of them."""
        self.length = length
        """Seconds."""
        self.opaque = opaque
        """Whether free CPUs do not say what becomes of them."""
        self.last = 0
        """The last one's place in the queue."""
        self.out = False
        """Whether none of them can start in this cycle any more."""
        self.seen = 0
        """How many nodes plans and starts had taken when that was last looked at."""
        self.spare = -1
        """How many more they may take before it has to be looked at again."""
        self.behind = False
        """Whether none of them can start before all that may start now must have ended."""
        self.none_by = -1
        """Of those whose plans are put off: none begins by this date."""
        self.hopeless = False
        """Whether no date has nodes enough for any of them even to be tested."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Prospects:
    """The jobs of one cycle that may still start, one for all that are alike."""

    def __init__(self, state: State, planner: Planner, queue: list[Record], masks: FreeMasks) -> None:
        self.state = state
        self.planner = planner
        self.masks = masks
        self.of: list[Sort] = []
        """What sort of job each of the queue is."""
        self._open: list[Sort] = []
        """The sorts that may start, the one whose last job is first in the queue before the others."""
        self._by_length: list[Sort] = []
        """The same, the shortest first."""
        self._limited = state.limits.active
        self._sort(queue)

    def _sort(self, queue: list[Record]) -> None:
        sorts: dict[int, Sort] = {}
        found = self.of
        for place, record in enumerate(queue):
            key = record.sort or self._number(record)
            sort = sorts.get(key)
            if sort is None:
                sort = sorts[key] = Sort(record, minutes_of(record) * 60, key < 0)
                sort.out = key > 0 and record.refusal is not None
            sort.last = place
            found.append(sort)
        self._open = sorted([sort for sort in sorts.values() if not sort.out], key=lambda one: one.last)
        self._by_length = sorted([sort for sort in self._open if not sort.opaque], key=lambda one: one.length)

    def _number(self, record: Record) -> int:
        """The number of a job's sort; -1 for those of which free CPUs do not tell whether they start."""
        job, selector = record.job, self.state.selector
        opaque = (
            job.ask.switches is not None
            or job.tasks is not None
            or job.siblings is not None
            or job.time_min is not None
            or job.lifts_time
            or len(job.records) > 1
            or self.state.unmeasured(record)
            or not selector.by_sets(record, record.table.mask)
            or (self._limited and not self._same_anywhere(record))
        )
        refused = record.refusal is not None
        record.sort = -1 if opaque else (selector.kind(record) + 1) << 40 | minutes_of(record) << 1 | refused
        return record.sort

    def _same_anywhere(self, record: Record) -> bool:
        """Whether a job takes as much wherever it is placed, but for the number of nodes."""
        demand = record.demand
        if demand.cpus_per_task > 1 or demand.tasks_per_node or demand.exclusive:
            return False
        return demand.memory_per_cpu is not None and not self.state.selector.whole_cores

    def refusals_from(self, place: int, queue: list[Record]) -> bool:
        """Whether limits would refuse any plan from a place on; what may not even be placed gets its Reason."""
        limits, pending = self.state.limits, self.state.pending
        for record in queue[place:] if self._limited else ():
            if record.job.id not in pending:
                continue
            refusal = limits.before(record)
            if refusal:
                record.job.reason = refusal
            elif limits.after(record, Picked(0, {}), tres_of(record.demand)):
                return True
            else:
                forget_limits(record.job)
        return False

    def any_from(self, place: int) -> bool:
        """Whether a job at a place of the queue or behind it may still start."""
        open_sorts = self._open
        while open_sorts:
            sort = open_sorts[-1]
            if sort.last >= place and self.may_start(sort):
                return True
            open_sorts.pop()
        return False

    def may_start(self, sort: Sort) -> bool:
        """Whether those of a sort may still start; of an opaque one nobody knows."""
        if sort.out or sort.opaque:
            return sort.opaque
        lost = self.planner.lost
        if lost - sort.seen > sort.spare:
            sort.seen = lost
            sort.spare = self.masks.spare_nodes(sort.record, self._free_for(sort))
            sort.out = sort.spare < 0
        return not sort.out

    def _horizon(self, place: int) -> int:
        """For how many seconds the longest that may start from a place of the queue on would run."""
        lengths = self._by_length
        while lengths:
            sort = lengths[-1]
            if sort.last >= place and self.may_start(sort):
                return sort.length
            lengths.pop()
        return 0

    def _free_for(self, sort: Sort) -> int:
        """The nodes that one of a sort could have now."""
        free = self.planner.map.free_from_now(sort.length)
        return free & sort.record.mask

    def starts(self, sort: Sort) -> bool:
        """Whether one of a sort starts if it is tested now."""
        return self.state.selector.plain(sort.record, self._free_for(sort), self.masks) is not None

    def behind(self, sort: Sort, place: int) -> bool:
        """Whether the plan of one of a sort would begin after all that may start from there on must have ended."""
        if not sort.behind:
            sort.behind = self._none_by(sort, self._all_over(place))
        return sort.behind

    def behind_by_slots(self, sort: Sort, place: int) -> bool:
        """The same, looked at slot by slot, which takes longer."""
        sort.behind = self._none_in_slots_by(sort, self._all_over(place))
        return sort.behind

    def _all_over(self, place: int) -> int:
        """When all that may start from a place of the queue on must have ended; plans begin with full minutes."""
        return self.state.now + self._horizon(place) + self.planner.map.resolution

    def _none_in_slots_by(self, sort: Sort, until: int) -> bool:
        """Whether no slot up to a date has CPUs enough that come free in it and that plans leave for long enough."""
        futures, node_map, now = self.state.selector.futures, self.planner.map, self.state.now
        if futures is None or sort.length < node_map.resolution:
            return False  # what is shorter than a step may go to nodes that are planned already
        dates, mask = self.state.selector.dates, sort.record.mask
        least = max(0, sort.length - node_map.resolution)  # both ends of a plan are rounded down
        for slot in node_map.slots:
            if slot.begin > until:
                break
            if slot.end >= now:
                ended = futures.after(bisect_right(dates, min(slot.end, until)))
                if ended.may_hold(sort.record, node_map.free_for(max(slot.begin, now), least) & mask):
                    return False
        sort.none_by = until
        return True

    def none_by(self, sorts: Iterable[Sort], date: int) -> bool:
        """Whether no plan of some sorts, all of which are behind, begins by a date."""
        return all(sort.none_by >= date or self._none_by(sort, date) for sort in sorts)

    def _none_by(self, sort: Sort, until: int) -> bool:
        """Whether too few CPUs come free by a date for one of a sort.

        What has started since its plan was put off, or was planned ahead of it, is over by then.
        """
        futures = self.state.selector.futures
        if futures is None:
            return False
        count = bisect_right(self.state.selector.dates, until)
        found = futures.gone_for(sort.record.demand.cpus - futures.now.free) > count
        if not found:
            free = self.planner.map.free_for(until, self.state.now + sort.length - until)
            found = not futures.after(count).may_hold(sort.record, free & sort.record.mask)
        if found:
            sort.none_by = until
        return found
