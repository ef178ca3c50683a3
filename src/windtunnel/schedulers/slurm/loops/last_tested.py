"""Jobs of a QOS with NoReserve that limits keep back get the time limit of the job that backfill tested before.

Where jobs are preempted, backfill tests jobs of such a QOS with one minute. One that limits refuse then is left with
the time limit that was noted last, not with its own: that of another job.
"""

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import time_limit
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.state import State

__all__ = ["LastTested", "tested_for_a_minute"]


@mypyc_attr(allow_interpreted_subclasses=True)
class LastTested:
    """The time limit of the last job of a cycle that limits let be tested."""

    __slots__ = ("_any", "_minutes")

    def __init__(self) -> None:
        self._any = False
        self._minutes: int | None = None

    def note(self, job: PendingJob) -> None:
        """A job is tested."""
        self._any, self._minutes = True, job.minutes

    def leave(self, state: State, job: PendingJob) -> None:
        """Limits keep a job back."""
        if self._any and tested_for_a_minute(state, job):
            _give_time(job, self._minutes)


def tested_for_a_minute(state: State, job: PendingJob) -> bool:
    """Whether backfill tests a job with one minute."""
    return job.qos is not None and job.qos.has("NoReserve") and bool({*state.site.preempt.mode} - {"OFF"})


def _give_time(job: PendingJob, minutes: int | None) -> None:
    """A job has another time limit from now on; None: that of whatever partition it runs in."""
    job.ask, job.default_time = replace(job.ask, time_limit=minutes), None
    job.asked_minutes = minutes
    if job.given_minutes is not None:
        job.given_minutes = minutes
    for record in job.records:
        record.attracted.clear()
        for form in record.forms:
            form.limit, form.lasting = time_limit(job.ask, record.table.partition), None
            form.look_afresh()
