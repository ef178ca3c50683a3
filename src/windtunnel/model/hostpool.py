"""Which hosts are free: :class:`HostPool`, a set of hosts of which some are taken and given back."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Self

from windtunnel.model.hostset import HostSet, Run, host_set

__all__ = ["HostPool"]


class HostPool:
    """A mutable set of hosts, made for "which hosts are free": take some, give them back.

    On very large sites every operation costs what it changes (the intervals touched), never the size of the site.
    """

    __slots__ = ("_bits", "_firsts", "_lasts", "_size")

    def __init__(self, hosts: HostSet = HostSet()) -> None:  # noqa: B008 -- immutable
        self._size = hosts.size
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
        if not count:
            return HostSet()
        bits = rest = self._bits
        low = rest & -rest
        left = rest & (rest + low)
        size = (rest ^ left).bit_count()
        first = low.bit_length() - 1
        if size >= count:  # the lowest run is long enough
            return host_set((low << count) - low, ((first, first + count - 1),), count)
        runs = []
        need = count
        while size < need:
            runs.append((first, first + size - 1))
            need -= size
            rest = left
            low = rest & -rest
            left = rest & (rest + low)
            size = (rest ^ left).bit_count()
            first = low.bit_length() - 1
        runs.append((first, first + need - 1))
        return host_set(bits ^ rest | (low << need) - low, tuple(runs), count)

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
            bits = hosts._bits
            if bits is None:
                try:
                    bits = hosts.bits
                except OverflowError:  # far beyond all hosts
                    return False
            return bits & self._bits == bits
        firsts, lasts = self._firsts, self._lasts
        for first, last in hosts.runs:
            k = bisect_right(firsts, first) - 1
            if k < 0 or lasts[k] < last:
                return False
        return True

    def __isub__(self, hosts: HostSet) -> Self:
        self.remove(hosts)
        return self

    def remove(self, hosts: HostSet) -> None:
        """Take these hosts out, as far as they are in the pool."""
        if self._firsts is None:
            before = self._bits
            bits = hosts._bits
            if bits is None:
                try:
                    bits = hosts.bits
                except OverflowError:  # of hosts far beyond those that are here
                    bits = (hosts & HostSet.span(before.bit_length())).bits
            self._bits = before & ~bits
            self._size -= hosts.size if before & bits == bits else (before & bits).bit_count()
            return
        runs = hosts.runs
        if len(runs) < 2 or not self._remove_whole_runs(runs, hosts):
            for first, last in runs:
                self._remove_run(first, last)

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
        self._size -= hosts.size
        return True

    def __ior__(self, hosts: HostSet) -> Self:
        self.add(hosts)
        return self

    def add(self, hosts: HostSet) -> None:
        """Put these hosts in; some may be there already."""
        if self._firsts is None:
            bits = hosts._bits
            if bits is not None and not bits & self._bits:
                self._bits |= bits
                self._size += hosts.size
                return
            if hosts.small:
                bits = hosts.bits
                new = bits & ~self._bits
                self._size += hosts.size if new == bits else new.bit_count()
                self._bits |= bits
                return
            self._to_runs(self.frozen().runs)
        self._add_runs(hosts.runs)

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
