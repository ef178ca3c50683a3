"""The plans that a cycle of backfill puts off: they keep no job from starting now.

Some jobs behind those whose plans are put off may be planned at once all the same: where such a plan ends before any
that is put off begins, it comes out as it would behind them. If they are planned after all, that starts from the map
as it was, and the plans made ahead are made again in their turn.
"""

from collections.abc import Iterable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.loops.planner import Planned, Planner
from windtunnel.schedulers.slurm.loops.prospects import Prospects, Sort
from windtunnel.schedulers.slurm.plans.node_map import NodeMap
from windtunnel.schedulers.slurm.plans.outcomes import PLANNED

__all__ = ["Deferred"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Deferred:
    """Jobs whose plans are put off, and those that have started since, in order."""

    __slots__ = ("before", "boundaries", "jobs", "sorts", "waiting")

    def __init__(self) -> None:
        self.jobs: list[Record | RunningJob] = []
        self.waiting = 0
        """How many of them have not started."""
        self.boundaries = 0
        """So many boundaries at the most the plans would make in the map."""
        self.sorts: list[Sort] = []
        """The sorts of those that are not planned."""
        self.before: Planned | None = None
        """What was planned before all of them, once anything is planned ahead."""

    def put_off(self, record: Record, sort: Sort, end: int, node_map: NodeMap) -> None:
        """The plan of a job, which cannot end before a date; beyond the map its end makes no boundary."""
        if sort not in self.sorts:
            self.sorts.append(sort)
        self._wait(record, end, node_map)

    def planned_ahead(self, record: Record, sort: Sort, planner: Planner, prospects: Prospects) -> bool:
        """Whether a job that cannot start now is planned at once: all of them begin later."""
        now, node_map = planner.state.now, planner.map
        lasts = sort.length + node_map.resolution  # plans are entered from the full minute on
        if record.job.het is not None or not prospects.none_by(self.sorts, now + lasts):
            return False
        if self.before is None:
            self.before = planner.as_it_is()
        plan, _ = planner.test(record, False, 0)
        if plan.outcome is not PLANNED or not prospects.none_by(self.sorts, plan.start + lasts):
            return False
        self._wait(record, now + sort.length, node_map)
        return True

    def _wait(self, record: Record, end: int, node_map: NodeMap) -> None:
        self.jobs.append(record)
        self.waiting += 1
        self.boundaries += 1 if end >= node_map.end else 2

    def started(self, jobs: Iterable[RunningJob]) -> None:
        """Jobs have started before those whose plans are put off were planned."""
        self.jobs += jobs

    def take(self, planner: Planner) -> list[Record | RunningJob]:
        """All of them, to be planned now; what was planned ahead is forgotten."""
        if self.before is not None:
            planner.back_to(self.before)
        found, self.jobs, self.boundaries = self.jobs, [], 0
        self.waiting = 0
        self.sorts, self.before = [], None
        return found
