"""Sets of host numbers: the immutable :class:`HostSet` and the mutable :class:`HostPool`.

Both keep hosts as one integer bit set on ordinary sites and as sorted intervals on very large ones (where a bit set
of the whole site would make every operation cost as much as the site is large). Their text form is Batsim's interval
set: ``0-3 5 7-8`` (disjoint, ascending, maximal, one space).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, Self

__all__ = ["BIT_LIMIT", "HostPool", "HostSet", "Run"]

Run = tuple[int, int]
"""A closed interval of host numbers."""

BIT_LIMIT: Final = 8192
"""Sets that hold only hosts below this number are kept as bits."""


def _runs_of_bits(bits: int) -> tuple[Run, ...]:
    low = bits & -bits
    after = bits + low
    if not bits & after:  # one interval (or none): by far the most common case
        return ((low.bit_length() - 1, after.bit_length() - 2),) if bits else ()
    runs = []
    while bits:
        low = bits & -bits
        after = bits + low
        first = low.bit_length() - 1
        rest = bits & after
        runs.append((first, first + (bits ^ rest).bit_count() - 1))
        bits = rest
    return tuple(runs)


def _bits_of_runs(runs: Iterable[Run]) -> int:
    bits = 0
    for first, last in runs:
        bits |= ((1 << (last - first + 1)) - 1) << first
    return bits


def merged(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Sort and join intervals that overlap or touch."""
    out: list[Run] = []
    for first, last in sorted(runs):
        if out and first <= out[-1][1] + 1:
            if last > out[-1][1]:
                out[-1] = (out[-1][0], last)
        else:
            out.append((first, last))
    return tuple(out)


def _subtract(mine: tuple[Run, ...], other: tuple[Run, ...]) -> tuple[Run, ...]:
    out: list[Run] = []
    k = 0
    for first, last in mine:
        start = first
        while k < len(other) and other[k][1] < start:
            k += 1
        i = k
        while i < len(other) and other[i][0] <= last:
            if other[i][0] > start:
                out.append((start, other[i][0] - 1))
            start = other[i][1] + 1
            i += 1
        if start <= last:
            out.append((start, last))
    return tuple(out)


def _intersect(mine: tuple[Run, ...], other: tuple[Run, ...]) -> tuple[Run, ...]:
    out: list[Run] = []
    i = j = 0
    while i < len(mine) and j < len(other):
        first = max(mine[i][0], other[j][0])
        last = min(mine[i][1], other[j][1])
        if first <= last:
            out.append((first, last))
        if mine[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(out)


class HostSet:
    """An immutable set of non-negative host numbers, ordered and hashable."""

    __slots__ = ("_bits", "_runs", "_size", "_text")

    def __init__(self, hosts: Iterable[int] = ()) -> None:
        self._bits: int | None = None
        self._runs: tuple[Run, ...] | None = merged((h, h) for h in hosts)
        if self._runs and self._runs[0][0] < 0:
            raise ValueError(f"host numbers are not negative: {self._runs[0][0]}")
        self._size: int = -1
        self._text: str | None = None

    @classmethod
    def of_bits(cls, bits: int, runs: tuple[Run, ...] | None = None, size: int = -1) -> Self:
        """The hosts whose bits are set. ``runs`` and ``size`` may be given when known (they are trusted)."""
        new = cls.__new__(cls)
        new._bits = bits
        new._runs = runs
        new._size = size
        new._text = None
        return new

    @classmethod
    def of_runs(cls, runs: tuple[Run, ...], size: int = -1) -> Self:
        """Trusted intervals: sorted, disjoint, maximal."""
        new = cls.__new__(cls)
        new._bits = None
        new._runs = runs
        new._size = size
        new._text = None
        return new

    @classmethod
    def span(cls, count: int, first: int = 0) -> Self:
        """The ``count`` hosts from ``first`` on."""
        return cls.of_runs(((first, first + count - 1),) if count > 0 else (), max(count, 0))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``0-3 5 7-8``; items may be unsorted and overlap, commas separate too.

        Raises:
            ValueError: the text is not an interval set; the message names the item.
        """
        runs = []
        for item in text.replace(",", " ").split():
            first, dash, last = item.partition("-")
            if not (first.isascii() and first.isdigit()) or (dash and not (last.isascii() and last.isdigit())):
                raise ValueError(f"{item!r} is not a host number or an interval such as 0-3")
            low, high = int(first), int(last) if dash else int(first)
            if low > high:
                raise ValueError(f"{item!r} is an empty interval: {low} > {high}")
            runs.append((low, high))
        return cls.of_runs(merged(runs))

    @property
    def runs(self) -> tuple[Run, ...]:
        """The maximal intervals, ascending."""
        runs = self._runs
        if runs is None:
            runs = self._runs = _runs_of_bits(self._bits or 0)
        return runs

    @property
    def bits(self) -> int:
        """The set as an integer: bit ``h`` is set when host ``h`` is in it."""
        bits = self._bits
        if bits is None:
            bits = self._bits = _bits_of_runs(self._runs or ())
        return bits

    @property
    def small(self) -> bool:
        """Whether bits are the cheaper form."""
        return self._bits is not None or not self._runs or self._runs[-1][1] < BIT_LIMIT

    def __len__(self) -> int:
        size = self._size
        if size < 0:
            if self._runs is None:
                size = (self._bits or 0).bit_count()
            else:
                size = sum(last - first + 1 for first, last in self._runs)
            self._size = size
        return size

    def __bool__(self) -> bool:
        return bool(self._bits) if self._runs is None else bool(self._runs)

    def __iter__(self) -> Iterator[int]:
        for first, last in self.runs:
            yield from range(first, last + 1)

    def __contains__(self, host: object) -> bool:
        if not isinstance(host, int) or host < 0:
            return False
        if self._bits is not None:
            return bool(self._bits >> host & 1)
        runs = self.runs
        k = bisect_right(runs, (host, 1 << 62)) - 1
        return k >= 0 and runs[k][1] >= host

    def __getitem__(self, index: int) -> int:
        """The ``index``-th smallest host."""
        left = index if index >= 0 else index + len(self)
        if left >= 0:
            for first, last in self.runs:
                if left <= last - first:
                    return first + left
                left -= last - first + 1
        raise IndexError(index)

    @property
    def first(self) -> int:
        """The smallest host."""
        return self[0]

    @property
    def last(self) -> int:
        """The largest host."""
        return self.runs[-1][1]

    def lowest(self, count: int) -> "HostSet":
        """The ``count`` smallest hosts (all, when there are fewer)."""
        out = []
        for first, last in self.runs:
            if count <= 0:
                break
            stop = min(last, first + count - 1)
            out.append((first, stop))
            count -= stop - first + 1
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
        return HostSet.of_runs(_intersect(self.runs, other.runs))

    def __or__(self, other: "HostSet") -> "HostSet":
        if self.small and other.small:
            return HostSet.of_bits(self.bits | other.bits)
        return HostSet.of_runs(merged(self.runs + other.runs))

    def __sub__(self, other: "HostSet") -> "HostSet":
        if self.small and other.small:
            return HostSet.of_bits(self.bits & ~other.bits)
        return HostSet.of_runs(_subtract(self.runs, other.runs))

    def __le__(self, other: "HostSet") -> bool:
        """Whether every host of this set is in the other."""
        if self.small and other.small:
            bits = self.bits
            return bits & other.bits == bits
        return not _subtract(self.runs, other.runs)

    def isdisjoint(self, other: "HostSet") -> bool:
        """Whether no host is in both."""
        if self.small and other.small:
            return not self.bits & other.bits
        return not _intersect(self.runs, other.runs)

    def __str__(self) -> str:
        text = self._text
        if text is None:
            runs = self.runs
            if len(runs) == 1:
                first, last = runs[0]
                text = f"{first}-{last}" if last > first else str(first)
            else:
                text = " ".join([f"{a}-{b}" if b > a else str(a) for a, b in runs])
            self._text = text
        return text

    def __repr__(self) -> str:
        return f"HostSet.parse({str(self)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return (HostSet.of_runs, (self.runs,))


class HostPool:
    """A mutable set of hosts, made for "which hosts are free": take some, give them back.

    On very large sites every operation costs what it changes (the intervals touched), never the size of the site.
    """

    __slots__ = ("_bits", "_firsts", "_lasts", "_size")

    def __init__(self, hosts: HostSet = HostSet()) -> None:  # noqa: B008 -- immutable
        self._size = len(hosts)
        self._bits: int = 0
        self._firsts: list[int] | None = None
        self._lasts: list[int] = []
        if hosts.small:
            self._bits = hosts.bits
        else:
            self._to_runs(hosts.runs)

    def _to_runs(self, runs: tuple[Run, ...]) -> None:
        self._firsts = [a for a, _ in runs]
        self._lasts = [b for _, b in runs]
        self._bits = 0

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return self._size > 0

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
            return HostSet.of_bits(self._bits, None, self._size)
        return HostSet.of_runs(tuple(zip(self._firsts, self._lasts, strict=True)), self._size)

    def copy(self) -> "HostPool":
        """An independent copy."""
        new = HostPool.__new__(HostPool)
        new._size = self._size
        new._bits = self._bits
        new._firsts = None if self._firsts is None else self._firsts.copy()
        new._lasts = self._lasts.copy()
        return new

    def pick(self, count: int) -> HostSet | None:
        """The ``count`` lowest hosts, which stay in the pool; None when there are fewer."""
        if count > self._size or count < 0:
            return None
        if self._firsts is not None:
            return self._pick_runs(count)
        rest = self._bits
        picked = 0
        need = count
        runs = []
        while need:
            low = rest & -rest
            after = rest + low
            left = rest & after
            run = rest ^ left
            size = run.bit_count()
            first = low.bit_length() - 1
            if size > need:
                run = (low << need) - low
                size = need
            picked |= run
            runs.append((first, first + size - 1))
            need -= size
            rest = left
        return HostSet.of_bits(picked, tuple(runs), count)

    def _pick_runs(self, count: int) -> HostSet:
        firsts, lasts = self._firsts or [], self._lasts
        runs = []
        need = count
        k = 0
        while need:
            first, last = firsts[k], lasts[k]
            need -= last - first + 1
            if need < 0:
                last += need
                need = 0
            runs.append((first, last))
            k += 1
        return HostSet.of_runs(tuple(runs), count)

    def pick_contiguous(self, count: int) -> HostSet | None:
        """The ``count`` lowest hosts of the first run of consecutive numbers that is long enough, or None."""
        for first, last in self.frozen().runs:
            if last - first + 1 >= count:
                return HostSet.span(count, first)
        return None

    def take(self, count: int) -> HostSet | None:
        """Like :meth:`pick`, and removes them."""
        hosts = self.pick(count)
        if hosts is None or not count:
            return hosts
        if self._firsts is None:
            self._bits ^= hosts._bits or 0  # what was picked is in the pool
        else:
            runs = hosts._runs or ()
            stop = len(runs)
            last = runs[-1][1]
            if self._lasts[stop - 1] > last:  # the last run goes on
                stop -= 1
                self._firsts[stop] = last + 1
            del self._firsts[:stop], self._lasts[:stop]
        self._size -= count
        return hosts

    def covers(self, hosts: HostSet) -> bool:
        """Whether all of ``hosts`` are in the pool."""
        if self._firsts is None:
            bits = hosts.bits
            return bits & self._bits == bits
        firsts, lasts = self._firsts, self._lasts
        for first, last in hosts.runs:
            k = bisect_right(firsts, first) - 1
            if k < 0 or lasts[k] < last:
                return False
        return True

    def __isub__(self, hosts: HostSet) -> Self:
        if self._firsts is None:
            before = self._bits
            bits = hosts.bits
            self._bits = before & ~bits
            self._size -= len(hosts) if before & bits == bits else (before & bits).bit_count()
            return self
        runs = hosts.runs
        if len(runs) < 2 or not self._remove_whole_runs(runs, hosts):
            for first, last in runs:
                self._remove_run(first, last)
        return self

    def _remove_whole_runs(self, runs: tuple[Run, ...], hosts: HostSet) -> bool:
        """Remove what is a sequence of whole runs of the pool (only the last may go on), as what was picked is."""
        firsts, lasts = self._firsts or [], self._lasts
        k = bisect_left(firsts, runs[0][0])
        stop = k + len(runs)
        last = runs[-1][1]
        if firsts[k:stop] != [a for a, _ in runs] or lasts[stop - 1] < last:
            return False
        if lasts[k : stop - 1] != [b for _, b in runs[:-1]]:
            return False
        if lasts[stop - 1] > last:
            stop -= 1
            firsts[stop] = last + 1
        del firsts[k:stop], lasts[k:stop]
        self._size -= len(hosts)
        return True

    def __ior__(self, hosts: HostSet) -> Self:
        if self._firsts is None:
            bits = hosts._bits
            if bits is not None and hosts._size >= 0 and not bits & self._bits:
                self._bits |= bits
                self._size += hosts._size
                return self
            if hosts.small:
                bits = hosts.bits
                new = bits & ~self._bits
                self._size += len(hosts) if new == bits else new.bit_count()
                self._bits |= bits
                return self
            self._to_runs(self.frozen().runs)
        self._add_runs(hosts.runs)
        return self

    def _remove_run(self, first: int, last: int) -> None:
        firsts, lasts = self._firsts or [], self._lasts
        k = bisect_left(lasts, first)
        stop = bisect_right(firsts, last)
        if k >= stop:
            return
        low, high = firsts[k], lasts[stop - 1]
        if stop == k + 1 and low <= first and high >= last:
            self._size -= last - first + 1
        else:
            self._size -= sum(min(lasts[i], last) - max(firsts[i], first) + 1 for i in range(k, stop))
        keep = [(a, b) for a, b in ((low, first - 1), (last + 1, high)) if a <= b]
        firsts[k:stop] = [a for a, _ in keep]
        lasts[k:stop] = [b for _, b in keep]

    def _add_runs(self, runs: tuple[Run, ...]) -> None:
        firsts, lasts = self._firsts, self._lasts
        if firsts is None:
            raise AssertionError("intervals are in use here")
        count = len(firsts)
        added = 0
        for first, last in runs:
            k = bisect_left(lasts, first - 1)  # the first run that touches or lies beyond
            if k == count or firsts[k] > last + 1:
                firsts.insert(k, first)
                lasts.insert(k, last)
                count += 1
            elif firsts[k] == last + 1:
                firsts[k] = first
            elif lasts[k] == first - 1 and (k + 1 == count or firsts[k + 1] > last + 1):
                lasts[k] = last
            else:
                added += self._join_run(k, first, last)
                count = len(firsts)
                continue
            added += last - first + 1
        self._size += added

    def _join_run(self, k: int, first: int, last: int) -> int:
        """Join a run with the k-th one and whatever else it meets; how many hosts are new."""
        firsts, lasts = self._firsts or [], self._lasts
        stop = bisect_right(firsts, last + 1)
        new = (last - first + 1) - sum(
            min(lasts[i], last) - max(firsts[i], first) + 1
            for i in range(k, stop)
            if min(lasts[i], last) >= max(firsts[i], first)
        )
        first = min(first, firsts[k])
        last = max(last, lasts[stop - 1])
        firsts[k:stop] = [first]
        lasts[k:stop] = [last]
        return new
