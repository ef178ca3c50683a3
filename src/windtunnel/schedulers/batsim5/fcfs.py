"""Batsim 5's fcfs (spec: schedulers.md section 7)."""

from collections import deque
from collections.abc import Sequence

from windtunnel.model import Job
from windtunnel.schedulers.base import Scheduler
from windtunnel.vocabulary import (
    Decision,
    ExecuteJob,
    Hello,
    JobCompleted,
    JobSubmitted,
    Mirror,
    Notice,
    RejectJob,
    Reply,
)

__all__ = ["FcfsBatsim5"]


class FcfsBatsim5(Scheduler):
    """First come, first served, on the lowest free hosts; decided on once per message with an arrival or an end."""

    name = "batsim5/fcfs"

    def __init__(self) -> None:
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self.site = Mirror(availability=False, power=False)
        self._waiting: deque[Job] = deque()

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run. What others do is nothing to it, as upstream."""
        self._reset()
        return Hello(name=super().hello().name, features=self.features)

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Read everything, decide once."""
        decisions: list[Decision] = []
        needed = False
        self.site.apply(now, notices)
        for notice in notices:
            if isinstance(notice, JobSubmitted):
                if self._refuses(notice.job):
                    decisions.append(RejectJob(job_id=notice.job.id))
                else:
                    self._waiting.append(notice.job)
                    needed = True
            elif isinstance(notice, JobCompleted):
                needed = True
        if needed:
            self._schedule(now, decisions)
        return Reply(now, decisions)

    def _refuses(self, job: Job) -> bool:
        return job.request.hosts > self.site.size

    def _schedule(self, now: float, decisions: list[Decision]) -> None:
        waiting = self._waiting
        while waiting and waiting[0].request.hosts <= len(self.site.free):
            job = waiting.popleft()
            self._start(job, now + job.walltime, decisions)

    def _start(self, job: Job, end: float, decisions: list[Decision]) -> None:
        """A job starts, and is predicted to end at a date (which plays no part here)."""
        site = self.site
        hosts = site.free.take(job.request.hosts)
        assert hosts is not None
        site.hold(job, hosts, site.now, end)
        decisions.append(ExecuteJob(job_id=job.id, hosts=hosts))
