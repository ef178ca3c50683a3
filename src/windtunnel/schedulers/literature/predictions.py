"""How long jobs are expected to run, and what is expected when they run longer.

D. Tsafrir, Y. Etsion, D. G. Feitelson: Backfilling using system-generated predictions rather than user runtime
estimates. IEEE Transactions on Parallel and Distributed Systems 18(6), 2007. Jobs are planned by predictions and
killed at their walltimes.
"""

from collections import deque
from math import inf
from typing import Final, Literal

from windtunnel.diagnostics import UsageError
from windtunnel.model import DelayProfile, Job

__all__ = ["Correction", "Prediction", "Predictor", "corrected"]

Prediction = Literal["requested", "exact", "last-two", "last-two-of-all", "mean-accuracy"]
"""What a job is expected to run: its walltime; its very run time; the mean of the last two finished jobs of its user
(of all users); its walltime times the mean part that its user's jobs have used of theirs."""

Correction = Literal["requested", "steps", "double"]
"""What is expected of a job that outlives its prediction: its walltime; growing steps beyond the prediction; twice as
much."""

_STEPS: Final = (60.0, 300.0, 900.0, 1800.0, 3600.0, 7200.0, 18_000.0, 36_000.0, 72_000.0, 180_000.0, 360_000.0)


def _whole(walltime: float) -> float:
    """In whole microseconds: walltimes may lie a little behind the time that was requested."""
    return round(walltime * 1e6) / 1e6 if walltime < 1e15 else walltime


class Predictor:
    """Predicts run times in whole seconds, from those that it was told."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction
        self._last: dict[str, deque[float]] = {}
        self._accuracies: dict[str, tuple[float, int]] = {}

    def finished(self, job: Job, run: float) -> None:
        """A job has run so long (s)."""
        if self.prediction == "mean-accuracy":
            walltime = _whole(job.walltime)
            if 0.0 < walltime < inf:  # one that asked for no time tells nothing of how its user asks
                total, number = self._accuracies.get(job.user, (0.0, 0))
                self._accuracies[job.user] = (total + run / walltime, number + 1)
        elif self.prediction.startswith("last-two"):
            self._last.setdefault(self._whose(job), deque(maxlen=2)).append(run)

    def _whose(self, job: Job) -> str:
        return job.user if self.prediction == "last-two" else ""

    def expected(self, job: Job) -> float:
        """How long a job will run (s); never longer than its walltime."""
        if self.prediction == "exact":
            if not isinstance(job.profile, DelayProfile):
                raise UsageError(f"job {job.id!r} has no known run time", "choose another prediction")
            return min(job.profile.delay, _whole(job.walltime))
        if self.prediction == "mean-accuracy" and job.user in self._accuracies and job.walltime < inf:
            total, number = self._accuracies[job.user]
            return max(1.0, float(int(_whole(job.walltime) * (total / number))))
        last = self._last.get(self._whose(job), ())
        if len(last) == 2:
            return min(_whole(job.walltime), float(sum(last) // 2))
        return _whole(job.walltime)


def corrected(correction: Correction, first: float, present: float, requested: float, elapsed: float) -> float:
    """What is expected (s) of a job that has run ``elapsed`` s.

    It was expected to run ``first`` s at first, and ``present`` s since; it asked for ``requested`` s.
    """
    expected = present
    if correction == "requested":
        return requested
    while expected <= elapsed < requested:
        if correction == "double":
            expected = max(2 * expected, 1.0)
        else:
            expected = next((first + step for step in _STEPS if first + step > expected), requested)
    return min(expected, requested)
