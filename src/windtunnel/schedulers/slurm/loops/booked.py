"""What reservations leave to a job that backfill plans: nodes, and from when on (§8)."""

from typing import Final

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.state import State

__all__ = ["bookings_for"]

_MOST_MOVES: Final = 10


def bookings_for(state: State, record: Record, start: int, minutes: int) -> tuple[int, int, tuple[int, int] | None]:
    """Nodes kept for reservations of others, when the next of these ends, and from when on which nodes."""
    job = record.job
    nodes = state.cluster.all
    if not state.bookings:
        return 0, 0, (start, nodes)
    if job.reservation and state.bookings.flexible(job.reservation):
        pass  # neither its nodes nor its time bind the job
    elif job.reservation:
        own = state.bookings.own(job, max(start, state.now))
        if own is None:
            return 0, 0, None
        if own.start > state.now:
            return 0, 0, None  # it waits for its reservation without a plan
        nodes = own.mask
        if start + minutes * 60 > own.end:
            return 0, 0, None
    else:
        start = _after_maintenance(state, record, start, minutes)
    end = start + minutes * 60
    kept = state.bookings.kept_from(job, start, end)
    until = state.bookings.next_end(job, start, end, record.table.mask, state.site.backfill.bf_resolution)
    return kept, until, (start, nodes)


def _after_maintenance(state: State, record: Record, start: int, minutes: int) -> int:
    """A start that would run into a reservation of the whole partition is its end instead (§8)."""
    for _ in range(_MOST_MOVES):
        one = state.bookings.covering(start, start + minutes * 60, record.table.mask)
        if one is None:
            break
        start = one.end
    return start
