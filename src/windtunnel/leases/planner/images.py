"""Disk images on nodes: those deployed for a lease, and those a node keeps for later leases (its cache)."""

from mypy_extensions import mypyc_attr

from windtunnel.leases.planner.node_sets import positions
from windtunnel.leases.planner.record import LeaseRecord
from windtunnel.leases.planner.rules import Rules

__all__ = ["ImageStore"]


@mypyc_attr(allow_interpreted_subclasses=True)
class _Cached:
    """An image in a node's cache."""

    def __init__(self, image: str, size: int, timeout: int) -> None:
        self.image, self.size, self.timeout = image, size, timeout
        self.users: set[tuple[int, int]] = set()
        """Lease id and virtual node of those that use it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class ImageStore:
    """Which images lie where; ``limit`` is the size of each node's cache in MB (-1: no limit)."""

    def __init__(self, rules: Rules, *, caches: bool, limit: int) -> None:
        self.caches = caches
        self._limit = limit
        self._rules = rules
        self._cached: dict[int, list[_Cached]] = {}
        self.holders: dict[LeaseRecord, None] = {}
        """Leases that are not over for which images were deployed."""

    def deploy(self, lease: LeaseRecord, vnode: int, node: int) -> None:
        """An image for one virtual node is on a node now."""
        lease.images_at.append((node, vnode))
        self.holders[lease] = None

    def remove(self, lease: LeaseRecord, vnode: int, node: int) -> None:
        """Take away a virtual node's image from a node; a cached copy stays, but is not used by it any more."""
        if (node, vnode) in lease.images_at:
            lease.images_at.remove((node, vnode))
        for cached in self._cached.get(node, ()):
            cached.users.discard((lease.id, vnode))

    def is_deployed(self, lease: LeaseRecord, hosts: tuple[int, ...]) -> bool:
        """Whether every virtual node finds its image on its node."""
        there = set(lease.images_at)
        return all((node, vnode) in there for vnode, node in enumerate(hosts))

    def places(self, lease: LeaseRecord) -> dict[int, int]:
        """The node on which each virtual node's image lies."""
        return {vnode: node for node, vnode in sorted(lease.images_at, key=lambda place: place[0])}

    # --- the caches -----------------------------------------------------------------------------------------------

    def nodes_with(self, image: str, nodes: int, *, until: int | None = None) -> list[int]:
        """The nodes that keep an image (until at least that time)."""
        return [bit for bit in positions(nodes) if self.keeps(bit, image, until=until)]

    def keeps(self, node: int, image: str, *, until: int | None = None) -> bool:
        """Whether a node keeps an image (until at least that time)."""
        return any(c.image == image and (until is None or c.timeout >= until) for c in self._cached.get(node, ()))

    def use(self, node: int, image: str, lease: LeaseRecord, vnode: int, timeout: int) -> None:
        """One more virtual node uses a cached image, until a time."""
        for cached in self._cached.get(node, ()):
            if cached.image == image:
                cached.users.add((lease.id, vnode))
                cached.timeout = max(cached.timeout, timeout)
                return

    def arrive(
        self, node: int, image: str, size: int, receivers: list[tuple[LeaseRecord, int]], timeout: int
    ) -> None:
        """An image was transferred to a node, for these leases and virtual nodes."""
        if self.caches:
            if self.keeps(node, image):
                for lease, vnode in receivers:
                    self.use(node, image, lease, vnode, timeout)
            elif self._make_room(node, size):
                cached = _Cached(image, size, timeout)
                cached.users = {(lease.id, vnode) for lease, vnode in receivers}
                self._cached.setdefault(node, []).append(cached)
        for lease, vnode in receivers:
            self.deploy(lease, vnode, node)

    def _make_room(self, node: int, size: int) -> bool:
        """Whether the cache can take the image, after unused images were thrown out, oldest first."""
        kept = self._cached.setdefault(node, [])
        if self._limit == -1 or sum(c.size for c in kept) + size <= self._limit:
            return True
        if not self._rules.may_be_cached(size, self._limit):
            return False
        target = self._rules.cache_target(size, self._limit)
        while True:
            unused = [c for c in kept if not c.users]
            if not unused:
                return False
            kept.remove(min(unused, key=lambda c: c.timeout))
            if sum(c.size for c in kept) <= target:
                return True
