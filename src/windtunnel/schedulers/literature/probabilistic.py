"""Backfilling by probabilities: a job overtakes if it is unlikely to delay the first of the queue.

A. Nissimov, D. G. Feitelson: Probabilistic backfilling. JSSPP 2007; as pyss renders it, with its table of
probabilities, in which what one job gives back is counted with that job already among those that have ended.
"""

from typing import Annotated

from msgspec import Meta

from windtunnel.model import Job
from windtunnel.schedulers.literature.priorities import Waiting
from windtunnel.schedulers.literature.priority import PriorityBackfilling
from windtunnel.schedulers.literature.run_time_bins import LONGEST, RunTimeBins, rounded_up
from windtunnel.vocabulary import Decision, Running

__all__ = ["Probabilistic"]


class _Begun:
    """A job that runs."""

    __slots__ = ("requested", "size", "start", "user")

    def __init__(self, one: Waiting, start: float) -> None:
        self.user = one.job.user
        self.size = one.size
        self.requested = one.expected
        self.start = start


class Probabilistic(PriorityBackfilling):
    """FCFS in which a job overtakes if the first of the queue is delayed with at most ``threshold`` probability.

    How long jobs run is told by the run times of their users' last ``window`` jobs, in bins that double. Decides at
    each arrival and each end by itself; nobody has a reservation.

    Args:
        threshold: sum, over the bins in which the job may end, of the probability of that bin times the greatest
            probability so far that the first of the queue could have started but for this job.
        window: so many finished jobs of a user count.
    """

    name = "literature/probabilistic"

    def __init__(
        self, *, threshold: Annotated[float, Meta(ge=0, le=1)] = 0.2, window: Annotated[int, Meta(ge=1)] = 150
    ) -> None:
        super().__init__(grain="event")
        self.risk = threshold
        self.window = window

    def _reset(self) -> None:
        super()._reset()
        self._users: dict[str, RunTimeBins] = {}
        self._begun: dict[str, _Begun] = {}
        """In the order of their starts. Jobs that end later at this instant are here still: the mirror is ahead."""
        self._longest = 0
        self._longest_before = 0
        self._released: dict[int, list[float]] = {}
        self._most = 0
        """Of so many hosts at most somebody asks how probable it is that they are given back."""

    def _join(self, now: float, job: Job) -> None:
        super()._join(now, job)
        power = rounded_up(self._waiting[job.id].expected)
        if power > self._longest:
            self._longest_before, self._longest = self._longest, power
        self._bins(job.user)
        if self._longest_before < self._longest:
            for held in self._begun.values():
                self._bins(held.user)

    def _bins(self, user: str) -> RunTimeBins:
        """What is known of a user's jobs, with bins as long as the longest job that any asked for."""
        if user not in self._users:
            self._users[user] = RunTimeBins(self.window)
        self._users[user].reach(2 * self._longest)
        return self._users[user]

    def _end(self, now: float, one: Running) -> None:
        super()._end(now, one)
        self._begun.pop(one.job.id)
        self._users[one.job.user].add(now - one.start)

    def _again(self, now: float, running: Running) -> None:
        self._begun.pop(running.job.id)
        super()._again(now, running)

    def _start(self, now: float, one: Waiting, decisions: list[Decision], *, first: bool) -> int:
        self._begun[one.job.id] = _Begun(one, now)
        self._released.clear()
        return super()._start(now, one, decisions, first=first)

    def _overtake(
        self, now: float, free: int, first: Waiting, others: list[Waiting], decisions: list[Decision]
    ) -> None:
        """Start those that are unlikely to delay the first."""
        self._released.clear()
        self._most = min(self.site.size, first.size + free)
        for one in others:
            if one.size <= free and self._delay(now, one, first) <= self.risk:
                free -= self._start(now, one, decisions, first=False)

    def _delay(self, now: float, one: Waiting, first: Waiting) -> float:
        """How probable it is that the first starts later because of a job; no more than is needed to refuse it."""
        bins = self._users[one.job.user]
        both = first.size + one.size
        probable = most = 0.0
        power = 1
        beyond = 2 * min(one.expected, LONGEST)
        while power < beyond and probable <= self.risk:
            released = self._within(now, power)
            delayed = released[first.size] - (released[both] if both < len(released) else 0.0)
            most = max(most, delayed)
            probable += bins.ending_at(power, one.expected) * most
            power *= 2
        return probable

    def _within(self, now: float, seconds: int) -> list[float]:
        """The probability that so many hosts (by index) are given back within so many seconds."""
        found = self._released.get(seconds)
        if found is None:
            found = self._released[seconds] = [0.0] * (self._most + 1)
            for held in self._begun.values():
                bins = self._users[held.user]
                ended = bins.ended_within(seconds, now - held.start, held.requested)
                found[0] = 1.0
                if ended:
                    _give_back(found, held.size, ended)
        return found


def _give_back(found: list[float], size: int, ended: float) -> None:
    """A job gives back so many hosts with a probability: what it was that so many were given back follows."""
    if not size:
        return
    least = min(size, len(found))
    found[1:least] = [one + (1.0 - one) * ended for one in found[1:least]]
    for at in range(size, len(found), size):  # each part from the one before it, which is up to date
        part = slice(at, at + size)
        fewer = found[at - size : at]
        found[part] = [one + (less - one) * ended for one, less in zip(found[part], fewer, strict=False)]
