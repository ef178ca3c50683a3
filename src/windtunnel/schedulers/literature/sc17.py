"""The rules of the simulator of SC 2017, in which only a window of the oldest waiting jobs is seen.

D. Carastan-Santos, R. Y. de Camargo: Obtaining dynamic scheduling policies with simulation and machine learning.
SC 2017. Written from what the simulator of the paper's artefact does: its orders F1 to F4 are products of the fitted
constants, of which the paper prints rounded quotients (870, 25,600, 6,860,000 and 530,000).
"""

from collections.abc import Callable, Sequence
from math import inf, log2, log10, sqrt
from typing import Annotated, Final, Literal

from msgspec import Meta

from windtunnel.diagnostics import UsageError
from windtunnel.model import DelayProfile, Job
from windtunnel.schedulers.batch import BatchScheduler, too_large
from windtunnel.vocabulary import HONOURED_BY_ALL, Decision, Notice, Reply, Running

__all__ = ["SC17", "SC17Order"]

SC17Order = Literal["fcfs", "spt", "saf", "wfp3", "unicef", "f1", "f2", "f3", "f4"]


def _log10(value: float) -> float:
    return log10(value) if value > 0 else -inf


def _unicef(r: float, n: int, _s: float, w: float) -> float:
    works = log2(n + 1e-20) * r
    return -(w + 1e-20) / works if works else -inf


_SCORES: Final[dict[str, Callable[[float, int, float, float], float]]] = {
    "spt": lambda r, _n, _s, _w: r,
    "saf": lambda r, n, _s, _w: r * n,
    "wfp3": lambda r, n, _s, w: -((w / r) ** 3) * n if r else -inf,
    "unicef": _unicef,
    "f1": lambda r, n, s, _: (-0.0155183403 * _log10(r)) * (-0.0005149209 * n) + 0.0069596182 * _log10(s),
    "f2": lambda r, n, s, _: (0.0000342717 * sqrt(r)) * (0.0076562110 * n) + 0.0067364626 * _log10(s),
    "f3": lambda r, n, s, _: (-0.2188093701 * r) * (-0.0000000049 * n) + 0.0073580361 * _log10(s),
    "f4": lambda r, n, s, _: (0.0056500287 * r) * (0.0000024814 * sqrt(n)) + 0.0074444355 * _log10(s),
}
"""From run time (s), processors, submission since the first job (s) and time waited (s); the least comes first.

Serial jobs are infinite under ``unicef``, whose logarithm is 0 there: they come first, as in the artefact.
"""


class SC17(BatchScheduler):
    """The first of the order starts, or all wait; only the ``window`` oldest jobs are sorted and can be first.

    They are sorted at each arrival and end, and again before each start; what was sorted before is what equal jobs
    keep. A job that arrives when none waits is tried before others of the same instant are looked at.

    Args:
        order: the formula; ``fcfs`` sorts nothing.
        window: how many waiting jobs are seen.
        state: so many jobs start first, in the order of their arrival.
        runtimes: formulas are of ``exact`` run times or ``requested`` times.
    """

    name = "literature/sc17"
    honours = HONOURED_BY_ALL

    def __init__(
        self,
        *,
        order: SC17Order = "f1",
        window: Annotated[int, Meta(ge=1)] = 32,
        state: Annotated[int, Meta(ge=0)] = 16,
        runtimes: Literal["requested", "exact"] = "requested",
    ) -> None:
        self.order = order
        self.window = window
        self.state = state
        self.runtimes = runtimes
        super().__init__()

    def _reset(self) -> None:
        super()._reset()
        self._pending: list[Job] = []
        self._started = 0
        self._origin: float | None = None

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, then start from the front of the window."""
        site = self.site
        site.apply(now, notices)
        decisions: list[Decision] = []
        if site.refused:
            self._retry(now, decisions)
        alone = not self._pending
        for job in site.arrived:
            if job.request.hosts > site.size:
                decisions.append(too_large(job, site.size))
                continue
            if self._origin is None:
                self._origin = job.submission_time
            self._pending.append(job)
            self.queue.add(job, now)
        if self._pending and (site.changed or site.arrived):
            self._start_from_front(now, decisions, alone=alone)
        return Reply(now, decisions)

    def _start_from_front(self, now: float, decisions: list[Decision], *, alone: bool) -> None:
        pending = self._pending
        while pending:
            if self.order != "fcfs" and self._started >= self.state and not alone:
                seen = pending[: self.window]
                seen.sort(key=lambda job: self._score(job, now))
                pending[: self.window] = seen
            job = pending[0]
            if job.request.hosts > len(self.site.free):
                return
            alone = False
            del pending[0]
            self._started += 1
            self.queue.remove(job)
            decisions.append(self.site.run(job, together=False))

    def _score(self, job: Job, now: float) -> float:
        origin = self._origin or 0.0
        since = float(int(job.submission_time - origin))
        return _SCORES[self.order](self._runs(job), job.request.hosts, since, float(int(now - origin)) - since)

    def _runs(self, job: Job) -> float:
        if self.runtimes == "requested":
            return round(job.walltime * 1e6) / 1e6 if job.walltime < 1e15 else job.walltime
        if not isinstance(job.profile, DelayProfile):
            raise UsageError(f"job {job.id!r} has no known run time", "choose runtimes=requested")
        return job.profile.delay

    def _again(self, now: float, running: Running) -> None:
        super()._again(now, running)
        self._pending.append(running.job)
