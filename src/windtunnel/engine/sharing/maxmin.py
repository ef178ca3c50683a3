"""Max-min fairness by progressive filling: the alternative to SimGrid's rule, with the same interface.

The speed of a task is measured against the speed it would have alone on its hosts and links, so that tasks which
share one resource get equal parts of it whatever their sizes. All speeds grow together from nothing; a task stops at
its bound, and where a constraint is full its tasks stop and the others go on. In the end no task can be faster
without slowing down one that is, by that measure, no faster than itself. A FATPIPE bounds each task by itself and is
never overrun. Rates differ from SimGrid's (``solver``) where tasks share more than one constraint with others.
"""

import math
from collections.abc import Sequence
from typing import Final

from windtunnel.engine.sharing.solver import Element, uses_of
from windtunnel.engine.sharing.variables import Limit

__all__ = ["max_min"]

_SAME: Final = 1.0 + 1e-12
"""Constraints that fill up at levels closer than this (relative) fill up together."""


def max_min(
    bounds: Sequence[float],
    limits: Sequence[Sequence[Limit]],
    capacities: Sequence[float],
    fatpipes: Sequence[bool],
    elements: Sequence[Sequence[Element]],
) -> list[float]:
    """The rate of each variable (1/s); arguments as of ``fair_bottleneck``."""
    alone = _alone(limits, capacities, fatpipes, elements)
    uses = uses_of(len(bounds), elements)
    rates = [min(bound, speed) for bound, speed in zip(bounds, alone, strict=True)]
    growing = {v for v, speed in enumerate(alone) if speed > 0.0}
    left = list(capacities)
    demand = [
        0.0 if fat else sum([w * alone[v] for v, w in users], 0.0)
        for fat, users in zip(fatpipes, elements, strict=True)
    ]

    def stop(v: int) -> None:
        growing.discard(v)
        for c, weight in uses[v]:
            left[c] = max(0.0, left[c] - weight * rates[v])
            demand[c] -= weight * alone[v]

    while standing := [c for c, wanted in enumerate(demand) if wanted > left[c]]:
        levels = [left[c] / demand[c] for c in standing]
        level = min(levels)
        bounded = [v for v in growing if bounds[v] <= level * alone[v]]
        for v in bounded:
            stop(v)
        if bounded:
            continue
        for c, reached in zip(standing, levels, strict=True):
            if reached <= level * _SAME:
                for v in growing.intersection([v for v, _ in elements[c]]):
                    rates[v] = level * alone[v]
                    stop(v)
                demand[c] = 0.0
    return rates


def _alone(
    limits: Sequence[Sequence[Limit]],
    capacities: Sequence[float],
    fatpipes: Sequence[bool],
    elements: Sequence[Sequence[Element]],
) -> list[float]:
    """The rate that each variable would have if there were no other, and no bound."""
    speeds = [min([capacity / weight for capacity, weight in own], default=math.inf) for own in limits]
    for capacity, fat, users in zip(capacities, fatpipes, elements, strict=True):
        weights: dict[int, float] = {}
        for v, weight in users:
            weights[v] = weight if fat else weights.get(v, 0.0) + weight
        for v, weight in weights.items():
            speeds[v] = min(speeds[v], capacity / weight)
    return speeds
