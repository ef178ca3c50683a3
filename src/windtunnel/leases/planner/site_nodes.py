"""The nodes of a site as sets of equal ones, and what fits on them where nothing or one thing is held."""

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.node_sets import positions
from windtunnel.leases.planner.space import ResourceSpace, Vector
from windtunnel.model.lease import LeaseSite

__all__ = ["SiteNodes"]


@mypyc_attr(allow_interpreted_subclasses=True)
class SiteNodes:
    """The nodes of a site. Sets of nodes are ints, with a bit for each node and one more for the image repository."""

    def __init__(self, site: LeaseSite, space: ResourceSpace, *, lost: int | None = None) -> None:
        """``lost``: a node number that cannot be used: Haizea's image node takes the place of node 1000."""
        self.space = space
        classes: dict[Vector, int] = {}
        bit = 0
        for group in site.nodes:
            capacity = space.capacity(group.amounts)
            classes[capacity] = classes.get(capacity, 0) | (((1 << group.count) - 1) << bit)
            bit += group.count
        self.image_bit = bit
        self._image = 1 << bit
        """The bit of the image repository, behind the site's nodes."""
        if lost is not None:
            classes = {capacity: nodes & ~(1 << (lost - 1)) for capacity, nodes in classes.items()}
        self.classes = [(capacity, nodes) for capacity, nodes in classes.items() if nodes]
        self.all_nodes = 0
        for _, nodes in self.classes:
            self.all_nodes |= nodes
        self.away = 0
        """Nodes that are not available at present."""
        self.base: dict[Vector, list[tuple[int, int]]] = {}
        """What :meth:`base_fit` has found."""
        self.clashes: dict[tuple[Vector, Vector], tuple[int, int]] = {}
        """What :meth:`clash` has found."""

    def base_fit(self, need: Vector) -> list[tuple[int, int]]:
        """How many of an equal need an empty node holds, and the nodes of which that is true (none: left out)."""
        found = self.base.get(need)
        if found is None:
            counts: dict[int, int] = {}
            for capacity, nodes in self.classes:
                count = self.space.times_fitting(need, capacity, 1 << 20)
                counts[count] = counts.get(count, 0) | nodes
            found = self.base[need] = [(count, nodes) for count, nodes in sorted(counts.items()) if count]
        return found

    def clash(self, need: Vector, held: Vector) -> tuple[int, int]:
        """The nodes on which ``held`` leaves no room for ``need``, and those on which it takes some of its room."""
        found = self.clashes.get((need, held))
        if found is None:
            blocked = partly = 0
            if not self.space.disjoint(need, held):
                for capacity, nodes in self.classes:
                    if not self.space.fits(need, capacity) or self.space.fits(need, self.space.minus(capacity, held)):
                        partly |= nodes
                    else:
                        blocked |= nodes
            found = self.clashes[need, held] = (blocked, partly)
        return found

    def capacity_of(self, bit: int) -> Vector:
        """The capacity of one node."""
        for capacity, nodes in self.classes:
            if nodes >> bit & 1:
                return capacity
        return self.space.zero

    def node_ids(self, mask: int) -> list[int]:
        """The numbers of nodes, ascending: 1..N, and 1000 for the image repository as in Haizea."""
        image = 1 << self.image_bit
        ids = [bit + 1 for bit in positions(mask & ~image)]
        return [*ids, 1000] if mask & image else ids
