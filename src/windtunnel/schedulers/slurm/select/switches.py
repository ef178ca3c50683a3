"""topology/tree: nodes below few switches (§5.6)."""

from collections.abc import Callable, Iterable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.nodesets import bits, mask_of
from windtunnel.schedulers.slurm.nodes.weights import NodeWeights
from windtunnel.schedulers.slurm.select.runs import Need

__all__ = ["SwitchTree"]


@mypyc_attr(allow_interpreted_subclasses=True)
class _Switch:
    __slots__ = ("level", "name", "nodes", "parent")

    def __init__(self, name: str, nodes: int) -> None:
        self.name = name
        self.nodes = nodes
        self.level = 0
        self.parent: _Switch | None = None


@mypyc_attr(allow_interpreted_subclasses=True)
class SwitchTree:
    """The switches of a cluster, in the order of topology.conf."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        listed = cluster.site.switches
        self.switches = [_Switch(one.name, cluster.named(one.nodes)) for one in listed]
        named = {one.name: one for one in self.switches}
        for _ in listed:  # as often as there can be levels
            for description, switch in zip(listed, self.switches, strict=True):
                for name in description.switches:
                    below = named.get(name)
                    if below is not None:
                        below.parent = switch
                        switch.nodes |= below.nodes
                        switch.level = max(switch.level, below.level + 1)
        self.leaves = [one for one in self.switches if one.level == 0]
        self.most_leaves = 0
        """Below so many leaves the job at hand has to be for now (``--switches``); 0: wherever."""

    def leaves_of(self, nodes: int) -> int:
        """How many leaves some nodes are spread over."""
        return sum(1 for leaf in self.leaves if leaf.nodes & nodes)

    def few_enough(self, nodes: int) -> bool:
        """Whether some nodes are below as few leaves as the job at hand wants."""
        return not self.most_leaves or self.leaves_of(nodes) <= self.most_leaves

    def pick(
        self, need: Need, usable: dict[int, int], weights: NodeWeights, gpus: Callable[[int], int]
    ) -> dict[int, int] | None:
        """Pick nodes for a job from those usable, besides what is taken; None when they do not suffice.

        What tests of jobs with GPUs leave on ``weights`` counts as the weights themselves do.
        """
        named = mask_of(need.taken)
        if named and need.done:
            return need.taken
        among = mask_of(usable)
        top = self._top(need, among, named, weights.weights)
        if top is None:
            return None
        reach = top.nodes & among & ~named
        required, best = self._by_weight(need, weights.groups(reach), usable, gpus)
        if best is None:
            return None
        for node in bits(required):
            if need.most_nodes > 0 and node not in need.taken:
                need.take(node, usable[node], gpus(node))
        if (required or named) and need.most_nodes <= 0:
            return need.taken if need.done else None
        required |= named
        done = self._from_required(need, required, best, usable, gpus)
        if done or self._from_leaves(need, required, best, usable, gpus):
            return need.taken
        return need.taken if need.least <= 0 and need.cpus <= 0 and need.gpus <= 0 and need.taken else None

    def _top(self, need: Need, among: int, named: int, weights: list[int]) -> _Switch | None:
        """The highest switch with enough nodes; the last of equal ones, the lightest preferred.

        With nodes taken the first of the highest that has one of them: if it has not all, none will do.
        """
        top: _Switch | None = None
        if named:
            for switch in self.switches:
                if switch.nodes & named and (top is None or switch.level > top.level):
                    top = switch
            return None if top is None or named & ~top.nodes else top
        lightest = 0
        for switch in self.switches:
            inside = switch.nodes & among
            if not inside or inside.bit_count() < need.nodes - need.slack:
                continue
            light = min([weights[node] for node in bits(inside)])
            if top is None or (switch.level >= top.level and light <= lightest):
                top, lightest = switch, light
        return top

    def _by_weight(
        self, need: Need, groups: Iterable[int], usable: dict[int, int], gpus: Callable[[int], int]
    ) -> tuple[int, int | None]:
        """The weight groups that are taken whole, and all that may be used; None when they do not suffice."""
        best = required = 0
        for inside in groups:
            required |= best
            best |= inside
            nodes = list(bits(best))
            cpus = sum(usable[node] for node in nodes)
            if need.suffices(len(nodes), cpus, sum(map(gpus, nodes)) if need.gpus > 0 else 0):
                return required, best
        return required, None

    def _from_required(
        self, need: Need, required: int, best: int, usable: dict[int, int], gpus: Callable[[int], int]
    ) -> bool:
        """First what is beside nodes that are required."""
        if not required:
            return False
        for leaf in self.leaves:
            if not leaf.nodes & required:
                continue
            for node in bits(leaf.nodes & best):
                if node not in need.taken:
                    need.take(node, usable[node], gpus(node))
                    if need.done:
                        return True
        return False

    def _from_leaves(
        self, need: Need, required: int, best: int, usable: dict[int, int], gpus: Callable[[int], int]
    ) -> bool:
        """Leaf by leaf: the one that fits best, the nearer of equal ones (§5.6, 3)."""
        counts = {id(one): (one.nodes & best).bit_count() for one in self.switches}
        distance = {id(one): 0 for one in self.switches}
        for leaf in self.leaves:
            if leaf.nodes & required:
                self._add_distance(distance, leaf)
                counts[id(leaf)] = 0
        while True:
            chosen: _Switch | None = None
            for leaf in self.leaves:
                if not counts[id(leaf)]:
                    continue
                if chosen is None:
                    chosen = leaf
                    continue
                verdict = self._compare(leaf, chosen, counts, need.nodes)
                nearer = distance[id(leaf)] < distance[id(chosen)]
                as_near = distance[id(leaf)] == distance[id(chosen)]
                if (nearer and verdict >= 0) or (as_near and verdict > 0):
                    chosen = leaf
            if chosen is None:
                return False
            self._add_distance(distance, chosen)
            before = need.nodes
            for node in bits(chosen.nodes & best):
                if node in need.taken:
                    continue
                if need.most_nodes <= 0:
                    break
                need.take(node, usable[node], gpus(node))
                if need.done:
                    return True
            counts[id(chosen)] = 0
            if need.nodes == before:
                return False

    def _add_distance(self, distance: dict[int, int], leaf: _Switch) -> None:
        for switch in self.switches:
            distance[id(switch)] += self._hops(leaf, switch)

    @staticmethod
    def _hops(one: _Switch, other: _Switch) -> int:
        above: list[_Switch] = []
        switch: _Switch | None = one
        while switch is not None:
            above.append(switch)
            switch = switch.parent
        hops = 0
        switch = other
        while switch is not None and switch not in above:
            switch = switch.parent
            hops += 1
        return hops + above.index(switch) if switch is not None else hops + len(above)

    @staticmethod
    def _compare(one: _Switch, other: _Switch, counts: dict[int, int], nodes: int) -> int:
        """1: the first is the better; -1: the second; 0: neither."""
        while True:
            fits, other_fits = counts[id(one)] >= nodes, counts[id(other)] >= nodes
            if fits and other_fits:
                if counts[id(one)] != counts[id(other)]:
                    return 1 if counts[id(one)] < counts[id(other)] else -1
                break
            if fits or other_fits:
                return 1 if fits else -1
            above, other_above = one.parent or one, other.parent or other
            if (above is not one or other_above is not other) and above is not other_above:
                one, other = above, other_above
                continue
            break
        if counts[id(one)] != counts[id(other)]:
            return 1 if counts[id(one)] > counts[id(other)] else -1
        if one.level == other.level:
            return 0
        return 1 if one.level < other.level else -1
