"""Many rounds of the fair-bottleneck rule at once.

Where the tightest constraint of a task is a FATPIPE that it has in common with a settled, slow task, every round
takes the slow one's little increment off the FATPIPE and gives the fast one what is left once more: SimGrid goes
round 100,000 times and more (golden/simgrid random_10, 12 and 14). As long as nothing else happens, what is left
falls by the same amount each time, so that the increments are an arithmetic series.
"""

import math
from collections.abc import Iterator, Sequence

from windtunnel.engine.sharing.variables import Constraint, Use, Variable

__all__ = ["leap"]


def leap(active: Sequence[Variable], standing: Sequence[Constraint]) -> float:
    """Go on by as many rounds as are alike; how many.

    0: the next round is different. Infinite: all are alike indefinitely, because the slow task stands still; then
    nothing is done.

    Args:
        active: the variables that are not settled, between two rounds of ``fair_rates``.
        standing: the constraints that they use.
    """
    limits: dict[Variable, Use] = {}
    for variable in active:
        if not variable.uses:
            return 0
        tightest = min(variable.uses, key=_tightness)
        if not tightest.constraint.fatpipe:
            return 0
        limits[variable] = tightest
    takes = {c: _steady_take(c, limits) for c in standing if c.fatpipe}
    rounds = min(_room(limits, takes, standing))
    if rounds < 2:
        return 0
    if rounds == math.inf:
        return rounds
    _go_on(limits, takes, standing, math.floor(rounds))
    return math.floor(rounds)


def _tightness(use: Use) -> tuple[float, int, float]:
    """What a use allows; of the same, the first constraint decides."""
    constraint = use.constraint
    left = constraint.left if constraint.fatpipe else constraint.left / constraint.count
    return left / use.weight, constraint.rank, use.weight


def _steady_take(constraint: Constraint, limits: dict[Variable, Use]) -> float:
    """What a round takes from a FATPIPE while settled tasks decide it."""
    return min(
        [use.weight * use.variable.increment for use in constraint.uses if use.variable not in limits],
        default=math.inf,
    )


def _room(
    limits: dict[Variable, Use], takes: dict[Constraint, float], standing: Sequence[Constraint]
) -> Iterator[float]:
    """For each thing that could become different: the number of rounds until it may."""
    first = {variable: use.constraint.left / use.weight for variable, use in limits.items()}
    for variable, increment in first.items():
        yield _rounds(variable.bound - variable.value, increment)
        for limit in variable.own:
            yield _rounds(limit.left, limit.weight * increment)
    for c in standing:
        used = [use.weight * (first.get(use.variable, use.variable.increment)) for use in c.uses]
        if not c.fatpipe:
            largest = max([use.weight * first[use.variable] for use in c.uses if use.variable in first], default=0.0)
            yield _rounds(c.left - c.count * largest, sum(used, 0.0))
            continue
        for use in c.uses:
            if use.variable in limits:
                tight, weight = limits[use.variable].constraint, limits[use.variable].weight
                # Its own use stays above what the settled ones take, and its tightest FATPIPE stays the tightest.
                yield _rounds(tight.left - takes[c] * weight / use.weight, takes[tight])
                if tight is not c:
                    room = c.left / use.weight - first[use.variable]
                    yield _rounds(room, takes[c] / use.weight - takes[tight] / weight)


def _rounds(room: float, step: float) -> float:
    """How often a step may be made, with one to spare."""
    if not room > 0.0:
        return 0.0
    return room / step - 2.0 if step > 0.0 else math.inf


def _go_on(
    limits: dict[Variable, Use], takes: dict[Constraint, float], standing: Sequence[Constraint], rounds: int
) -> None:
    gains: dict[Variable, float] = {}
    for variable, use in limits.items():
        c, weight = use.constraint, use.weight
        gains[variable] = (rounds * c.left - takes[c] * (rounds * (rounds - 1) / 2.0)) / weight
        variable.value += gains[variable]
        variable.increment = (c.left - (rounds - 1) * takes[c]) / weight
        for limit in variable.own:
            limit.left -= limit.weight * gains[variable]
    for c in standing:
        if c.fatpipe:
            c.left -= rounds * takes[c]
        else:
            used = [
                use.weight * (gains[use.variable] if use.variable in gains else rounds * use.variable.increment)
                for use in c.uses
            ]
            c.left -= sum(used, 0.0)
