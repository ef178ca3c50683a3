"""Whether jobs whose plans are put off will all count as tested, wherever their plans go (§4.5).

A job is tested if it has nodes enough that no plan before it takes as long as it may run. Those before it take few:
whole nodes as many as their CPUs fill, and others only of those that running jobs leave a part of.
"""

from collections.abc import Sequence

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.loops.deferred import Deferred
from windtunnel.schedulers.slurm.loops.planner import Planner
from windtunnel.schedulers.slurm.loops.prospects import Prospects, Sort
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import without
from windtunnel.schedulers.slurm.select.masks import FreeMasks

__all__ = ["all_tested"]


def all_tested(deferred: Deferred, planner: Planner, prospects: Prospects) -> bool:
    """Whether each of the jobs that are put off is tested for certain."""
    state, masks, sorts = planner.state, prospects.masks, deferred.sorts
    if not (masks.alike and sorts) or state.selector.whole_cores or not all(_plain(sort) for sort in sorts):
        return False
    longest = max([sort.length for sort in sorts])
    until = state.now + longest + planner.map.resolution
    late = {sort.record.sort for sort in sorts if prospects.none_by([sort], until)}
    taken = _most_taken(deferred.jobs, late, masks)
    if taken < 0:
        return False
    taken += _held_in_part(masks, state.selector.by_end)
    free = planner.map.free_from_now(longest)
    for sort in sorts:
        record = sort.record
        if (free & record.mask & planner.base(record)).bit_count() - taken < record.demand.min_nodes:
            return False
    return True


def _plain(sort: Sort) -> bool:
    demand = sort.record.demand
    return demand.cpus_per_task <= 1 and not demand.tasks_per_node


def _most_taken(jobs: Sequence[Record | RunningJob], late: set[int], masks: FreeMasks) -> int:
    """How many whole nodes those take at the most that are not of sorts that begin ``late``; -1: nobody knows."""
    smallest = max(1, min(masks.cluster.cpus, default=1))
    taken = 0
    for one in jobs:
        if isinstance(one, RunningJob):
            continue
        if one.job.het is not None:
            return -1
        if one.sort <= 0 or one.sort not in late:
            demand = one.demand
            taken += max(1, demand.min_nodes, demand.requested_nodes) - (-demand.cpus // smallest)
    return taken


def _held_in_part(masks: FreeMasks, running: list[Holding]) -> int:
    """The nodes of which some running job has only a part: no others are ever free in part."""
    whole = masks.cluster.total_masks
    found = 0
    for held in running:
        for count, _, nodes in masks.parts(held):
            found |= without(nodes, whole[count])
    return found.bit_count()
