"""What limits refuse at submission: too many jobs, and everything a QOS with DenyOnLimit excludes (§6.3)."""

from collections.abc import Iterable

from windtunnel.model.slurm import Qos
from windtunnel.schedulers.slurm.jobs.records import PendingJob, Record, RunningJob
from windtunnel.schedulers.slurm.limits.tallies import Tallies, inherited
from windtunnel.schedulers.slurm.limits.words import QOS_JOB, QOS_USER, SHORT, named
from windtunnel.schedulers.slurm.shares.tree import Member

__all__ = ["refusal_at_submission"]


def refusal_at_submission(
    book: Tallies, record: Record, waiting: Iterable[PendingJob], running: Iterable[RunningJob]
) -> str | None:
    """The Reason for which a job is refused when it is submitted (§6.3)."""
    job = record.job
    member = job.member
    if not _limits_submission(book, record):
        return None
    others = [*waiting, *(one.pending for one in running)]
    if member is not None:
        for one in member.path():
            most = one.limits.grp_submit_jobs
            if most is not None and _tasks(_under(others, one)) + _tasks([job]) > most:
                return "AssocGrpSubmitJobsLimit"
        own = inherited(member, "max_submit_jobs")
        if own is not None and _tasks([one for one in others if one.member is member]) + _tasks([job]) > own:
            return "AssocMaxSubmitJobLimit"
    for qos in book.qos_of(record):
        same = [one for one in others if one.qos is not None and one.qos.name == qos.name]
        limits = qos.limits
        for most, kin, reason in (
            (limits.grp_submit_jobs, same, "QOSGrpSubmitJobsLimit"),
            (
                limits.max_submit_jobs_per_user,
                [one for one in same if one.user == job.user],
                "QOSMaxSubmitJobPerUserLimit",
            ),
            (
                limits.max_submit_jobs_per_account,
                [one for one in same if one.account == job.account],
                "MaxSubmitJobsPerAccount",
            ),
        ):
            if most is not None and _tasks(kin) + _tasks([job]) > most:
                return reason
        if qos.has("DenyOnLimit"):
            reason_now = _deny(record, qos)
            if reason_now:
                return reason_now
    return None


def _limits_submission(book: Tallies, record: Record) -> bool:
    """Whether anything limits how many jobs are submitted, or a QOS refuses at once."""
    member = record.job.member
    for one in member.path() if member is not None and not book.bare(member) else ():
        if one.limits.grp_submit_jobs is not None or one.limits.max_submit_jobs is not None:
            return True
    return any(
        qos.has("DenyOnLimit")
        or qos.limits.grp_submit_jobs is not None
        or qos.limits.max_submit_jobs_per_user is not None
        or qos.limits.max_submit_jobs_per_account is not None
        for qos in book.qos_of(record)
    )


def _deny(record: Record, qos: Qos) -> str | None:
    """What the request alone exceeds, of a QOS with DenyOnLimit."""
    limits = qos.limits
    tres = record.demand.tres()
    if limits.max_wall_per_job is not None and record.limit > limits.max_wall_per_job:
        return "QOSMaxWallDurationPerJobLimit"
    for table, words in ((limits.max_tres_per_job, QOS_JOB), (limits.max_tres_per_user, QOS_USER)):
        for name, most in table.items():
            if tres.get(name, 0) > most:
                return f"QOSMax{named(words, name)}"
    for name, least in limits.min_tres_per_job.items():
        if tres.get(name, 0) < least:
            return f"QOSMin{named(SHORT, name)}NotSatisfied"
    return None


def _tasks(jobs: Iterable[PendingJob]) -> int:
    return sum(1 if job.tasks is None else max(1, len(job.tasks)) for job in jobs)


def _under(jobs: Iterable[PendingJob], member: Member) -> list[PendingJob]:
    return [job for job in jobs if job.member is not None and member in job.member.path()]
