"""Runs of consecutive nodes in sets: which of them a selection goes to, and what it takes there (§5.3)."""

from windtunnel.schedulers.slurm.nodesets import spans
from windtunnel.schedulers.slurm.takings import Taking

__all__ = ["Present", "Run", "at_most", "choose", "runs_in", "take_of", "worth"]

Present = list[tuple[int, int]]
"""Numbers of usable CPUs, ascending, and the nodes with so many."""
Run = tuple[int, int, int]
"""Consecutive nodes, their CPUs and their number."""


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


def runs_in(inside: int, worth: int, present: Present, values: list[int] | None) -> list[Run]:
    """The runs of a set with anything of use in them; of a single one nobody needs to know its CPUs."""
    found = []
    all_of_use = worth == inside
    among = spans(inside)
    for begin, end in among:
        ones = (1 << (end - begin)) - 1
        run = ones << begin
        if not all_of_use and not run & worth:
            continue
        if len(among) == 1:
            cpus = 0
        elif values is not None:
            cpus = sum(values[begin:end])
        elif len(present) == 1:
            cpus = present[0][0] * (end - begin)
        else:
            cpus = sum([free * (nodes >> begin & ones).bit_count() for free, nodes in present])
        found.append((run, cpus, end - begin))
    return found


def choose(need: Taking, runs: list[Run]) -> int:
    """The place of the smallest run that suffices, else of the largest: one too short, but larger, wins."""
    best, best_cpus, best_suffices = -1, 0, False
    wanted, least = need.cpus, need.nodes - need.slack
    for place, (_, cpus, count) in enumerate(runs):
        suffices = cpus >= wanted and count >= least
        better = (not best_suffices or cpus < best_cpus) if suffices else cpus > best_cpus
        if best < 0 or better:
            best, best_cpus, best_suffices = place, cpus, suffices
    return best


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
    while run and need.most_nodes > 0 and not need.done:
        if len(here) == 1:
            need.take(run, here[0][0])
            return
        first = run & -run
        free, alike = next((free, nodes) for free, nodes in here if nodes & first)
        # From the first node on as many as are alike; what follows in the run differs.
        other = run & ~alike
        stretch = run & ((other & -other) - 1) if other else run
        need.take(stretch, free)
        run ^= stretch
