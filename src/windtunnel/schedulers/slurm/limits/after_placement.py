"""What limits refuse of a placement (§6.1)."""

from collections.abc import Mapping
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Limits, Qos
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.limits.tallies import (
    Tallies,
    Tally,
    fresh,
    inherited_tres,
    limit_counted,
    limit_factor,
    raised,
)
from windtunnel.schedulers.slurm.limits.words import (
    least,
    most_held,
    most_minutes,
    per_account,
    per_job,
    per_node,
    per_user,
)
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.shares.tree import Member

__all__ = ["refusal_after"]

_NONE: Final[Mapping[str, float]] = {}


@mypyc_attr(allow_interpreted_subclasses=True)
class _Request:
    """What a job would have, for how long, and which limits a QOS has set for all that are asked later."""

    __slots__ = ("hidden", "minutes", "placed", "tres", "uncharged")

    def __init__(self, record: Record, placed: Picked, tres: Mapping[str, float]) -> None:
        self.placed = placed
        self.tres = tres
        self.minutes = limit_counted(record)
        qos = record.job.qos
        self.uncharged = qos is not None and qos.usage_factor == 0
        """Whether its QOS charges nothing: then nothing is taken for used either."""
        self.hidden: set[tuple[str, str]] = set()

    def minutes_of(self, tres: str) -> float:
        """TRES-minutes of its whole limit."""
        return self.tres.get(tres, 0) * self.minutes

    def on_node(self, tres: str) -> float:
        """Of each of its nodes."""
        return self.tres.get(tres, 0) // (self.tres.get("node") or 1)

    def exceeds(self, tally: Tally, tres: str, most: float) -> bool:
        """Whether more would be held than may be; nodes already used are free of charge."""
        asked = self.tres.get(tres, 0)
        if tres == "node":
            asked -= sum(1 for node in bits(self.placed.nodes) if node in tally.nodes)
        return asked > most or (asked > 0 and asked + tally.used(tres) > most)


def refusal_after(book: Tallies, record: Record, placed: Picked, tres: Mapping[str, float]) -> str | None:
    """The Reason for which a job may not have that placement (§6.1)."""
    request = _Request(record, placed, tres)
    listed = book.qos_of(record)
    record.job.blocking_qos = ""
    for qos in listed:
        reason = _qos_after(book, record, qos, request)
        if reason:
            record.job.blocking_qos = qos.name
            return reason
    member = record.job.member
    if member is None or book.bare(member):
        return None
    more = limit_factor(listed)
    for one in member.path():
        group, used = book.tally("association", one.number), one.tres_usage
        reason = _group(book, "Assoc", group, one.limits, request, used, set(request.hidden), more)
        if reason is None and one is member:
            reason = _own_after(member, request, more)
        if reason:
            return reason
    return None


def _qos_after(book: Tallies, record: Record, qos: Qos, request: _Request) -> str | None:
    job, limits, hidden = record.job, qos.limits, request.hidden
    used = book.ledger.qos_tres.get(qos.name, _NONE)
    reason = _group(book, "QOS", book.tally("qos", qos.name), limits, request, used, hidden)
    if reason:
        return reason
    for name, most in fresh(limits.max_tres_mins_per_job, "mins_job", hidden):
        if request.minutes_of(name) > most:
            return per_job("QOS", name, minutes=True)
    for name, most in fresh(limits.max_tres_per_job, "per_job", hidden):
        if request.tres.get(name, 0) > most:
            return per_job("QOS", name)
    for name, most in fresh(limits.max_tres_per_node, "per_node", hidden):
        if request.on_node(name) > most:
            return per_node("QOS", name)
    for name, few in fresh(limits.min_tres_per_job, "least", hidden):
        if request.tres.get(name, 0) < few:
            return least(name)
    for name, most in fresh(limits.max_tres_per_account, "per_account", hidden):
        if request.exceeds(book.tally("account", qos.name, job.account), name, most):
            return per_account(name)
    for name, most in fresh(limits.max_tres_per_user, "per_user", hidden):
        if request.exceeds(book.tally("user", qos.name, job.user), name, most):
            return per_user(name)
    return None


def _own_after(member: Member, request: _Request, more: float | None) -> str | None:
    """Limits of the user's own record, values inherited; ``more``: the LimitFactor that counts."""
    hidden = request.hidden
    for name, most in inherited_tres(member, "max_tres_mins_per_job"):
        if ("mins_job", name) not in hidden and request.minutes_of(name) > most:
            return per_job("Assoc", name, minutes=True)
    for name, most in inherited_tres(member, "max_tres_per_job"):
        if ("per_job", name) not in hidden and request.tres.get(name, 0) > raised(most, more):
            return per_job("Assoc", name)
    for name, most in inherited_tres(member, "max_tres_per_node"):
        if ("per_node", name) not in hidden and request.on_node(name) > most:
            return per_node("Assoc", name)
    return None


def _group(
    book: Tallies,
    of: str,
    tally: Tally,
    limits: Limits,
    request: _Request,
    used: Mapping[str, float],
    hidden: set[tuple[str, str]],
    more: float | None = None,
) -> str | None:
    """GrpTRESMins, GrpTRES (by a LimitFactor ``more``) and GrpTRESRunMins, in that order; minutes are whole ones."""
    running = _NONE if request.uncharged else tally.run_seconds
    for name, most in fresh(limits.grp_tres_mins, "grp_mins", hidden):
        asked, spent = request.minutes_of(name), 0.0 if request.uncharged else used.get(name, 0.0) // 60
        if asked and spent >= most:
            return most_minutes(of, name)
        if book.safe and asked and (asked > most or spent + running.get(name, 0.0) // 60 + asked > most):
            return most_minutes(of, name)
    for name, most in fresh(limits.grp_tres, "grp", hidden):
        if request.exceeds(tally, name, raised(most, more)):
            return most_held(of, name)
    for name, most in fresh(limits.grp_tres_run_mins, "grp_run", hidden):
        asked = request.minutes_of(name)
        if asked and running.get(name, 0.0) // 60 + asked > most:
            return most_minutes(of, name, "Run")
    return None
