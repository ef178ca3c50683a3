"""batsched's fcfs and fcfs_fast (spec: schedulers.md section 4.1)."""

from collections import deque

from windtunnel.model import Job
from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.schedulers.orders import Policy
from windtunnel.vocabulary import RejectJob

__all__ = ["FcfsBatsched", "FcfsFastBatsched"]


class FcfsBatsched(Batsched):
    """First come, first served: the queue is looked at after an end only, and a job that starts on arrival gets the
    lowest hosts whatever the policy is.
    """

    name = "batsched/fcfs"

    def __init__(self, *, policy: Policy = "basic") -> None:
        super().__init__(policy=policy)

    def _reset(self) -> None:
        super()._reset()
        self._waiting: deque[Job] = deque()

    def _decide(self, now: float) -> None:
        del now  # dates play no part
        waiting = self._waiting
        if self._ended:
            while waiting:
                hosts = self._pick(self.site.free, waiting[0].request.hosts)
                if hosts is None:
                    break
                self._execute(waiting.popleft(), hosts)
        for job in self._released:
            if self._refuses(job):
                self._write(RejectJob(job_id=job.id))
                continue
            hosts = None if waiting else self.site.free.pick(job.request.hosts)
            if hosts is None:
                waiting.append(job)
            else:
                self._execute(job, hosts)


class FcfsFastBatsched(FcfsBatsched):
    """fcfs with the lowest hosts always."""

    name = "batsched/fcfs_fast"

    def __init__(self) -> None:
        super().__init__()
