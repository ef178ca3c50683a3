"""Backfilling in the orders, by the predictions and under the rules of the literature, one option for each.

Written from the descriptions in the papers and from what the simulators pyss and predictsim do; tests compare every
start with theirs.
"""

from collections.abc import Mapping, Sequence
from math import inf, nextafter
from typing import Annotated, Literal

from msgspec import Meta

from windtunnel.model import Job
from windtunnel.schedulers.availability import Availability
from windtunnel.schedulers.batch import BatchScheduler, too_large
from windtunnel.schedulers.literature.plan import ExpectedEnds
from windtunnel.schedulers.literature.predictions import Correction, Prediction, Predictor, corrected
from windtunnel.schedulers.literature.priorities import PRIORITIES, PriorityName, Waiting
from windtunnel.vocabulary import Ability, Decision, Notice, Reply, Running

__all__ = ["Backfill", "PriorityBackfilling"]

Backfill = Literal["none", "list", "easy", "plan"]
"""Who overtakes the first of the queue; see :class:`PriorityBackfilling`."""


class PriorityBackfilling(BatchScheduler):
    """A queue in an order of the literature, with backfilling.

    Args:
        order: of the queue (see :mod:`windtunnel.schedulers.literature.priorities` for the formulas).
        backfill: ``none``: the first of the order starts or all wait; ``list``: all that fit start, in order;
            ``easy``: the first has a reservation that others do not delay; ``plan``: all are planned anew at their
            earliest places, in order, each time.
        backfill_order: in which others overtake the first; by default the order of the queue.
        prediction: of run times.
        factor: what is predicted times this, for those in ``factor_for``.
        correction: of predictions that are over.
        renewed: predict again before each decision, not only when a job arrives.
        threshold: jobs that have waited longer (s) come first, in the order of their arrival.
        relaxation: the first of the order may be delayed by this part of the time that it will have waited.
        grain: decide once for all that happens at an instant, or at each arrival and each end by itself.
        arrivals: decide whenever a job arrives, or only if it would fit.
        ties: equal jobs in the order of arrival, or as they stood after the last decision.
    """

    name = "literature/priority"
    honours = BatchScheduler.honours - {Ability.ANNOUNCED_UNAVAILABILITY}

    def __init__(
        self,
        *,
        order: PriorityName = "fcfs",
        backfill: Backfill = "easy",
        backfill_order: PriorityName | Literal["as-queue"] = "as-queue",
        prediction: Prediction = "requested",
        factor: Annotated[float, Meta(gt=0)] = 1.0,
        factor_for: Literal["all", "first", "overtaking"] = "all",
        correction: Correction = "requested",
        renewed: bool = False,
        threshold: Annotated[float, Meta(ge=0)] = inf,
        relaxation: Annotated[float, Meta(ge=0)] = 0.0,
        grain: Literal["instant", "event"] = "instant",
        arrivals: Literal["always", "if-fitting"] = "always",
        ties: Literal["arrival", "as-before"] = "arrival",
    ) -> None:
        self.order = order  # names, no functions: a run can be saved
        self.backfill = backfill
        self.backfill_order = order if backfill_order == "as-queue" else backfill_order
        self.prediction: Prediction = prediction
        self.factor = factor
        self.factor_for = factor_for
        self.correction: Correction = correction
        self.renewed = renewed
        self.threshold = threshold
        self.relaxation = relaxation
        self.grain = grain
        self.arrivals = arrivals
        self.ties = ties
        super().__init__()

    def _reset(self) -> None:
        super()._reset()
        self._waiting: dict[str, Waiting] = {}
        self._arrivals = 0
        self._ends = ExpectedEnds()
        self._first_expected: dict[str, float] = {}
        self._predictor = Predictor(self.prediction)

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, then decide, once or at each event."""
        site = self.site
        site.apply(now, notices)
        decisions: list[Decision] = []
        if site.refused:
            self._retry(now, decisions)
        ended = sorted((one[3] for one in site.left if isinstance(one[3], Running)), key=lambda one: one.rank)
        self._correct(now, {one.job.id: one for one in ended})
        arrived = self._admit(site.arrived, decisions)
        # Hosts that have been given back count for events that come later at this instant.
        taken = sum(hosts for _, hosts in self._ends) - sum(one.hosts.size for one in ended)
        self._total = site.free.size + taken
        if self.grain == "event":
            for job in arrived:
                self._join(now, job)
                self._choose(now, decisions)
            for one in ended:
                self._end(now, one)
                self._choose(now, decisions)
            if not ended and not arrived and site.changed:
                self._choose(now, decisions)
        else:
            for job in arrived:
                self._join(now, job)
            for one in ended:
                self._end(now, one)
            if site.changed or (arrived and self._worth_it(arrived)):
                self._choose(now, decisions)
        self._conclude(now, decisions)
        return Reply(now, decisions)

    def _conclude(self, now: float, decisions: list[Decision]) -> None:
        """What is decided when all events of an instant are known."""

    def _worth_it(self, arrived: Sequence[Job]) -> bool:
        """Whether arrivals alone are decided on."""
        return self.arrivals == "always" or any(job.request.hosts <= self.site.free.size for job in arrived)

    def _admit(self, jobs: Sequence[Job], decisions: list[Decision]) -> list[Job]:
        size = self.site.size
        decisions += [too_large(job, size) for job in jobs if job.request.hosts > size]
        return [job for job in jobs if job.request.hosts <= size]

    def _join(self, now: float, job: Job) -> None:
        """A job waits."""
        self._arrivals += 1
        one = self._waiting[job.id] = Waiting(job, min(job.submission_time, now), self._arrivals)
        one.expected = self._expected(job)
        self.queue.add(job, now)

    def _again(self, now: float, running: Running) -> None:
        """A job waits again."""
        self._ends.remove(running.job.id)
        self._join(now, running.job)

    def _end(self, now: float, one: Running) -> None:
        self._ends.remove(one.job.id)
        self._first_expected.pop(one.job.id, None)
        self._predictor.finished(one.job, now - one.start)

    def _expected(self, job: Job) -> float:
        expected = self._predictor.expected(job)
        if self.factor_for != "all" or self.factor == 1:
            return expected
        return expected * self.factor if self.factor > 1 else max(1.0, expected * self.factor // 1)

    def _correct(self, now: float, ended: Mapping[str, Running]) -> None:
        """Expect more of those that run, or ran till now, longer than they were expected to."""
        for job_id in list(self._ends.until(now)):
            if job_id in ended and self._ends.end(job_id) == now:
                continue
            running = ended.get(job_id) or self.site.running[job_id]
            first, requested = self._first_expected[job_id], running.job.walltime
            present = self._ends.end(job_id) - running.start
            longer = corrected(self.correction, first, present, requested, now - running.start)
            self._ends.move(job_id, running.start + longer)

    def _choose(self, now: float, decisions: list[Decision]) -> None:
        """Start what may start now."""
        if not self._waiting:
            return
        if self.renewed:
            for one in self._waiting.values():
                one.expected = self._expected(one.job)
        queue = self._in_order(now)
        # What was expected to have ended counts as free, though its end may be told later at this instant.
        free = self._total - sum(hosts for end, hosts in self._ends if end > now)
        if self.backfill == "plan":
            self._start_by_plan(now, free, queue, decisions)
        elif self.backfill == "list":
            for one in queue:
                if one.size <= free:
                    free -= self._start(now, one, decisions, first=True)
        else:
            started = 0
            while started < len(queue) and queue[started].size <= free:
                free -= self._start(now, queue[started], decisions, first=True)
                started += 1
            if self.backfill == "easy" and free and started + 1 < len(queue):
                self._overtake(now, free, queue[started], queue[started + 1 :], decisions)

    def _in_order(self, now: float) -> list[Waiting]:
        order = PRIORITIES[self.order].key
        queue = sorted(self._waiting.values(), key=lambda one: order(one, now))
        if self.threshold < inf:
            queue.sort(key=lambda one: (0, one.rank) if now - one.submitted > self.threshold else (1, 0))
        if self.ties == "as-before":
            self._waiting = {one.job.id: one for one in queue}
        return queue

    def _overtake(
        self, now: float, free: int, first: Waiting, others: list[Waiting], decisions: list[Decision]
    ) -> None:
        """Start those that do not delay the first."""
        shadow, extra = self._reserve(now, free, first)
        for one in self._by_turns(now, others):
            if one.size > free:
                continue
            in_time = now + one.expected * (self.factor if self.factor_for == "overtaking" else 1.0) <= shadow
            if in_time or one.size <= extra:
                free -= self._start(now, one, decisions, first=False)
                if not in_time:
                    extra -= one.size

    def _by_turns(self, now: float, others: list[Waiting]) -> list[Waiting]:
        """In which order others try to overtake."""
        order = PRIORITIES[self.backfill_order].key
        if self.ties == "arrival":
            others.sort(key=_rank)
        return sorted(others, key=lambda one: order(one, now))

    def _reserve(self, now: float, free: int, first: Waiting) -> tuple[float, int]:
        """Until when others may run (s), and how many hosts they may hold beyond."""
        shadow = inf
        for end, hosts in self._ends:
            if end <= now:
                continue
            if free >= first.size and end > shadow:
                break
            free += hosts
            if free >= first.size:
                shadow = end
        extra = max(free - first.size, 0)
        if self.relaxation and shadow < inf:
            shadow += self.relaxation * (shadow - first.submitted)
        return shadow, extra

    def _start_by_plan(self, now: float, free: int, queue: list[Waiting], decisions: list[Decision]) -> None:
        """Plan all at their earliest places, in order; start those whose place is the present."""
        plan = Availability(self._total, now)
        for end, hosts in self._ends:
            plan.change(now, end, -hosts)
        for one in queue:
            begin = plan.find(one.size, one.expected)
            plan.change(begin, begin + one.expected, -one.size)
            if begin <= now and one.size <= free:
                free -= self._start(now, one, decisions, first=True)

    def _start(self, now: float, one: Waiting, decisions: list[Decision], *, first: bool) -> int:
        """Start a job; how many hosts it takes."""
        job = one.job
        del self._waiting[job.id]
        self.queue.remove(job)
        decisions.append(self.site.run(job, together=False))
        expected = one.expected
        if self.factor_for == ("first" if first else "overtaking"):
            expected *= self.factor
        self._first_expected[job.id] = expected
        end = max(now + expected, nextafter(now, inf))  # what asks for no time is not over before it starts
        self._ends.add(job.id, end, one.size)
        return one.size


def _rank(one: Waiting) -> int:
    return one.rank
