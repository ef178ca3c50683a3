"""The queue of a stage scheduler: jobs in order, and the same by what they need.

Most waiting jobs need what others need too. Looking only at the first job of each need, and only at needs that could
be satisfied by the cores that are free, a round costs what could start, not how many wait.
"""

import random
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heapreplace

from windtunnel.model import Job
from windtunnel.schedulers.stage_needs import Need

__all__ = ["Entry", "StageQueue"]

Entry = tuple[float, int, Job, Need]
"""Sort key, rank of arrival, the job and what it needs."""


def _order(entry: Entry) -> tuple[float, int]:
    return entry[:2]


class StageQueue:
    """Waiting jobs. ``key`` tells what a job with its need is sorted by, ``need`` what it needs, ``bound`` how many
    free cores a need takes at least.
    """

    def __init__(
        self, key: Callable[[Job, Need], float], need: Callable[[Job], Need], bound: Callable[[Need], float]
    ) -> None:
        self._key = key
        self._need = need
        self._bound = bound
        self._arrivals = 0
        self._entries: dict[str, Entry] = {}
        self._all: list[Entry] = []
        self._by_need: dict[Need, list[Entry]] = {}
        self._needs: list[tuple[float, int, Need]] = []
        self._numbers: dict[Need, int] = {}

    def __iter__(self) -> Iterator[Job]:
        """The jobs in order."""
        return (entry[2] for entry in self._all)

    def entries(self) -> Iterator[Entry]:
        """All of them, in order."""
        return iter(self._all)

    def add(self, job: Job, now: float) -> None:
        """A job waits, behind others like it."""
        del now  # the rank of its arrival is all that counts
        self.put(job, self._need(job))

    def put(self, job: Job, need: Need) -> None:
        """The same, where its need is known."""
        self._arrivals += 1
        self._put((self._key(job, need), self._arrivals, job, need))

    def sort(self) -> None:
        """Jobs are sorted by something else than before."""
        old, self._all = self._all, []
        self._by_need, self._needs, self._numbers = {}, [], {}
        for _, rank, job, need in old:
            self._put((self._key(job, need), rank, job, need))

    def _put(self, entry: Entry) -> None:
        self._entries[entry[2].id] = entry
        insort(self._all, entry, key=_order)
        need = entry[3]
        members = self._by_need.get(need)
        if members is None:
            members = self._by_need[need] = []
            number = self._numbers.setdefault(need, len(self._numbers))
            insort(self._needs, (self._bound(need), number, need), key=lambda item: item[:2])
        insort(members, entry, key=_order)

    def discard(self, job: Job) -> bool:
        """A job waits no more; whether it did."""
        entry = self._entries.pop(job.id, None)
        if entry is None:
            return False
        key, need = entry[:2], entry[3]
        del self._all[bisect_left(self._all, key, key=_order)]
        members = self._by_need[need]
        del members[bisect_left(members, key, key=_order)]
        if not members:
            del self._by_need[need]
            place = (self._bound(need), self._numbers[need])
            del self._needs[bisect_left(self._needs, place, key=lambda item: item[:2])]
        return True

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
            placed.append(entry[2])
            following = next(rest, None)
            if following is None:
                heappop(heads)
            else:
                heapreplace(heads, (*following[:2], number, rest, following))
        for job in placed:
            self.discard(job)
