"""What a job takes of nodes of which free CPUs say all: stretches of them tell (§5.3)."""

from mypy_extensions import i64

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.select.packed import AT, FREE, LENGTHS, TO, without_small
from windtunnel.schedulers.slurm.select.stretches import Stretches, take_best_run
from windtunnel.schedulers.slurm.select.takings import Choice, Taking

__all__ = ["at_most", "most_nodes", "take_alike"]


def most_nodes(demand: Demand) -> int:
    """So many nodes a job gets at most: of those that it allows no more than it has tasks."""
    most = demand.max_nodes
    if demand.tasks_given and most > demand.tasks:
        return max(demand.tasks, demand.min_nodes)
    return most


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


def _counts(stretches: list[int], highest: int) -> list[int]:
    """How many nodes of some stretches have each number of free CPUs."""
    found = [0] * (highest + 1)
    for one in stretches:
        found[one & FREE] += (one >> TO & LENGTHS) - (one >> AT)
    return found


def take_alike(demand: Demand, stretches: list[int], unit: int, highest: int) -> Choice | None:
    """The CPUs, and the nodes of which so many are taken; None: no selection succeeds.

    ``stretches`` as :mod:`~.packed` has them, ``unit``: the CPUs of a core, ``highest``: of the largest node.
    """
    cpus: i64 = 0
    nodes: i64 = 0
    largest: i64 = 0
    for one in stretches:
        number: i64 = one
        free = number & FREE
        size = (number >> TO & LENGTHS) - (number >> AT)
        nodes += size
        cpus += free * size
        largest = max(largest, free)
    most = most_nodes(demand)
    if cpus < demand.cpus or nodes < demand.min_nodes:
        return None
    if most < nodes and at_most(_counts(stretches, highest), most) < demand.cpus:
        return None
    found = _filled(demand, most, unit, largest, stretches)
    spare = nodes - demand.min_nodes
    for small in range(1, largest):  # without the smallest ones, step by step
        if found is not None or spare <= 0:
            break
        stretches, dropped = without_small(stretches, small, spare)
        spare -= dropped
        if dropped and stretches:
            found = _filled(demand, most, unit, largest, stretches)
    return found


def _filled(demand: Demand, most: int, unit: int, largest: int, stretches: list[int]) -> Choice | None:
    """What is taken of stretches, if it suffices."""
    need = Taking(demand, most, unit, largest)
    if most > 1:
        take_best_run(need, stretches)
        if need.done:
            return need.choice
        need = Taking(demand, most, unit, largest)
    Stretches(stretches).fill(need)
    return need.choice
