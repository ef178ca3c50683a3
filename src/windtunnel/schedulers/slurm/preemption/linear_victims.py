"""Whom select/linear picks to make room: it puts the candidates in order once, whatever is said of that (§9)."""

from collections.abc import Container, Sequence
from typing import Final

from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.nodes.nodesets import mask_of
from windtunnel.schedulers.slurm.select.linear import jobs_beside, linear_usable
from windtunnel.schedulers.slurm.state import State

__all__ = ["linear_victims"]

_FIRST: Final = 9999


def linear_victims(
    state: State, record: Record, among: int, listed: Sequence[RunningJob], suspended: Container[str] = ()
) -> tuple[list[RunningJob], Picked] | None:
    """Those of the candidates that have the nodes of a placement which their end makes possible; and it.

    Those that are only ``suspended`` keep their memory. After a first pass the one that made it possible goes first,
    then those before it by the nodes that they leave.
    """
    order = list(listed)
    usable: dict[str, int] = {}
    placed = _remove_one_by_one(state, record, among, order, usable, suspended)
    if placed is not None and len(order) > 1:
        last = next(reversed(usable))
        usable[last] = _FIRST
        order.sort(key=lambda job: -usable.get(job.id, 0))
        placed = _remove_one_by_one(state, record, among, order, usable, suspended)
    if placed is None:
        return None
    return [job for job in order if job.holding.nodes & placed.nodes and usable.get(job.id)], placed


def _remove_one_by_one(
    state: State,
    record: Record,
    among: int,
    order: Sequence[RunningJob],
    usable: dict[str, int],
    suspended: Container[str],
) -> Picked | None:
    """The first placement with some candidates gone; and of each of these how many nodes the job could have then."""
    future = state.held.copy()
    beside = jobs_beside(record)
    for job in order:
        future.remove(job.holding)
        if job.id in suspended:
            future.keep(job.holding)
        nodes = linear_usable(state.cluster, record, among, future, state.site.select.memory, beside)
        usable[job.id] = (mask_of(nodes) & job.holding.nodes).bit_count()
        placed = state.selector.choose(record, among, future)
        if placed is not None:
            return placed
    return None
