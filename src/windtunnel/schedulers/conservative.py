"""Conservative backfilling (Feitelson & Weil 1998; Mu'alem & Feitelson, IEEE TPDS 2001)."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import inf
from typing import Annotated, ClassVar, Final

from msgspec import Meta
from mypy_extensions import mypyc_attr

from windtunnel.model import Job
from windtunnel.schedulers.availability import Availability, held_until
from windtunnel.schedulers.batch import BatchScheduler, too_large
from windtunnel.schedulers.batch_rules import Rules
from windtunnel.schedulers.orders import ORDERS, QueueOrder, Together
from windtunnel.vocabulary import CallMeLater, Decision, ExecuteJob, Notice, OneShot, Reply, Running

__all__ = ["Conservative"]

_SHORT: Final = 100
"""So many waiting jobs are all reviewed at every end."""
_LATE: Final = 0.01
"""A job that starts later than planned by no more than this (s) is still taken to end as planned: messages and calls
of simulators are late by that much, and a plan in which everybody's hosts were wanted twice for an instant would let
nobody overtake."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Conservative(BatchScheduler):
    """Every job gets a reservation when it arrives, at the earliest date that delays nobody; a reservation never
    moves to a later date (unless hosts become unavailable: then all are made anew).

    Reservations are counts of hosts, by walltimes. When a job ends before its walltime, the schedule is compressed:
    in queue order, each job is moved to the earliest date that the reservations of all others leave it. In a queue of
    more than 100 jobs, one whose reservation is far ahead is not reviewed at every end, but again when the fraction
    ``review`` of the time that was left until it has passed (0: at every end); besides, at every end, those start, in
    queue order, that can start at once.

    A job without walltime is taken to run indefinitely, and its hosts are missing in all that is planned; a job for
    which so many hosts are never foreseen waits without a reservation.

    ``policy`` says which hosts a job gets, which has no influence on when it starts: consecutive numbers where that
    is possible (``best_effort_contiguous``), or always the lowest ones (``basic``).
    """

    name: ClassVar[str] = "conservative"
    rules: ClassVar[Rules] = Rules(reservations=inf, kept=True)

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
        self._plan = Availability(0)
        self._reserved: dict[str, float] = {}
        self._reviews: list[tuple[float, int, Job]] = []  # a heap: when to review, and what breaks ties
        self._reviewed = 0
        self._calls = 0
        self._called_for = inf

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message; look at the queue if anything was freed, then at each new job."""
        if self._beginning and (reply := self._decided_by_host(now, notices)) is not None:
            return reply
        site = self.site
        present = self._plan.advance(now)
        site.apply(now, notices)
        decisions: list[Decision] = []
        if site.shifted:
            self._replan(present)
        else:
            for end, _, freed, _ in site.left:
                self._plan.change(present, end, freed)
        if site.refused:
            self._retry(present, decisions)
        if site.called:
            self._called_for = inf
        arrivals = self._admit(present, decisions) if site.arrived else site.arrived
        if (site.changed or site.called) and self.queue.count:
            self._review(present, decisions)
        for job in arrivals:
            self.queue.add(job, present)
            if self._reserve(present, job) <= present:
                self._begin(present, job, decisions)
        if self._reserved:
            self._wake(decisions)
        return Reply(now, decisions)

    def _admit(self, now: float, decisions: list[Decision]) -> list[Job]:
        """Whoever comes first in the queue, older reservations stand: new jobs get theirs last, in queue order."""
        fit = []
        for job in self.site.arrived:
            if job.request.hosts <= self.site.size:
                fit.append(job)
            else:
                decisions.append(too_large(job, self.site.size))
        fit.sort(key=lambda job: ORDERS[self.queue_order](job, now, job.walltime))
        return fit

    def _again(self, now: float, running: Running) -> None:
        super()._again(now, running)
        if self._by_host is None:
            self._reserve(now, running.job)

    def _replan(self, now: float) -> None:
        """Plan anew: the running jobs, then the queue."""
        site = self.site
        plan = self._plan = Availability(site.size - len(site.absent), now)
        for end, _, freed, _ in site.ends:
            plan.change(now, end, -freed)
        self._reviews.clear()
        for job in self.queue:
            self._reserve(now, job)

    def _reserve(self, now: float, job: Job) -> float:
        size, length = job.request.hosts, job.walltime
        begin = self._reserved[job.id] = self._plan.find(size, length)
        if begin < inf:
            self._plan.change(begin, held_until(begin, length), -size)
        self._review_later(now, job, begin)
        return begin

    def _review_later(self, now: float, job: Job, reserved: float) -> None:
        self._reviewed += 1
        when = min(now + self.review * (reserved - now), reserved) if reserved < inf else now
        heappush(self._reviews, (when, self._reviewed, job))

    def _begin(self, now: float, job: Job, decisions: list[Decision]) -> None:
        """Start a job whose reservation has come, if its hosts are there (a running one may be reported late)."""
        free, size = self.site.free, job.request.hosts
        hosts = free.take(size) if self.policy == "basic" else free.take_together(size)
        if hosts is None:
            return
        begin = self._reserved.pop(job.id)
        self.queue.remove(job)
        decisions.append(ExecuteJob(job_id=job.id, hosts=hosts))
        start = begin if now - begin <= _LATE else now
        end = held_until(start, job.walltime)
        self.site.hold(job, hosts, start, end)
        self._plan.change(held_until(begin, job.walltime), end, -size)

    def _review(self, now: float, decisions: list[Decision]) -> None:
        queue = self.queue
        self._compress(now, self._to_review(now), decisions)
        while (job := queue.find_lasting(len(self.site.free), self._plan.lasting)) is not None:
            self._move(job, self._reserved[job.id], now)
            self._begin(now, job, decisions)

    def _to_review(self, now: float) -> list[Job]:
        """In queue order."""
        queue, reviews = self.queue, self._reviews
        if queue.count <= _SHORT:
            reviews.clear()
            return list(queue)
        due = []
        while reviews and reviews[0][0] <= now:
            job = heappop(reviews)[2]
            if job.id in self._reserved:
                due.append(job)
        if len(reviews) > 2 * queue.count + _SHORT:  # mostly of jobs that have started
            self._reviews = [entry for entry in reviews if entry[2].id in self._reserved]
            heapify(self._reviews)
        due.sort(key=queue.place)
        return due

    def _compress(self, now: float, jobs: Sequence[Job], decisions: list[Decision]) -> None:
        """Move each of these jobs to the earliest date the others leave it; start those whose date has come."""
        plan, reserved = self._plan, self._reserved
        bounds: dict[int, float] = {}  # by size: before this date there is nothing for it
        for job in jobs:
            size = job.request.hosts
            old = reserved[job.id]
            new, bounds[size] = plan.earlier(size, job.walltime, old, bounds.get(size, now))
            if new < old:
                freed = self._move(job, old, new)
                for other, bound in bounds.items():
                    if bound > freed:
                        bounds[other] = freed
            if new <= now:
                self._begin(now, job, decisions)
            if job.id in reserved:
                self._review_later(now, job, new)

    def _move(self, job: Job, old: float, new: float) -> float:
        """Give a job an earlier reservation; the date from which hosts were freed."""
        size, length = job.request.hosts, job.walltime
        self._reserved[job.id] = new
        end = held_until(new, length)
        if old == inf:
            self._plan.change(new, end, -size)
            return inf
        freed = max(end, old)
        self._plan.change(freed, held_until(old, length), size)
        self._plan.change(new, min(end, old), -size)
        return freed

    def _wake(self, decisions: list[Decision]) -> None:
        """See to it that something happens when the first reservation is due: an end, or else a call.

        Before the first predicted end only a reservation can change the plan.
        """
        due = self._plan.dates[1]
        ends = self.site.ends
        if due < inf and not (ends and ends[0][0] <= due) and self._called_for > due:
            self._calls += 1
            self._called_for = due
            decisions.append(CallMeLater(call_me_later_id=f"reservation {self._calls}", when=OneShot(due)))
