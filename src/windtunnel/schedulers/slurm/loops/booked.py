"""What reservations leave to a job that backfill plans: nodes, and from when on (§8)."""

from typing import Final

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.state import State

__all__ = ["bookings_for"]

_MOST_MOVES: Final = 11


def bookings_for(state: State, record: Record, start: int, minutes: int) -> tuple[int, int, tuple[int, int] | None]:
    """Nodes kept for reservations of others, when the next of these ends, and from when on which nodes."""
    job = record.job
    nodes = state.cluster.all
    if not state.bookings:
        return 0, 0, (start, nodes)
    if job.reservation and state.bookings.flexible(job.reservation):
        pass  # neither its nodes nor its time bind the job
    elif job.reservation:
        own = state.bookings.own(job, max(start, state.now) - 1)  # at its very end, too
        if own is None or own.start > start:
            return 0, 0, None  # it waits for its reservation without a plan
        nodes = own.mask
    elif job.licences and not state.has_licences(job.licences):
        return 0, 0, None  # where there are reservations at all nobody waits for licences with a plan
    else:
        found = _after_others(state, record, start, minutes)
        if found is None:
            return 0, 0, None
        start = found
    end = start + minutes * 60
    kept = state.bookings.kept_from(job, start, end)
    until = state.bookings.next_end(job, start, end, record.table.mask, state.site.backfill.bf_resolution)
    return kept, until, (start, nodes)


def _after_others(state: State, record: Record, start: int, minutes: int) -> int | None:
    """A start in a reservation of the whole partition, or of named nodes wanted whole, is its end instead (§8)."""
    named = record.job.named if record.demand.exclusive or state.selector.linear else 0
    for _ in range(_MOST_MOVES):
        one = state.bookings.in_the_way(named, start, start + minutes * 60, record.table)
        if one is None:
            return start
        start = one.end
    return None
