"""What happens to a job when it is submitted: it is refused, or checked for validity and never started (§3.1)."""

from typing import Final

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.loops.not_placed import (
    NEVER,
    idle_nodes,
    lack_of_features,
    left_by_reservations,
    liked,
    never_runs,
    no_such_nodes,
)
from windtunnel.schedulers.slurm.loops.queue import (
    TOO_SMALL,
    partition_refusal,
    too_few_nodes,
    too_few_tasks,
    too_many_nodes,
)
from windtunnel.schedulers.slurm.loops.wrong_requests import (
    too_few_gpus,
    too_many_named,
    wrong_gpus,
    wrong_least_time,
)
from windtunnel.schedulers.slurm.nodes.nodesets import union
from windtunnel.schedulers.slurm.state import State

__all__ = ["refusal"]

_OTHER_NODES: Final = "PartitionNodes"
"""A job names nodes that a partition has not."""


def refusal(state: State, job: PendingJob) -> str | None:
    """Why a job is not accepted at all; None: it is (§6.3, §6.4)."""
    if not job.records:
        return "InvalidPartition"
    if not job.constraint.known and job.constraint.text:
        return "InvalidFeature"
    preference, ignored = job.preference, state.site.main.ignore_prefer_validation
    if preference is not None and not (preference.readable if ignored else preference.known):
        return "InvalidPreferredFeature"
    if wrong_gpus(job.ask):
        return "InvalidGres"
    if too_many_named(job.ask):
        return "InvalidNodeCount"
    if all(record.table.partition.require_reservation for record in job.records) and not job.reservation:
        return "ReservationRequired"
    if _wrong_qos(state, job):
        return "InvalidQOS"
    if all(record.table.partition.root_only for record in job.records) and job.user != "root":
        return "RootOnly"
    if any(one.kind == "expand" for one in job.ask.dependencies):
        return "NotSupported (--dependency=expand)"
    if wrong_least_time(job, state.now):
        return "InvalidTimeMin"
    for name, count in job.ask.licences.items():
        if count > state.site.licences.get(name, 0):
            return "InvalidLicense"
    reason = _of_reservations(state, job)
    if reason:
        return reason
    if state.site.enforce_partition_limits in ("ALL", "ANY", "YES"):
        reason = _of_partitions(job, state.site.enforce_partition_limits == "ALL")
        if reason:
            return reason
    if too_few_gpus(job):
        return "InvalidGres"
    for record in job.records:
        tres = state.tracked.submitted(record)
        reason = state.limits.submission(record, tres, state.pending.values(), state.running.values())
        if reason:
            return reason
    return "BadConstraints" if not job.held and _hopeless(state, job) else None


def _of_reservations(state: State, job: PendingJob) -> str | None:
    """Whether any of the reservations that a job asks for does not take it, or is over."""
    for name in job.reservations or filter(None, (job.reservation,)):
        if not state.bookings.allows(job, name):
            return "ReservationAccess"
        if state.bookings.over(name, state.now):
            return "InvalidReservation"
    return None


def _wrong_qos(state: State, job: PendingJob) -> bool:
    """Whether a job's QOS needs a reservation, or, where that is enforced, is none that its association may use."""
    if job.qos is not None and job.qos.has("RequiresReservation") and not job.reservation:
        return True
    if "qos" not in state.site.enforce or job.member is None or job.user == "root":
        return False
    allowed = job.member.qos
    named = job.ask.qos or state.tree.default_qos(job.member)
    return job.qos is None and named != "normal" if allowed is None else named not in allowed


def _of_partitions(job: PendingJob, all_of_them: bool) -> str | None:
    """The Reason for which the partitions of a job do not take it (EnforcePartLimits); None: they do.

    Of partitions that are down nobody looks at sizes first: the longest time counts, and whom the last one takes;
    that it has not the nodes which a job names counts only if no other one has them.
    """
    refused = [_refusal_of(record) for record in job.records]
    if not any(record.table.partition.state == "UP" for record in job.records) and not all_of_them:
        passed = not all(refused) and refused[-1] == _OTHER_NODES
        refused = [one for one in refused[-1:] if one and not passed]
        if refused:
            return refused[0]
    elif all(refused) or (all_of_them and any(refused)):
        return next(one for one in refused if one)
    wrong = [_never_of_its_size(record) for record in job.records]
    if _of_no_size(job) or all(wrong) or (all_of_them and any(wrong)):
        return "PartitionNodeLimit"
    return "PartitionTimeLimit" if all(_too_long(record) for record in job.records) else None


def _refusal_of(record: Record) -> str | None:
    """Why a partition takes no such job when it is submitted; what depends on nodes and times if it is up."""
    part = record.table.partition
    refusal = TOO_SMALL if too_few_tasks(record) else partition_refusal(record)
    if record.job.named & ~record.table.mask:
        return _OTHER_NODES
    if part.state != "UP":
        if refusal is not None and refusal.startswith("Job's"):
            return refusal
        return "MaxMemPerLimit" if record.demand.too_much_memory else None
    low, high = _asked_nodes(record)
    if low and ((low < part.min_nodes and not record.demand.lifts_least) or low > record.table.size):
        return "PartitionNodeLimit"
    if part.max_nodes is not None and high > part.max_nodes and not record.demand.lifts_most:
        return "PartitionNodeLimit"
    return None if refusal == "PartitionNodeLimit" and not too_few_nodes(record) else refusal


def _of_no_size(job: PendingJob) -> bool:
    """Whether a job asks for more nodes than any of its partitions allows."""
    low, _ = _asked_nodes(job.records[0])
    mosts = [record.table.partition.max_nodes for record in job.records]
    known = [one for one in mosts if one is not None]
    return len(known) == len(mosts) and low > max(known) and not job.records[0].demand.lifts_most


def _never_of_its_size(record: Record) -> bool:
    """Whether the most nodes that a job asks for are too few for a partition, or the least too many."""
    (low, high), part, demand = _asked_nodes(record), record.table.partition, record.demand
    if 0 < high < part.min_nodes and not demand.lifts_least:
        return True
    return part.max_nodes is not None and low > part.max_nodes and not demand.lifts_most


def _asked_nodes(record: Record) -> tuple[int, int]:
    """The least and the most nodes that a job asks for itself; 0: it says nothing of them."""
    ask = record.job.ask
    low = ask.min_nodes or 0
    return (low if ask.tasks is None else min(low, ask.tasks)), record.demand.own_most


def _hopeless(state: State, job: PendingJob) -> bool:
    """Whether a job could never run: in its partition, or in the last of those that it names, and in none before.

    What a partition takes no such job for keeps it waiting; of several only accounts, QOS and sizes do.
    """
    if not state.bookings.open_to(job, state.now):
        return False  # nobody looks for its nodes before its reservation has begun
    several, found, before = len(job.records) > 1, False, None
    for record in job.records:
        up, refused = record.table.partition.state == "UP", partition_refusal(record)
        raised = record.demand if up and refused is None else before
        elsewhere = not several and _elsewhere(state, record, up, refused)
        if (several or not _waits_at_once(up, refused)) and _short_everywhere(state, record, raised):
            elsewhere = True
        if state.limits.before(record) or (state.limits.bound(record) and not elsewhere):
            return False
        if several and not up:
            return False
        if not elsewhere and _named_are_away(state, record):
            return False
        if elsewhere:
            found = True
        elif _of_wrong_size(record, several or not up) or _waits_all_the_same(refused, up and not several):
            found = False
        elif _impossible(state, record, raised):
            found = True
        else:
            return False
        before = raised
    return found


def _named_are_away(state: State, record: Record) -> bool:
    """Whether nodes that a job names are not there, or kept for others: then nobody asks whether they suffice."""
    named = record.job.named
    if not named or named & ~liked(record).mask:
        return False
    if record.job.reservation:
        return bool(named & ~state.up)
    return bool(named & ~(state.up & ~state.bookings.kept_from(record.job, state.now, state.now + record.limit * 60)))


def _short_everywhere(state: State, record: Record, raised: Demand | None) -> bool:
    """Whether a job needs more CPUs or memory of a node than any of a partition has: sizes are looked at later."""
    same = raised is record.demand or not (record.demand.raised or (raised is not None and raised.raised))
    return no_such_nodes(state, record if same else _as_raised(state, record, raised))


def _waits_at_once(up: bool, refused: str | None) -> bool:
    """Whether a partition does not take a job, so that nobody looks at nodes; if down, only for account or QOS."""
    return refused is not None and (up or refused.startswith("Job's"))


def _waits_all_the_same(refused: str | None, alone: bool) -> bool:
    """Whether a partition does not take a job, so that it waits whatever nodes there are."""
    return refused is not None and (refused.startswith("Job's") or alone)


def _elsewhere(state: State, record: Record, up: bool, refused: str | None) -> bool:
    """Whether no node of a partition has a job's features, or it wants others: then nobody looks at its size."""
    if not up and record.job.named & ~record.table.mask:
        return True
    tested = record if state.site.main.ignore_prefer_validation else liked(record)
    if record.job.named & record.table.mask & ~tested.mask and not tested.counts:
        return True  # what it names is not of its features
    own = _kept_to(state, record.job)
    left = -1 if own is None else own & (left_by_reservations(state, record)[0] or -1)  # if others leave any of it
    waits = _waits_at_once(up, refused) or tested.counts
    return not (waits or union(tested.constraint.alternatives) & left & record.table.mask)


def _of_wrong_size(record: Record, at_most: bool) -> bool:
    """Whether a job has too many or too few nodes for its partition.

    ``at_most``: whatever it takes of the range that it asks for (get_node_cnts), as for one of several partitions,
    and for one that is down.
    """
    wrong = _never_of_its_size(record) if at_most else too_few_nodes(record) or too_many_nodes(record)
    return wrong or too_few_tasks(record)


def _too_long(record: Record) -> bool:
    """Whether a job has more time than its partition gives; with ``--time-min`` that is what counts."""
    most, least = record.table.partition.max_time, record.job.time_min
    asked = record.limit if least is None else least
    return most is not None and asked > most and not record.job.lifts_time


def _impossible(state: State, record: Record, raised: Demand | None) -> bool:
    """Whether a job fits its partition not even when it is empty.

    ``raised``: the request as MaxMemPerCPU makes it. Nobody looks at that of a partition which is down, or does not
    take the job: then the request is what the one before has made of it, or (None) as it was asked.
    """
    demand, own = record.demand, _kept_to(state, record.job)
    if own is None and (raised is demand or not (demand.raised or (raised is not None and raised.raised))):
        return _never_placed(state, record)
    tested = _as_raised(state, record, raised)
    if own is not None:
        tested.narrow = True
        tested.mask &= own & left_by_reservations(state, record)[0] or own  # if others leave any of it
    return _never_placed(state, tested)


def _as_raised(state: State, record: Record, raised: Demand | None) -> Record:
    """A job in a partition, with the CPUs and memory of another one, or (None) with what it asks for itself."""
    demand = record.demand
    tested = record.part(state.site, demand.min_nodes, demand.requested_nodes, demand.max_nodes)
    tested.counts, tested.liking = record.counts, record.liking
    if raised is None:
        tested.demand.as_asked()
    elif raised is not demand:
        tested.demand.take_over(raised)
    return tested


def _kept_to(state: State, job: PendingJob) -> int | None:
    """The nodes of the reservation that a job is in; None: it keeps to none, or of several to one or another."""
    own = state.bookings.own(job, state.now) if job.reservation and len(job.reservations) < 2 else None
    return None if own is None or own.start > state.now or state.bookings.flexible(own.name) else own.mask


def _never_placed(state: State, record: Record) -> bool:
    """Whether nodes could never suffice; where those for one feature are busy nobody looks at the next (§5.1)."""
    tested = record if state.site.main.ignore_prefer_validation else liked(record)
    preferred, own = state.preferred(tested), state.flexible_nodes(tested)
    state.selector.fit.weights.look_at(tested.mask, preferred, own)  # afresh (§5.7)
    idle = idle_nodes(state, tested)
    if tested.counts and not record.job.reservation:  # nodes of features are looked for where nobody has reserved any
        idle &= ~state.bookings.kept_from(record.job, state.now, state.now + record.limit * 60)
    lack = lack_of_features(state, tested, idle, state.selector.empty, tested.mask & state.up)
    return lack == NEVER if lack else never_runs(state, record)
