"""What a selection takes of nodes that are alike: many at once, with the outcome of taking them one by one (§5.3)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.demand import Demand
from windtunnel.schedulers.slurm.nodes.nodesets import first_of

__all__ = ["Choice", "Taking"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Choice:
    """What a selection came to."""

    __slots__ = ("cpus", "nodes", "parts")

    def __init__(self, parts: list[tuple[int, int]], nodes: int, cpus: int) -> None:
        self.parts = parts
        """CPUs, and the nodes of which so many are taken, in the order in which they are."""
        self.nodes = nodes
        """All these nodes."""
        self.cpus = cpus
        """CPUs in all."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Taking:
    """What a job of plain CPUs has taken, and what it still needs: :class:`~.runs.Need` for sets of nodes."""

    __slots__ = (
        "chosen",
        "cpus",
        "exclusive",
        "floor",
        "largest",
        "least",
        "most_nodes",
        "nodes",
        "parts",
        "slack",
        "unit",
        "wanted",
    )

    def __init__(self, demand: Demand, most_nodes: int, unit: int, largest: int) -> None:
        low, high = demand.min_nodes, demand.requested_nodes
        self.nodes = max(low, high)
        """Nodes wanted still."""
        self.least = low
        """Nodes that are the minimum still."""
        self.slack = max(0, high - low)
        """Nodes wanted beyond the minimum."""
        self.cpus = self.wanted = demand.cpus
        self.most_nodes = most_nodes
        self.exclusive = demand.exclusive
        self.floor = demand.least_cpus
        self.unit = unit
        """The CPUs left for each node that is still required: those of a core."""
        self.largest = largest
        """The most CPUs that any node has."""
        self.parts: list[tuple[int, int]] = []
        self.chosen = 0
        """As :class:`Choice` has them."""

    @property
    def done(self) -> bool:
        """Whether nodes and CPUs suffice."""
        return self.nodes <= 0 and self.cpus <= 0

    @property
    def hopeless(self) -> bool:
        """Whether as many nodes as are still allowed could not have the CPUs that are missing."""
        return self.cpus > self.most_nodes * self.largest

    @property
    def choice(self) -> Choice | None:
        """What is taken, if it is at least the minimum of nodes and all CPUs."""
        if self.parts and self.nodes - self.slack <= 0 and self.cpus <= 0:
            return Choice(self.parts, self.chosen, self.wanted - self.cpus)
        return None

    def suffices(self, nodes: int, cpus: int) -> bool:
        """Whether so much would do for what is left."""
        return cpus >= self.cpus and nodes >= self.nodes - self.slack

    def take(self, nodes: int, usable: int) -> None:
        """Of nodes with as many usable CPUs each, take the first ones, until they suffice or no more are allowed."""
        left = nodes.bit_count()
        while left and not self._refuses(usable):
            each = self._each(usable)
            count = min(left, max(1, self._alike(usable, each)))
            taken = first_of(nodes, count)
            nodes ^= taken
            left -= count
            self._book(each, taken, count)

    def take_stretch(self, begin: int, end: int, usable: int) -> None:
        """The same of consecutive nodes: the first one, and the one behind the last."""
        while begin < end and not self._refuses(usable):
            each = self._each(usable)
            count = min(end - begin, max(1, self._alike(usable, each)))
            self._book(each, ((1 << count) - 1) << begin, count)
            begin += count

    def _refuses(self, usable: int) -> bool:
        """Whether no node with so many CPUs is taken any more."""
        return self.most_nodes <= 0 or self.done or (self.most_nodes == 1 and usable < self.cpus)

    def _each(self, usable: int) -> int:
        """The CPUs taken of the next node: some are left for each node still required after it."""
        return (
            usable if self.exclusive else min(usable, max(self.cpus - max(self.least - 1, 0) * self.unit, self.floor))
        )

    def _alike(self, usable: int, each: int) -> int:
        """Of how many nodes in a row as many CPUs are taken, none of them the last that is allowed."""
        if self.exclusive:
            count = max(self.nodes, -(-self.cpus // usable))
        elif each < usable and (each > 1 or self.unit > 1):
            count = 1
        else:
            count = self._while_required(each)
            if count >= self.least:
                count = max(count, self.cpus // each)
        return min(count, self.most_nodes - 1)

    def _while_required(self, each: int) -> int:
        """The same among the nodes that are the minimum still."""
        spare = self.cpus - (self.least - 1) * self.unit - each
        if self.least <= 0 or spare < 0:
            return 0
        return self.least if each <= self.unit else min(self.least, spare // (each - self.unit) + 1)

    def _book(self, each: int, taken: int, count: int) -> None:
        self.parts.append((each, taken))
        self.chosen |= taken
        self.nodes -= count
        self.least -= count
        self.most_nodes -= count
        self.cpus -= each * count
