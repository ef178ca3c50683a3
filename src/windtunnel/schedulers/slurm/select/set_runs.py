"""Runs of consecutive nodes in sets: which of them a selection goes to, and what it takes there (§5.3)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.nodesets import runs_above, spans, without
from windtunnel.schedulers.slurm.select.takings import Taking

__all__ = ["Present", "Runs", "at_most", "smallest_run", "take_of", "worth"]

Present = list[tuple[int, int]]
"""Numbers of usable CPUs, ascending, and the nodes with so many."""


def at_most(counts: list[int], nodes: int) -> int:
    """The CPUs that so many nodes could give at best, of as many as there are with each number of CPUs."""
    cpus = 0
    for free in range(len(counts) - 1, 0, -1):
        count = min(nodes, counts[free])
        cpus += free * count
        nodes -= count
        if nodes <= 0:
            break
    return cpus


def worth(need: Taking, present: Present) -> int:
    """The nodes that may be of use: of the last one that is allowed all that is left is taken."""
    found = 0
    for free, nodes in present:
        if free >= need.cpus or need.most_nodes > 1:
            found |= nodes
    return found


def smallest_run(need: Taking, inside: int, useful: int, present: Present, values: list[int] | None) -> int:
    """The run that a job goes to which is content with one node, if some node beside no other one would do alone.

    The run with fewest CPUs that suffice is wanted, so only runs as short as that are looked at. 0: it is not known.
    """
    lone = without(useful, inside << 1 | inside >> 1)
    if not lone:
        return 0
    for free, nodes in present:
        if free >= need.cpus and nodes & lone:
            short = without(inside, runs_above(inside, free // present[0][0]))
            runs = Runs(short, useful & short, present, values)
            return runs.pop(runs.choose(need))
    return 0


@mypyc_attr(allow_interpreted_subclasses=True)
class Runs:
    """The runs of a set with anything of use in them; their CPUs are counted only where they make a difference."""

    __slots__ = ("_cpus", "_high", "_low", "_present", "_spans", "_values")

    def __init__(self, inside: int, useful: int, present: Present, values: list[int] | None) -> None:
        self._spans = spans(inside)
        """Of each the first node, and the one behind its last."""
        if useful != inside:
            self._spans = [one for one in self._spans if useful >> one[0] & ((1 << one[1] - one[0]) - 1)]
        self._cpus = [-1] * len(self._spans)
        """The CPUs of each; -1: not counted yet."""
        self._present = present
        self._values = values
        """The CPUs of each node, where they are known."""
        self._low = present[0][0]
        self._high = present[-1][0]

    def __len__(self) -> int:
        return len(self._spans)

    def pop(self, place: int) -> int:
        """One of them, as a set of nodes; it is none of them any more."""
        begin, end = self._spans.pop(place)
        del self._cpus[place]
        return ((1 << (end - begin)) - 1) << begin

    def keep(self, useful: int) -> None:
        """Only those with any of these nodes stay."""
        kept = [k for k, one in enumerate(self._spans) if useful >> one[0] & ((1 << one[1] - one[0]) - 1)]
        if len(kept) < len(self._spans):
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
        if self._values is not None:
            return sum(self._values[begin:end])
        if self._low == self._high:
            return self._low * (end - begin)
        ones = (1 << (end - begin)) - 1
        return sum([free * (nodes >> begin & ones).bit_count() for free, nodes in self._present])


def take_of(need: Taking, run: int, present: Present) -> None:
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
