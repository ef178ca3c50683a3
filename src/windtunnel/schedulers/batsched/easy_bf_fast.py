"""batsched's easy_bf_fast (spec: schedulers.md section 4.4)."""

from collections import deque
from math import inf

from windtunnel.model import HostSet, Job
from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.schedulers.batsched.rationals import Exact, exact
from windtunnel.vocabulary import ExecuteJob, RejectJob

__all__ = ["EasyFastBatsched"]


class EasyFastBatsched(Batsched):
    """EASY by counts and without extra hosts: the expected start of the head is computed once, when it becomes head,
    and a job overtakes only if its walltime and the margin end by then. A job without walltime counts as -1 s.
    """

    name = "batsched/easy_bf_fast"

    def __init__(self, *, rjms_delay: float = 5.0) -> None:
        super().__init__(rjms_delay=rjms_delay)

    def _reset(self) -> None:
        super()._reset()
        self._waiting: deque[Job] = deque()
        self._head: Job | None = None
        self._expected = 0.0

    def _length(self, job: Job) -> Exact:
        return exact(-1.0 if job.walltime == inf else job.walltime) + exact(self.rjms_delay)

    def _start(self, job: Job) -> None:
        hosts: HostSet | None = self.site.free.take(job.request.hosts)
        assert hosts is not None
        length = (-1.0 if job.walltime == inf else job.walltime) + self.rjms_delay
        self.site.hold(job, hosts, self._now, self._now + length)
        self._write(ExecuteJob(job_id=job.id, hosts=hosts))

    def _fits_before(self, job: Job) -> bool:
        return exact(self._now) + self._length(job) <= exact(self._expected)

    def _new_head(self, job: Job) -> None:
        self._head = job
        free = len(self.site.free)
        for end, _, size, _ in self.site.ends:
            free += size
            if free >= job.request.hosts:
                self._expected = end
                return

    def _decide(self, now: float) -> None:
        del now  # self._now
        if self._ended and self._head is not None:
            self._after_end()
        for job in self._released:
            size = job.request.hosts
            if size <= len(self.site.free):
                if self._head is None or self._fits_before(job):
                    self._start(job)
                else:
                    self._waiting.append(job)
            elif size > self._n:
                self._write(RejectJob(job_id=job.id))
            elif self._head is None:
                self._new_head(job)
            else:
                self._waiting.append(job)

    def _after_end(self) -> None:
        head, waiting = self._head, self._waiting
        assert head is not None
        if head.request.hosts <= len(self.site.free):
            self._start(head)
            self._head = None
            while waiting:
                job = waiting.popleft()
                if job.request.hosts > len(self.site.free):
                    self._new_head(job)
                    break
                self._start(job)
        kept: deque[Job] = deque()
        while waiting and self.site.free:
            job = waiting.popleft()
            if job.request.hosts <= len(self.site.free) and self._fits_before(job):
                self._start(job)
            else:
                kept.append(job)
        kept.extend(waiting)
        self._waiting = kept
