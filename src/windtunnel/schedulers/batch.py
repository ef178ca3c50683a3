"""What our own batch schedulers share: a queue in some order, and the mirror of the site."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.queues import waiting_queue
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    Ability,
    Decision,
    Hello,
    Mirror,
    Notice,
    RejectJob,
    Reply,
    Running,
    View,
)

__all__ = ["BatchScheduler"]


@mypyc_attr(allow_interpreted_subclasses=True)
class BatchScheduler(Scheduler):
    """A scheduler of whole hosts with a queue (``self.queue``) in one of several orders.

    A message is taken in whole; new jobs join the queue, and then, if anything may have become possible, it is
    decided on: subclasses write :meth:`schedule`, which takes jobs out of the queue and starts them. Jobs that are
    larger than the machine are rejected. Hosts that are unavailable, sleep or are being switched are given to nobody,
    and count for nothing in predictions; what runs there goes on. A job whose execution the engine refuses is
    rejected, unless what was told since explains it: then it waits again.
    """

    honours: ClassVar[frozenset[Ability]] = HONOURED_BY_ALL | {Ability.UNAVAILABLE_HOSTS, Ability.SLEEPING_HOSTS}

    def __init__(self, queue_order: str = "fcfs") -> None:
        self.queue_order = queue_order
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self.queue = waiting_queue(self.queue_order)
        self.site = Mirror(self.queue)
        self.view = View(self.site)

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run."""
        hello = super().hello()
        self._reset()
        return hello

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, then decide."""
        site = self.site
        site.apply(now, notices)
        decisions: list[Decision] = []
        if site.refused:
            self._retry(now, decisions)
        for job in site.arrived:
            if job.request.hosts > site.size:
                decisions.append(RejectJob(job_id=job.id))
            else:
                self.queue.add(job, now)
        if (site.changed or site.arrived) and self.queue.count:
            decisions += self.schedule(self.view) or ()
        return Reply(now, decisions)

    def schedule(self, view: View) -> Iterable[Decision] | None:
        """Take jobs out of the queue and start them (:meth:`start`)."""
        raise NotImplementedError

    def _retry(self, now: float, decisions: list[Decision]) -> None:
        """Jobs that were not started wait again if it is known by now why, and are rejected otherwise."""
        for running in self.site.refused:
            if self.site.free.covers(running.hosts):
                decisions.append(RejectJob(job_id=running.job.id))
            else:
                self._again(now, running)

    def _again(self, now: float, running: Running) -> None:
        """A job waits again."""
        self.queue.add(running.job, now)
