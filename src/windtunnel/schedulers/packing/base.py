"""What the schedulers that pack share: a queue whose jobs are known by what they need."""

from collections.abc import Sequence

from windtunnel.model import HostSet, Job
from windtunnel.model.demands import Demands, Need
from windtunnel.schedulers.batch import BatchScheduler
from windtunnel.schedulers.packing.queue import PackingQueue
from windtunnel.schedulers.packing.room import Room
from windtunnel.vocabulary import (
    PARTS,
    AllStaticJobsHaveBeenSubmitted,
    Decision,
    ExecuteJob,
    JobCompleted,
    JobStarted,
    JobSubmitted,
    Mirror,
    Notice,
    RejectJob,
    Reply,
    RequestedCall,
    Running,
    SimulationBegins,
    View,
)

__all__ = ["Packing"]


_USUAL = frozenset({JobSubmitted, JobStarted, JobCompleted, RequestedCall, AllStaticJobsHaveBeenSubmitted})
"""Notices after which nothing is otherwise but what jobs have left, or have taken by somebody else's decision."""
_MANY = 100_000
"""So many changes are remembered."""


class Packing(BatchScheduler):
    """A batch scheduler that gives jobs parts of hosts where they ask for parts.

    Every amount is honoured: cores, memory, GPUs and any other resource that the site describes. A job that no hosts
    could ever hold is rejected, with the reason.
    """

    honours = BatchScheduler.honours | PARTS

    def __init__(self, queue_order: str) -> None:
        self.by_cores = False
        super().__init__(queue_order)

    def pack_by_cores(self) -> None:
        """Let jobs that count processors take cores of their hosts, not all of them (``--share-hosts``)."""
        self.by_cores = True

    def _reset(self) -> None:
        self._beginning = True
        self._by_host = None
        self.waiting = PackingQueue(self.queue_order)
        self.site = Mirror(self.waiting)
        self.view = View(self.site)
        self.demands = self.waiting.demands
        self.room = Room.now(self.site, self.demands)
        self._as_usual = False
        self._noted = 0

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, then decide."""
        if self._beginning and (reply := self._decided_by_host(now, notices)) is not None:
            return reply
        site = self.site
        site.apply(now, notices)
        if site.begins is not None and self.demands.hosts is not site.hosts:
            self.demands = self.waiting.demands = Demands(site.hosts, by_cores=self.by_cores)
        self.look(notices)
        decisions: list[Decision] = []
        if site.refused:
            self._retry(now, decisions)
        for job in site.arrived:
            reason = self.demands.unmeetable(self.demands.of(job.request))
            if reason:
                decisions.append(RejectJob(job_id=job.id, reason=reason))
            else:
                self.waiting.add(job, now)
        if (site.changed or site.arrived) and self.waiting.count:
            decisions += self.schedule(self.view) or ()
        return Reply(now, decisions)

    def _demands(self, begins: SimulationBegins) -> Demands:
        self.demands = self.waiting.demands = Demands(begins.hosts, by_cores=self.by_cores)
        return self.demands

    def _retry(self, now: float, decisions: list[Decision]) -> None:
        """What the engine refused though all that is known of the site allows it would be refused again."""
        for running in self.site.refused:
            free = running.hosts <= self.room.able(self.demands.of(running.job.request))
            if free:
                decisions.append(RejectJob(job_id=running.job.id, reason="its execution was refused"))
            else:
                self._again(now, running)

    def _again(self, now: float, running: Running) -> None:
        self.waiting.add(running.job, now)

    def able(self) -> set[Need]:
        """The needs of waiting jobs that the hosts could meet now, any one of them."""
        return {need for need in self.waiting.needs if self.room.holds(need)}

    def look(self, notices: Sequence[Notice]) -> None:
        """See what is free after a message: what jobs have left or taken, or all anew if more has happened."""
        if self._as_usual and all(type(notice) in _USUAL for notice in notices) and self._noted < _MANY:
            changed = [held.hosts for _, _, _, held in self.site.left]
            changed += [notice.hosts for notice in notices if isinstance(notice, JobStarted)]
            for hosts in changed:
                self.room.note(hosts)
                self._noted += hosts.size
        else:
            self.room = Room.now(self.site, self.demands)
            self._noted = 0
        self._as_usual = True

    def start(self, job: Job, need: Need, hosts: HostSet) -> ExecuteJob:
        """The decision that a waiting job starts now, noted."""
        self.waiting.discard(job)
        self.room.note(hosts)
        self._noted += hosts.size
        if need.whole:
            decision = self.site.execute(job, hosts)
        else:
            amounts = {host: dict(need.amounts) for host in hosts}
            self.site.start(job, hosts, amounts)
            decision = ExecuteJob(job_id=job.id, hosts=hosts, amounts=amounts)
        return decision
