"""Which waiting jobs grow older: of an association or QOS so many at once (MaxJobsAccrue, GrpJobsAccrue; §7.2)."""

from collections import Counter
from collections.abc import Iterable, Iterator

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Limits, SlurmSite
from windtunnel.schedulers.slurm.jobs.records import PendingJob
from windtunnel.schedulers.slurm.limits.tallies import inherited

__all__ = ["Accrual"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Accrual:
    """Says from when on jobs count as waiting, where that is limited."""

    def __init__(self, site: SlurmSite) -> None:
        groups = [*(one.limits for one in site.qos), *(one.limits for one in site.associations)]
        self.limited = bool({"limits", "safe"} & set(site.enforce)) and any(map(_limits, groups))

    def hand_out(self, jobs: Iterable[PendingJob], now: int) -> None:
        """Eligible jobs that do not grow older yet do so from now on, first come first, as far as limits allow."""
        count: Counter[tuple[str, ...]] = Counter()
        waiting: list[PendingJob] = []
        for job in jobs:
            if job.accrued_from is not None:
                count.update(key for key, _ in _keys(job))
            elif job.eligible is not None:
                waiting.append(job)
        for job in sorted(waiting, key=lambda one: one.number):
            keys = list(_keys(job))
            if all(most is None or count[key] < most for key, most in keys):
                job.accrued_from = now
                count.update(key for key, _ in keys)


def _limits(one: Limits) -> bool:
    limits = (one.grp_jobs_accrue, one.max_jobs_accrue, one.max_jobs_accrue_per_user, one.max_jobs_accrue_per_account)
    return any(most is not None for most in limits)


def _keys(job: PendingJob) -> Iterator[tuple[tuple[str, ...], int | None]]:
    """What a job is counted under, and how many may be."""
    if job.member is not None:
        yield ("own", str(job.member.number)), inherited(job.member, "max_jobs_accrue")
        for member in job.member.path():
            yield ("under", str(member.number)), member.limits.grp_jobs_accrue
    if job.qos is not None:
        limits = job.qos.limits
        yield ("qos", job.qos.name), limits.grp_jobs_accrue
        yield ("user", job.qos.name, job.user), limits.max_jobs_accrue_per_user
        yield ("account", job.qos.name, job.account), limits.max_jobs_accrue_per_account
