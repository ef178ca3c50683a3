"""Sets of host numbers: the immutable :class:`HostSet`; see ``hostpool`` for the mutable one.

Both keep hosts as one integer bit set on ordinary sites and as sorted intervals on very large ones (where a bit set
of the whole site would make the cost of every operation grow with its size). Their text form is Batsim's interval
set: ``0-3 5 7-8`` (disjoint, ascending, maximal, one space).
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from numbers import Integral
from operator import index
from types import FunctionType
from typing import Final, SupportsIndex

from windtunnel.model.host_runs import (
    Run,
    bits_of_runs,
    intersect,
    joined,
    merged,
    runs_of_bits,
    runs_of_text,
    size_of,
    subtract,
)

__all__ = ["BIT_LIMIT", "NUMBERS", "HostSet", "Run", "host_set"]

BIT_LIMIT: Final = 8192
"""Sets with only hosts below this number are kept as bits."""

_TRUSTED: Final[tuple[int, ...]] = (-1,)
"""Passed instead of hosts: the code that makes the set fills it in."""

NUMBERS: Final[list[str]] = []
"""The numbers met so far as strings, starting at 0: most of them are written many times."""


class HostSet:
    """An immutable set of non-negative host numbers, ordered and hashable; :attr:`size` is their number."""

    __slots__ = ("_bits", "_runs", "_text", "size")

    def __init__(self, hosts: Iterable[SupportsIndex] = ()) -> None:
        self._bits: int | None = None
        if hosts is _TRUSTED:
            return
        self._runs: tuple[Run, ...] | None = joined(sorted(map(index, hosts)))  # numpy's pass
        if self._runs and self._runs[0][0] < 0:
            raise ValueError(f"host numbers are not negative: {self._runs[0][0]}")
        self.size = size_of(self._runs)
        self._text: str | None = None

    @classmethod
    def of_bits(cls, bits: int, runs: tuple[Run, ...] | None = None, size: int = -1) -> "HostSet":
        """The hosts whose bits are set. ``runs`` and ``size`` may be given when known (they are not checked)."""
        return host_set(bits, runs, size if size >= 0 else bits.bit_count())

    @classmethod
    def of_runs(cls, runs: tuple[Run, ...], size: int = -1) -> "HostSet":
        """The hosts of these intervals, which are not checked: sorted, disjoint, maximal."""
        return host_set(None, runs, size if size >= 0 else size_of(runs))

    @classmethod
    def span(cls, count: SupportsIndex, first: SupportsIndex = 0) -> "HostSet":
        """The ``count`` hosts from ``first`` on."""
        size, low = index(count), index(first)
        return cls.of_runs(((low, low + size - 1),) if size > 0 else (), max(size, 0))

    @classmethod
    def parse(cls, text: str) -> "HostSet":
        """Read ``0-3 5 7-8``; items may be unsorted or overlap, and commas also separate them.

        Raises:
            ValueError: the string is not an interval set, or no site has such hosts; the message names the item.
        """
        return cls.of_runs(runs_of_text(text))

    @property
    def runs(self) -> tuple[Run, ...]:
        """The maximal intervals, ascending."""
        runs = self._runs
        if runs is None:
            runs = self._runs = runs_of_bits(self._bits or 0)
        return runs

    @property
    def bits(self) -> int:
        """The set as an integer: bit ``h`` is set when host ``h`` is in it.

        Raises:
            OverflowError: a host has a number that no site has (above 2**26).
        """
        bits = self._bits
        if bits is None:
            bits = self._bits = bits_of_runs(self._runs or ())
        return bits

    @property
    def small(self) -> bool:
        """Whether bits are the cheaper representation."""
        return self._bits is not None or not self._runs or self._runs[-1][1] < BIT_LIMIT

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return self.size > 0

    def __iter__(self) -> Iterator[int]:
        runs = self.runs
        if len(runs) == 1:
            return iter(range(runs[0][0], runs[0][1] + 1))
        return chain.from_iterable([range(first, last + 1) for first, last in runs])

    def __contains__(self, host: object) -> bool:
        if type(host) is int:
            number = host
        elif isinstance(host, Integral):  # numpy's numbers are
            number = index(host)
        else:
            return False
        if number < 0:
            return False
        if self._bits is not None:
            return bool(self._bits >> number & 1)
        runs = self.runs
        k = bisect_right(runs, (number, 1 << 62)) - 1
        return k >= 0 and runs[k][1] >= number

    def __getitem__(self, rank: SupportsIndex) -> int:
        """The ``rank``-th smallest host."""
        left = index(rank)
        left += len(self) if left < 0 else 0
        if left >= 0:
            for first, last in self.runs:
                if left <= last - first:
                    return first + left
                left -= last - first + 1
        raise IndexError(rank)

    @property
    def first(self) -> int:
        """The smallest host."""
        return self[0]

    @property
    def last(self) -> int:
        """The largest host."""
        return self.runs[-1][1]

    def lowest(self, count: SupportsIndex) -> "HostSet":
        """The ``count`` smallest hosts (all if there are fewer)."""
        out = []
        left = index(count)
        for first, last in self.runs:
            if left <= 0:
                break
            stop = min(last, first + left - 1)
            out.append((first, stop))
            left -= stop - first + 1
        return HostSet.of_runs(tuple(out))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HostSet):
            return NotImplemented
        if self._bits is not None and other._bits is not None:
            return self._bits == other._bits
        return self.runs == other.runs

    def __hash__(self) -> int:
        return hash(self.runs)

    def __and__(self, other: "HostSet") -> "HostSet":
        if self.small and other.small:
            return HostSet.of_bits(self.bits & other.bits)
        return HostSet.of_runs(intersect(self.runs, other.runs))

    def __or__(self, other: "HostSet") -> "HostSet":
        if self.small and other.small:
            return HostSet.of_bits(self.bits | other.bits)
        return HostSet.of_runs(merged(self.runs + other.runs))

    def __sub__(self, other: "HostSet") -> "HostSet":
        if self.small and other.small:
            return HostSet.of_bits(self.bits & ~other.bits)
        return HostSet.of_runs(subtract(self.runs, other.runs))

    def __le__(self, other: "HostSet") -> bool:
        """Whether every host of this set is in the other."""
        if self.small and other.small:
            bits = self.bits
            return bits & other.bits == bits
        return not subtract(self.runs, other.runs)

    def isdisjoint(self, other: "HostSet") -> bool:
        """Whether the sets have no host in common."""
        if self.small and other.small:
            return not self.bits & other.bits
        return not intersect(self.runs, other.runs)

    def text(self) -> str:
        """``0-3 5 7-8``: a hot path."""
        text = self._text
        if text is None:
            runs = self._runs
            if runs is None:
                runs = self.runs
            most = runs[-1][1] if runs else 0
            if most >= BIT_LIMIT:
                text = " ".join([f"{a}-{b}" if b > a else str(a) for a, b in runs])
            else:
                numbers = NUMBERS
                if most >= len(numbers):
                    numbers += map(str, range(len(numbers), most + 1))
                if len(runs) == 1:
                    ((first, last),) = runs
                    text = f"{numbers[first]}-{numbers[last]}" if last > first else numbers[first]
                else:
                    text = " ".join([f"{numbers[a]}-{numbers[b]}" if b > a else numbers[a] for a, b in runs])
            self._text = text
        return text

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"HostSet.parse({str(self)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return (HostSet.of_runs, (self.runs,))


def host_set(
    bits: int | None,
    runs: tuple[Run, ...] | None,
    size: int,
) -> HostSet:
    """The set with these bits, runs (one of the two may be None) and size, which are not checked: a hot path."""
    new = HostSet(_TRUSTED) if _COMPILED else _bare(HostSet)  # compiled, the latter would call the initialiser
    new._bits = bits
    new._runs = runs
    new.size = size
    new._text = None
    return new


_bare: Final = HostSet.__new__
_COMPILED: Final = not isinstance(host_set, FunctionType)
