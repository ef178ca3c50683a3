"""What the rules of sharing work on: variables, constraints, and the uses that join them.

They stay from one solution to the next, so that only what changes is made anew. What a rule notes on them while it
works means nothing afterwards, but for the ``value`` of a variable.
"""

from collections.abc import Iterable

__all__ = ["Constraint", "Limit", "OwnLimit", "Use", "Variable"]

Limit = tuple[float, float]
"""(capacity, weight > 0) of a constraint that only this variable uses: it needs no place among the constraints."""


class OwnLimit:
    """A constraint that one variable has for itself."""

    __slots__ = ("capacity", "left", "weight")

    def __init__(self, capacity: float, weight: float) -> None:
        self.capacity = capacity
        self.weight = weight
        self.left = capacity


class Variable:
    """A running task. Its value is its rate, in fraction of the whole task per second."""

    __slots__ = ("bound", "increment", "own", "settled", "uses", "value")

    def __init__(self, bound: float, limits: Iterable[Limit] = ()) -> None:
        self.bound = bound
        """The highest rate (1/s)."""
        self.own = [OwnLimit(capacity, weight) for capacity, weight in limits]
        self.uses: list[Use] = []
        """What it consumes of constraints that it shares."""
        self.value = 0.0
        """The rate that was found (1/s)."""
        self.increment = 0.0
        self.settled = False


class Constraint:
    """A cpu (flop/s) or a link (B/s); on a FATPIPE, every variable has the capacity for itself."""

    __slots__ = ("capacity", "count", "fatpipe", "left", "rank", "share", "uses")

    def __init__(self, capacity: float, fatpipe: bool) -> None:
        self.capacity = capacity
        self.fatpipe = fatpipe
        self.uses: list[Use] = []
        """Its uses, the last enabled first (the order decides the last bits)."""
        self.left = 0.0
        self.share = 0.0
        self.count = 0
        self.rank = 0


class Use:
    """A variable consumes ``weight`` (> 0) of a constraint per unit of its rate."""

    __slots__ = ("constraint", "variable", "weight")

    def __init__(self, variable: Variable, constraint: Constraint, weight: float) -> None:
        self.variable = variable
        self.constraint = constraint
        self.weight = weight
