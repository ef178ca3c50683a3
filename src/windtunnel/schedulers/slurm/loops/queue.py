"""The job queue: who is in it, and in which order (§2)."""

from typing import Final

from windtunnel.schedulers.slurm.jobs.asked_tasks import nodes_of_gpus
from windtunnel.schedulers.slurm.jobs.dependencies import Verdict
from windtunnel.schedulers.slurm.jobs.kept_order import only_queues
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.loops.order import (
    in_order_of_preemption,
    put_in_order,
    put_whole_jobs_in_order,
    rank_whole_jobs,
)
from windtunnel.schedulers.slurm.state import State

__all__ = [
    "HELD",
    "TOO_SMALL",
    "job_queue",
    "partition_refusal",
    "refresh",
    "refusal_in_backfill",
    "too_few_nodes",
    "too_few_tasks",
    "too_many_nodes",
]

HELD: Final = ("JobHeldUser", "JobHeldAdmin")
TOO_SMALL: Final = "PartitionConfig"
_DENIED: Final = "Job's "
"""How the Reason begins that a partition takes nobody of a job's account or QOS."""
_OF_QOS: Final = "Job's QOS"
_OF_ACCOUNT: Final = "Job's account"
"""How the Reason of jobs begins whose account a partition does not take."""
_FORGOTTEN: Final = (
    *("PartitionDown", "PartitionInactive", "PartitionNodeLimit", "PartitionTimeLimit"),
    "QOSUsageThreshold",
)
"""Reasons that go when a partition takes a job; others that a partition gave stay until something else is said."""


def job_queue(state: State, backfill: bool = False) -> list[Record]:
    """The records that may be tried now, best first; the others get their Reason.

    In ``backfill``, a job's least time has to be within its partition's limit, not all of it.

    sched/builtin that walks the list of jobs itself says nothing of the partitions of those that name several.
    What a partition refuses for its account is among them, and found out when it would start.
    """
    kept = _kept_order(state)
    if kept is not None:
        return kept
    found: list[Record] = []
    closed, fifo, now = state.closed_partitions, state.site.fifo, state.now
    magnetic = bool(state.bookings.magnetic)
    enforced = state.site.enforce_partition_limits != "NO"
    submitted = number = tier = 0
    plain = ordinary = True
    if state.accrual.limited:
        state.accrual.hand_out(state.pending.values(), now)
    for job in list(state.pending.values()):
        if not only_queues(job, now) and not refresh(state, job):
            ordinary = False
            continue
        if job.reservation or job.submitted < submitted or (job.submitted == submitted and job.number < number):
            plain = False
        submitted, number = job.submitted, job.number
        ordinary = ordinary and len(job.records) == 1 and job.threshold is None
        for record in job.records:
            if closed and record.table.name in closed:
                partition = record.table.partition
                job.reason = "PartitionInactive" if partition.state == "INACTIVE" else "PartitionDown"
                continue
            refusal = record.refusal
            if refusal == "":
                refusal = record.refusal = refusal_while_waiting(record)
            ordinary = ordinary and refusal is None
            if backfill and refusal is not None and job.time_min is not None:
                refusal = refusal_in_backfill(record)
            if refusal and (fifo or enforced or not refusal.startswith(_OF_ACCOUNT)):
                if not _told(job, refusal) and (not fifo or len(job.records) == 1):
                    job.reason = TOO_SMALL if enforced and refusal.startswith("Job's") else refusal
                continue
            if job.threshold is not None and _below_threshold(state, job):
                continue
            forgotten = job.reason in _FORGOTTEN
            if forgotten and (not fifo or len(job.records) == 1):
                job.reason = "None"  # the last of its partitions has the last word
            if not found:
                tier = record.table.tier
            elif record.table.tier != tier:
                plain = False
            found += _in_each(state, record) if job.reservations else [record]
            if magnetic:
                plain = False
                attracting = state.bookings.attracting(job, now)
                found += [record.within(name, state.site) for name in attracting]
    whole = state.site.backfill.bf_hetjob_prio if any(record.job.het is not None for record in found) else ""
    if whole and backfill:
        rank_whole_jobs(found, whole)
    if state.site.preempt.type:
        state.order.forget()
        return in_order_of_preemption(state, found, apart=not backfill)
    if fifo:
        found.sort(key=lambda record: record.job.order)  # whatever their priorities are
    else:
        put_in_order(found, plain)
    if plain and ordinary and not (closed or fifo):
        state.order.keep(found)
    else:
        state.order.forget()
    return put_whole_jobs_in_order(found) if whole else found


def _told(job: PendingJob, refusal: str) -> bool:
    """Whether the Reason stays that an account or QOS is denied: by another partition, or one that is too small."""
    if len(job.records) == 1:
        return refusal == TOO_SMALL and job.reason.startswith(_DENIED)
    return job.reason.startswith(_OF_QOS) and not refusal.startswith(_OF_QOS)


def _below_threshold(state: State, job: PendingJob) -> bool:
    """Whether an account has used more than the QOS of a job lets it (EnforceUsageThreshold; §6.1)."""
    if job.threshold is None or job.member is None:
        return False
    share = state.ledger.fair_share(job.member)
    # What fair share adds to the priority is compared, and the factor itself only where it adds nothing.
    if (share * state.site.priority.weight_fair_share or share) >= job.threshold:
        return False
    job.reason = "QOSUsageThreshold"
    return True


def _kept_order(state: State) -> list[Record] | None:
    """The queue as it was put in order before, with the jobs that have come since; None: not all is as it was."""
    now, order = state.now, state.order
    kept = order.waiting(state.pending, now)
    if kept is None or state.bookings.magnetic:
        return None
    found, fresh = kept
    tier = found[0].table.tier if found else 0
    for job in fresh:
        record = job.records[0]
        ordinary = len(job.records) == 1 and job.threshold is None and only_queues(job, now)
        if not ordinary or not found or record.table.tier != tier:
            return None
        if record.refusal == "":
            record.refusal = partition_refusal(record)
        if record.refusal is not None:
            return None
        order.insert(record)
    return found


def refresh(state: State, job: PendingJob) -> bool:
    """Whether a job may be looked at; if not, its Reason says why (§2.1)."""
    if job.held:
        if job.reason not in HELD and not job.reason.startswith(_DENIED):
            job.reason = "JobHeldUser"
        return False
    if job.dependent and not _independent(state, job):
        return False
    if job.begin > state.now:
        job.reason = "BeginTime"
        return False
    if not job.startable_tasks:
        job.reason = "JobArrayTaskLimit"
        return False
    if job.reservation and not _reservation_open(state, job):
        return False
    if job.reason in ("BeginTime", "Dependency"):
        job.reason = "None"
    if job.eligible is None:
        job.eligible = state.now
    if job.accrued_from is None and not state.accrual.limited:
        job.accrued_from = state.now
    return True


def _in_each(state: State, record: Record) -> list[Record]:
    """A job that asks for several reservations, in each of them that is not over, the first to begin first."""
    job, found, known = record.job, [], state.bookings.reservations
    for name in sorted(job.reservations, key=lambda name: known[name].start if name in known else 0):
        job.reservation = name
        if state.bookings.allows(job) and not state.bookings.over(name, state.now):
            found.append(record.within(name, state.site))
    return found


def _reservation_open(state: State, job: PendingJob) -> bool:
    """Whether a job may look for nodes of its reservation; when that has ended for good it is held, or free of it.

    Of several those that have ended are left out as long as there are others.
    """
    bookings = state.bookings
    left = [name for name in job.reservations if not bookings.over(name, state.now)]
    if left:
        return True  # whether any has begun is seen when it is its turn
    if bookings.over(job.reservation, state.now):
        if not bookings.frees_jobs(job.reservation):
            job.reason = "ReservationDeleted"
            return False
        job.reservation = ""
        return True
    if bookings.open_to(job, state.now):
        return True
    job.reason = "Reservation"
    return False


def refusal_in_backfill(record: Record) -> str | None:
    """Why a partition takes no such job, were its least time all that it asks for (§4.3)."""
    refusal, least, most = refusal_while_waiting(record), record.job.time_min, record.table.partition.max_time
    if refusal == "PartitionTimeLimit" and least is not None and most is not None and least <= most:
        return "MaxMemPerLimit" if record.demand.too_much_memory else None
    return refusal


def _independent(state: State, job: PendingJob) -> bool:
    verdict = state.dependencies.verdict(job, state.now, state.pending.values())
    if verdict is Verdict.MET:
        return True
    job.reason = "Dependency" if verdict is Verdict.OPEN else "DependencyNeverSatisfied"
    return False


def too_many_nodes(record: Record) -> bool:
    """Whether a job asks for more nodes than its partition allows; of a range the upper end counts."""
    most, demand = record.table.partition.max_nodes, record.demand
    return most is not None and not demand.lifts_most and max(demand.least_asked, demand.most_looked_for) > most


def too_few_nodes(record: Record) -> bool:
    """Whether a job has fewer nodes than its partition wants.

    As far as it leaves that open, it has the least that any of its partitions wants.
    """
    ask, least = record.job.ask, min([one.table.partition.min_nodes for one in record.job.records])
    most = record.demand.own_most or least  # of a range no more than it has tasks
    lowest = max(ask.min_nodes or nodes_of_gpus(ask) or 1, min(least, most))
    return lowest < record.table.partition.min_nodes and not record.demand.lifts_least


def too_few_tasks(record: Record) -> bool:
    """Whether a job that is spread, over no more nodes than it has tasks, has fewer than its partition wants.

    Slurm finds that out when it looks for nodes: nothing fails with such a job.
    """
    demand = record.demand
    spread = record.job.ask.spread and not demand.most_asked
    return spread and 0 < demand.most_looked_for < record.table.partition.min_nodes


def partition_refusal(record: Record) -> str | None:
    """Why a partition takes no such job: accounts, QOS, sizes and times (§6.3)."""
    return _refusal_of_qos(record) or _refusal_of_account(record) or _refusal_of_size(record)


def _refusal_of_account(record: Record) -> str | None:
    part, account = record.table.partition, record.job.account  # those above it do not count
    if part.allow_accounts is not None and account and account not in part.allow_accounts:
        listed = ",".join(part.allow_accounts)
        return f"Job's account not permitted to use this partition ({part.name} allows {listed} not {account})"
    if part.allow_accounts is None and account in part.deny_accounts:
        listed = ",".join(part.deny_accounts)
        return f"Job's account not permitted to use this partition ({part.name} denies {listed} including {account})"
    return None


def _refusal_of_qos(record: Record) -> str | None:
    """What is said of one whose account is not permitted either."""
    part, qos = record.table.partition, record.job.qos.name if record.job.qos is not None else ""
    if part.allow_qos is not None and qos and qos not in part.allow_qos:
        listed = ",".join(part.allow_qos)
        return f"Job's QOS not permitted to use this partition ({part.name} allows {listed} not {qos})"
    if part.allow_qos is None and qos and qos in part.deny_qos:
        listed = ",".join(part.deny_qos)
        return f"Job's QOS not permitted to use this partition ({part.name} denies {listed} including {qos})"
    return None


def refusal_while_waiting(record: Record) -> str | None:
    """The same of a job that waits: sizes and times are looked at first (job_limits_check)."""
    refusal = partition_refusal(record)
    if refusal is not None and refusal.startswith("Job's"):
        return _refusal_of_size(record) or refusal
    return refusal


def _refusal_of_size(record: Record) -> str | None:
    job, demand, part = record.job, record.demand, record.table.partition
    if demand.asked_cpus > record.table.cpus:
        return TOO_SMALL
    if demand.least_asked > record.table.size or too_many_nodes(record) or too_few_nodes(record):
        return "PartitionNodeLimit"
    if part.max_time is not None and record.limit > part.max_time and not job.lifts_time:
        return "PartitionTimeLimit"
    return "MaxMemPerLimit" if demand.too_much_memory and job.threshold is None else None
