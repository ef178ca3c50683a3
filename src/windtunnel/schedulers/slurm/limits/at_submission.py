"""What limits refuse at submission, and the time limit that they give to jobs that ask for none (§6.3).

Too many jobs are always refused. Where a QOS has DenyOnLimit, or a job has no QOS at all, everything is refused that
alone exceeds a limit of the QOS or of the associations.
"""

from collections.abc import Iterable, Mapping

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Limits, Qos
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.limits.submitted import Submitted
from windtunnel.schedulers.slurm.limits.tallies import (
    Tallies,
    fresh,
    in_order,
    inherited,
    inherited_tres,
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
from windtunnel.schedulers.slurm.shares.tree import Member

__all__ = ["refusal_at_submission"]


def refusal_at_submission(
    book: Tallies,
    record: Record,
    tres: Mapping[str, float],
    waiting: Iterable[PendingJob],
    running: Iterable[RunningJob],
) -> str | None:
    """The Reason for which a job is refused in a partition when it is submitted (§6.3).

    A job without a time limit is given one, if limits have any.
    """
    listed = book.qos_of(record)
    if not _matters(book, record, listed):
        return None
    strict = not listed or any(one.has("DenyOnLimit") for one in listed)
    check = _Check(record, tres, strict, Submitted(waiting, running))
    reason = next((reason for one in listed if (reason := check.of_qos(one)) is not None), None)
    if reason is None and record.job.member is not None and not book.bare(record.job.member):
        reason = check.of_members(record.job.member, limit_factor(listed))
    if reason is None and check.given and check.minutes is not None:
        record.job.give_time(check.minutes)
    return reason


def _matters(book: Tallies, record: Record, listed: list[Qos]) -> bool:
    """Whether anything limits how many jobs are submitted, refuses at once, or gives a time limit."""
    job = record.job
    limits = [one.limits for one in listed]
    if job.member is not None and not book.bare(job.member):
        limits += [one.limits for one in job.member.path()]
    if not listed or any(one.has("DenyOnLimit") for one in listed):
        return bool(limits)
    return any(
        one.grp_submit_jobs is not None
        or one.max_submit_jobs is not None
        or one.max_submit_jobs_per_user is not None
        or one.max_submit_jobs_per_account is not None
        or (job.minutes is None and (one.max_wall_per_job is not None or one.grp_wall is not None))
        for one in limits
    )


@mypyc_attr(allow_interpreted_subclasses=True)
class _Check:
    """A request as it is compared with one limit after another; each kind counts once, of the first that sets it."""

    def __init__(self, record: Record, tres: Mapping[str, float], strict: bool, submitted: Submitted) -> None:
        self.job = record.job
        self.tres = tres
        self.strict = strict
        self.submitted = submitted
        self.minutes = record.job.minutes
        """Its time limit; None: it has none yet."""
        self.given = record.job.given_minutes is not None
        """Whether limits gave it."""
        self.hidden: set[tuple[str, str]] = set()

    def of_qos(self, qos: Qos) -> str | None:
        """What a QOS refuses."""
        limits = qos.limits
        reason = self._shared(limits) if self.strict else None
        reason = reason or self._too_many(qos, limits.grp_submit_jobs, "QOSGrpSubmitJobsLimit")
        reason = reason or self._time_of_qos(limits)
        if reason is None and self.strict:
            reason = self._of_job(limits)
        account, user = self.job.account, self.job.user
        reason = reason or self._too_many(
            qos, limits.max_submit_jobs_per_account, "MaxSubmitJobsPerAccount", account=account
        )
        reason = reason or self._too_many(
            qos, limits.max_submit_jobs_per_user, "QOSMaxSubmitJobPerUserLimit", user=user
        )
        if reason is None and self.strict:
            reason = self._too_little(limits)
        return reason

    def _shared(self, limits: Limits) -> str | None:
        hidden = self.hidden
        for name, most in fresh(limits.max_tres_per_account, "per_account", hidden):
            if self.tres.get(name, 0) > most:
                return per_account(name)
        users, groups = dict(limits.max_tres_per_user), dict(limits.grp_tres)
        for name in [name for name, _ in in_order(users | groups)]:
            if {("per_user", name), ("grp", name)} & hidden:
                continue  # either of them hides both
            hidden.update((kind, name) for kind, own in (("per_user", users), ("grp", groups)) if name in own)
            if self.tres.get(name, 0) > users.get(name, self.tres.get(name, 0)):
                return per_user(name)
            if self.tres.get(name, 0) > groups.get(name, self.tres.get(name, 0)):
                return most_held("QOS", name)
        return None

    def _of_job(self, limits: Limits) -> str | None:
        hidden = self.hidden
        for name, most in fresh(limits.max_tres_per_job, "per_job", hidden):
            if self.tres.get(name, 0) > most:
                return per_job("QOS", name)
        for name, most in fresh(limits.max_tres_per_node, "per_node", hidden):
            if self._on_node(name) > most:
                return per_node("QOS", name)
        return None

    def _too_little(self, limits: Limits) -> str | None:
        for name, few in fresh(limits.min_tres_per_job, "least", self.hidden):
            if self.tres.get(name, 0) < few:
                return least(name)
        return None

    def _time_of_qos(self, limits: Limits) -> str | None:
        for name, most in in_order(limits.max_tres_mins_per_job):
            if not self._has_time(name, most, "mins_job"):
                return per_job("QOS", name, minutes=True)
        for name, most in in_order(limits.grp_tres_mins):
            if not self._has_time(name, most, "grp_mins"):
                return most_minutes("QOS", name)
        for name, most in in_order(limits.grp_tres_run_mins):
            if not self._has_time(name, most, "grp_run"):
                return most_minutes("QOS", name, "Run")
        for most_wall, kind, reason in (
            (limits.max_wall_per_job, "max_wall", "QOSMaxWallDurationPerJobLimit"),
            (limits.grp_wall, "grp_wall", "QOSGrpWallLimit"),
        ):
            if most_wall is None or not self._first(kind):
                continue
            if self._give(most_wall) > most_wall and self.strict:
                return reason
        return None

    def _too_many(
        self, qos: Qos, most: int | None, reason: str, user: str | None = None, account: str | None = None
    ) -> str | None:
        """The reason, if with this job more would be submitted: in all, or by a user or an account."""
        if most is None or not self._first(reason):
            return None
        return reason if self.submitted.of_qos(qos.name, user, account) + self.job.count > most else None

    def of_members(self, member: Member, more: float | None) -> str | None:
        """What a user's association and those above it refuse; ``more``: the LimitFactor that counts."""
        for one in member.path():
            reason = self._of_group(one, more)
            if reason is None and one is member:
                reason = self._of_own(member, more)
            if reason:
                return reason
        return None

    def _of_group(self, one: Member, more: float | None) -> str | None:
        limits, hidden = one.limits, self.hidden
        for name, most in in_order(limits.grp_tres) if self.strict else ():
            if ("grp", name) not in hidden and self.tres.get(name, 0) > raised(most, more):
                return most_held("Assoc", name)
        most_jobs = None if ("QOSGrpSubmitJobsLimit", "") in hidden else limits.grp_submit_jobs
        if most_jobs is not None and self.submitted.under(one) + self.job.count > most_jobs:
            return "AssocGrpSubmitJobsLimit"
        for name, most in in_order(limits.grp_tres_mins):
            if not self._has_time(name, most, "grp_mins"):
                return most_minutes("Assoc", name)
        for name, most in in_order(limits.grp_tres_run_mins):
            if not self._has_time(name, most, "grp_run"):
                return most_minutes("Assoc", name, "Run")
        return None if self._within(limits.grp_wall, "grp_wall") else "AssocGrpWallLimit"

    def _of_own(self, member: Member, more: float | None) -> str | None:
        """Limits of the user's own record, values inherited."""
        hidden = self.hidden
        for name, most in inherited_tres(member, "max_tres_per_job") if self.strict else ():
            if ("per_job", name) not in hidden and self.tres.get(name, 0) > raised(most, more):
                return per_job("Assoc", name)
        for name, most in inherited_tres(member, "max_tres_per_node") if self.strict else ():
            if ("per_node", name) not in hidden and self._on_node(name) > most:
                return per_node("Assoc", name)
        of_qos = {("MaxSubmitJobsPerAccount", ""), ("QOSMaxSubmitJobPerUserLimit", "")}
        jobs = None if hidden & of_qos else inherited(member, "max_submit_jobs")
        if jobs is not None and self.submitted.of_member(member) + self.job.count > jobs:
            return "AssocMaxSubmitJobLimit"
        for name, most in inherited_tres(member, "max_tres_mins_per_job"):
            if not self._has_time(name, most, "mins_job"):
                return per_job("Assoc", name, minutes=True)
        wall = inherited(member, "max_wall_per_job")
        return None if self._within(wall, "max_wall") else "AssocMaxWallDurationPerJobLimit"

    def _on_node(self, tres: str) -> float:
        return self.tres.get(tres, 0) // (self.tres.get("node") or 1)

    def _first(self, kind: str) -> bool:
        """Whether nothing before has a limit of a kind; something has now."""
        if (kind, "") in self.hidden:
            return False
        self.hidden.add((kind, ""))
        return True

    def _give(self, most: int) -> int:
        """The minutes of the job: what a limit gives it if it has none, and no more than any that does so."""
        if self.minutes is None or (self.given and self.minutes > most):
            self.minutes, self.given = most, True
        return self.minutes

    def _has_time(self, tres: str, most: int, kind: str) -> bool:
        """Whether a limit of TRES-minutes has room for the whole request, where that is asked."""
        asked = self.tres.get(tres, 0)
        if not self.strict or not asked or (kind, tres) in self.hidden:
            return True
        self.hidden.add((kind, tres))
        minutes = int(most // asked)
        return self._give(minutes) <= minutes

    def _within(self, wall: int | None, kind: str) -> bool:
        """Whether a limit of an association has room for the time; unless all is refused only one that gives it."""
        if wall is None or (self.minutes is not None and not self.strict) or not self._first(kind):
            return True
        return self._give(wall) <= wall
