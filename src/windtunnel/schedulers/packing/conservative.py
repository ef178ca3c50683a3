"""Conservative backfilling on parts of hosts."""

from collections.abc import Sequence
from math import inf
from typing import Annotated, Final

from msgspec import Meta

from windtunnel.model import HostSet, Job
from windtunnel.model.demands import Demands, Need
from windtunnel.schedulers.availability import held_until, later
from windtunnel.schedulers.conservative import Conservative
from windtunnel.schedulers.orders import ORDERS, QueueOrder, Together
from windtunnel.schedulers.packing.base import Packing
from windtunnel.schedulers.packing.timetable import Timetable
from windtunnel.vocabulary import CallMeLater, Decision, Notice, OneShot, RejectJob, Reply, Running

__all__ = ["PackingConservative"]

_SHORT: Final = 20
"""So many waiting jobs are reviewed at every end."""
_AT_HAND: Final = 1e-5
"""What is so near (s) is the present: dates of the plan are whole microseconds, those of ends are not."""

_Reservation = tuple[float, float, HostSet, Need]
"""From when until when (s), on which hosts, and what of each."""


class PackingConservative(Packing):
    """Every job gets a reservation of parts of particular hosts, at the earliest date that delays nobody.

    When something ends before it was to, the first twenty jobs of the queue are moved, in queue order, to the
    earliest date that the reservations of all others leave them; of the others those start that can at once.
    """

    name = "conservative"
    rules = Conservative.rules

    def __init__(
        self,
        *,
        queue_order: QueueOrder = "fcfs",
        review: Annotated[float, Meta(ge=0, le=1)] = 0.01,
        policy: Together = "best_effort_contiguous",
    ) -> None:
        self.review = review
        self.policy = policy
        super().__init__(queue_order)

    def _reset(self) -> None:
        super()._reset()
        self._plan = Timetable(Demands(()), HostSet(), 0.0)
        self._reserved: dict[str, _Reservation] = {}
        self._running: dict[str, _Reservation] = {}
        self._calls = 0
        self._called_for = inf

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message; look at the queue if anything was freed, then at each new job."""
        if self._beginning and (reply := self._decided_by_host(now, notices)) is not None:
            return reply
        site = self.site
        site.apply(now, notices)
        if site.begins is not None and self.demands.hosts is not site.hosts:
            self.demands = self.waiting.demands = Demands(site.hosts, by_cores=self.by_cores)
        self.look(notices)
        present = self._present(now)
        early = self._take_out(present)
        decisions: list[Decision] = []
        if site.shifted:
            self._replan(present)
        if site.refused:
            self._retry(present, decisions)
        if site.called:
            self._called_for = inf
        if early or site.shifted or site.called or site.changed:
            self._review(present, decisions, early)
        for job in self._admit(present, decisions):
            self.waiting.add(job, present)
            self._reserve(present, job)
            self._begin_if_due(present, job, decisions)
        self._wake(present, decisions)
        return Reply(now, decisions)

    def _present(self, now: float) -> float:
        """The date that is now in the plan: it may lie a little after now."""
        date = later(now, 0.0)
        ends = (end for _, end, _, _ in self._running.values())
        begins = (begin for begin, _, _, _ in self._reserved.values())
        near = [other for other in (*ends, *begins) if date < other <= date + _AT_HAND]
        date = max(near, default=date)
        self._plan.forget(date)
        return date

    def _take_out(self, now: float) -> HostSet:
        """What has ended leaves the plan; the hosts of what was to last longer."""
        early = HostSet()
        gone = [job_id for job_id in self._running if job_id not in self.site.running]
        for job_id in gone:
            _, end, hosts, need = self._running.pop(job_id)
            if end > now:
                self._plan.change(hosts, need, now, end, +1)
                early |= hosts
        taken = [job_id for job_id in self._reserved if job_id in self.site.running]  # by another component
        for job_id in taken:
            self._free(job_id)
        return early

    def _free(self, job_id: str) -> None:
        begin, end, hosts, need = self._reserved.pop(job_id)
        if begin < inf:
            self._plan.change(hosts, need, begin, end, +1)

    def _admit(self, now: float, decisions: list[Decision]) -> list[Job]:
        """New jobs that the hosts could hold, in queue order."""
        fit = []
        for job in self.site.arrived:
            reason = self.demands.unmeetable(self.demands.of(job.request))
            if reason:
                decisions.append(RejectJob(job_id=job.id, reason=reason))
            else:
                fit.append(job)
        fit.sort(key=lambda job: ORDERS[self.queue_order](job, now, job.walltime))
        return fit

    def _again(self, now: float, running: Running) -> None:
        super()._again(now, running)
        if self._by_host is None:
            self._reserve(now, running.job)

    def _replan(self, now: float) -> None:
        """Plan anew, on the hosts that are there: what runs, then the queue."""
        site = self.site
        self._plan = Timetable(self.demands, HostSet.span(site.size) - site.absent, now)
        self._reserved.clear()
        self._running.clear()
        for job_id, running in site.running.items():
            need = self._need_of(running)
            end = max(later(running.end, 0.0), now) if running.end < inf else inf
            self._running[job_id] = (now, end, running.hosts, need)
            self._plan.change(running.hosts, need, now, end, -1)
        for job in self.waiting:
            self._reserve(now, job)

    def _need_of(self, running: Running) -> Need:
        if running.amounts is None:
            return Need(len(running.hosts))
        part = next(iter(running.amounts.values()), {})
        return Need(len(running.hosts), tuple(sorted(part.items())), whole=False)

    def _reserve(self, now: float, job: Job) -> None:
        need = self.demands.of(job.request)
        begin, hosts = self._plan.find(need, job.walltime, now)
        end = held_until(begin, job.walltime) if begin < inf else inf
        self._reserved[job.id] = begin, end, hosts, need
        if begin < inf:
            self._plan.change(hosts, need, begin, end, -1)

    def _review(self, now: float, decisions: list[Decision], freed: HostSet) -> None:
        """Move the first jobs to the earliest dates that there are for them; start those whose date has come.

        Only on hosts of which something was freed a job can come earlier.
        """
        able = self.able() if freed else set()
        for rank, job in enumerate(list(self.waiting)):
            begin, end, hosts, need = self._reserved[job.id]
            if freed and begin > now and (rank < _SHORT or need in able):
                self._free(job.id)
                if self._plan.earlier(need, job.walltime, now, begin, freed):
                    self._reserve(now, job)
                    freed |= hosts
                else:
                    self._reserved[job.id] = begin, end, hosts, need
                    if begin < inf:
                        self._plan.change(hosts, need, begin, end, -1)
            self._begin_if_due(now, job, decisions)

    def _begin_if_due(self, now: float, job: Job, decisions: list[Decision]) -> None:
        """Start a job whose reservation has come, if its hosts are there (a running one may be reported late)."""
        begin, end, hosts, need = self._reserved[job.id]
        if begin > now or not hosts <= self.room.able(need):
            return
        del self._reserved[job.id]
        decisions.append(self.start(job, need, hosts))
        self._running[job.id] = begin, end, hosts, need

    def _wake(self, now: float, decisions: list[Decision]) -> None:
        """See to it that something happens when the first reservation is due: an end, or else a call."""
        due = min((begin for begin, _, _, _ in self._reserved.values() if begin > now), default=inf)
        ends = self.site.ends
        if due < inf and not (ends and ends[0][0] <= due) and self._called_for > due:
            self._calls += 1
            self._called_for = due
            decisions.append(CallMeLater(call_me_later_id=f"reservation {self._calls}", when=OneShot(due)))
