"""What our own batch schedulers know of the site: which hosts are free, who runs where, what is unavailable."""

from collections.abc import Sequence

from windtunnel.model import HostPool, HostSet, Job
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.queues import waiting_queue
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    Ability,
    Decision,
    DecisionRefused,
    ExecuteJob,
    Hello,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    JobCompleted,
    JobSubmitted,
    Notice,
    RejectJob,
    Reply,
    SimulationBegins,
)

__all__ = ["BatchScheduler", "Held"]

Held = tuple[float, int, int, HostSet]
"""A running job: its predicted end, the rank of its start, how many usable hosts its end frees, and its hosts."""


class BatchScheduler(Scheduler):
    """Keeps the free hosts and the running jobs by notices alone, and leaves the decisions to its subclasses.

    A message is taken in whole, then decided on: first, if hosts were freed or their availability changed, the queue
    (:meth:`_changed`), then each new job in the order of the notices (:meth:`_arrived`); in an order other than that
    of arrival, new jobs join the queue first. Jobs that are larger than the machine are rejected. Hosts that are
    unavailable are given to nobody, and count for nothing in predictions; what runs there goes on. A job whose
    execution the engine refuses is rejected.
    """

    honours = HONOURED_BY_ALL | {Ability.UNAVAILABLE_HOSTS}

    def __init__(self, queue_order: str = "fcfs") -> None:
        self.queue_order = queue_order
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self._queue = waiting_queue(self.queue_order)
        self._hosts = 0
        self._pool = HostPool()
        self._running: dict[str, Held] = {}
        self._starts = 0
        self._unavailable = HostSet()

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run."""
        self._reset()
        return super().hello()

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, then decide."""
        arrivals: list[Job] = []
        changed = False
        decisions: list[Decision] = []
        for notice in notices:
            kind = type(notice)
            if kind is JobSubmitted:
                arrivals.append(notice.job)  # type: ignore[attr-defined]  # it is a JobSubmitted
            elif kind is JobCompleted:
                changed |= self._forget(notice.job.id)  # type: ignore[attr-defined]  # it is a JobCompleted
            else:
                changed |= self._take_in(notice, decisions)
        if arrivals:
            arrivals, joined = self._join(now, arrivals, decisions)
            changed |= joined
        if changed:
            self._changed(now, decisions)
        for job in arrivals:
            self._arrived(now, job, decisions)
        return Reply(now, decisions)

    def _join(self, now: float, arrivals: list[Job], decisions: list[Decision]) -> tuple[list[Job], bool]:
        """Reject what is too large; new jobs that come last anyway, to be looked at one by one, and whether others
        have joined the queue, so that all of it must be looked at.
        """
        fit = []
        for job in arrivals:
            if job.request.hosts > self._hosts:
                decisions.append(RejectJob(job_id=job.id))
            else:
                fit.append(job)
        if self.queue_order == "fcfs":
            return fit, False
        for job in fit:
            self._queue.add(job, now)
        return [], bool(fit)

    def _changed(self, now: float, decisions: list[Decision]) -> None:
        """Hosts were freed, or their availability changed."""
        raise NotImplementedError

    def _arrived(self, now: float, job: Job, decisions: list[Decision]) -> None:
        """A job that the machine could hold was submitted."""
        raise NotImplementedError

    def _hold(self, now: float, job: Job, hosts: HostSet) -> Held:
        """Note that a job runs on hosts that are already out of the pool."""
        self._starts += 1
        held = self._running[job.id] = (now + job.walltime, self._starts, job.request.hosts, hosts)
        return held

    def _start(self, now: float, job: Job, hosts: HostSet, decisions: list[Decision]) -> Held:
        """Start a job on hosts that are still in the pool."""
        self._pool -= hosts
        decisions.append(ExecuteJob(job_id=job.id, hosts=hosts))
        return self._hold(now, job, hosts)

    def _forget(self, job_id: str) -> bool:
        """A job ended: its hosts are free (if it was ours)."""
        held = self._running.pop(job_id, None)
        if held is None:
            return False
        hosts = held[3]
        self._pool.add(hosts - self._unavailable if self._unavailable.size else hosts)
        self._released(held)
        return True

    def _released(self, held: Held) -> None:
        """A running job has given its hosts back (for subclasses that keep account of it)."""

    def _repredict(self) -> None:
        """What the ends of running jobs will free has changed (for subclasses that predict)."""

    def _take_in(self, notice: Notice, decisions: list[Decision]) -> bool:
        """Notices other than arrivals and ends; whether the queue must be looked at."""
        if isinstance(notice, SimulationBegins):
            self._hosts = len(notice.platform.hosts)
            self._pool = HostPool(HostSet.span(self._hosts))
            return True
        if isinstance(notice, HostsBecameUnavailable):
            self._unavailable |= notice.hosts
            self._pool -= notice.hosts
        elif isinstance(notice, HostsBecameAvailable):
            back = notice.hosts & self._unavailable
            self._unavailable -= back
            for held in self._running.values():
                back -= held[3]
            self._pool |= back
        elif isinstance(notice, DecisionRefused) and isinstance(notice.decision, ExecuteJob):
            decisions.append(RejectJob(job_id=notice.decision.job_id))
            return self._forget(notice.decision.job_id)
        else:
            return False
        for job_id, (end, rank, _, hosts) in self._running.items():
            self._running[job_id] = (end, rank, len(hosts - self._unavailable), hosts)
        self._repredict()
        return True
