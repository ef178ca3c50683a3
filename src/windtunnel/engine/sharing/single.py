"""The fair-bottleneck rule where tasks share one constraint only: the same operations, with far less around them.

That is the common case: jobs on hosts of their own, behind one backbone; or jobs that share one host. Most tasks
reach in the first round what they could have alone, and nothing is left to do for them.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from windtunnel.engine.sharing.solver import CUT
from windtunnel.engine.sharing.variables import Limit, OwnLimit, Variable

__all__ = ["GENERAL", "Lone", "one_bottleneck", "rate_alone", "tightest"]

PATIENCE: Final = 64
"""Rounds after which the general rule, which knows what to do with endless ones, takes over."""

GENERAL: Final = -1.0
"""In place of a rate: only the general rule will do."""

_SLACK: Final = 1e-3
"""An own constraint that keeps more than this (and 1e-9 of itself) when a tighter one is full never decides."""


class Lone(Variable):
    """A variable that may share one constraint only."""

    __slots__ = ("alone", "left", "taken", "top", "weight")

    def __init__(self, bound: float, limits: Sequence[Limit] = (), weight: float = 0.0) -> None:
        super().__init__(bound)
        self.weight = weight
        """What it consumes of the only constraint that it shares, as one element; 0 if there is no such one."""
        self.left = 0.0
        self.taken = 0.0
        self.limit(limits)

    def limit(self, limits: Sequence[Limit]) -> None:
        """These are the constraints that it has for itself."""
        self.own = [OwnLimit(capacity, weight) for capacity, weight in limits]
        self.alone = rate_alone(limits)
        """The rate that these limits allow (see ``rate_alone``)."""
        self.bind(self.bound)

    def bind(self, bound: float) -> None:
        """It has another bound."""
        self.bound = bound
        self.top = min(self.alone, bound)
        """What it would have if it shared nothing; negative: only the general rule knows."""


def rate_alone(limits: Sequence[Limit]) -> float:
    """What a variable could have by the constraints that it has for itself (infinite without any), or ``GENERAL``."""
    if not limits:
        return math.inf
    capacity, weight = limits[0]
    alone = capacity / weight
    # Of a very large constraint the rounding of the last bit leaves more than nothing.
    return GENERAL if len(limits) > 1 or capacity - weight * alone >= CUT else alone


def tightest(own: Iterable[Limit]) -> tuple[Limit, ...]:
    """Those of a task's own constraints that can decide its rate: the tightest, and any nearly as tight."""
    limits = tuple(own)
    if len(limits) < 2:
        return limits
    rate = min([capacity / weight for capacity, weight in limits])
    return tuple((c, w) for c, w in limits if c - w * rate <= _SLACK + 1e-9 * c)


def one_bottleneck(users: Sequence[Lone], capacity: float) -> bool:
    """Find the ``value`` of each variable, to the last bit as ``fair_rates`` has it; False: ask that one.

    Args:
        users: all that share a constraint (SHARED) and nothing else, the last enabled first.
        capacity: its flop/s or B/s.
    """
    share = capacity / len(users)
    active: list[Lone] = []
    for user in users:
        given = share / user.weight
        if given < user.top:
            user.value = given
            active.append(user)
        else:
            user.value = user.top
    return not active or _further(users, capacity, active)


def _further(users: Sequence[Lone], left: float, active: list[Lone]) -> bool:
    """The rounds after the first one, for those who want more; what the others took they take again each time."""
    for user in users:
        user.taken = user.weight * user.value
    wanting: list[Lone] = []
    for user in active:
        for limit in user.own:
            user.left = limit.capacity - limit.weight * user.value
        if not user.own or user.left >= CUT:
            wanting.append(user)
    for _ in range(PATIENCE):
        if not wanting:
            return True
        for user in users:
            left -= user.taken
        if left < CUT:  # it only falls, so that it does not matter after whose part
            return True
        share = left / len(wanting)
        remaining: list[Lone] = []
        for user in wanting:
            if not _grow(user, share / user.weight):
                remaining.append(user)
        wanting = remaining
    return False


def _grow(user: Lone, increment: float) -> bool:
    """Give a variable more, if it can take it; whether it is settled then."""
    settled = False
    for limit in user.own:
        candidate = user.left / limit.weight
        increment = min(increment, candidate)
    candidate = user.bound - user.value
    increment = min(increment, candidate)
    for limit in user.own:
        user.left -= limit.weight * increment
        settled = user.left < CUT
    user.value += increment
    user.taken = user.weight * increment
    return settled or user.value == user.bound
