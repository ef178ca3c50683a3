"""Selections that were made before: the same job among the same free nodes is placed alike, whenever that is."""

from bisect import bisect_left
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.nodesets import bounds
from windtunnel.schedulers.slurm.select.takings import Choice

__all__ = ["NOT_KEPT", "KeptPicks"]

NOT_KEPT: Final = Choice([], 0, 0)
"""What stands for a selection that is not known: no selection takes nothing."""
_MOST: Final = 2000
"""Selections of one generation; the one before it is kept, too."""
_FEW: Final = 8
"""So many bounds of runs are put in place one by one faster than all are found anew."""


@mypyc_attr(allow_interpreted_subclasses=True)
class KeptPicks:
    """What selections by sets of nodes came to, the latest of them; by hashes, as those of large sets take long."""

    __slots__ = ("_among", "_before", "_latest", "_runs")

    def __init__(self) -> None:
        self._latest: dict[int, tuple[tuple[int, ...], Choice | None]] = {}
        self._before: dict[int, tuple[tuple[int, ...], Choice | None]] = {}
        self._among = 0
        self._runs: list[int] = []
        """The nodes of which runs were last asked for, and these."""

    def runs_of(self, among: int) -> list[int]:
        """The :func:`~.bounds` of a set, until the next is asked for: mostly one with few nodes more or less."""
        other = among ^ self._among
        if other:
            edges = other ^ other << 1
            if edges.bit_count() <= _FEW and self._runs:
                self._move(edges)
            else:
                self._runs = bounds(among)
            self._among = among
        return self._runs

    def _move(self, edges: int) -> None:
        """Each of these bounds goes if it is there, and comes if not."""
        runs = self._runs
        while edges:
            bound = edges.bit_length() - 1
            edges ^= 1 << bound
            place = bisect_left(runs, bound)
            if place < len(runs) and runs[place] == bound:
                del runs[place]
            else:
                runs.insert(place, bound)

    def find(self, number: int, key: tuple[int, ...]) -> Choice | None:
        """What a selection came to (None: to nothing), or :data:`NOT_KEPT`; ``number``: the hash of its key."""
        found = self._latest.get(number)
        if found is None:
            found = self._before.get(number)
        return NOT_KEPT if found is None or found[0] != key else found[1]

    def keep(self, number: int, key: tuple[int, ...], found: Choice | None) -> Choice | None:
        """One more; it."""
        if len(self._latest) >= _MOST:
            self._before = self._latest
            self._latest = {}
        self._latest[number] = key, found
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return (KeptPicks, ())  # a saved run finds them anew
