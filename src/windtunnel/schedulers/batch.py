"""What our own batch schedulers share: a queue in some order, and the mirror of the site."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from mypy_extensions import mypyc_attr

from windtunnel.diagnostics import too_many
from windtunnel.model import Job
from windtunnel.model.demands import Demands
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.batch_rules import Rules
from windtunnel.schedulers.queues import waiting_queue
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    Ability,
    Decision,
    Hello,
    Mirror,
    Notice,
    Outages,
    RejectJob,
    Reply,
    Running,
    SimulationBegins,
    View,
)

if TYPE_CHECKING:
    from windtunnel.schedulers.by_host import ByHost

__all__ = ["BatchScheduler", "too_large"]


def too_large(job: Job, size: int) -> RejectJob:
    """The rejection of a job that wants more hosts than there are."""
    return RejectJob(job_id=job.id, reason=too_many(job.request.hosts, "host", size))


@mypyc_attr(allow_interpreted_subclasses=True)
class BatchScheduler(Scheduler):
    """A scheduler of whole hosts with a queue (``self.queue``) in one of several orders.

    A message is taken in whole; new jobs join the queue, and then, if anything may have become possible, it is
    decided on: subclasses write :meth:`schedule`, which takes jobs out of the queue and starts them. Jobs that are
    larger than the machine are rejected. Hosts that are unavailable, sleep or are being switched are given to nobody,
    and count for nothing in predictions; what runs there goes on. A job whose execution the engine refuses is
    rejected, unless what was told since explains it: then it waits again.

    Where outages are announced, the same ``rules`` are followed host by host
    (:class:`~windtunnel.schedulers.by_host.ByHost`).
    """

    honours: ClassVar[frozenset[Ability]] = HONOURED_BY_ALL | {
        Ability.ANNOUNCED_UNAVAILABILITY,
        Ability.UNAVAILABLE_HOSTS,
        Ability.SLEEPING_HOSTS,
    }
    rules: ClassVar[Rules] = Rules(reservations=0)
    """Who has a reservation, and who may overtake."""
    policy: str = "basic"
    """Which hosts jobs get."""

    def __init__(self, queue_order: str = "fcfs") -> None:
        self.queue_order = queue_order
        super().__init__()
        self._reset()

    def _reset(self) -> None:
        self._beginning = True
        """Whether the first message is to come, or this run is decided host by host."""
        self._by_host: ByHost | None = None
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
        if self._beginning and (reply := self._decided_by_host(now, notices)) is not None:
            return reply
        site = self.site
        site.apply(now, notices)
        decisions: list[Decision] = []
        if site.refused:
            self._retry(now, decisions)
        for job in site.arrived:
            if job.request.hosts > site.size:
                decisions.append(too_large(job, site.size))
            else:
                self.queue.add(job, now)
        if (site.changed or site.arrived) and self.queue.count:
            decisions += self.schedule(self.view) or ()
        return Reply(now, decisions)

    def schedule(self, view: View) -> Iterable[Decision] | None:
        """Take jobs out of the queue and start them (:meth:`start`)."""
        raise NotImplementedError

    def _decided_by_host(self, now: float, notices: Sequence[Notice]) -> Reply | None:
        """What is decided host by host, if outages are announced."""
        by_host, site = self._by_host, self.site
        if by_host is None:
            begins = next((notice for notice in notices if isinstance(notice, SimulationBegins)), None)
            outages = None if begins is None else Outages.of(begins)
            self._beginning = begins is None or bool(outages)
            if begins is None or not outages:
                return None
            from windtunnel.schedulers.by_host import ByHost  # few sites announce outages

            together = self.policy != "basic"
            by_host = ByHost(self.rules, site, site.queue, self._demands(begins), outages, together=together)
            self._by_host = by_host
        site.apply(now, notices)
        decisions: list[Decision] = []
        for running in site.refused:
            if by_host.fits_still(running):
                decisions.append(RejectJob(job_id=running.job.id, reason="its execution was refused"))
            else:
                self._again(now, running)
        for job in site.arrived:
            by_host.admit(job, now, decisions)
        if site.changed or site.arrived or site.called:
            by_host.decide(now, decisions)
        return Reply(now, decisions)

    def _demands(self, begins: SimulationBegins) -> Demands:
        """What requests come to on the hosts."""
        return Demands(begins.hosts)

    def _retry(self, now: float, decisions: list[Any]) -> None:
        """Jobs that were not started wait again if it is known by now why, and are rejected otherwise."""
        for running in self.site.refused:
            if self.site.free.covers(running.hosts):
                decisions.append(RejectJob(job_id=running.job.id))
            else:
                self._again(now, running)

    def _again(self, now: float, running: Running) -> None:
        """A job waits again."""
        self.queue.add(running.job, now)
