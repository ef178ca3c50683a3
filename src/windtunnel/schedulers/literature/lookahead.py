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


_Step = tuple[int, _Cell]
"""A number of hosts, and the best set for that and for more up to the next step."""


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
        steps = [(0, _Cell(0.0, extra, ()))]
        for one in others:
            if 0 < one.size <= free:
                beyond = one.size if now + one.expected > shadow else 0
                steps = _with_one_more(steps, one, beyond, free)
        for one in steps[-1][1].jobs:
            self._start(now, one, decisions, first=False)


def _with_one_more(steps: list[_Step], one: Waiting, beyond: int, free: int) -> list[_Step]:
    """The best sets for each number of hosts if a job may be one of them, ``beyond`` of whose hosts are extra ones.

    A cell stands for all numbers of hosts up to the next one.
    """
    work = one.size * one.expected
    moved = [(hosts + one.size, cell) for hosts, cell in steps if hosts + one.size <= free]
    numbers = sorted({hosts for hosts, _ in steps} | {hosts for hosts, _ in moved})
    found: list[_Step] = []
    without, added = 0, -1
    more: _Cell | None = None
    for hosts in numbers:
        while without + 1 < len(steps) and steps[without + 1][0] <= hosts:
            without += 1
        cell = steps[without][1]
        while added + 1 < len(moved) and moved[added + 1][0] <= hosts:
            added += 1
            more = None
        if added >= 0:
            before = moved[added][1]
            if before.value + work >= cell.value and before.extra >= beyond:
                if more is None:
                    more = _Cell(before.value + work, before.extra - beyond, (*before.jobs, one))
                cell = more
        if not found or found[-1][1] is not cell:
            found.append((hosts, cell))
    return found
