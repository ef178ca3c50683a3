"""Which hosts are free: :class:`HostPool`, a set of hosts that are taken and given back."""

from collections.abc import Iterator
from operator import index
from types import FunctionType
from typing import Any, Final, Self, SupportsIndex

from mypy_extensions import mypyc_attr

from windtunnel.model.host_runs import SHIFTS, shifts_for
from windtunnel.model.hostset import BIT_LIMIT, HostSet, Run, host_set
from windtunnel.model.intervals import (
    add_runs,
    claim_runs,
    covers_runs,
    pick_lowest,
    remove_run,
    remove_whole_runs,
    take_lowest,
    take_run,
)

__all__ = ["HostPool"]

_BROKEN: Final = 64
"""Compiled, a pool of ordinary size is kept as bits once it consists of more intervals than that."""


@mypyc_attr(allow_interpreted_subclasses=True)
class HostPool:
    """A mutable set of ``size`` hosts, for keeping track of free hosts: take some, give them back.

    On very large sites the cost of an operation depends on what it changes (the intervals touched), not on the size
    of the site. Compiled code, to which a few numbers cost less than one large one, keeps all pools so, but for those
    of ordinary size that are in many pieces. What hosts are taken is the same.
    """

    __slots__ = ("_bits", "_firsts", "_lasts", "_ordinary", "size")

    def __init__(self, hosts: HostSet = HostSet()) -> None:  # noqa: B008 -- immutable
        self.size = hosts.size
        self._bits: Any = 0  # an int: compiled code leaves operations on large ones to Python, which is faster
        self._firsts: list[int] | None = None
        self._lasts: list[int] = []
        self._ordinary = hosts.small
        if not self._ordinary or (_COMPILED and len(hosts.runs) <= _BROKEN):
            self._to_runs(hosts.runs)
        else:
            self._bits = hosts.bits

    def _to_runs(self, runs: tuple[Run, ...]) -> None:
        self._firsts = [a for a, _ in runs]
        self._lasts = [b for _, b in runs]
        self._bits = 0

    def _check(self) -> None:
        """A pool of ordinary size may have come into too many pieces, or contain the hosts of a larger one now."""
        if not self._ordinary or self._firsts is None or len(self._firsts) <= _BROKEN:
            return
        self._ordinary = self._lasts[-1] < BIT_LIMIT
        if self._ordinary:
            self._bits = self.frozen().bits
            self._firsts = None
            self._lasts = []

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return self.size > 0

    def __iter__(self) -> Iterator[int]:
        return iter(self.frozen())

    def __contains__(self, host: object) -> bool:
        return host in self.frozen()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, HostPool):
            return self.frozen() == other.frozen()
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"HostPool({self.frozen()!r})"

    def frozen(self) -> HostSet:
        """The present content as an immutable set."""
        if self._firsts is None:
            return HostSet.of_bits(self._bits, None, self.size)
        return HostSet.of_runs(tuple(zip(self._firsts, self._lasts, strict=True)), self.size)

    def copy(self) -> "HostPool":
        """An independent copy."""
        new = HostPool.__new__(HostPool)
        new.size = self.size
        new._bits = self._bits
        new._firsts = None if self._firsts is None else self._firsts.copy()
        new._lasts = self._lasts.copy()
        new._ordinary = self._ordinary
        return new

    def pick(self, count: SupportsIndex) -> HostSet | None:
        """The ``count`` lowest hosts, which stay in the pool; None if there are fewer."""
        number = count if type(count) is int else index(count)  # numpy's would make numbers of 64 bits of ours
        if number > self.size or number < 0:
            return None
        if self._firsts is not None:
            return HostSet.of_runs(pick_lowest(self._firsts, self._lasts, number), number)
        if not number:
            return HostSet()
        bits = rest = self._bits
        low: int = rest & -rest
        left = rest & (rest + low)
        size = (rest ^ left).bit_count()
        first = low.bit_length() - 1
        if size >= number:  # the lowest run is long enough
            return host_set((low << number) - low, ((first, first + number - 1),), number)
        runs = []
        need = number
        while size < need:
            runs.append((first, first + size - 1))
            need -= size
            rest = left
            low = rest & -rest
            left = rest & (rest + low)
            size = (rest ^ left).bit_count()
            first = low.bit_length() - 1
        runs.append((first, first + need - 1))
        return host_set(bits ^ rest | (low << need) - low, tuple(runs), number)

    def pick_contiguous(self, count: SupportsIndex) -> HostSet | None:
        """The ``count`` lowest hosts of the first long enough run of consecutive numbers, or None."""
        number = index(count)
        if number > self.size or number < 0:
            return None
        if not number:
            return HostSet()
        if self._firsts is None:
            first = self._first_fit(number)
            return None if first < 0 else HostSet.span(number, first)
        for k, first in enumerate(self._firsts):
            if self._lasts[k] - first >= number - 1:
                return HostSet.span(number, first)
        return None

    def _first_fit(self, count: int) -> int:
        """The first host from which on so many are there, on a site that is kept as bits; -1: there is none."""
        rest: Any = self._bits
        for shift in shifts_for(count):
            rest &= rest >> shift
        lowest: int = rest & -rest
        return lowest.bit_length() - 1

    def take(self, count: SupportsIndex) -> HostSet | None:
        """Like :meth:`pick`, and removes them."""
        if self._firsts is not None:
            number = count if type(count) is int else index(count)
            if number > self.size or number < 0:
                return None
            self.size -= number
            return host_set(None, take_lowest(self._firsts, self._lasts, number), number)
        hosts = self.pick(count)
        if hosts is not None:
            self._bits ^= hosts._bits or 0  # what was picked is in the pool
            self.size -= hosts.size
        return hosts

    def take_together(self, count: SupportsIndex) -> HostSet | None:
        """Take hosts with consecutive numbers if possible, otherwise the lowest; None if there are fewer.

        They are the lowest of the first run that is long enough, as in :meth:`pick_contiguous`; but on very large
        sites only the first thousand runs are looked at.
        """
        number = count if type(count) is int else index(count)
        if number > self.size or number < 1:
            return self.take(number)
        if self._firsts is None:
            there: Any = self._bits
            lowest: int = there & -there
            bits = (lowest << number) - lowest
            left: Any = there ^ bits
            if left & bits:  # some are not there: the first run is too short, which it seldom is
                rest: Any = there  # what _first_fit does, without a call
                for shift in SHIFTS[number] if number in SHIFTS else shifts_for(number):
                    rest &= rest >> shift
                if not rest:
                    return self.take(number)
                lowest = rest & -rest
                bits = (lowest << number) - lowest
                left = there ^ bits
            first = lowest.bit_length() - 1
            self._bits = left
        else:
            first = take_run(self._firsts, self._lasts, number)
            if first < 0:
                return self.take(number)
            self.size -= number
            return host_set(None, ((first, first + number - 1),), number)
        self.size -= number
        if _COMPILED:
            return host_set(bits, ((first, first + number - 1),), number)
        new = _bare(HostSet)  # what host_set does, without a call
        new._bits = bits
        new._runs = ((first, first + number - 1),)
        new._text = None
        new.size = number
        return new

    def covers(self, hosts: HostSet) -> bool:
        """Whether all of ``hosts`` are in the pool."""
        if self._firsts is not None:
            return covers_runs(self._firsts, self._lasts, hosts.runs)
        bits = hosts._bits
        if bits is None:
            try:
                bits = hosts.bits
            except OverflowError:  # far beyond all hosts
                return False
        there: bool = bits & self._bits == bits
        return there

    def claim(self, hosts: HostSet) -> bool:
        """Remove these hosts if all of them are in the pool; returns whether they were: a hot path."""
        if self._firsts is None:
            bits = hosts._bits
            if bits is None:
                if not self.covers(hosts):
                    return False
                bits = hosts.bits
            left: Any = self._bits ^ bits
            if left & bits:  # some were not there
                return False
            self._bits = left
        elif not claim_runs(self._firsts, self._lasts, hosts.runs):
            return False
        elif len(self._firsts) > _BROKEN:
            self._check()
        self.size -= hosts.size
        return True

    def __isub__(self, hosts: HostSet) -> Self:
        self.remove(hosts)
        return self

    def remove(self, hosts: HostSet) -> None:
        """Remove those of these hosts that are in the pool."""
        if self._firsts is None:
            before = self._bits
            bits = hosts._bits
            if bits is None:
                try:
                    bits = hosts.bits
                except OverflowError:  # of hosts far beyond those that are here
                    bits = (hosts & HostSet.span(before.bit_length())).bits
            self._bits = before & ~bits
            self.size -= hosts.size if before & bits == bits else (before & bits).bit_count()
        elif remove_whole_runs(self._firsts, self._lasts, hosts.runs):
            self.size -= hosts.size
        else:
            for first, last in hosts.runs:
                self.size -= remove_run(self._firsts, self._lasts, first, last)
            self._check()

    def put_back(self, hosts: HostSet) -> None:
        """Add hosts that are not in the pool, which is not checked: a hot path."""
        bits = hosts._bits
        if bits is not None and self._firsts is None:
            self._bits |= bits
            self.size += hosts.size
        else:
            self.add(hosts)

    def __ior__(self, hosts: HostSet) -> Self:
        self.add(hosts)
        return self

    def add(self, hosts: HostSet) -> None:
        """Add these hosts; some may already be in the pool."""
        if self._firsts is None:
            bits = hosts._bits
            if bits is not None and not bits & self._bits:
                self._bits |= bits
                self.size += hosts.size
                return
            if hosts.small:
                bits = hosts.bits
                new = bits & ~self._bits
                self.size += hosts.size if new == bits else new.bit_count()
                self._bits |= bits
                return
            self._to_runs(self.frozen().runs)
            self._ordinary = False
        firsts = self._firsts
        assert firsts is not None
        self.size += add_runs(firsts, self._lasts, hosts.runs)
        if len(firsts) > _BROKEN:
            self._check()


_bare: Final = HostSet.__new__
_COMPILED: Final = not isinstance(HostPool.__len__, FunctionType)
