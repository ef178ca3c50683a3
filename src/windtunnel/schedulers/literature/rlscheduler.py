"""The rules of RLScheduler's simulator, in which a job that was chosen stays chosen until it starts.

D. Zhang, D. Dai, Y. He, F. S. Bao, B. Xie: RLScheduler: an automated HPC batch job scheduler using reinforcement
learning. SC 2020. Written from what that simulator does; some of it is odd, and named here as there: what it calls
``wfp3`` and ``unicep`` takes the waiting time of a waiting job to be -1 - s, so that both orders are fixed.
"""

from collections.abc import Callable
from math import log2, log10, sqrt
from typing import Final, Literal

from windtunnel.model import Job
from windtunnel.schedulers.learned.choosing import Choosing
from windtunnel.schedulers.learned.sights import requested

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


class RLScheduler(Choosing):
    """One job is chosen among those that have arrived, and stays chosen until it fits.

    Events of an instant count one by one, arrivals before ends; an arrival on an empty queue is chosen before the
    next is looked at. With ``backfill``, jobs start meanwhile in the order of their submission if they end before the
    start of the chosen job, which is predicted once. Equal jobs come in the order in which the last sort left them.

    Args:
        order: the score by which a job is chosen.
        backfill: whether others overtake.
    """

    name = "literature/rlscheduler"

    def __init__(
        self,
        *,
        order: Literal["fcfs", "sjf", "smallest", "wfp3", "unicep", "f1", "f2", "f3", "f4"] = "fcfs",
        backfill: bool = False,
    ) -> None:
        self.order = order
        super().__init__(rules="chosen-stays", backfill=backfill)

    def _reset(self) -> None:
        super()._reset()
        self._scores: dict[str, float | tuple[float, ...]] = {}

    def ask(self, now: float) -> list[Job]:
        """The waiting jobs, that of the least score first."""
        del now  # the scores do not change with time
        self.waiting.sort(key=self._score)
        return self.waiting

    def _score(self, job: Job) -> float | tuple[float, ...]:
        score = self._scores.get(job.id)
        if score is None:
            asked = requested(job)
            score = self._scores[job.id] = _SCORES[self.order](job.submission_time, asked, job.request.hosts)
        return score
