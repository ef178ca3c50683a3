"""What a choice means, and when there is one: the rules under which published environments let agents decide.

Each rule goes on as far as it can without a choice; False says that one is needed first.
"""

from math import inf
from typing import Final, Literal, Protocol

from windtunnel.model import Job
from windtunnel.schedulers.learned.sights import requested
from windtunnel.vocabulary import Decision, Running

__all__ = ["RULES", "Deciding", "Rules", "RulesName"]

RulesName = Literal["chosen-stays", "chosen-anew", "ordered", "may-wait"]


class Deciding(Protocol):
    """The scheduler that follows a rule."""

    waiting: list[Job]
    backfill: bool

    @property
    def unused(self) -> int:
        """How many hosts are free."""

    def holding(self) -> list[Running]:
        """The jobs that hold hosts."""

    def ask(self, now: float) -> list[Job] | None:
        """The waiting jobs that are preferred, the most first (none: let all wait); None when nobody has chosen."""

    def begin(self, job: Job, decisions: list[Decision]) -> None:
        """Start a job that fits."""


class Rules(Protocol):
    """When there is a choice, and what it means."""

    one_by_one: bool
    """Whether the events of an instant count one by one, arrivals before ends, or all at once."""

    def go_on(self, deciding: Deciding, now: float, decisions: list[Decision]) -> bool:
        """Start what may start; False when a choice is needed first."""


class ChosenStays:
    """A job that was chosen stays chosen until it starts (RLScheduler, SC 2020).

    With backfilling, others start meanwhile in the order of their submission, if they end before its start; that is
    predicted once, when it is chosen. An arrival on an empty queue is chosen before the next is looked at.
    """

    one_by_one = True

    def __init__(self) -> None:
        self._chosen: Job | None = None
        self._begins = inf

    def go_on(self, deciding: Deciding, now: float, decisions: list[Decision]) -> bool:
        """Start the chosen job, and let choose the next, as long as they fit."""
        while deciding.waiting:
            if self._chosen is None:
                preferred = deciding.ask(now)
                if preferred is None:
                    return False
                self._chosen = preferred[0] if preferred else deciding.waiting[0]
                if deciding.backfill and self._chosen.request.hosts > deciding.unused:
                    self._begins = _predicted(deciding, self._chosen.request.hosts)
            if self._chosen.request.hosts > deciding.unused:
                if deciding.backfill:
                    self._overtake(deciding, now, decisions)
                return True
            job, self._chosen = self._chosen, None
            deciding.begin(job, decisions)
        return True

    def _overtake(self, deciding: Deciding, now: float, decisions: list[Decision]) -> None:
        deciding.waiting.sort(key=lambda job: job.submission_time)
        for job in list(deciding.waiting):
            if (
                job is not self._chosen
                and job.request.hosts <= deciding.unused
                and now + requested(job) < self._begins
            ):
                deciding.begin(job, decisions)


def _predicted(deciding: Deciding, need: int) -> float:
    """When enough hosts will be free (s), by the requested times."""
    free = deciding.unused
    for running in sorted(deciding.holding(), key=lambda one: (one.start + requested(one.job), one.rank)):
        free += running.hosts.size
        if free >= need:
            return running.start + requested(running.job)
    return inf


class ChosenAnew:
    """At each instant a job is chosen; if it fits it starts, and the next is chosen (as CQGym puts one job first).

    With backfilling, one that does not fit has the reservation of EASY until the next instant, and others overtake
    in the order of their arrival.
    """

    one_by_one = False

    def go_on(self, deciding: Deciding, now: float, decisions: list[Decision]) -> bool:
        """Start chosen jobs until one does not fit."""
        while deciding.waiting:
            preferred = deciding.ask(now)
            if preferred is None:
                return False
            first = preferred[0] if preferred else deciding.waiting[0]
            if first.request.hosts > deciding.unused:
                if deciding.backfill:
                    _overtake(deciding, now, first, list(deciding.waiting), decisions)
                return True
            deciding.begin(first, decisions)
        return True


class Ordered:
    """At each instant all visible jobs get a priority, and start in this order until one does not fit.

    With backfilling, that one has the reservation of EASY, and others overtake in the same order. Jobs that are not
    visible come last, in the order of their arrival.
    """

    one_by_one = False

    def go_on(self, deciding: Deciding, now: float, decisions: list[Decision]) -> bool:
        """Start jobs in their order until one does not fit."""
        if not deciding.waiting:
            return True
        preferred = deciding.ask(now)
        if preferred is None:
            return False
        known = {job.id for job in preferred}
        order = [*preferred, *(job for job in deciding.waiting if job.id not in known)]
        for place, job in enumerate(order):
            if job.request.hosts > deciding.unused:
                if deciding.backfill:
                    _overtake(deciding, now, job, order[place + 1 :], decisions)
                break
            deciding.begin(job, decisions)
        return True


class MayWait:
    """At each instant a job is chosen and starts, and so on until the choice is to wait (as schedgym's time step).

    To choose a job that does not fit is to wait. While nothing runs there is nothing to wait for: the first starts.
    """

    one_by_one = False

    def go_on(self, deciding: Deciding, now: float, decisions: list[Decision]) -> bool:
        """Start chosen jobs until it is chosen to wait."""
        while deciding.waiting:
            preferred = deciding.ask(now)
            if preferred is None:
                return False
            chosen = preferred[0] if preferred else None
            if chosen is None or chosen.request.hosts > deciding.unused:
                if deciding.holding():
                    return True
                chosen = deciding.waiting[0]
                if chosen.request.hosts > deciding.unused:  # hosts are away
                    return True
            deciding.begin(chosen, decisions)
        return True


def _overtake(deciding: Deciding, now: float, first: Job, others: list[Job], decisions: list[Decision]) -> None:
    """Start those that do not delay the first, as EASY does."""
    free = deciding.unused
    shadow, extra = inf, 0
    for running in sorted(deciding.holding(), key=lambda one: (one.end, one.rank)):
        if free >= first.request.hosts and running.end > shadow:
            break
        free += running.hosts.size
        if free >= first.request.hosts:
            shadow, extra = running.end, free - first.request.hosts
    for job in others:
        size = job.request.hosts
        if job is first or size > deciding.unused:
            continue
        in_time = now + job.walltime <= shadow
        if in_time or size <= extra:
            extra -= 0 if in_time else size
            deciding.begin(job, decisions)


RULES: Final[dict[str, type[Rules]]] = {
    "chosen-stays": ChosenStays,
    "chosen-anew": ChosenAnew,
    "ordered": Ordered,
    "may-wait": MayWait,
}
"""By name."""
