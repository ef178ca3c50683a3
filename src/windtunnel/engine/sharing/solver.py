"""SimGrid's "fair bottleneck" rule: the rates of tasks that share constraints (execution-model.md 2.4).

A *variable* is a running task; its value is its rate, in fraction of the whole task per second. A *constraint* is a
cpu (flop/s) or a link (B/s). An *element* ``(variable, weight)`` of a constraint says that the variable consumes
``weight * rate`` of it. The rule is not max-min fairness: a variable that is settled keeps consuming its last
increment in later rounds, a constraint is exhausted below an absolute 1e-5, and a FATPIPE loses only the smallest
increment. All three are kept, in SimGrid's order of operations, because they decide dates by up to 38 %.

The rule is for one connected component; constraints that are alike are given once.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final

from windtunnel.engine.sharing.leap import leap
from windtunnel.engine.sharing.variables import Constraint, Limit, Use, Variable

__all__ = ["CUT", "Element", "Rule", "fair_bottleneck", "fair_rates", "uses_of"]

Element = tuple[int, float]
"""(index of a variable, weight > 0)"""

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
    variables = [Variable(bound, mine) for bound, mine in zip(bounds, limits, strict=True)]
    constraints = [Constraint(capacity, fat) for capacity, fat in zip(capacities, fatpipes, strict=True)]
    for constraint, users in zip(constraints, elements, strict=True):
        for v, weight in users:
            use = Use(variables[v], constraint, weight)
            constraint.uses.append(use)
            use.variable.uses.append(use)
    fair_rates(variables, constraints)
    return [variable.value for variable in variables]


def fair_rates(variables: Sequence[Variable], constraints: Sequence[Constraint]) -> None:
    """The rule itself: finds the ``value`` of each variable."""
    active = list(variables)
    standing = [constraint for constraint in constraints if constraint.uses]
    _begin(active, standing)
    rounds = 0
    resigned = False
    while True:
        for constraint in standing:
            left = constraint.left
            constraint.share = left if constraint.fatpipe else left / constraint.count
        for variable in active:
            _grow(variable)
        for constraint in standing:
            _take(constraint, resigned)
        remaining: list[Variable] = []
        for variable in active:
            if variable.settled:
                for use in variable.uses:
                    use.constraint.count -= 1
            else:
                remaining.append(variable)
        if not remaining:
            return
        standing = [constraint for constraint in standing if constraint.count]
        rounds = 0 if len(remaining) < len(active) else rounds + 1
        active = remaining
        if rounds and rounds % PATIENCE == 0:
            resigned = leap(active, standing) == math.inf or rounds >= RESIGNED


def _begin(variables: list[Variable], constraints: list[Constraint]) -> None:
    """Before the first round."""
    for rank, constraint in enumerate(constraints):
        constraint.rank = rank
        constraint.left = constraint.capacity
        constraint.count = len(constraint.uses)
    for variable in variables:
        variable.value = 0.0
        variable.increment = 0.0
        variable.settled = False
        for limit in variable.own:
            limit.left = limit.capacity


def _grow(variable: Variable) -> None:
    """A round, as a variable sees it: it takes the least of what its constraints grant it."""
    bound = variable.bound
    value = variable.value
    increment = bound - value
    for use in variable.uses:
        candidate = use.constraint.share / use.weight
        if candidate < increment:  # noqa: PLR1730 - min() is a call, here in the innermost loop
            increment = candidate
    own = variable.own
    for limit in own:
        candidate = limit.left / limit.weight
        if candidate < increment:  # noqa: PLR1730 - as above
            increment = candidate
    for limit in own:
        left = limit.left - limit.weight * increment
        if left < CUT:
            left = 0.0
            variable.settled = True
        limit.left = left
    variable.increment = increment
    variable.value = value = value + increment
    if value == bound:
        variable.settled = True


def _take(constraint: Constraint, resigned: bool) -> None:
    """The same round, as a constraint sees it: all its variables take their increments, settled ones their last."""
    left = constraint.left
    if constraint.fatpipe:
        least = constraint.share
        if not resigned:
            for use in constraint.uses:
                taken = use.weight * use.variable.increment
                if taken < least:  # noqa: PLR1730 - as above
                    least = taken
        left -= least
        if left < CUT:
            left = 0.0
    else:
        for use in constraint.uses:
            left -= use.weight * use.variable.increment
            if left < CUT:
                left = 0.0
    constraint.left = left
    if left == 0.0:
        for use in constraint.uses:
            use.variable.settled = True


def uses_of(variables: int, elements: Sequence[Sequence[Element]]) -> list[list[Element]]:
    """The same elements seen from the variables: (index of a constraint, weight) for each."""
    uses: list[list[Element]] = [[] for _ in range(variables)]
    for c, users in enumerate(elements):
        for v, weight in users:
            uses[v].append((c, weight))
    return uses
