"""What limits refuse before a job is placed (§6.1)."""

from windtunnel.model.slurm import Qos
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.limits.tallies import Tallies, factored, inherited
from windtunnel.schedulers.slurm.shares.tree import Member

__all__ = ["refusal_before"]


def refusal_before(book: Tallies, record: Record) -> str | None:
    """The Reason for which a job may not even be placed (§6.1)."""
    hidden: set[str] = set()
    for qos in book.qos_of(record):
        reason = _qos_before(book, record, qos, hidden)
        if reason:
            return reason
    return _member_before(book, record, hidden)


def _qos_before(book: Tallies, record: Record, qos: Qos, hidden: set[str]) -> str | None:
    """Each kind of limit counts once, of the first QOS that sets it."""
    job, limits = record.job, qos.limits
    most = limits.grp_jobs
    if most is not None and _first("grp_jobs", hidden) and book.tally("qos", qos.name).jobs >= most:
        return "QOSGrpJobsLimit"
    most, longest = limits.grp_wall, limits.max_wall_per_job
    used = book.ledger.qos_wall.get(qos.name, 0.0)
    if most is not None and _first("grp_wall", hidden) and _used_up(book, used, record, most, longest):
        return "QOSGrpWallLimit"
    most = limits.max_jobs_per_account
    account = ("account", qos.name, job.account)
    if most is not None and _first("max_jobs_account", hidden) and book.tally(*account).jobs >= most:
        return "MaxJobsPerAccount"
    most = limits.max_jobs_per_user
    if most is not None and _first("max_jobs", hidden) and book.tally("user", qos.name, job.user).jobs >= most:
        return "QOSMaxJobsPerUserLimit"
    most = limits.max_wall_per_job
    if most is not None and _first("max_wall", hidden) and _minutes(record, most) > most:
        return "QOSMaxWallDurationPerJobLimit"
    return None


def _first(kind: str, hidden: set[str]) -> bool:
    """Whether no QOS before has a limit of a kind; this one has."""
    if kind in hidden:
        return False
    hidden.add(kind)
    return True


def _member_before(book: Tallies, record: Record, hidden: set[str]) -> str | None:
    member = record.job.member
    if member is None or book.bare(member):
        return None
    for one in member.path():
        limits = one.limits
        most = None if "grp_jobs" in hidden else limits.grp_jobs
        if most is not None and book.tally("association", one.number).jobs >= most:
            return "AssocGrpJobsLimit"
        most = None if "grp_wall" in hidden else limits.grp_wall
        if most is not None and _used_up(
            book, one.wall_usage, record, most, inherited(one, "max_wall_per_job")
        ):
            return "AssocGrpWallLimit"
        if one is member:
            reason = _own_before(book, record, member, hidden)
            if reason:
                return reason
    return None


def _own_before(book: Tallies, record: Record, member: Member, hidden: set[str]) -> str | None:
    """Limits of the user's own record, values inherited."""
    most = None if hidden & {"max_jobs", "max_jobs_account"} else inherited(member, "max_jobs")
    if most is not None and book.tally("association", member.number).jobs >= most:
        return "AssocMaxJobsLimit"
    wall = inherited(member, "max_wall_per_job")
    if wall is not None and "max_wall" not in hidden and _minutes(record, wall) > wall:
        return "AssocMaxWallDurationPerJobLimit"
    return None


def _used_up(book: Tallies, seconds: float, record: Record, most: int, longest: int | None) -> bool:
    """Whether a GrpWall is used up, or with ``safe`` would be at the end of the job; whole minutes count."""
    minutes = seconds // 60
    if minutes >= most:
        return True
    within = most if longest is None else min(most, longest)
    return book.safe and minutes + _minutes(record, within) > most


def _minutes(record: Record, most: int) -> int:
    """The minutes of a job that a limit of so many compares; those that a limit gave are cut to it."""
    minutes = record.limit if record.tested_minutes < 0 else record.tested_minutes
    if record.job.given_minutes is not None:
        minutes = min(minutes, most)
    return factored(record, minutes)
