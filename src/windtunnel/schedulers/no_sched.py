"""What Batsim does without a scheduler (``--no-sched``, batsim-cli.md 2): every job at once, on its first hosts."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from windtunnel.model import HostSet, JobList, Workload
from windtunnel.model.asks import Warned
from windtunnel.schedulers.base import Scheduler
from windtunnel.vocabulary import Decision, Execute, Reject, View

__all__ = ["NoScheduler", "all_at_once"]


class NoScheduler(Scheduler):
    """Starts each job when it comes, on hosts 0 to n-1, whatever runs there; rejects what is too large."""

    name: ClassVar[str] = "no-sched"

    def schedule(self, view: View) -> Iterable[Decision]:
        """All of them."""
        for job in view.queue:
            if job.hosts > len(view.hosts):
                yield Reject(job)
            else:
                yield Execute(job, HostSet.span(job.hosts))


def all_at_once(workload: Workload) -> JobList:
    """The same jobs, all submitted at 0."""
    jobs = [msgspec.structs.replace(job, submission_time=0.0) for job in workload]
    made = JobList(workload.name, jobs, workload.profiles, hosts=workload.hosts, path=workload.path)
    made.warnings = tuple(workload.warnings) if isinstance(workload, Warned) else ()
    return made
