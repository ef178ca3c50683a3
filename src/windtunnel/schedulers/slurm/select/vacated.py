"""What is held as running jobs go, the first to end first, for all who ask about it in one instant (§4.4)."""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import bits
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.openings import Openings

__all__ = ["Vacated", "most_freed"]

_LEAST_STEP: Final = 8
_MOST_STATES: Final = 64


@mypyc_attr(allow_interpreted_subclasses=True)
class Vacated:
    """The cluster without some jobs, and then without more and more of those that run.

    What is held is kept each time some more are gone, so that it takes few steps from there to any number of them.
    """

    __slots__ = ("_order", "_states", "_step", "dates", "openings")

    def __init__(self, held: Occupancy, gone: Sequence[Holding], running: list[Holding] | None) -> None:
        """``gone``: those without which it begins; ``running``: the others in their order (None: by their end)."""
        first = held.copy()
        for one in gone:
            first.remove(one)
        if running is None:
            running = sorted(first.holdings.values(), key=lambda one: (one.end, one.order))
        self._order = running[:]
        self.dates = [one.end for one in self._order]
        """When they end."""
        self._states = [first]
        self.openings: Openings | None = None
        """How nodes become free, once somebody has asked."""
        self._step = max(_LEAST_STEP, len(self._order) // _MOST_STATES)

    @property
    def running(self) -> list[Holding]:
        """Those that go, the first to end first."""
        return self._order

    @property
    def first(self) -> Occupancy:
        """What is held before any of them goes; it must not be changed."""
        return self._states[0]

    def after(self, count: int, among: int) -> Occupancy:
        """What is held of some nodes once so many of those that run are gone; others may be taken for held still."""
        states, step = self._states, self._step
        while len(states) <= count // step:
            state = states[-1].copy()
            for one in self._order[(len(states) - 1) * step : len(states) * step]:
                state.remove(one)
            states.append(state)
        found = states[count // step].copy()
        for one in self._order[count // step * step : count]:
            if one.nodes & among:
                found.remove(one)
        return found


def most_freed(held: Holding, among: int, threads: Sequence[int]) -> int:
    """The CPUs of some nodes that come free at the most when a job goes: all threads of its cores."""
    if held.frees is None:
        found: dict[int, int] = {}
        for part in held.alike:
            node = (part.nodes & -part.nodes).bit_length() - 1
            each = max(part.cpus, part.cores.bit_count() * threads[node])
            found[each] = found.get(each, 0) | part.nodes
        for node in bits(held.nodes) if not held.alike else ():
            each = max(held.cpus.get(node, 0), held.cores.get(node, 0).bit_count() * threads[node])
            found[each] = found.get(each, 0) | 1 << node
        held.frees = tuple(found.items())
    return sum([each * (nodes & among).bit_count() for each, nodes in held.frees])
