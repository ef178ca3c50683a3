"""The Reason that a job has from its submission on, before any loop has looked at it (§3.1)."""

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.loops.not_placed import (
    BUSY,
    idle_nodes,
    kept_by_others,
    lack_of_features,
    left_by_reservations,
    liked,
    never_runs,
    nodes_busy,
    not_available,
)
from windtunnel.schedulers.slurm.loops.queue import (
    TOO_SMALL,
    partition_refusal,
    refusal_while_waiting,
    too_few_tasks,
)
from windtunnel.schedulers.slurm.loops.sharing import settle_sharing
from windtunnel.schedulers.slurm.nodes.nodesets import union
from windtunnel.schedulers.slurm.preemption.victims import candidates
from windtunnel.schedulers.slurm.state import State

__all__ = ["first_reason"]


def first_reason(state: State, job: PendingJob) -> str:
    """The Reason a job has before any loop has looked at it: of the first partition that could ever run it.

    Where its only partition takes nobody of its account or QOS it says so from the first; if that is up, only of
    jobs of its sizes and times.
    """
    only = job.records[0] if len(job.records) == 1 else None
    down = only is not None and only.table.name in state.closed_partitions
    denied = None if only is None else partition_refusal(only) if down else refusal_while_waiting(only)
    if denied is not None and denied.startswith("Job's"):
        return denied
    for record in job.records:
        reason = _tested(state, record)
        if reason is not None:
            return reason
    return TOO_SMALL if any(too_few_tasks(record) for record in job.records) else "None"


def _tested(state: State, record: Record) -> str | None:
    """Whether it could run if nodes were empty; jobs that want whole nodes are tested on idle ones.

    None: that partition never runs it, or takes no such job.
    """
    job = record.job
    if refused := state.limits.before(record):
        return refused
    if partition_refusal(record) or too_few_tasks(record):
        return None
    refused = state.limits.bound(record) if state.bookings.open_to(job, state.now) else "Reservation"
    if refused:
        return refused
    settle_sharing(state, record)
    record = liked(record)
    preferred, own = state.preferred(record), state.flexible_nodes(record)
    state.selector.fit.weights.look_at(record.mask, preferred, own)  # afresh (§5.7)
    usable, kept = left_by_reservations(state, record)
    among = record.mask & state.up & usable
    if state.bookings and not job.reservation:
        among &= ~state.bookings.kept_from(job, state.now, state.now + record.limit * 60)
    if job.named & record.mask & ~among:
        return not_available(state, record, state.up)  # nobody looks for others
    lack = lack_of_features(state, record, among & idle_nodes(state, record), state.selector.empty, among)
    if lack == BUSY:
        return "Resources"
    if not state.selector.ever(record, among):
        if never_runs(state, record, usable):
            return kept_by_others(usable) if kept else None
        return "Resources" if nodes_busy(state, record, among, state.up) else not_available(state, record, state.up)
    if state.selector.beyond_most(record, among):
        return not_available(state, record, state.up)
    if job.reservation or _is_sized(state, record):
        placed = state.selector.choose(record, among, state.selector.empty)
        job.last_nodes = placed.nodes.bit_count() if placed is not None else 0
        if _is_sized(state, record):
            job.last_cpus = placed.total if placed is not None else 0
    free = among & idle_nodes(state, record) & ~state.of_others(record)
    if among != free and not state.selector.ever(record, free):
        room = union(one.holding.nodes for one in candidates(state, record)) if state.site.preempt.type else 0
        if not room & among or not state.selector.ever(record, free | room & among):
            return "Resources"
    return "None"


def _is_sized(state: State, record: Record) -> bool:
    """Whether a job has the size of a placement on empty nodes from the next round of the decay thread on.

    That of select/linear is known at once; sched/builtin soon foresees starts, and does nothing else.
    """
    if state.selector.linear:
        return state.ranking.by_size or state.limits.active
    return state.ranking.by_size and state.site.main.builtin and record.demand.exclusive
