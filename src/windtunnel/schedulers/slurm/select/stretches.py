"""Stretches of consecutive nodes that are alike, and the runs they make: what a selection takes of these (§5.3).

Most clusters on which CPUs alone are counted have few of them, however many nodes: all that is asked of them are
sums and differences then. Where most nodes differ from their neighbours it costs less to look at sets of them
(:mod:`windtunnel.schedulers.slurm.select.set_runs`).
"""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.nodesets import spans
from windtunnel.schedulers.slurm.select.set_runs import Present, Runs
from windtunnel.schedulers.slurm.select.takings import Taking

__all__ = ["Stretches"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Stretches(Runs):
    """The runs that a job may go to, by the stretches that they consist of."""

    __slots__ = ("_first", "_stretches")

    def __init__(self, present: Present) -> None:
        stretches = [(begin, end, free) for free, nodes in present for begin, end in spans(nodes)]
        stretches.sort()
        self._stretches = stretches
        """Of each the first node, the one behind its last, and the usable CPUs of each node; in their order."""
        found: list[tuple[int, int]] = []
        counts: list[int] = []
        first: list[int] = []
        start = behind = -1
        cpus = 0
        for place, (begin, end, free) in enumerate(stretches):
            if begin != behind:
                if behind >= 0:
                    found.append((start, behind))
                    counts.append(cpus)
                first.append(place)
                start, cpus = begin, 0
            cpus += free * (end - begin)
            behind = end
        found.append((start, behind))
        counts.append(cpus)
        super().__init__(found, present, [])
        self._cpus = counts
        self._first = first
        """The place of the first stretch of each run."""

    def take(self, need: Taking) -> None:
        """Take nodes of the run that a job goes to: the tightest that holds all that is left, else one by one."""
        place = self.choose(need)
        behind = self._spans.pop(place)[1]
        del self._cpus[place]
        at = self._first.pop(place)
        stretches = self._stretches
        if need.nodes <= 1:
            tightest = self._tightest(need, at, behind)
            if tightest >= 0:
                begin, _, free = stretches[tightest]
                need.take_stretch(begin, begin + 1, free)
                return
        while True:
            begin, end, free = stretches[at]
            need.take_stretch(begin, end, free)
            if end == behind or need.most_nodes <= 0 or need.done or need.hopeless:
                return
            at += 1

    def _useful(self, need: Taking) -> list[int]:
        return [k for k, one in enumerate(self._spans) if self._tightest(need, self._first[k], one[1]) >= 0]

    def _keep(self, kept: list[int]) -> None:
        super()._keep(kept)
        self._first = [self._first[k] for k in kept]

    def _tightest(self, need: Taking, at: int, behind: int) -> int:
        """Of the stretches of a run the first with fewest CPUs that hold all that is left; -1: there is none."""
        stretches, wanted = self._stretches, need.cpus
        best, fewest = -1, 0
        while True:
            _, end, free = stretches[at]
            if free >= wanted and (best < 0 or free < fewest):
                best, fewest = at, free
            if end == behind:
                return best
            at += 1
