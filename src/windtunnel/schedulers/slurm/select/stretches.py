"""Stretches of consecutive nodes that are alike, and the runs they make: what a selection takes of these (§5.3).

Most clusters on which CPUs alone are counted have few of them, however many nodes: all that is asked of them are
sums and differences then. Where most nodes differ from their neighbours it costs less to look at sets of them
(:mod:`windtunnel.schedulers.slurm.select.set_runs`).
"""

from typing import Final

from mypy_extensions import i64, mypyc_attr

from windtunnel.schedulers.slurm.select.packed import AT, FREE, LENGTHS, TO
from windtunnel.schedulers.slurm.select.set_runs import Present, Runs
from windtunnel.schedulers.slurm.select.takings import Taking

__all__ = ["Stretches", "take_best_run"]


_COUNTED: Final[Present] = [(0, 0)]
"""In place of the sets of nodes whose CPUs other runs count when they need them."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Stretches(Runs):
    """The runs that a job may go to, by the stretches that they consist of."""

    __slots__ = ("_first", "_stretches")

    def __init__(self, stretches: list[int]) -> None:
        self._stretches = stretches
        """At least one; as :mod:`~.packed` has them."""
        found: list[tuple[int, int]] = []
        counts: list[int] = []
        first: list[int] = []
        start: i64 = -1
        behind: i64 = -1
        cpus: i64 = 0
        for place, one in enumerate(stretches):
            number: i64 = one
            begin = number >> AT
            end = number >> TO & LENGTHS
            if begin != behind:
                if behind >= 0:
                    found.append((start, behind))
                    counts.append(cpus)
                first.append(place)
                start, cpus = begin, 0
            cpus += (number & FREE) * (end - begin)
            behind = end
        found.append((start, behind))
        counts.append(cpus)
        super().__init__(found, _COUNTED, [])
        self._cpus = counts
        self._first = first
        """The place of the first stretch of each run."""

    def take(self, need: Taking) -> None:
        """Take nodes of the run that a job goes to; it is none of them any more."""
        place = self.choose(need)
        behind = self._spans.pop(place)[1]
        del self._cpus[place]
        _take_run(need, self._stretches, self._first.pop(place), behind)

    def _useful(self, need: Taking) -> list[int]:
        stretches = self._stretches
        return [k for k, one in enumerate(self._spans) if _tightest(need, stretches, self._first[k], one[1]) >= 0]

    def _keep(self, kept: list[int]) -> None:
        super()._keep(kept)
        self._first = [self._first[k] for k in kept]


def take_best_run(need: Taking, stretches: list[int]) -> None:
    """Take nodes of the run that a job goes to first, of which most jobs find all that they need.

    The run is the one that :meth:`~.set_runs.Runs.choose` finds, without a list of all.
    """
    wanted: i64 = need.cpus
    least: i64 = need.nodes - need.slack
    best = first = 0
    best_behind: i64 = -1
    best_cpus: i64 = -1
    fits = False
    start: i64 = stretches[0] >> AT
    behind: i64 = start
    cpus: i64 = 0
    for place, one in enumerate(stretches):
        number: i64 = one
        begin = number >> AT
        if begin != behind:
            suffices = cpus >= wanted and behind - start >= least
            if (not fits or cpus < best_cpus) if suffices else cpus > best_cpus:
                best, best_behind, best_cpus, fits = first, behind, cpus, suffices
            first, start, cpus = place, begin, 0
        behind = number >> TO & LENGTHS
        cpus += (number & FREE) * (behind - begin)
    suffices = cpus >= wanted and behind - start >= least
    if (not fits or cpus < best_cpus) if suffices else cpus > best_cpus:
        best, best_behind = first, behind
    _take_run(need, stretches, best, best_behind)


def _take_run(need: Taking, stretches: list[int], at: int, behind: i64) -> None:
    """Take nodes of one run: the tightest that holds all that is left, else one by one."""
    if need.nodes <= 1:
        tightest = _tightest(need, stretches, at, behind)
        if tightest >= 0:
            begin = stretches[tightest] >> AT
            need.take_stretch(begin, begin + 1, stretches[tightest] & FREE)
            return
    while True:
        one = stretches[at]
        end = one >> TO & LENGTHS
        need.take_stretch(one >> AT, end, one & FREE)
        if end == behind or need.most_nodes <= 0 or need.done or need.hopeless:
            return
        at += 1


def _tightest(need: Taking, stretches: list[int], at: int, behind: i64) -> int:
    """Of the stretches of a run the first with fewest CPUs that hold all that is left; -1: there is none."""
    wanted: i64 = need.cpus
    fewest: i64 = 0
    best = -1
    while True:
        number: i64 = stretches[at]
        free = number & FREE
        if free >= wanted and (best < 0 or free < fewest):
            best, fewest = at, free
        if number >> TO & LENGTHS == behind:
            return best
        at += 1
