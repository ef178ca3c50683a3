"""Preemption: who makes room for whom (§9)."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.nodes.nodesets import union, without
from windtunnel.schedulers.slurm.nodes.resting import running_ones
from windtunnel.schedulers.slurm.preemption.linear_victims import linear_victims
from windtunnel.schedulers.slurm.state import State

__all__ = [
    "Room",
    "candidates",
    "grace_of",
    "make_room",
    "may_preempt",
    "may_take_turns",
    "mode_of",
    "over_others",
    "passed_over",
    "preemptable",
    "suspended_for",
    "takes_another_row",
]

_LAST: Final = 99999
_MOST: Final = 65535
"""Higher priorities of QOS, and more nodes, count as this when victims are put in order."""


def may_preempt(state: State, record: Record, other: PendingJob, its: Record) -> bool:
    """Whether jobs like one may preempt jobs like the other: by QOS, or by the tiers of partitions.

    Jobs of one QOS preempt each other only by priority, and where ``PreemptMode`` says ``WITHIN``.
    """
    kind = state.site.preempt.type
    if kind == "qos":
        mine = record.job.qos
        theirs = other.qos
        if mine is None or theirs is None:
            return False
        if mine.name == theirs.name:
            within = "WITHIN" in (mine.preempt_mode or ()) or "WITHIN" in state.site.preempt.mode
            return within and record.priority > its.priority
        return theirs.name in mine.preempt
    if kind == "partition_prio":
        lower = its.table.partition.priority_tier < record.table.partition.priority_tier
        return lower and its.table.partition.preempt_mode != ("OFF",)
    return False


def _modes_of(state: State, job: RunningJob) -> Sequence[str]:
    """PreemptMode of a job: its QOS or partition overrides the cluster."""
    modes: Sequence[str] = state.site.preempt.mode
    if state.site.preempt.type == "qos" and job.pending.qos is not None and job.pending.qos.preempt_mode:
        modes = job.pending.qos.preempt_mode
    own = job.record.table.partition.preempt_mode
    if state.site.preempt.type == "partition_prio" and own:
        modes = own
    return modes


def preemptable(state: State, job: RunningJob) -> bool:
    """Whether a job might ever have to go: then backfill keeps no nodes for it in its map."""
    return bool(state.site.preempt.type) and "OFF" not in _modes_of(state, job)


def mode_of(state: State, job: RunningJob) -> str:
    """What happens to a victim: ``CANCEL``, ``REQUEUE`` or ``SUSPEND``."""
    modes = _modes_of(state, job)
    found = next((one for one in modes if one in ("CANCEL", "REQUEUE", "SUSPEND")), "CANCEL")
    if found == "REQUEUE":
        may = job.pending.ask.requeue
        return "REQUEUE" if (state.site.requeue if may is None else may) else "CANCEL"
    return found


class Room(NamedTuple):
    """What making room for a job comes to."""

    victims: list[RunningJob] | None = None
    """The jobs that go for it; None: it could not start even then, or needs none to go."""
    refusal: str | None = None
    """The Reason of a limit that would keep it back all the same."""
    placed: Picked | None = None
    """Where it starts at once, as its victims are only suspended."""


def make_room(state: State, record: Record, among: int) -> Room:
    """The jobs that go for one now.

    While those that had to go for it may still be ending, no others have to. Nor has anybody to go for a job that
    limits would keep back all the same: they are asked while all are there.
    """
    listed = candidates(state, record)
    if listed and not state.selector.linear:
        if _gives_a_row(state, listed):
            return Room()  # it takes turns with them, or waits
        listed = [one for one in listed if mode_of(state, one) != "SUSPEND"]
    found = None
    if listed and state.selector.linear:
        suspended = frozenset([one.id for one in listed if mode_of(state, one) == "SUSPEND"])
        found = linear_victims(state, record, among, listed, suspended)
    elif listed:
        found = _find_victims(state, record, among, listed)
    if found is None:
        return Room()
    victims, placed = found
    # Where others have to go nobody knows yet which of its nodes a limited group uses already: all of them count.
    taken = Picked(record.job.named, {}) if victims else placed
    refusal = state.limits.before(record) or state.limits.after(record, taken, state.counted(record, placed))
    if refusal:
        return Room(refusal=refusal)
    ending = [one for one in victims if mode_of(state, one) != "SUSPEND"]
    if victims and not ending:
        return Room(victims, placed=placed)
    job, main = record.job, state.site.main
    if job.preempted_at is not None and state.now - job.preempted_at < main.kill_wait + main.message_timeout:
        return Room([])
    job.preempted_at = state.now
    _signal(state, ending)
    return Room(ending)


def over_others(state: State, record: Record, among: int) -> Picked | None:
    """Where a job starts on cores of jobs of lower QOS, with which it takes turns from then on.

    Partitions whose cores several jobs may have keep one row more for jobs that preempt by QOS.
    """
    if not may_take_turns(state, record) or not _gives_a_row(state, candidates(state, record)):
        return None
    state.selector.preempts = True
    placed = state.selector.choose(record, among, state.held)
    state.selector.preempts = False
    return placed


def may_take_turns(state: State, record: Record) -> bool:
    """Whether a job could have that row at all."""
    shares = record.demand.over_subscribe and not state.selector.linear
    return shares and state.cluster.rows_by_qos and "SUSPEND" in state.site.preempt.mode


def takes_another_row(state: State, record: Record, listed: Sequence[RunningJob]) -> bool:
    """Whether a plan has that row: any of the candidates would be suspended, not only come again or be cancelled."""
    if not listed or not may_take_turns(state, record):
        return False
    return any(mode_of(state, one) == "SUSPEND" for one in listed)


def _gives_a_row(state: State, listed: Sequence[RunningJob]) -> bool:
    """Whether the first of the candidates would be suspended by its QOS."""
    return bool(listed) and state.site.preempt.type == "qos" and mode_of(state, listed[0]) == "SUSPEND"


def _signal(state: State, victims: Iterable[RunningJob]) -> None:
    """Victims with a grace are expected to end with it, from the moment they are chosen on; others have ended."""
    for victim in victims:
        grace = grace_of(state, victim)
        if grace:
            state.expect_end(victim.id, state.now + grace)
        else:
            state.leave(victim)


def grace_of(state: State, job: RunningJob) -> int:
    """Seconds between a victim's signal and its end: its QOS's, or its partition's where tiers preempt."""
    if state.site.preempt.type == "partition_prio":
        return job.record.table.partition.grace_time
    return job.pending.qos.grace_time if job.pending.qos is not None else 0


def candidates(state: State, record: Record) -> list[RunningJob]:
    """The running jobs that a job may preempt, the first to go first."""
    if not state.site.preempt.type:
        return []
    found = [job for job in state.running.values() if _is_candidate(state, record, job)]
    found.sort(key=lambda job: job.holding.order)
    if state.site.preempt.youngest_first:
        found.sort(key=lambda job: -job.start)
    else:
        found.sort(key=lambda job: _rank(state, job) * 65536 + min(_MOST, job.holding.nodes.bit_count()))
    return found


def passed_over(state: State, record: Record) -> int:
    """Nodes given whole that nobody would leave for a job: it starts on none, whatever is left in its partition.

    Where jobs are suspended by tiers, whole nodes may be had besides; by QOS those of jobs that are.
    """
    preempt = state.site.preempt
    if not (preempt.type and state.cluster.open) or state.selector.linear:
        return 0
    alone = [one for one in state.running.values() if one.record.demand.starts_alone]
    if alone and {"SUSPEND", "GANG"} & {*preempt.mode}:
        if preempt.type != "qos":
            return 0
        active = running_ones(state.cluster, state.held)
        alone = [one for one in alone if one.id in active]
    whole = union(one.holding.nodes for one in alone)
    return without(whole, union(one.holding.nodes for one in candidates(state, record))) if whole else 0


def suspended_for(state: State, record: Record) -> list[RunningJob]:
    """The running jobs that would be suspended for a job: tests of what will run do without them (§9)."""
    beneath = state.cluster.gives_way.get(record.table.name, ())
    return [job for job in state.running.values() if job.record.table.name in beneath and _goes(state, record, job)]


def _is_candidate(state: State, record: Record, job: RunningJob) -> bool:
    if job.record.table.name in state.cluster.gives_way.get(record.table.name, ()):
        return False  # it is suspended for the job, and no victim
    return _goes(state, record, job)


def _goes(state: State, record: Record, job: RunningJob) -> bool:
    """Whether a running job has to make room for another."""
    if not job.holding.nodes & record.table.mask or not may_preempt(state, record, job.pending, job.record):
        return False
    if job.holding.leaving:
        return False  # it has had to go already
    return job.start + _exempt_time(state, job) <= state.now


def _exempt_time(state: State, job: RunningJob) -> int:
    """The seconds for which a job may not be preempted: of its QOS the first that says so, in the order of limits."""
    for qos in state.limits.qos_of(job.record):
        if qos.preempt_exempt_time is not None:
            return qos.preempt_exempt_time
    return state.site.preempt.exempt_time


def _rank(state: State, job: RunningJob) -> int:
    if state.site.preempt.type == "qos":
        return min(_MOST, job.pending.qos.priority) if job.pending.qos is not None else 0
    return job.record.table.partition.priority_tier


def _find_victims(
    state: State, record: Record, among: int, listed: Sequence[RunningJob]
) -> tuple[list[RunningJob], Picked] | None:
    """Some of the candidates without which a placement becomes possible, those that have its nodes; and it (§9)."""
    order = list(listed)
    passes = 0
    usable = {job.id: 0 for job in order}
    while True:
        future = state.held.copy()
        hit = -1
        placed: Picked | None = None
        for place, job in enumerate(order):
            future.remove(job.holding)
            usable[job.id] = 0
            placed = state.selector.choose(record, among, future)
            if placed is not None:
                hit = place
                break
        if placed is None:
            return None
        stop = passes > state.site.preempt.reorder_count or len(order) <= passes + 1
        passes += 1
        if stop:
            for job in order[hit + 1 :]:
                usable[job.id] = 1
            break
        order = _reordered(order, hit, placed, usable, state.site.preempt.strict_order)
    victims = []
    for job in order:
        if not job.holding.nodes & placed.nodes:
            continue
        if usable[job.id]:
            break
        victims.append(job)
    return victims, placed


def _reordered(
    order: list[RunningJob], hit: int, placed: Picked, usable: dict[str, int], strict: bool
) -> list[RunningJob]:
    """The last one removed goes first, then those before it by their nodes in the selection, then the others."""
    last = order[hit]
    if strict:
        return [last, *order[:hit], *order[hit + 1 :]]
    usable[last.id] = _LAST
    for job in order[:hit]:
        usable[job.id] = (job.holding.nodes & placed.nodes).bit_count()
    for job in order[hit + 1 :]:
        usable[job.id] = 0
    return sorted(order, key=lambda job: -usable[job.id])
