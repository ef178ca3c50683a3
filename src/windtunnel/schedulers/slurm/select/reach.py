"""What comes free as the first of the running jobs end: nodes of which anything is free, and CPUs."""

from bisect import bisect_left

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.select.masks import FreeMasks

__all__ = ["Reach"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Reach:
    """These nodes by the number of jobs gone, as far as somebody has asked.

    When a job begins or ends, only what is known of the time before its end has to be summed up anew.
    """

    __slots__ = ("_counts", "_cpus", "_ending", "_known", "_now", "_old", "_ready")

    def __init__(self, now: FreeMasks, ending: list[Holding]) -> None:
        self._now = now
        self._ending = ending
        self._known: list[int] = []
        self._counts: list[int] = []
        """How many they are; -1: nobody has asked."""
        self._cpus: list[int] = [0]
        """The CPUs that come free with the first jobs, as far as somebody has asked."""
        self._ready = self._old = 0
        """The first ones, so many, are as things are; those from there up to here are not."""

    def began(self, place: int) -> None:
        """A job has begun, and will be the one to end at a place among those that run."""
        self._known.insert(place, 0)
        self._counts.insert(place, -1)
        del self._cpus[place + 1 :]
        self._moved(place, place + 1, 1)

    def ended(self, place: int) -> None:
        """A job has ended that was the one to end at a place among those that ran."""
        del self._known[place : place + 1]
        del self._counts[place : place + 1]
        del self._cpus[place + 1 :]
        self._moved(place, place, -1)

    def _moved(self, place: int, behind: int, by: int) -> None:
        """What is known of later dates has moved and stays so; all before is not known any more."""
        old = self._old if self._ready < self._old else 0
        self._old = min(max(behind, old + by if old > place else 0), len(self._known))
        self._ready = 0

    def after(self, count: int) -> int:
        """These nodes without the first running jobs, so many."""
        known = self._known
        if count < self._old:
            self._renew(count + 1)
        elif count >= len(known):
            if self._old == len(known):
                self._renew(self._old)
            for at in range(len(known), count + 1):
                known.append(self._reach(at))
                self._counts.append(-1)
        return known[count]

    def short(self, count: int, among: int, wanted: int) -> bool:
        """Whether fewer of them than ``wanted`` are among some nodes."""
        able = self.after(count)
        size = self._counts[count]
        if size < 0:
            size = self._counts[count] = able.bit_count()
        if size < wanted:
            return True
        able &= among
        return not able if wanted <= 1 else able.bit_count() < wanted

    def gone_for(self, cpus: int) -> int:
        """How many jobs have to be gone for so many CPUs to have come free; more than there are: they never do."""
        if cpus <= 0:
            return 0
        known, ending, now = self._cpus, self._ending, self._now
        last = known[-1]
        while last < cpus:
            count = len(known)
            if count > len(ending):
                return count
            last += now.cpus_of(ending[count - 1])
            known.append(last)
        return bisect_left(known, cpus)

    def _renew(self, count: int) -> None:
        """Sum up the first ones anew, so many."""
        for at in range(self._ready, count):
            self._known[at] = self._reach(at)
            self._counts[at] = -1
        self._ready = max(self._ready, count)

    def _reach(self, at: int) -> int:
        return self._known[at - 1] | self._ending[at - 1].nodes if at else self._now.able()
