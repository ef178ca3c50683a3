"""Running jobs that are taken away from a future in batches of those that end close together (§4.4, 4)."""

from bisect import bisect_right
from typing import Final

from mypy_extensions import i64, mypyc_attr

from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.nodes.nodesets import blocks_of

__all__ = ["Batches"]

_FEW: Final = 32
"""So many jobs are looked at one by one before it pays to ask where the nodes are."""
_FIRST_WINDOW: Final = 30
"""Seconds within which the first running jobs are taken away together (§4.4)."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Batches:
    """The batches of what runs on some nodes, the first to end first; one after another.

    Jobs that have none of the nodes are passed over, and where a batch could end at one of these, the next job with
    any of them still joins it. So only few jobs have to be looked at: a batch ends at the first one with any of the
    nodes from the last one on that ends within the window.
    """

    __slots__ = (
        "_among",
        "_begin",
        "_blocks",
        "_dates",
        "_edge",
        "_ending",
        "_growth",
        "_window",
        "begin",
        "end",
        "last",
        "place",
        "reach",
    )

    def __init__(self, running: list[Holding], dates: list[int], among: int, growth: int) -> None:
        self._ending = running
        self._dates = dates
        """When they end."""
        self._among = among
        self._growth = growth
        """Seconds by which the window grows (bf_window_linear); 0: it doubles."""
        self._blocks = -1
        """Where the nodes are, once many jobs have been passed over."""
        self._window = _FIRST_WINDOW
        self._edge = 0
        self._begin = 0
        self.begin = 0
        """When the first job of the first batch ends."""
        self.reach = 0
        """The last date that made a difference to this batch."""
        self.end = 0
        """When the last job of this batch ends."""
        self.last: Holding | None = None
        """That job."""
        self.place = 0
        """How many of all that runs have been looked at."""

    def advance(self) -> bool:
        """Go on to the next batch; whether there is one."""
        dates = self._dates
        count = len(dates)
        self._begin = self.place
        first = self.place
        if not self._edge:
            first = self._next(first)
            if first < count:
                self.begin = dates[first]
                self._edge = dates[first] + self._window - dates[first] % self._window
        self.reach = self._edge + self._window
        within = bisect_right(dates, self.reach) - 1
        last = self._next(max(first, within))
        if last == count:  # nobody else has any of the nodes
            first = self._next(first)
            self.place = count
            if first == count:
                return False
            last = self._last_before(within, first)
            self.last = self._ending[last]
            self.end = dates[last]
            return True
        self.place = last + 1
        self.last = self._ending[last]
        self.end = dates[last]
        self.reach = max(self.reach, self.end)
        while True:
            self._window = self._window + self._growth if self._growth else self._window * 2
            if self.place == count or dates[self.place] <= self._edge + self._window:
                return True

    def batch(self) -> list[Holding]:
        """The jobs of this batch."""
        return [one for one in self._ending[self._begin : self.place] if one.nodes & self._among]

    def _next(self, place: int) -> int:
        """The first job from a place on that has any of the nodes."""
        running, among = self._ending, self._among
        few = min(place + _FEW, len(running))
        while place < few:
            if running[place].nodes & among:
                return place
            place += 1
        return self._next_of_many(place) if place < len(running) else place

    def _next_of_many(self, place: int) -> int:
        """The same where many jobs are passed over."""
        running, among = self._ending, self._among
        if self._blocks < 0:
            self._blocks = blocks_of(among)
        blocks: i64 = self._blocks
        while place < len(running):
            held = running[place]
            if held.blocks < 0:
                held.blocks = blocks_of(held.nodes)
            own: i64 = held.blocks
            if own & blocks and held.nodes & among:
                return place
            place += 1
        return place

    def _last_before(self, place: int, least: int) -> int:
        """The last job before a place that has any of the nodes; ``least`` has."""
        running, among = self._ending, self._among
        while place > least and not running[place].nodes & among:
            place -= 1
        return place
