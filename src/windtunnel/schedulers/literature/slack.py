"""Backfilling with slack: a reservation may be pushed back by those that come later, within a bound.

After D. Talby, D. G. Feitelson: Supporting priorities and improving utilization of the IBM SP scheduler using
slack-based backfilling. IPPS 1999. There each job has a slack of a factor times the mean wait, and of the schedules
in which nobody leaves theirs a cheap one is looked for by heuristics. Which ones, and their constants, is our
reading: a new job is tried at each place of the plan from the end to the front, and the plan in which all wait least
in sum is taken.
"""

from math import inf
from typing import Annotated, NamedTuple

from msgspec import Meta

from windtunnel.model import Job
from windtunnel.schedulers.availability import Availability, later
from windtunnel.schedulers.literature.kept_reservations import KeptReservations
from windtunnel.schedulers.literature.priorities import Waiting
from windtunnel.vocabulary import Decision

__all__ = ["SlackBased"]


class _Plan(NamedTuple):
    """Who begins when (s), and what is left then."""

    begins: dict[str, float]
    left: Availability


class SlackBased(KeptReservations):
    """All have a reservation; a new job may push others back, by no more than their slack beyond the first promise.

    Args:
        slack: times the mean wait of the jobs started so far is the slack of a job (s), fixed when it arrives.
        places: so many places of the plan, from its end, are tried for a new job.
    """

    name = "literature/slack"

    def __init__(self, *, slack: Annotated[float, Meta(ge=0)] = 1.0, places: Annotated[int, Meta(ge=1)] = 32) -> None:
        self.slack = slack
        self.places = places
        super().__init__()

    def _reset(self) -> None:
        super()._reset()
        self._limits: dict[str, float] = {}
        """The latest date (s) at which each may begin."""
        self._waited = 0.0
        self._begun = 0

    def _place(self, job_id: str) -> None:
        if job_id in self._limits:  # an end, or a new plan: all in the order of their arrival
            super()._place(job_id)
            return
        order = sorted(self._begins, key=lambda one: (self._begins[one], self._waiting[one].rank))
        best = self._planned_as([*order, job_id])
        cost = sum(best.begins.values())
        for place in range(len(order) - 1, max(len(order) - self.places, 0) - 1, -1):
            plan = self._planned_as([*order[:place], job_id, *order[place:]])
            late = any(begin > self._limits[one] for one, begin in plan.begins.items() if one != job_id)
            if not late and sum(plan.begins.values()) < cost:
                best, cost = plan, sum(plan.begins.values())
        self._begins, self._plan = best
        mean = self._waited / self._begun if self._begun else 0.0
        self._limits[job_id] = best.begins[job_id] + self.slack * mean

    def _planned_as(self, order: list[str]) -> _Plan:
        """Each at the earliest place that those before it leave."""
        left = Availability(self._foreseen, self._present)
        for end, hosts in self._held.values():
            left.change(self._present, end, -hosts)
        begins = {}
        for job_id in order:
            one = self._waiting[job_id]
            begin = begins[job_id] = left.find(one.size, one.expected)
            left.change(begin, later(begin, one.expected), -one.size)
        return _Plan(begins, left)

    def _plan_anew(self, now: float) -> None:
        super()._plan_anew(now)
        for job_id, begin in self._begins.items():  # what was promised on other hosts is promised anew
            limit = self._limits[job_id]
            self._limits[job_id] = begin if limit == inf else max(limit, begin)

    def _start(self, now: float, one: Waiting, decisions: list[Decision], *, first: bool) -> int:
        self._limits.pop(one.job.id)
        self._waited += now - one.submitted
        self._begun += 1
        return super()._start(now, one, decisions, first=first)

    def _join(self, now: float, job: Job) -> None:
        self._limits.pop(job.id, None)  # a job that waits again is promised anew
        super()._join(now, job)
