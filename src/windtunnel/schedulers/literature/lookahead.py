"""Backfilling that looks ahead: of the waiting jobs the set that uses most starts (LOS).

E. Shmueli, D. G. Feitelson: Backfilling with lookahead to optimize the packing of parallel jobs. Journal of Parallel
and Distributed Computing 65(9), 2005. The table has one row of cells, as in pyss, and the value of a set is its work
(processors times requested time).
"""

from typing import NamedTuple

from windtunnel.schedulers.literature.priorities import Waiting
from windtunnel.schedulers.literature.priority import PriorityBackfilling
from windtunnel.vocabulary import Decision

__all__ = ["LookAhead"]


class _Cell(NamedTuple):
    """The best set of jobs for so many hosts."""

    value: float
    extra: int
    """Hosts that are left for jobs that run beyond the start of the first."""
    jobs: tuple[Waiting, ...]


class LookAhead(PriorityBackfilling):
    """EASY whose overtaking jobs are chosen together, by dynamic programming over the free hosts.

    Decides at each arrival and each end by itself (``grain=event``), or once an instant.
    """

    name = "literature/lookahead"

    def _overtake(
        self, now: float, free: int, first: Waiting, others: list[Waiting], decisions: list[Decision]
    ) -> None:
        """Start the set of jobs that uses most and does not delay the first."""
        shadow, extra = self._reserve(now, free, first)
        cells = [_Cell(0.0, extra, ())] * (free + 1)
        for one in others:
            if not 0 < one.size <= free:
                continue
            beyond = one.size if now + one.expected > shadow else 0
            work = one.size * one.expected
            taken = list(cells)
            for hosts in range(one.size, free + 1):
                before = cells[hosts - one.size]
                if before.value + work >= cells[hosts].value and before.extra >= beyond:
                    taken[hosts] = _Cell(before.value + work, before.extra - beyond, (*before.jobs, one))
            cells = taken
        for one in cells[free].jobs:
            self._start(now, one, decisions, first=False)
