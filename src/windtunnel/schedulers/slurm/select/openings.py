"""After how many running jobs there may be room for a job: nodes with the same history are looked at once (§4.4)."""

from collections.abc import Iterable
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.alike import at_most
from windtunnel.schedulers.slurm.select.fit import Fit

__all__ = ["NO_ROOM", "Openings"]

NO_ROOM: Final = 1 << 40
_Step = tuple[int, int, int, int, bool]
"""After so many jobs: cores taken, CPUs and memory; whether anybody is there."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Openings:
    """How nodes become free as running jobs go, in the order in which they end."""

    def __init__(self, held: Occupancy, running: list[Holding], fit: Fit) -> None:
        self._fit = fit
        self._most = max(fit.cluster.cpus, default=0)
        histories: dict[tuple[int, tuple[_Step, ...]], int] = {}
        going: dict[int, list[int]] = {}
        for place, one in enumerate(running):
            for node in bits(one.nodes):
                going.setdefault(node, []).append(place)
        for node, places in going.items():
            key = (fit.sorts[node], tuple(_steps(held, node, places, running)))
            histories[key] = histories.get(key, 0) | 1 << node
        idle = (1 << fit.cluster.size) - 1
        for nodes in histories.values():
            idle ^= nodes
        for sort, nodes in enumerate(fit.nodes_of_sorts):
            if nodes & idle:
                key = (sort, ((0, 0, 0, 0, False),))
                histories[key] = histories.get(key, 0) | (nodes & idle)
        self._histories = [(nodes, steps) for (_, steps), nodes in histories.items()]

    def first(self, record: Record, among: int, most_nodes: int) -> int:
        """How many jobs have to be gone at the least for there to be room; `NO_ROOM`: there never is."""
        demand = record.demand
        counts = [0] * (self._most + 1)
        nodes = cpus = 0
        changes = sorted(self._changes(record, among))
        for index, (place, count, before, now) in enumerate(changes):
            counts[before] -= count
            counts[now] += count
            cpus += count * (now - before)
            nodes += count if not before else 0
            if index + 1 < len(changes) and changes[index + 1][0] == place:
                continue
            if cpus >= demand.cpus and nodes >= demand.min_nodes and at_most(counts, most_nodes) >= demand.cpus:
                return place
        return NO_ROOM

    def _changes(self, record: Record, among: int) -> Iterable[tuple[int, int, int, int]]:
        """After so many jobs: of how many nodes the job could use so many more CPUs; before, and then."""
        fit, exclusive = self._fit, record.demand.exclusive
        known = fit.known_counts(record)
        found: list[tuple[int, int, int, int]] = []
        for alike, steps in self._histories:
            nodes = alike & among
            if not nodes:
                continue
            node, count, before = (nodes & -nodes).bit_length() - 1, nodes.bit_count(), 0
            for place, cores, cpus, memory, used in steps:
                now = 0 if used and exclusive else fit.count_known(record, node, cores, cpus, memory, known)
                if now > before:
                    found.append((place, count, before, now))
                    before = now
        return found


def _steps(held: Occupancy, node: int, places: list[int], running: list[Holding]) -> list[_Step]:
    """What is taken of a node at first, and after each of its jobs; of one with jobs that share cores nothing."""
    if any(running[place].shares for place in places):
        return [(0, 0, 0, 0, False)]
    cores, cpus, memory = held.cores[node], held.cpus[node], int(held.memory[node])
    left = len(places)
    found = [(0, cores.bit_count(), cpus, memory, True)]
    for place in places:
        one = running[place]
        cores &= ~one.cores.get(node, 0)
        cpus -= one.cpus.get(node, 0)
        memory -= one.memory.get(node, 0)
        left -= 1
        found.append((place + 1, cores.bit_count(), cpus, memory, left > 0))
    return found
