"""The queue of a stage scheduler: jobs in order, and the same by what they need.

Most waiting jobs need what others need too. Looking only at the first job of each need, and only at needs that could
be satisfied by the cores that are free, a round costs what could start, not how many wait.
"""

import random
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappop, heapreplace

from windtunnel.model import Job
from windtunnel.schedulers.stage_machines import Need

__all__ = ["Entry", "StageQueue"]

Entry = tuple[float, int, Job, Need]
"""Sort key, rank of arrival, the job and what it needs."""


def _order(entry: Entry) -> tuple[float, int]:
    return entry[:2]


class StageQueue:
    """Waiting jobs. ``bound`` tells how many free cores a need takes at least."""

    def __init__(self, bound: Callable[[Need], float], entries: Iterable[Entry] = ()) -> None:
        self._bound = bound
        self._all: list[Entry] = []
        self._by_need: dict[Need, list[Entry]] = {}
        self._needs: list[tuple[float, int, Need]] = []
        self._numbers: dict[Need, int] = {}
        for entry in entries:
            self.add(entry)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._all)

    def add(self, entry: Entry) -> None:
        """A job waits."""
        insort(self._all, entry, key=_order)
        need = entry[3]
        members = self._by_need.get(need)
        if members is None:
            members = self._by_need[need] = []
            number = self._numbers.setdefault(need, len(self._numbers))
            insort(self._needs, (self._bound(need), number, need), key=lambda item: item[:2])
        insort(members, entry, key=_order)

    def remove(self, entry: Entry) -> None:
        """A job waits no more."""
        key, need = entry[:2], entry[3]
        del self._all[bisect_left(self._all, key, key=_order)]
        members = self._by_need[need]
        del members[bisect_left(members, key, key=_order)]
        if not members:
            del self._by_need[need]
            place = (self._bound(need), self._numbers[need])
            del self._needs[bisect_left(self._needs, place, key=lambda item: item[:2])]

    def shuffled(self, stream: random.Random) -> list[Entry]:
        """All jobs in an order of chance."""
        return stream.sample(self._all, len(self._all))

    def start(self, free: float, place: Callable[[Entry], bool]) -> None:
        """Try the jobs in order, as long as ``place`` does not fail for what they need; remove those it placed.

        What failed once fails again, because nothing is given back meanwhile; what needs more than ``free`` cores is
        not tried.
        """
        stop = bisect_right(self._needs, free, key=lambda item: item[0])
        heads = []
        for _, number, need in self._needs[:stop]:
            members = self._by_need[need]
            rest = iter(members)
            first = next(rest)
            heads.append((*first[:2], number, rest, first))
        heapify(heads)
        placed = []
        while heads:
            _, _, number, rest, entry = heads[0]
            if not place(entry):
                heappop(heads)
                continue
            placed.append(entry)
            following = next(rest, None)
            if following is None:
                heappop(heads)
            else:
                heapreplace(heads, (*following[:2], number, rest, following))
        for entry in placed:
            self.remove(entry)
