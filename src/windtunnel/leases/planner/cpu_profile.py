"""The CPU in use over time: in a few steps it tells at which times a lease cannot possibly fit."""

from bisect import bisect_left, bisect_right

from mypy_extensions import mypyc_attr

__all__ = ["CpuProfile"]


@mypyc_attr(allow_interpreted_subclasses=True)
class CpuProfile:
    """A lower bound of the CPU in use at every instant, as steps, exact unless amounts are inflated."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._times = [-(1 << 62)]
        self._used = [0]

    def add(self, start: int, end: int, amount: int) -> None:
        """Use (or, with a negative amount, give back) CPU from start to end."""
        if start >= end or not amount:
            return
        used = self._used
        first, last = self._split(start), self._split(end)
        for i in range(first, last):
            used[i] += amount
        for i in (last, first):
            if i and used[i] == used[i - 1]:
                del used[i], self._times[i]

    def _split(self, time: int) -> int:
        i = bisect_left(self._times, time)
        if i == len(self._times) or self._times[i] != time:
            self._times.insert(i, time)
            self._used.insert(i, self._used[i - 1])
        return i

    def least_free(self, start: int, end: int) -> int:
        """The least CPU left at any instant of [start, end); at ``start`` itself if that is empty."""
        first = bisect_right(self._times, start) - 1
        last = max(bisect_left(self._times, end), first + 1)
        return self.total - max(self._used[first:last])

    def copy(self) -> tuple[list[int], list[int]]:
        """The steps, copied."""
        return self._times[:], self._used[:]

    def restore(self, state: tuple[list[int], list[int]]) -> None:
        """Go back to copied steps."""
        self._times, self._used = state

