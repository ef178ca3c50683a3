"""What is free once the first of the running jobs have ended: worked out once, for all that ask (§4.4)."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.select.masks import FreeMasks

__all__ = ["Futures"]

_STEP = 16
"""Running jobs between futures that are kept whoever asks."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Futures:
    """The futures of one state of a cluster, by the number of running jobs that have ended; the next to end first."""

    __slots__ = ("_counts", "_known", "_reach", "ending", "most_cpus", "now")

    def __init__(self, now: FreeMasks, ending: Sequence[Holding]) -> None:
        self.now = now
        self.ending = ending
        self.most_cpus = len(now.masks) - 1
        """The CPUs of the largest node."""
        self._counts: list[int] = []
        self._known: list[FreeMasks] = []
        self._reach: list[int] = []
        """By the number of jobs gone: the nodes of which anything is free."""

    def changed(self) -> None:
        """A job has begun or ended."""
        self._counts.clear()
        self._known.clear()
        self._reach.clear()

    def after(self, count: int) -> FreeMasks:
        """What is free without the first running jobs, so many."""
        if not count:
            return self.now
        place = bisect_right(self._counts, count)
        done = self._counts[place - 1] if place else 0
        known = self._known[place - 1] if place else self.now
        if done == count:
            return known
        future = known.copy()
        while done < count:
            future.remove(self.ending[done])
            done += 1
            if done % _STEP == 0 or done == count:
                place = bisect_left(self._counts, done)
                self._counts.insert(place, done)
                self._known.insert(place, future)
                if done < count:
                    future = future.copy()
        return future

    def short(self, count: int, among: int, wanted: int) -> bool:
        """Whether fewer nodes than ``wanted`` have anything free without so many of the running jobs.

        It supposes that whatever is not full is empty: then no selection can succeed.
        """
        reach = self._reach
        if len(reach) <= count:
            if not reach:
                reach.append(self.now.able())
            for one in self.ending[len(reach) - 1 : count]:
                reach.append(reach[-1] | one.nodes)
        able = reach[count] & among
        return not able if wanted <= 1 else able.bit_count() < wanted
