"""Conservative backfilling, decided event by event: every job has a reservation, which only becomes earlier.

D. G. Feitelson, A. M. Weil: Utilization and predictability in scheduling the IBM SP2 with backfilling. IPPS 1998;
with the compression that pyss does. :class:`~windtunnel.schedulers.conservative.Conservative` is the same idea,
decided once an instant.
"""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from windtunnel.model import Job
from windtunnel.schedulers.availability import Availability, later
from windtunnel.schedulers.literature.priority import PriorityBackfilling
from windtunnel.vocabulary import Decision, Running

__all__ = ["KeptReservations"]


class KeptReservations(PriorityBackfilling):
    """At its arrival a job gets the earliest place; at each end all jobs, in order of arrival, get earlier ones.

    When hosts come or go, or a job runs longer than it was expected to, all are made anew, in the same order. A job
    that is larger than what is available waits without a reservation.
    """

    name = "literature/kept-reservations"

    def __init__(self, *, factor: Annotated[float, Meta(gt=0)] = 1.0) -> None:
        super().__init__(factor=factor, grain="event")

    def _reset(self) -> None:
        super()._reset()
        self._begins: dict[str, float] = {}
        """When each waiting job is to begin, as planned (s)."""
        self._held: dict[str, tuple[float, int]] = {}
        """Until when the plan leaves each running job its hosts (s), and how many."""
        self._plan = Availability(0)
        self._present = 0.0
        """The present of the plan (s), whose dates are whole microseconds."""
        self._foreseen = 0
        """So many hosts are in the plan."""
        self._stale = False
        """Whether the plan is to be made anew: a job runs longer than it says, or did not start."""

    def _correct(self, now: float, ended: Mapping[str, Running]) -> None:
        self._present = self._plan.advance(now)
        self._stale = self._stale or any(job_id not in ended for job_id in self._ends.until(now))
        super()._correct(now, ended)

    def _again(self, now: float, running: Running) -> None:
        del self._held[running.job.id]
        self._stale = True
        super()._again(now, running)

    def _join(self, now: float, job: Job) -> None:
        if not self._foreseen:  # nothing is planned yet
            self._plan_anew(now)
        super()._join(now, job)
        self._place(job.id)

    def _place(self, job_id: str) -> None:
        """Give a job the earliest place that there is."""
        one = self._waiting[job_id]
        begin = self._begins[job_id] = self._plan.find(one.size, one.expected)
        self._plan.change(begin, later(begin, one.expected), -one.size)

    def _end(self, now: float, one: Running) -> None:
        super()._end(now, one)
        end, size = self._held.pop(one.job.id)
        plan, present = self._plan, self._present
        plan.change(present, end, size)
        for job_id, waiting in self._waiting.items():
            begin = self._begins[job_id]
            plan.change(max(begin, present), later(begin, waiting.expected), waiting.size)
            self._place(job_id)

    def _choose(self, now: float, decisions: list[Decision]) -> None:
        """Nothing starts before all events of the instant are known; see :meth:`_conclude`."""

    def _conclude(self, now: float, decisions: list[Decision]) -> None:
        """Start the jobs whose place is the present, if their hosts are there (an end may be told late)."""
        if self._stale or self._total != self._foreseen:
            self._plan_anew(now)
        present = self._present
        for one in [one for one in self._waiting.values() if self._begins[one.job.id] <= present]:
            if one.size <= self.site.free.size:
                begin, end = self._begins.pop(one.job.id), later(present, one.expected)
                self._plan.change(later(begin, one.expected), end, -one.size)
                self._held[one.job.id] = end, one.size
                self._start(now, one, decisions, first=True)

    def _plan_anew(self, now: float) -> None:
        """The running jobs, then those that wait, on the hosts that there are."""
        self._stale = False
        self._foreseen = self._total
        self._plan = Availability(self._total)
        self._present = self._plan.advance(now)
        for job_id, (_, size) in self._held.items():
            end = later(self._ends.end(job_id), 0.0)
            self._held[job_id] = end, size
            self._plan.change(self._present, end, -size)
        for job_id in self._waiting:
            self._place(job_id)
