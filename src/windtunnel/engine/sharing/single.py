"""The fair-bottleneck rule where tasks share one constraint only: the same operations, with far less around them.

That is the common case: jobs on hosts of their own, behind one backbone; or jobs that share one host. Most tasks
reach in the first round what they could have alone, and nothing is left to do for them.
"""

from collections.abc import Sequence
from functools import reduce
from operator import mul, sub
from typing import Final

from windtunnel.engine.sharing.solver import CUT, Limit

__all__ = ["GENERAL", "one_bottleneck", "rate_alone"]

PATIENCE: Final = 64
"""Rounds after which the general rule, which knows what to do with endless ones, takes over."""

GENERAL: Final = -1.0
"""In place of a rate: only the general rule will do."""


def rate_alone(limits: Sequence[Limit]) -> float:
    """What a variable could have by the constraints that it has for itself (infinite without any), or ``GENERAL``."""
    if not limits:
        return float("inf")
    ((capacity, weight), *others) = limits
    alone = capacity / weight
    # Of a very large constraint the rounding of the last bit leaves more than nothing.
    return GENERAL if others or capacity - weight * alone >= CUT else alone


def one_bottleneck(
    tops: Sequence[float],
    bounds: Sequence[float],
    limits: Sequence[Sequence[Limit]],
    capacity: float,
    weights: Sequence[float],
) -> Sequence[float] | None:
    """The rate of each variable, to the last bit as ``fair_bottleneck`` has it; None: ask that one.

    Args:
        tops: what each would have if it shared nothing: its bound, or less by its limit (see ``rate_alone``).
        bounds: the highest rate of each variable (infinite where it has none).
        limits: the constraints that each variable has for itself, one at most.
        capacity: flop/s or B/s of the constraint that they share (SHARED).
        weights: what each consumes of it per unit of rate, one element each, the last enabled first.
    """
    share = capacity / len(weights)
    given = [*map(share.__truediv__, weights)]
    active = [v for v, top in enumerate(tops) if given[v] < top]
    if not active:
        return tops
    values = [*map(min, tops, given)]
    return _further(bounds, limits, capacity, weights, values, active)


def _further(
    bounds: Sequence[float],
    limits: Sequence[Sequence[Limit]],
    left: float,
    weights: Sequence[float],
    values: list[float],
    active: list[int],
) -> list[float] | None:
    """The rounds after the first one, for those who want more; what the others took they take again each time."""
    taken = [*map(mul, weights, values)]
    rest = {v: (limits[v][0][0] - limits[v][0][1] * values[v], limits[v][0][1]) for v in active if limits[v]}
    active = [v for v in active if v not in rest or rest[v][0] >= CUT]
    for _ in range(PATIENCE):
        if not active:
            return values
        left = reduce(sub, taken, left)
        if left < CUT:  # it only falls, so that it does not matter after whose part
            return values
        share = left / len(active)
        remaining = []
        for v in active:
            weight = weights[v]
            increment = share / weight
            settled = False
            if v in rest:
                own, own_weight = rest[v]
                increment = min(own / own_weight, increment)
                increment = min(increment, bounds[v] - values[v])
                own -= own_weight * increment
                rest[v] = own, own_weight
                settled = own < CUT
            elif bounds[v] - values[v] < increment:
                increment = bounds[v] - values[v]
            values[v] += increment
            taken[v] = weight * increment
            if not settled and values[v] != bounds[v]:
                remaining.append(v)
        active = remaining
    return None
