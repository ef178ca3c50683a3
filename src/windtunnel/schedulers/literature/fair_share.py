"""EASY in which who has used least of late comes first.

What a user has used is their processor-seconds, of which half are forgotten every half-life: the rule of fair-share
schedulers since J. Kay, P. Lauder: A fair share scheduler. Communications of the ACM 31(1), 1988. All users are
entitled to the same, so that the least used share and Slurm's largest factor 2^(-used share / entitled share) are one
order. Equal ones come by arrival.
"""

from math import log
from typing import Annotated, Final, Literal

from msgspec import Meta

from windtunnel.model import Job
from windtunnel.schedulers.literature.priorities import Waiting
from windtunnel.schedulers.literature.priority import Backfill, PriorityBackfilling
from windtunnel.vocabulary import Decision, Running

__all__ = ["FairShareEasy", "Usage"]

_DAY: Final = 86_400.0


class Usage:
    """What somebody has used (processor-seconds), decaying: at a rate that changes when jobs start and end."""

    __slots__ = ("_rate", "_since", "_until_then")

    def __init__(self) -> None:
        self._until_then = 0.0
        self._rate = 0
        self._since = 0.0

    def at(self, now: float, half_life: float) -> float:
        """What counts of it now (s)."""
        kept: float = 0.5 ** ((now - self._since) / half_life)
        return self._until_then * kept + self._rate * (1 - kept) * half_life / log(2)

    def change(self, now: float, half_life: float, processors: int) -> None:
        """So many more (or fewer) processors from now on."""
        self._until_then = self.at(now, half_life)
        self._since = now
        self._rate += processors


class FairShareEasy(PriorityBackfilling):
    """EASY whose queue stands in the order of what users have used: the least first, also among who overtakes.

    Args:
        half_life: after so long (s) half of a use is forgotten.
        of: whose use counts, a ``user``'s or a ``group``'s.
        backfill: as for ``literature/priority``.
    """

    name = "literature/fair-share"

    def __init__(
        self,
        *,
        half_life: Annotated[float, Meta(gt=0, description="in seconds")] = 7 * _DAY,
        of: Literal["user", "group"] = "user",
        backfill: Backfill = "easy",
    ) -> None:
        self.half_life = half_life
        self.of = of
        super().__init__(backfill=backfill)

    def _reset(self) -> None:
        super()._reset()
        self._usages: dict[str, Usage] = {}

    def _of(self, job: Job) -> Usage:
        whose = job.user if self.of == "user" else job.group
        return self._usages.setdefault(whose, Usage())

    def _in_order(self, now: float) -> list[Waiting]:
        return self._by_turns(now, list(self._waiting.values()))

    def _by_turns(self, now: float, others: list[Waiting]) -> list[Waiting]:
        return sorted(others, key=lambda one: (self._of(one.job).at(now, self.half_life), one.rank))

    def _start(self, now: float, one: Waiting, decisions: list[Decision], *, first: bool) -> int:
        self._of(one.job).change(now, self.half_life, one.size)
        return super()._start(now, one, decisions, first=first)

    def _end(self, now: float, one: Running) -> None:
        super()._end(now, one)
        self._of(one.job).change(now, self.half_life, -one.hosts.size)

    def _again(self, now: float, running: Running) -> None:
        self._of(running.job).change(now, self.half_life, -running.hosts.size)
        super()._again(now, running)
