"""What is worth knowing about the members of a star, for counting flows without walking all pairs."""

from collections import Counter
from collections.abc import Sequence

from windtunnel.model.network.zone import StarZone, VivaldiZone

__all__ = ["StarPlan"]


class StarPlan:
    """The members of one star, and how their links are shared; computed once.

    A link is private if one member has it and common otherwise; members of one *set* have the same common links.
    Members of one *kind* have, besides, private links of the same latencies (and the same coordinates): routes
    between two kinds all have the same latency.
    """

    def __init__(self, members: Sequence[int], zone: StarZone, latencies: Sequence[float]) -> None:
        self.once: dict[int, tuple[int, ...]] = {}
        """Private links either up or down."""
        self.twice: dict[int, tuple[int, ...]] = {}
        """Private links both up and down."""
        self.sets: list[tuple[frozenset[int], frozenset[int]]] = []
        self.set_of: dict[int, int] = {}
        self.kind_of: dict[int, int] = {}
        self.delays: dict[tuple[int, int], float] = {}
        users = Counter(i for p in members for i in {*zone.up.get(p, ()), *zone.down.get(p, ())})
        places = zone.coordinates if isinstance(zone, VivaldiZone) else {}
        sets: dict[object, int] = {}
        kinds: dict[object, int] = {}
        for point in members:
            way = zone.up.get(point, ()), zone.down.get(point, ())
            up, down = [frozenset(i for i in links if users[i] == 1) for links in way]
            self.once[point], self.twice[point] = tuple(up ^ down), tuple(up & down)
            common = tuple(frozenset(i for i in links if users[i] > 1) for links in way)
            if common not in sets:
                sets[common] = len(sets)
                self.sets.append((common[0], common[1]))
            self.set_of[point] = sets[common]
            # Links in order, a common one told by its number (negative), a private one by its latency alone.
            traits = tuple(tuple(-1.0 - i if users[i] > 1 else latencies[i] for i in links) for links in way)
            self.kind_of[point] = kinds.setdefault((traits, places.get(point)), len(kinds))
        self._find_usual(members)

    def _find_usual(self, members: Sequence[int]) -> None:
        """Most members have the same common links, and private ones that flows cross in the same way: find these."""
        ways = Counter((self.set_of[p], bool(self.twice[p])) for p in members if not (self.once[p] and self.twice[p]))
        usual = ways.most_common(1)[0][0] if ways else (-1, False)
        self.both_ways = usual[1]
        """Whether their private links are both up and down."""
        self.private: dict[int, tuple[int, ...]] = {
            point: self.twice[point] if self.both_ways else self.once[point]
            for point in members
            if (self.set_of[point], bool(self.twice[point])) == usual and not (self.once[point] and self.twice[point])
        }
        """By member: its private links."""
        up, down = self.sets[usual[0]] if ways else (frozenset[int](), frozenset[int]())
        self.common = [*up, *(link for link in down if link not in up)]
        """The links that they have in common."""
        kinds = {self.kind_of[point] for point in self.private}
        self.kind = kinds.pop() if len(kinds) == 1 else -1
        """The kind of them all; -1: of several."""
