"""What limits refuse of a placement (§6.1)."""

from collections.abc import Mapping
from typing import Final

from windtunnel.model.slurm import Limits, Qos
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.limits.tallies import Tallies, Tally, fresh, inherited_tres, limit_counted
from windtunnel.schedulers.slurm.limits.words import (
    ASSOC_JOB,
    GROUP,
    JOB_MINUTES,
    MINUTES,
    QOS_JOB,
    QOS_USER,
    SHORT,
    named,
)
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.shares.tree import Member

__all__ = ["refusal_after"]

_NONE: Final[Mapping[str, float]] = {}
_ASSOC: Final = "AssocGrp"


def refusal_after(book: Tallies, record: Record, placed: Picked, tres: Mapping[str, float]) -> str | None:
    """The Reason for which a job may not have that placement (§6.1)."""
    hidden: set[tuple[str, str]] = set()
    record.job.blocking_qos = ""
    for qos in book.qos_of(record):
        reason = _qos_after(book, record, qos, placed, tres, hidden)
        if reason:
            record.job.blocking_qos = qos.name
            return reason
    return _member_after(book, record, placed, tres, hidden)


def _qos_after(
    book: Tallies, record: Record, qos: Qos, placed: Picked, tres: Mapping[str, float], hidden: set[tuple[str, str]]
) -> str | None:
    job, limits = record.job, qos.limits
    group = book.tally("qos", qos.name)
    minutes = limit_counted(record)
    used = book.ledger.qos_tres.get(qos.name, _NONE)
    reason = _group(book, "QOSGrp", group, limits, placed, tres, minutes, used, hidden)
    if reason:
        return reason
    for name, most in fresh(limits.max_tres_mins_per_job, "mins_job", hidden):
        if tres.get(name, 0) * minutes > most:
            return f"QOSMax{named(JOB_MINUTES, name, 'GRESMinutesPerJob')}"
    for name, most in fresh(limits.max_tres_per_job, "per_job", hidden):
        if tres.get(name, 0) > most:
            return f"QOSMax{named(QOS_JOB, name, 'GRESPerJob')}"
    for name, most in fresh(limits.max_tres_per_node, "per_node", hidden):
        if tres.get(name, 0) // (tres.get("node") or 1) > most:
            return f"QOSMax{named(SHORT, name)}PerNode"
    for name, least in limits.min_tres_per_job.items():
        if tres.get(name, 0) < least:
            return f"QOSMin{named(SHORT, name)}NotSatisfied" if name == "cpu" else f"QOSMin{named(SHORT, name)}"
    for name, most in fresh(limits.max_tres_per_account, "per_account", hidden):
        if _with(book.tally("account", qos.name, job.account), name, placed, tres) > most:
            return f"Max{named(SHORT, name)}PerAccount"
    for name, most in fresh(limits.max_tres_per_user, "per_user", hidden):
        if _with(book.tally("user", qos.name, job.user), name, placed, tres) > most:
            return f"QOSMax{named(QOS_USER, name, 'GRESPerUser')}"
    return None


def _member_after(
    book: Tallies, record: Record, placed: Picked, tres: Mapping[str, float], hidden: set[tuple[str, str]]
) -> str | None:
    member = record.job.member
    if member is None or book.bare(member):
        return None
    minutes = limit_counted(record)
    more = 1.0 if record.job.qos is None else record.job.qos.limit_factor or 1.0
    for one in member.path():
        group = book.tally("association", one.number)
        used = one.tres_usage
        reason = _group(book, _ASSOC, group, one.limits, placed, tres, minutes, used, set(hidden), more)
        if reason:
            return reason
        if one is member:
            reason = _own_after(member, tres, minutes, hidden, more)
            if reason:
                return reason
    return None


def _own_after(
    member: Member,
    tres: Mapping[str, float],
    minutes: float,
    hidden: set[tuple[str, str]],
    more: float,
) -> str | None:
    """``more``: the LimitFactor of the job's QOS."""
    for name, most in inherited_tres(member, "max_tres_mins_per_job").items():
        if ("mins_job", name) not in hidden and tres.get(name, 0) * minutes > most:
            return f"AssocMax{named(JOB_MINUTES, name, 'GRESMinutesPerJob')}"
    for name, most in inherited_tres(member, "max_tres_per_job").items():
        if ("per_job", name) not in hidden and tres.get(name, 0) > most * more:
            return f"AssocMax{named(ASSOC_JOB, name, 'GRESPerJob')}"
    for name, most in inherited_tres(member, "max_tres_per_node").items():
        if ("per_node", name) not in hidden and tres.get(name, 0) // (tres.get("node") or 1) > most:
            return f"AssocMax{named(SHORT, name)}PerNode"
    return None


def _group(
    book: Tallies,
    word: str,
    tally: Tally,
    limits: Limits,
    placed: Picked,
    tres: Mapping[str, float],
    minutes: float,
    used: Mapping[str, float],
    hidden: set[tuple[str, str]],
    more: float = 1.0,
) -> str | None:
    """GrpTRESMins, GrpTRES (by a LimitFactor ``more``) and GrpTRESRunMins, in that order."""
    for name, most in fresh(limits.grp_tres_mins, "grp_mins", hidden):
        spent = used.get(name, 0.0) / 60
        asked = tres.get(name, 0) * minutes
        alone = asked > most and word == _ASSOC  # nobody compares the request with the limit of a QOS
        running = tally.run_seconds.get(name, 0.0) // 60 if book.safe else 0.0
        if alone or spent >= most or (book.safe and spent + running + asked > most):
            return word + named(MINUTES, name, "GRES{}Minutes").format("")
    for name, most in fresh(limits.grp_tres, "grp", hidden):
        if _with(tally, name, placed, tres) > most * more:
            return word + named(GROUP, name)
    for name, most in fresh(limits.grp_tres_run_mins, "grp_run", hidden):
        if tally.run_seconds.get(name, 0.0) / 60 + tres.get(name, 0) * minutes > most:
            return word + named(MINUTES, name, "GRES{}Minutes").format("Run")
    return None


def _with(tally: Tally, name: str, placed: Picked, tres: Mapping[str, float]) -> float:
    """What would be held with this job; nodes already used are free of charge."""
    if name == "node":
        return len(tally.nodes) + tres.get("node", 0) - sum(1 for node in bits(placed.nodes) if node in tally.nodes)
    return tally.used(name) + tres.get(name, 0)
