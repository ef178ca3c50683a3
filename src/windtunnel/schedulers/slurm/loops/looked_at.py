"""How many jobs of each user, partition and association a cycle of backfill has looked at (§4.5)."""

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import BackfillSettings
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record

__all__ = ["LookedAt"]


@mypyc_attr(allow_interpreted_subclasses=True)
class LookedAt:
    """The counts of one cycle, and what bounds them."""

    def __init__(self, known: BackfillSettings) -> None:
        self.known = known
        self._counts: dict[tuple[object, ...], int] = {}
        self.bounded = bool(
            known.bf_max_job_user or known.bf_max_job_part or known.bf_max_job_user_part or known.bf_max_job_assoc
        )
        """Whether anything limits how many of them are."""

    def may_leave_out(self, count: int) -> bool:
        """Whether limits of the cycle may end it, or pass over some, before so many jobs have been looked at."""
        known = self.known
        return self.bounded or bool(known.bf_max_job_start) or 0 < known.bf_max_job_test < count

    def enough_of(self, record: Record) -> bool:
        """Whether enough jobs of its user, partition or association were looked at; if not, this is one more."""
        if not self.bounded:
            return False
        known = self.known
        user, part = record.job.user, record.table.name
        of_each = known.bf_max_job_assoc if record.job.member is not None else 0
        keys: list[tuple[tuple[object, ...], int]] = [
            (("user", user, _of_default_account(record.job)), known.bf_max_job_user),
            (("partition", part), known.bf_max_job_part),
            (("both", user, part), known.bf_max_job_user_part),
            (("association", record.job.account, user), of_each),
        ]
        limited = [(key, most) for key, most in keys if most]
        if any(self._counts.get(key, 0) >= most for key, most in limited):
            return True
        if record.magnetic:
            return False  # those count for no limit of the cycle
        for key, _ in limited:
            self._counts[key] = self._counts.get(key, 0) + 1
        return False


def _of_default_account(job: PendingJob) -> bool:
    """Whether a job is of its user's default account: those of all other accounts of a user are counted apart."""
    return job.member is not None and job.member.association.default
