"""Conservative backfilling, decided event by event: every job has a reservation, which only becomes earlier.

D. G. Feitelson, A. M. Weil: Utilization and predictability in scheduling the IBM SP2 with backfilling. IPPS 1998;
with the compression that pyss does. :class:`~windtunnel.schedulers.conservative.Conservative` is the same idea,
decided once an instant.
"""

from typing import Annotated

from msgspec import Meta

from windtunnel.model import Job
from windtunnel.schedulers.availability import Availability
from windtunnel.schedulers.literature.priority import PriorityBackfilling
from windtunnel.vocabulary import HONOURED_BY_ALL, Decision, Running

__all__ = ["KeptReservations"]


class KeptReservations(PriorityBackfilling):
    """At its arrival a job gets the earliest place; at each end all jobs, in order of arrival, get earlier ones."""

    name = "literature/kept-reservations"
    honours = HONOURED_BY_ALL

    def __init__(self, *, factor: Annotated[float, Meta(gt=0)] = 1.0) -> None:
        super().__init__(factor=factor, grain="event")

    def _reset(self) -> None:
        super()._reset()
        self._begins: dict[str, float] = {}
        self._plan: Availability | None = None
        self._compress = False

    def _planned(self, now: float) -> Availability:
        if self._plan is None:
            self._plan = Availability(self.site.size, now)
        self._plan.advance(now)
        return self._plan

    def _join(self, now: float, job: Job) -> None:
        super()._join(now, job)
        self._place(now, job.id)

    def _place(self, now: float, job_id: str) -> None:
        """Give a job the earliest place that there is."""
        plan = self._planned(now)
        one = self._waiting[job_id]
        begin = self._begins[job_id] = plan.find(one.size, one.expected)
        plan.change(begin, begin + one.expected, -one.size)

    def _end(self, now: float, one: Running) -> None:
        end = self._ends.end(one.job.id)
        super()._end(now, one)
        plan = self._planned(now)
        if end > now:
            plan.change(max(now, plan.dates[0]), end, one.hosts.size)
        for job_id, waiting in self._waiting.items():
            begin = self._begins[job_id]
            plan.change(begin, begin + waiting.expected, waiting.size)
            self._place(now, job_id)

    def _choose(self, now: float, decisions: list[Decision]) -> None:
        """Nothing starts before all events of the instant are known; see :meth:`_conclude`."""

    def _conclude(self, now: float, decisions: list[Decision]) -> None:
        """Start the jobs whose place is the present."""
        for one in [one for one in self._waiting.values() if self._begins[one.job.id] <= now]:
            del self._begins[one.job.id]
            self._start(now, one, decisions, first=True)
