"""Amounts of resources as vectors.

A vector is a tuple with one entry per resource type of a site: an int for a type of which every node has one instance
(memory), a tuple of ints, one per instance, for the others (two CPUs of 100 each). Several amounts asked of a type
with instances are fitted first-fit into the instances, as Haizea does; one instance may serve several of them.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from mypy_extensions import mypyc_attr

from windtunnel.model.lease import CPU, DISK, MEMORY, NET_IN, NET_OUT, LeaseSite

__all__ = ["ResourceSpace", "Vector"]

Vector: TypeAlias = tuple[Any, ...]
"""Entries are ``int`` or ``tuple[int, ...]``; see above."""

PLENTY = 1_000_000
"""What Haizea gives each node of disk and network when a site does not mention them."""


@mypyc_attr(allow_interpreted_subclasses=True)
class ResourceSpace:
    """The resource types of a site and the arithmetic of their vectors."""

    def __init__(self, site: LeaseSite, *, rotate: bool = False) -> None:
        """``rotate``: a node's last instance comes first, as in Haizea's slot table."""
        added = [kind for kind in (DISK, NET_IN, NET_OUT) if kind not in site.resource_types]
        self.added = tuple(added)
        kinds = [*site.resource_types, *added]
        several = {k for group in site.nodes for k, amounts in group.amounts.items() if len(amounts) > 1}
        self.kinds = [k for k in kinds if k not in several] + [k for k in kinds if k in several]
        self.singles = len(kinds) - len(several)
        self.position = {kind: i for i, kind in enumerate(self.kinds)}
        self.zero: Vector = (0,) * self.singles + ((),) * len(several)
        self._rotate = rotate
        self._cpu, self._memory = self.position[CPU], self.position[MEMORY]

    def capacity(self, amounts: Mapping[str, tuple[int, ...]]) -> Vector:
        """A node's capacity: what it has, and plenty of what the site never mentions."""
        return self.vector({**amounts, **dict.fromkeys(self.added, (PLENTY,))})

    def vector(self, amounts: Mapping[str, tuple[int, ...]]) -> Vector:
        """The vector of amounts by type; types not named count as zero.

        Raises:
            KeyError: a type the site does not have.
        """
        values = list(self.zero)
        for kind, instances in amounts.items():
            i = self.position[kind]
            if i < self.singles:
                values[i] = instances[0] if len(instances) == 1 else sum(instances)
            elif self._rotate:
                values[i] = instances[-1:] + instances[:-1]
            else:
                values[i] = tuple(instances)
        return tuple(values)

    def unknown(self, amounts: Mapping[str, tuple[int, ...]]) -> list[str]:
        """The types named that the site does not have."""
        return [kind for kind in amounts if kind not in self.position]

    def amount(self, vector: Vector, position: int) -> int:
        """The amount of one type: the sum over its instances."""
        value = vector[position]
        return value if position < self.singles else sum(value)

    def cpu(self, vector: Vector) -> int:
        """The CPU of a vector, in percent of one CPU."""
        return self.amount(vector, self._cpu)

    def memory(self, vector: Vector) -> int:
        """The memory of a vector in MB."""
        return self.amount(vector, self._memory)

    def fits(self, need: Vector, free: Vector) -> bool:
        """Whether ``need`` fits into ``free``."""
        n = self.singles
        for i in range(n):
            if need[i] > free[i]:
                return False
        return all(_first_fit(need[i], free[i]) is not None for i in range(n, len(need)) if need[i])

    def plus(self, a: Vector, b: Vector) -> Vector:
        """Both needs together: instances asked for are listed one after the other."""
        return tuple([x + y for x, y in zip(a, b, strict=True)])

    def times(self, a: Vector, n: int) -> Vector:
        """``n`` equal needs together."""
        return a if n == 1 else tuple([x * n for x in a])

    def minus(self, free: Vector, need: Vector) -> Vector:
        """What is left of ``free``; what does not fit into any instance makes the first one negative."""
        n = self.singles
        if n == len(free):
            return tuple([x - y for x, y in zip(free, need, strict=True)])
        left: list[Any] = [x - y for x, y in zip(free[:n], need[:n], strict=True)]
        for i in range(n, len(free)):
            rest = _first_fit(need[i], free[i])
            left.append((free[i][0] - sum(need[i]), *free[i][1:]) if rest is None else rest)
        return tuple(left)

    def less(self, a: Vector, b: Vector) -> bool:
        """Whether any amount of ``a`` is below that of ``b``, instance by instance."""
        n = self.singles
        return any(x < y for x, y in zip(a[:n], b[:n], strict=True)) or any(
            p < q for x, y in zip(a[n:], b[n:], strict=True) for p, q in zip(x, y, strict=True)
        )

    def minimum(self, a: Vector, b: Vector) -> Vector:
        """The smaller of each amount, instance by instance."""
        n = self.singles
        low: list[Any] = [min(x, y) for x, y in zip(a[:n], b[:n], strict=True)]
        low += [tuple(map(min, x, y)) for x, y in zip(a[n:], b[n:], strict=True)]
        return tuple(low)

    def disjoint(self, a: Vector, b: Vector) -> bool:
        """Whether no resource type is used by both."""
        return not any(
            (x if type(x) is int else sum(x)) and (y if type(y) is int else sum(y)) for x, y in zip(a, b, strict=True)
        )

    def times_fitting(self, need: Vector, free: Vector, limit: int) -> int:
        """How many equal needs fit together, at most ``limit``."""
        n = self.singles
        count = limit
        for i in range(n):
            if need[i] > 0:
                count = min(count, free[i] // need[i])
        count = max(count, 0)
        if n == len(free):
            return count
        for k in range(1, count + 1):
            if not self.fits(self.times(need, k), free):
                return k - 1
        return count


def _first_fit(need: tuple[int, ...], free: tuple[int, ...]) -> tuple[int, ...] | None:
    left = list(free)
    for amount in need:
        for i, room in enumerate(left):
            if amount <= room:
                left[i] = room - amount
                break
        else:
            return None
    return tuple(left)
