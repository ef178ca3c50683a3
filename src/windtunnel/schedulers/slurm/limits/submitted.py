"""How many jobs are submitted: those that wait, and those that run (§6.3)."""

from collections.abc import Iterable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.shares.tree import Member

__all__ = ["Submitted"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Submitted:
    """The jobs that are there, as limits of their number count them: of an array every task.

    A waiting job counts for the QOS of each partition that it names, a running one for that of its own.
    """

    def __init__(self, waiting: Iterable[PendingJob], running: Iterable[RunningJob]) -> None:
        self.jobs: list[tuple[PendingJob, int, set[str]]] = []
        for job in waiting:
            names = {record.table.qos.name for record in job.records if record.table.qos is not None}
            self.jobs.append((job, job.count, names | _own(job)))
        for one in running:
            qos = one.record.table.qos
            self.jobs.append((one.pending, 1, ({qos.name} if qos is not None else set()) | _own(one.pending)))

    def of_qos(self, name: str, user: str | None = None, account: str | None = None) -> int:
        """How many count for a QOS: all, or those of a user or an account."""
        return sum(
            count
            for job, count, names in self.jobs
            if name in names and user in (None, job.user) and account in (None, job.account)
        )

    def of_member(self, member: Member) -> int:
        """How many an association has itself."""
        return sum(count for job, count, _ in self.jobs if job.member is member)

    def under(self, member: Member) -> int:
        """The same with all below it."""
        return sum(count for job, count, _ in self.jobs if job.member is not None and member in job.member.path())


def _own(job: PendingJob) -> set[str]:
    return {job.qos.name} if job.qos is not None else set()
