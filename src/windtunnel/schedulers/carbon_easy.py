"""EASY backfilling of jobs that wait for hours of little carbon, of low prices or much sun (Wiesner et al. 2021)."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import inf, nextafter
from typing import Annotated, Final, Literal

import msgspec

from windtunnel.model.signals import MOST_ERROR, Signal
from windtunnel.schedulers.easy import Easy
from windtunnel.schedulers.idle_hosts import Seconds
from windtunnel.schedulers.orders import QueueOrder
from windtunnel.vocabulary import (
    CallMeLater,
    JobRejected,
    JobStarted,
    JobSubmitted,
    Notice,
    OneShot,
    RequestedCall,
    SimulationBegins,
)
from windtunnel.vocabulary.brief import BriefDecision, News, notices_in_full

__all__ = ["CarbonEasy"]

_SAME: Final = 1e-9
"""A later start must save more than this share."""
_SOON: Final = 1e-6
"""A call that comes this many seconds early is in time."""


class CarbonEasy(Easy):
    """EASY; each job is first held back until the start that costs least within ``max_delay`` of its submission.

    What a start costs is the integral of the carbon intensity (or of the ``price``: option ``signal``) over the job's
    walltime, from that start on: a job is taken to draw the same all the time. With ``generation`` the start is
    chosen for which the site generates most meanwhile. Of starts that are equally good, the earliest is chosen. From
    then on the job waits as under EASY: it may start later where no hosts are free. Jobs without walltime, and jobs
    whose starts all lie where nothing is known, are not held back.

    What is expected is the signal itself, or a forecast that is off by a share drawn for each step
    (``forecast_error``, the standard deviation, and ``forecast_seed``). In a run without the signal, and behind
    protocols, which do not tell it, no job is held back.
    """

    name = "carbon-easy"

    def __init__(
        self,
        *,
        signal: Literal["carbon", "price", "generation"] = "carbon",
        max_delay: Seconds = 86400.0,
        forecast_error: Annotated[float, msgspec.Meta(ge=0, le=MOST_ERROR)] = 0.0,
        forecast_seed: int = 1,
        queue_order: QueueOrder = "fcfs",
    ) -> None:
        self.follows = signal
        self.sign = -1.0 if signal == "generation" else 1.0
        self.max_delay = max_delay
        self.forecast_error = forecast_error
        self.forecast_seed = forecast_seed
        super().__init__(queue_order=queue_order)

    def _reset(self) -> None:
        super()._reset()
        self._steps: Signal | None = None
        self._deferred: list[tuple[float, int, JobSubmitted]] = []
        self._count = 0
        self._calls: set[str] = set()

    def decide_briefly(self, now: float, news: Sequence[News]) -> list[BriefDecision]:
        """As EASY does, which hears of each job when its time has come."""
        heard: list[Notice] = []
        calls: list[BriefDecision] = []
        for notice in notices_in_full(news, now):
            if isinstance(notice, JobSubmitted):
                date = self._best(now, notice)
                if date > now:
                    calls += self._defer(date, notice)
                    continue
            elif isinstance(notice, SimulationBegins):
                self._steps = notice.signals.get(self.follows)
            elif isinstance(notice, RequestedCall) and notice.call_me_later_id in self._calls:
                self._calls.discard(notice.call_me_later_id)
                continue
            elif self._deferred and isinstance(notice, JobStarted | JobRejected):  # by another component
                heard += self._recalled(notice.job.id)
            heard.append(notice)
        while self._deferred and self._deferred[0][0] <= now + _SOON:
            heard.append(heappop(self._deferred)[2])
        return [*super().decide_briefly(now, heard), *calls]

    def _defer(self, date: float, notice: JobSubmitted) -> list[CallMeLater]:
        """EASY hears of a job at this date; the call for it, unless there is one."""
        self._count += 1
        heappush(self._deferred, (date, self._count, notice))
        call = f"{self.name} {date!r}"
        if call in self._calls:
            return []
        self._calls.add(call)
        return [CallMeLater(call_me_later_id=call, when=OneShot(date))]

    def _recalled(self, job_id: str) -> list[JobSubmitted]:
        """A job that is held back no longer."""
        found = [entry for entry in self._deferred if entry[2].job.id == job_id]
        for entry in found:
            self._deferred.remove(entry)
            heapify(self._deferred)
        return [notice for _, _, notice in found]

    def _best(self, now: float, notice: JobSubmitted) -> float:
        """When a job that is submitted now should start."""
        lasts, latest = notice.job.walltime, now + self.max_delay
        steps = self._steps
        if steps is None or not 0.0 < lasts < inf or latest <= now:
            return now
        if self.forecast_error > 0.0:
            error, seed = self.forecast_error, self.forecast_seed
            steps = steps.forecast(now, latest + lasts, error=error, seed=seed)
        # The least is where a step begins at the start or at the end of the job, or at either end of its choice.
        dates = {latest, *steps.steps(now, latest)}
        dates.update([date - lasts for date in steps.steps(now + lasts, latest + lasts)])
        if not steps.covers(now, latest + lasts):
            dates.add(_last_start(steps.end, lasts))
        if not steps.covers(now, now + lasts):
            return now
        best, least = now, self.sign * steps.integral(now, now + lasts)
        for date in sorted(dates):
            if date > best and steps.covers(date, date + lasts):
                value = self.sign * steps.integral(date, date + lasts)
                if value < least - _SAME * abs(least):
                    best, least = date, value
        return best


def _last_start(end: float, lasts: float) -> float:
    """The latest start (s) of what ends at this date, or just before where rounding has it end later."""
    start = end - lasts
    return start if start + lasts <= end else nextafter(start, -inf)
