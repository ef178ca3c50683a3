"""batsched's decision loop: read a whole message, then decide once (spec: schedulers.md section 1)."""

from bisect import insort
from collections.abc import Sequence
from math import inf
from typing import Any

from windtunnel.diagnostics import ComponentError
from windtunnel.model import HostPool, HostSet, Job
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.batsched.rationals import Exact, exact
from windtunnel.schedulers.orders import ORDERS
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
    RequestedCall,
    SimulationBegins,
    SimulationEnds,
)

__all__ = ["Batsched", "Waiting"]


class Waiting:
    """A queued job, with what batsched makes of its numbers."""

    __slots__ = ("duration", "id", "job", "size")

    def __init__(self, job: Job, duration: Exact | None) -> None:
        self.job = job
        self.id = job.id
        self.size = job.request.hosts
        self.duration = duration
        """Walltime plus margin; None for an endless job."""


class Batsched(Scheduler):
    """The common part of batsched's algorithms.

    ``rjms_delay`` (s) is added to every walltime, as a margin for kills: predicted ends are that much late.
    """

    def __init__(self, *, queue_order: str = "fcfs", policy: str = "basic", rjms_delay: float = 5.0) -> None:
        super().__init__()
        self.queue_order = queue_order
        self.policy = policy
        self.rjms_delay = rjms_delay
        self._reset()

    def _reset(self) -> None:
        """Forget an earlier run."""
        self.site = self._mirror()
        self._queue: list[tuple[Any, str, Waiting]] = []
        self._latest = 0.0  # the largest date ever written
        self._over = False
        self._clear()

    def _mirror(self) -> Mirror:
        """What it knows of the site: most algorithms go on as if all hosts were there."""
        return Mirror(availability=False, power=False)

    @property
    def _n(self) -> int:
        """How many hosts there are."""
        return self.site.size

    def _clear(self) -> None:
        self._ended: list[JobCompleted] = []
        self._released: list[Job] = []
        self._decisions: list[Decision] = []

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run. What others do is nothing to it, as upstream."""
        self._reset()
        return Hello(name=super().hello().name, features=self.features)

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Read everything, decide once."""
        # batsched computes with dates as Batsim prints them; in process they come whole.
        self._now = seen = round(now, 6)
        self._last = round(notices[-1].timestamp, 6) if notices else seen
        self.site.apply(seen, self._in_order(notices))
        for notice in notices:
            kind = type(notice)
            if kind is JobSubmitted:
                self._released.append(notice.job)  # type: ignore[attr-defined]  # it is a JobSubmitted
                self._on_submission(notice)  # type: ignore[arg-type]  # likewise
            elif kind is JobCompleted:
                self._ended.append(notice)  # type: ignore[arg-type]  # it is a JobCompleted
            elif kind is RequestedCall:
                self._on_call(notice.timestamp)
            elif isinstance(notice, SimulationBegins):
                self._on_begin(notice)
            elif isinstance(notice, SimulationEnds):
                self._over = True
            else:
                self._on_other(notice)
        self._decide(seen)
        reply = Reply(now if self._latest <= seen else max(now, self._latest), self._decisions)
        self._clear()
        return reply

    def _in_order(self, notices: Sequence[Notice]) -> Sequence[Notice]:
        """In which order what happened to hosts counts."""
        return notices

    def _decide(self, now: float) -> None:
        """The algorithm, once per message."""
        raise NotImplementedError

    def _on_begin(self, notice: SimulationBegins) -> None:
        """The site is known."""

    def _on_submission(self, notice: JobSubmitted) -> None:
        """While reading: a job was submitted."""

    def _on_call(self, date: float) -> None:
        """While reading: a call that was asked for."""

    def _on_other(self, notice: Notice) -> None:
        """While reading: anything else (most algorithms look at nothing more)."""

    def _fault(self, message: str) -> ComponentError:
        return ComponentError(f"{self.name}: {message}", now=self._now)

    # What algorithms share

    def _write(self, decision: Decision, date: float | None = None) -> None:
        """Append a decision for a date (now, when None)."""
        if date is not None and date != self._now:
            decision.timestamp = date
        self._latest = max(self._latest, self._now if date is None else date)
        self._decisions.append(decision)

    def _execute(self, job: Job, hosts: HostSet, date: float | None = None) -> None:
        self.site.start(job, hosts, at=date)
        self._write(ExecuteJob(job_id=job.id, hosts=hosts), date)

    def _duration(self, job: Job) -> Exact | None:
        if job.walltime == inf:
            return None
        if job.walltime <= 0:
            raise self._fault(f"job {job.id} has a walltime of {job.walltime:g} s, which batsched does not take")
        return exact(job.walltime) + exact(self.rjms_delay)

    def _append(self, job: Job) -> Waiting:
        """Queue a job in the queue order: released at the last date of the message; ties by id."""
        item = Waiting(job, self._duration(job))
        # batsched's walltime of a job without one is -1, to which it adds the margin as well.
        walltime = exact(-1.0) + exact(self.rjms_delay) if item.duration is None else item.duration
        insort(self._queue, (ORDERS[self.queue_order](job, exact(self._last), walltime), job.id, item))
        return item

    def _admit(self) -> list[Waiting]:
        """Queue the released jobs, and reject those larger than the machine; those queued, in order of the events."""
        admitted = []
        for job in self._released:
            if self._refuses(job):
                self._write(RejectJob(job_id=job.id))
            else:
                admitted.append(self._append(job))
        return admitted

    def _refuses(self, job: Job) -> bool:
        """Whether a job is rejected at once."""
        return job.request.hosts > self._n

    def _pick(self, pool: HostPool, count: int) -> HostSet | None:
        return pool.pick_contiguous(count) if self.policy == "contiguous" else pool.pick(count)
