"""The rules of RLScheduler's simulator, in which a job that was chosen stays chosen until it starts.

D. Zhang, D. Dai, Y. He, F. S. Bao, B. Xie: RLScheduler: an automated HPC batch job scheduler using reinforcement
learning. SC 2020. Written from what that simulator does; some of it is odd, and named here as there: what it calls
``wfp3`` and ``unicep`` takes the waiting time of a waiting job to be -1 - s, so that both orders are fixed.
"""

from collections.abc import Callable, Sequence
from math import log2, log10, sqrt
from typing import Final, Literal

from windtunnel.model import Job
from windtunnel.schedulers.batch import BatchScheduler, too_large
from windtunnel.vocabulary import HONOURED_BY_ALL, Decision, Notice, Reply, Running

__all__ = ["RLScheduler"]


def _f1(s: float, r: float, n: int) -> float:
    return log10(r or 0.1) * n + 870 * log10(s or 0.1)


_SCORES: Final[dict[str, Callable[[float, float, int], float | tuple[float, ...]]]] = {
    "fcfs": lambda s, _r, _n: s,
    "sjf": lambda s, r, _n: (r, s),
    "smallest": lambda s, _r, n: (n, s),
    "wfp3": lambda s, r, n: ((1 + s) / r) ** 3 * n,
    "unicep": lambda s, r, n: (1 + s) / (log2(n + 1e-15) * r),
    "f1": _f1,
    "f2": lambda s, r, n: sqrt(r) * n + 25600 * log10(s),
    "f3": lambda s, r, n: r * n + 6860000 * log10(s),
    "f4": lambda s, r, n: r * sqrt(n) + 530000 * log10(s),
}
"""From submission (s), requested time (s) and processors; the least comes first."""


class RLScheduler(BatchScheduler):
    """One job is chosen among those that have arrived, and stays chosen until it fits.

    Events of an instant count one by one, arrivals before ends; an arrival on an empty queue is chosen before the
    next is looked at. With ``backfill``, jobs start meanwhile in the order of their submission if they end before the
    start of the chosen job, which is predicted once.

    Args:
        order: the score by which a job is chosen.
        backfill: whether others overtake.
    """

    name = "literature/rlscheduler"
    honours = HONOURED_BY_ALL

    def __init__(
        self,
        *,
        order: Literal["fcfs", "sjf", "smallest", "wfp3", "unicep", "f1", "f2", "f3", "f4"] = "fcfs",
        backfill: bool = False,
    ) -> None:
        self.order = order
        self.backfill = backfill
        super().__init__()

    def _reset(self) -> None:
        super()._reset()
        self._pending: list[Job] = []
        self._chosen: Job | None = None
        self._begins = 0.0
        self._ending: dict[str, Running] = {}

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in the message, event by event."""
        site = self.site
        site.apply(now, notices)
        decisions: list[Decision] = []
        if site.refused:
            self._retry(now, decisions)
        ended = sorted((one[3] for one in site.left if isinstance(one[3], Running)), key=lambda one: one.rank)
        self._ending = {running.job.id: running for running in ended}
        free = site.free.size - sum(running.hosts.size for running in ended)
        for job in site.arrived:
            if job.request.hosts > site.size:
                decisions.append(too_large(job, site.size))
                continue
            self.queue.add(job, now)
            self._pending.append(job)
            free = self._go_on(now, free, decisions)
        for running in ended:
            del self._ending[running.job.id]
            free = self._go_on(now, free + running.hosts.size, decisions)
        return Reply(now, decisions)

    def _go_on(self, now: float, free: int, decisions: list[Decision]) -> int:
        """Start the chosen job, and choose the next, as long as they fit; how many hosts are free then."""
        while self._pending:
            if self._chosen is None:
                score = _SCORES[self.order]
                self._pending.sort(key=lambda job: score(job.submission_time, _requested(job), job.request.hosts))
                self._chosen = self._pending[0]
                fits = self._chosen.request.hosts <= free
                if not fits and self.backfill:
                    self._begins = self._predicted(free, self._chosen.request.hosts)
            job = self._chosen
            if job.request.hosts > free:
                return self._overtake(now, free, decisions) if self.backfill else free
            self._chosen = None
            free -= self._start(job, decisions)
        return free

    def _predicted(self, free: int, need: int) -> float:
        """When enough hosts will be free (s), by the requested times."""
        holding = [*self.site.running.values(), *self._ending.values()]
        for running in sorted(holding, key=lambda one: (one.start + _requested(one.job), one.rank)):
            free += running.hosts.size
            if free >= need:
                return running.start + _requested(running.job)
        return float("inf")

    def _overtake(self, now: float, free: int, decisions: list[Decision]) -> int:
        """Start who ends before the chosen job begins; how many hosts are free then."""
        self._pending.sort(key=lambda job: job.submission_time)
        for job in list(self._pending):
            if job is not self._chosen and job.request.hosts <= free and now + _requested(job) < self._begins:
                free -= self._start(job, decisions)
        return free

    def _start(self, job: Job, decisions: list[Decision]) -> int:
        self._pending.remove(job)
        self.queue.remove(job)
        decisions.append(self.site.run(job, together=False))
        return job.request.hosts


def _requested(job: Job) -> float:
    """The requested time (s): walltimes may lie a little behind it."""
    return round(job.walltime * 1e6) / 1e6
