"""Runs of consecutive nodes in sets: which of them a selection goes to, and what it takes there (§5.3).

For clusters where most nodes differ from their neighbours, as where memory is counted; others, in
:mod:`windtunnel.schedulers.slurm.select.stretches`.
"""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.nodesets import runs_above, spans, without
from windtunnel.schedulers.slurm.select.takings import Taking

__all__ = ["Present", "Runs", "runs_in"]

Present = list[tuple[int, int]]
"""Numbers of usable CPUs, ascending, and the nodes with so many."""


def _worth(need: Taking, present: Present) -> int:
    """The nodes that may be of use: of the last one that is allowed all that is left is taken."""
    found = 0
    for free, nodes in present:
        if free >= need.cpus or need.most_nodes > 1:
            found |= nodes
    return found


def _smallest_run(need: Taking, inside: int, useful: int, present: Present, values: list[int]) -> int:
    """The run that a job goes to which is content with one node, if some node beside no other one would do alone.

    The run with fewest CPUs that suffice is wanted, so only runs as short as that are looked at. 0: it is not known.
    """
    lone = without(useful, inside << 1 | inside >> 1)
    if not lone:
        return 0
    for free, nodes in present:
        if free >= need.cpus and nodes & lone:
            short = without(inside, runs_above(inside, free // present[0][0]))
            runs = Runs(_with_any(spans(short), useful), present, values)
            return runs.pop(runs.choose(need))
    return 0


def _with_any(found: list[tuple[int, int]], nodes: int) -> list[tuple[int, int]]:
    """The runs that have any of some nodes."""
    return [one for one in found if nodes >> one[0] & ((1 << one[1] - one[0]) - 1)]


def runs_in(need: Taking, inside: int, present: Present, values: list[int]) -> "Runs":
    """The runs of a set that a job may go to; if the first of them is found at once, it is taken already."""
    useful = _worth(need, present)
    run = _smallest_run(need, inside, useful, present, values) if need.nodes - need.slack <= 1 else 0
    if run:
        _take_of(need, run, present)
        inside ^= run
        useful = _worth(need, present) & inside
    found = [] if need.done else spans(inside)
    return Runs(found if useful == inside else _with_any(found, useful), present, values, need.most_nodes == 1)


@mypyc_attr(allow_interpreted_subclasses=True)
class Runs:
    """Runs that a job may go to; their CPUs are counted only where they make a difference."""

    __slots__ = ("_all_useful", "_cpus", "_high", "_low", "_present", "_spans", "_values")

    def __init__(
        self, found: list[tuple[int, int]], present: Present, values: list[int], all_useful: bool = False
    ) -> None:
        self._spans = found
        """Of each the first node, and the one behind its last."""
        self._cpus = [-1] * len(found)
        """The CPUs of each; -1: not counted yet."""
        self._present = present
        self._values = values
        """The CPUs of each node."""
        self._all_useful = all_useful
        """Whether each has a node that would do as the last one."""
        self._low = present[0][0]
        self._high = present[-1][0]

    def __len__(self) -> int:
        return len(self._spans)

    def fill(self, need: Taking) -> None:
        """Take nodes of one run after the other, until they suffice or cannot any more, or no run is left."""
        while need.most_nodes > 0:
            if need.most_nodes == 1:
                self.keep_useful(need)
            if not len(self):
                return
            self.take(need)
            if need.done or need.hopeless:
                return

    def take(self, need: Taking) -> None:
        """Take nodes of the run that a job goes to; it is none of them any more."""
        _take_of(need, self.pop(self.choose(need)), self._present)

    def pop(self, place: int) -> int:
        """One of them, as a set of nodes; it is none of them any more."""
        begin, end = self._spans.pop(place)
        del self._cpus[place]
        return ((1 << (end - begin)) - 1) << begin

    def keep_useful(self, need: Taking) -> None:
        """Only those stay that have a node with all the CPUs that are left: it is the last one that is allowed."""
        if self._all_useful:
            return
        self._all_useful = True
        kept = self._useful(need)
        if len(kept) < len(self._spans):
            self._keep(kept)

    def _useful(self, need: Taking) -> list[int]:
        """The places of these."""
        useful = _worth(need, self._present)
        return [k for k, one in enumerate(self._spans) if useful >> one[0] & ((1 << one[1] - one[0]) - 1)]

    def _keep(self, kept: list[int]) -> None:
        self._spans = [self._spans[k] for k in kept]
        self._cpus = [self._cpus[k] for k in kept]

    def choose(self, need: Taking) -> int:
        """The place of the smallest that suffices, else of the largest: one too short, but larger, wins."""
        if len(self._spans) == 1:
            return 0
        low, high = self._low, self._high
        best, best_cpus, best_suffices = -1, 0, False
        wanted, least = need.cpus, need.nodes - need.slack
        for place, (begin, end) in enumerate(self._spans):
            cpus = self._cpus[place]
            size = end - begin
            if cpus < 0:
                if best < 0:
                    hopeless = False
                elif size < least:
                    hopeless = size * high <= best_cpus
                elif best_suffices:
                    hopeless = size * low >= best_cpus
                else:
                    hopeless = size * high < wanted and size * high <= best_cpus
                if hopeless:
                    continue
                cpus = self._cpus[place] = self._count(begin, end)
            suffices = cpus >= wanted and size >= least
            better = (not best_suffices or cpus < best_cpus) if suffices else cpus > best_cpus
            if best < 0 or better:
                best, best_cpus, best_suffices = place, cpus, suffices
        return best

    def _count(self, begin: int, end: int) -> int:
        """The CPUs of one."""
        return sum(self._values[begin:end])


def _take_of(need: Taking, run: int, present: Present) -> None:
    """Of one run the tightest node that holds all that is left, else its nodes in order."""
    if need.nodes <= 1:
        for free, nodes in present:
            if free >= need.cpus and nodes & run:
                tight = nodes & run
                need.take(tight & -tight, free)
                return
    if not run & (run - 1):
        need.take(run, next(free for free, nodes in present if nodes & run))
        return
    here = [(free, nodes & run) for free, nodes in present if nodes & run]
    while run and need.most_nodes > 0 and not (need.done or need.hopeless):
        if len(here) == 1:
            need.take(run, here[0][0])
            return
        first = run & -run
        free, alike = next((free, nodes) for free, nodes in here if nodes & first)
        # From the first node on as many as are alike; what follows in the run differs.
        other = without(run, alike)
        stretch = run & ((other & -other) - 1) if other else run
        need.take(stretch, free)
        run ^= stretch
