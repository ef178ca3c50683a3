"""Which waiting jobs grow older: of an association or QOS so many at once (MaxJobsAccrue, GrpJobsAccrue; §7.2)."""

from collections import Counter
from collections.abc import Iterable, Iterator

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import Limits, SlurmSite
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.limits.tallies import inherited

__all__ = ["Accrual"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Accrual:
    """Says from when on jobs count as waiting, where that is limited."""

    def __init__(self, site: SlurmSite) -> None:
        groups = [*(one.limits for one in site.qos), *(one.limits for one in site.associations)]
        enforced = bool({"limits", "safe"} & set(site.enforce)) and "ACCRUE_ALWAYS" not in site.priority.flags
        self.limited = enforced and any(map(_limits, groups))

    def hand_out(self, jobs: Iterable[PendingJob], now: int) -> None:
        """Eligible jobs that do not grow older yet do so from now on, first come first, as far as limits allow.

        Slurm does so whenever it makes a queue. Jobs without such a limit have done so since they became eligible.
        """
        count: Counter[tuple[str, ...]] = Counter()
        waiting: list[PendingJob] = []
        for job in jobs:
            if job.accrued_from is not None:
                count.update(_keys(job))
            elif not job.held and job.begin <= now and not (job.dependent and job.eligible is None):
                waiting.append(job)
        for job in sorted(waiting, key=lambda one: one.order):
            found = _first_limit(job)
            if found is None:
                job.accrued_from = max(job.submitted, job.begin) if job.eligible is None else job.eligible
            elif count[found[0]] < found[1]:
                job.accrued_from = now
            else:
                continue
            count.update(_keys(job))


def _limits(one: Limits) -> bool:
    limits = (one.grp_jobs_accrue, one.max_jobs_accrue, one.max_jobs_accrue_per_user, one.max_jobs_accrue_per_account)
    return any(most is not None for most in limits)


def _keys(job: PendingJob) -> Iterator[tuple[str, ...]]:
    """What a job is counted under."""
    for member in job.member.path() if job.member is not None else ():
        yield ("association", str(member.number))
    if job.qos is not None:
        yield ("qos", job.qos.name)
        yield ("account", job.qos.name, job.account)
        yield ("user", job.qos.name, job.user)


def _first_limit(job: PendingJob) -> tuple[tuple[str, ...], int] | None:
    """The one limit that counts for a job, and what is counted for it: no other is asked."""
    if job.qos is not None:
        name, limits = job.qos.name, job.qos.limits
        for key, most in (
            (("qos", name), limits.grp_jobs_accrue),
            (("account", name, job.account), limits.max_jobs_accrue_per_account),
            (("user", name, job.user), limits.max_jobs_accrue_per_user),
        ):
            if most is not None:
                return key, most
    for member in job.member.path() if job.member is not None else ():
        own = inherited(member, "max_jobs_accrue") if member is job.member else None
        for most in (member.limits.grp_jobs_accrue, own):
            if most is not None:
                return ("association", str(member.number)), most
    return None
