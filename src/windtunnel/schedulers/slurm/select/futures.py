"""What is free once the first of the running jobs have ended: worked out once, for all that ask (§4.4)."""

from bisect import bisect_left, bisect_right
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.select.masks import FreeMasks
from windtunnel.schedulers.slurm.select.reach import Reach

__all__ = ["Futures"]

_STEP: Final = 16
"""Running jobs between futures that are kept whoever asks; and changes after which one is not brought up to date."""
_MOST: Final = 400
"""Futures that are kept."""


@mypyc_attr(allow_interpreted_subclasses=True)
class _Future:
    """What is free at one time, but for jobs that have begun or ended since: these are looked at when need be."""

    __slots__ = ("begun", "ended", "masks")

    def __init__(self, masks: FreeMasks) -> None:
        self.masks = masks
        self.begun: list[Holding] = []
        self.ended: list[Holding] = []

    def settled(self) -> FreeMasks:
        """With what has changed."""
        masks = self.masks
        if self.ended:
            for one in self.ended:
                masks.remove(one)
            self.ended.clear()
        if self.begun:
            for one in self.begun:
                masks.add(one)
            self.begun.clear()
        return masks


@mypyc_attr(allow_interpreted_subclasses=True)
class Futures:
    """The futures of one cluster, by the number of running jobs that have ended; the next to end first.

    A job that begins or ends changes only those in which it still runs: later ones stay as they are.
    """

    __slots__ = ("_counts", "_known", "_reach", "ending", "most_cpus", "now")

    def __init__(self, now: FreeMasks, ending: list[Holding]) -> None:
        self.now = now
        self.ending = ending
        self.most_cpus = len(now.masks) - 1
        """The CPUs of the largest node."""
        self._counts: list[int] = []
        self._known: list[_Future] = []
        self._reach = Reach(now, ending)

    def began(self, place: int, held: Holding) -> None:
        """A job has begun, and will be the one to end at a place among those that run."""
        self._reach.began(place)
        counts = self._counts
        first = bisect_right(counts, place)
        for later in range(first, len(counts)):
            counts[later] += 1
        for one in self._known[:first]:
            if held in one.ended:  # it was only away
                one.ended.remove(held)
            else:
                one.begun.append(held)
        self._forget(first)

    def ended(self, place: int, held: Holding) -> None:
        """A job has ended that was the one to end at a place among those that ran."""
        self._reach.ended(place)
        counts = self._counts
        first = bisect_right(counts, place)
        for later in range(first, len(counts)):
            counts[later] -= 1
        if first and first < len(counts) and counts[first - 1] == counts[first]:  # they have become the same
            first -= 1
            del counts[first], self._known[first]
        for one in self._known[:first]:
            if held in one.begun:
                one.begun.remove(held)
            else:
                one.ended.append(held)
        self._forget(first)

    def _forget(self, changed: int) -> None:
        """Of the first futures those go of which too much has changed since somebody asked; all if there are many."""
        for place in range(changed - 1, -1, -1):
            one = self._known[place]
            if len(one.begun) + len(one.ended) > _STEP:
                del self._counts[place], self._known[place]
        if len(self._counts) > _MOST:
            self._counts.clear()
            self._known.clear()

    def after(self, count: int) -> FreeMasks:
        """What is free without the first running jobs, so many."""
        if not count:
            return self.now
        place = bisect_right(self._counts, count)
        done = self._counts[place - 1] if place else 0
        known = self._known[place - 1].settled() if place else self.now
        if done == count:
            return known
        future = known.copy()
        while done < count:
            future.remove(self.ending[done])
            done += 1
            if done % _STEP == 0 or done == count:
                place = bisect_left(self._counts, done)
                self._counts.insert(place, done)
                self._known.insert(place, _Future(future))
                if done < count:
                    future = future.copy()
        return future

    def short(self, count: int, among: int, wanted: int) -> bool:
        """Whether fewer nodes than ``wanted`` have anything free without so many of the running jobs.

        It supposes that whatever is not full is empty: then no selection can succeed.
        """
        return self._reach.short(count, among, wanted)

    def gone_for(self, cpus: int) -> int:
        """How many running jobs have to be gone for so many more CPUs to be free, wherever they are."""
        return self._reach.gone_for(cpus)
