"""SimGrid's "fair bottleneck" rule: the rates of tasks that share constraints (execution-model.md 2.4).

A *variable* is a running task; its value is its rate, in fraction of the whole task per second. A *constraint* is a
cpu (flop/s) or a link (B/s). An *element* ``(variable, weight)`` of a constraint says that the variable consumes
``weight * rate`` of it. The rule is not max-min fairness: a variable that is settled keeps consuming its last
increment in later rounds, a constraint is exhausted below an absolute 1e-5, and a FATPIPE loses only the smallest
increment. All three are kept, in SimGrid's order of operations, because they decide dates by up to 38 %.

The rule is a function of plain lists, for one connected component; constraints that are alike are given once.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final

from windtunnel.engine.sharing.leap import Rounds, leap

__all__ = ["CUT", "Element", "Limit", "Rule", "fair_bottleneck", "uses_of"]

Element = tuple[int, float]
"""(index of a variable, weight > 0)"""

Limit = tuple[float, float]
"""(capacity, weight > 0) of a constraint that only this variable uses: it needs no place among the constraints."""

Rule = Callable[
    [Sequence[float], Sequence[Sequence[Limit]], Sequence[float], Sequence[bool], Sequence[Sequence[Element]]],
    list[float],
]
"""(bounds, limits, capacities, fatpipes, elements) -> rates; the first two by variable, the others by constraint."""

CUT: Final = 1e-5
"""What is left of a constraint below this (flop/s or B/s) is nothing (SimGrid's precision/work-amount)."""

PATIENCE: Final = 256
"""Rounds in which nobody settles before it is asked whether more of the same can be done at once."""

RESIGNED: Final = 4096
"""Rounds in which nobody settles before a FATPIPE is given to those that it alone limits. SimGrid would go on for
millions of rounds, or indefinitely: tasks that share it hardly move, and the least use is all it loses in a round.
"""


def fair_bottleneck(
    bounds: Sequence[float],
    limits: Sequence[Sequence[Limit]],
    capacities: Sequence[float],
    fatpipes: Sequence[bool],
    elements: Sequence[Sequence[Element]],
) -> list[float]:
    """The rate of each variable (1/s). Every variable has a finite bound, a limit or an element.

    Args:
        bounds: the highest rate of each variable (infinite where it has none).
        limits: the constraints that each variable has for itself.
        capacities: flop/s or B/s of each shared constraint.
        fatpipes: whether it is a FATPIPE, whose capacity every element has for itself.
        elements: its elements, the last enabled first (the order decides the last bits).
    """
    uses = uses_of(len(bounds), elements)
    own = [[list(limit) for limit in mine] for mine in limits]
    left = list(capacities)
    count = [len(users) for users in elements]
    share = [0.0] * len(left)
    values = [0.0] * len(bounds)
    increments = [0.0] * len(bounds)
    settled = [False] * len(bounds)
    active = list(range(len(bounds)))
    standing = [c for c, users in enumerate(elements) if users]
    rounds = 0
    resigned = False
    while True:
        for c in standing:
            share[c] = left[c] if fatpipes[c] else left[c] / count[c]
        for v in active:
            increment = bounds[v] - values[v]
            for c, weight in uses[v]:
                candidate = share[c] / weight
                if candidate < increment:  # noqa: PLR1730 - min() is a call, here in the innermost loop
                    increment = candidate
            for rest, weight in own[v]:
                candidate = rest / weight
                if candidate < increment:  # noqa: PLR1730 - as above
                    increment = candidate
            for limit in own[v]:
                limit[0] -= limit[1] * increment
                if limit[0] < CUT:
                    limit[0] = 0.0
                    settled[v] = True
            increments[v] = increment
            value = values[v] = values[v] + increment
            if value == bounds[v]:
                settled[v] = True
        for c in standing:
            rest = left[c]
            if fatpipes[c]:
                users = [] if resigned else [weight * increments[v] for v, weight in elements[c]]
                rest -= min([share[c], *users])
                left[c] = rest = rest if rest >= CUT else 0.0
            else:
                for v, weight in elements[c]:
                    rest -= weight * increments[v]
                    if rest < CUT:
                        rest = 0.0
                left[c] = rest
            if rest == 0.0:
                for v, _ in elements[c]:
                    settled[v] = True
        remaining = []
        for v in active:
            if settled[v]:
                for c, _ in uses[v]:
                    count[c] -= 1
            else:
                remaining.append(v)
        if not remaining:
            return values
        standing = [c for c in standing if count[c]]
        rounds = 0 if len(remaining) < len(active) else rounds + 1
        active = remaining
        if rounds and rounds % PATIENCE == 0:
            state = Rounds(bounds, own, uses, fatpipes, elements, count, left, values, increments)
            resigned = leap(state, active, standing) == math.inf or rounds >= RESIGNED


def uses_of(variables: int, elements: Sequence[Sequence[Element]]) -> list[list[Element]]:
    """The same elements seen from the variables: (index of a constraint, weight) for each."""
    uses: list[list[Element]] = [[] for _ in range(variables)]
    for c, users in enumerate(elements):
        for v, weight in users:
            uses[v].append((c, weight))
    return uses
