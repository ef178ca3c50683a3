"""Batsim 5's fcfs (spec: schedulers.md section 7)."""

from collections import deque
from collections.abc import Sequence

from windtunnel.model import HostPool, HostSet, Job
from windtunnel.schedulers.base import Scheduler
from windtunnel.vocabulary import (
    Decision,
    ExecuteJob,
    Hello,
    JobCompleted,
    JobSubmitted,
    Notice,
    RejectJob,
    Reply,
    SimulationBegins,
)

__all__ = ["FcfsBatsim5"]


class FcfsBatsim5(Scheduler):
    """First come, first served, on the lowest free hosts; decided on once per message with an arrival or an end."""

    name = "fcfs-batsim5"

    def __init__(self) -> None:
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self._n = 0
        self._free = HostPool()
        self._waiting: deque[Job] = deque()
        self._running: dict[str, HostSet] = {}

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run. What others do is nothing to it, as upstream."""
        self._reset()
        return Hello(name=super().hello().name, features=self.features)

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Read everything, decide once."""
        decisions: list[Decision] = []
        needed = False
        for notice in notices:
            if isinstance(notice, JobSubmitted):
                if self._refuses(notice.job):
                    decisions.append(RejectJob(job_id=notice.job.id))
                else:
                    self._waiting.append(notice.job)
                    needed = True
            elif isinstance(notice, JobCompleted):
                self._free |= self._running.pop(notice.job.id, HostSet())
                self._ended(notice.job.id)
                needed = True
            elif isinstance(notice, SimulationBegins):
                self._n = len(notice.platform.hosts)
                self._free = HostPool(HostSet.span(self._n))
        if needed:
            self._schedule(now, decisions)
        return Reply(now, decisions)

    def _refuses(self, job: Job) -> bool:
        return job.request.hosts > self._n

    def _ended(self, job_id: str) -> None:
        """A running job is over."""

    def _schedule(self, now: float, decisions: list[Decision]) -> None:
        waiting = self._waiting
        while waiting and waiting[0].request.hosts <= len(self._free):
            self._start(now, waiting.popleft(), decisions)

    def _start(self, now: float, job: Job, decisions: list[Decision]) -> None:
        del now  # dates play no part
        hosts = self._free.take(job.request.hosts)
        assert hosts is not None
        self._running[job.id] = hosts
        decisions.append(ExecuteJob(job_id=job.id, hosts=hosts))
