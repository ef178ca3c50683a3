"""When and where jobs could start, as it was found before: it holds while only other nodes change hands.

An answer is about some nodes. What starts or ends elsewhere changes nothing of it but, perhaps, the batches in which
running jobs are taken away (§4.4, 4): these are looked at again, which costs little beside selecting nodes. Nor does
what starts or ends on the nodes themselves, if by the date in question it would have ended all the same, and until
then too few of them have anything free.
"""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.holdings import Holding

__all__ = ["Answer", "Answers"]

_MOST: Final = 1500
"""Answers of one generation; the one before it is kept, too."""
_LOOK_BACK: Final = 200
"""Changes that are remembered at least."""
_ALL_NODES: Final = -1


@mypyc_attr(allow_interpreted_subclasses=True)
class Answer:
    """When a job of a kind could start, and on which of some nodes; or until when at least it could not."""

    __slots__ = ("among", "begin", "cpus", "kind", "lasts", "placed", "reach", "record", "version", "wanted", "when")

    def __init__(
        self, among: int, cpus: int, wanted: int, when: int, placed: Picked | None, lasts: list[Holding]
    ) -> None:
        self.among = among
        """The nodes that it is about."""
        self.cpus = cpus
        """The CPUs that the job needs."""
        self.wanted = wanted
        """So many of them the job needs at the least."""
        self.when = when
        self.placed = placed
        self.lasts = lasts
        """The last job of each batch that was taken away."""
        self.begin = self.reach = 0
        """Jobs of other nodes that end before or after these dates make no difference to the batches."""
        self.version = -1
        """The changes up to which it is known to hold; -1: it does not any more."""
        self.record: Record | None = None
        """A job for which it was looked for, if selections were, and its kind then."""
        self.kind = -1

    def same_as(self, other: "Answer") -> bool:
        """Whether both say the same, the other one perhaps less of it."""
        placed, before = self.placed, other.placed
        if placed is None or before is None:
            return placed is before and self.when >= other.when
        same = self.when == other.when and placed.nodes == before.nodes
        return same and bool(placed.parts) and placed.parts == before.parts


@mypyc_attr(allow_interpreted_subclasses=True)
class Changes:
    """Jobs that have begun or ended since a version, and when they end by their limits."""

    __slots__ = ("each", "first", "last", "nodes")

    def __init__(self, changed: Sequence[tuple[Holding, int, int]]) -> None:
        net: dict[tuple[Holding, int], int] = {}
        for held, end, by in changed:
            net[held, end] = net.get((held, end), 0) + by
        self.each = [(held.nodes, end) for (held, end), by in net.items() if by]
        """The nodes of each, and when it ends: not of those that were only away; none if nobody knows any more."""
        self.nodes = 0
        """All their nodes; all that there are if nobody knows any more."""
        ends = [end for _, end in self.each]
        self.first, self.last = min(ends, default=0), max(ends, default=0)
        for nodes, _ in self.each:
            self.nodes |= nodes

    def end_before(self, when: int, among: int) -> bool:
        """Whether all of them that have any of some nodes end before a date."""
        for nodes, end in self.each:
            if end >= when and nodes & among:
                return False
        return bool(self.each)


@mypyc_attr(allow_interpreted_subclasses=True)
class Answers:
    """The latest answers of one cluster, and what has changed since."""

    __slots__ = ("_before", "_latest", "_recent", "_since", "version")

    def __init__(self) -> None:
        self._latest: dict[tuple[int, int, int], Answer] = {}
        self._before: dict[tuple[int, int, int], Answer] = {}
        self.version = 0
        """How often what runs has changed."""
        self._recent: list[tuple[Holding, int, int]] = []
        """Of the last changes what began (1) or ended (-1), and when it ends by its limit."""
        self._since: dict[int, Changes] = {}

    def changed(self, held: Holding, by: int) -> None:
        """A job has begun (1) or ended (-1)."""
        self.version += 1
        self._since.clear()
        self._recent.append((held, held.end, by))
        if len(self._recent) > 2 * _LOOK_BACK:
            del self._recent[:_LOOK_BACK]

    def since(self, version: int) -> Changes:
        """What has changed since a version."""
        found = self._since.get(version)
        if found is None:
            count = self.version - version
            if count > len(self._recent):
                found = Changes(())
                found.nodes = _ALL_NODES
            else:
                found = Changes(self._recent[len(self._recent) - count :])
            self._since[version] = found
        return found

    def find(self, key: tuple[int, int, int], among: int) -> Answer | None:
        """The answer for a kind of job, memory for each of its CPUs, and nodes (in the key their hash), if any."""
        found = self._latest.get(key)
        if found is None:
            found = self._before.get(key)
        return found if found is not None and found.among == among else None

    def keep(self, key: tuple[int, int, int], answer: Answer) -> None:
        """One more, which holds as things are."""
        answer.version = self.version
        if len(self._latest) >= _MOST:
            self._before = self._latest
            self._latest = {}
        self._latest[key] = answer

    def __reduce__(self) -> tuple[object, ...]:
        return (Answers, ())  # a saved run finds them anew
