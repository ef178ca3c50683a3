"""Clusters whose links form a torus, a fat tree or a dragonfly: hosts, links and tables for routing.

Names of links are SimGrid's, with its counters that run through the whole platform.
"""

from collections.abc import Mapping
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from windtunnel.formats.sites.simgrid_xml.builder import Builder
from windtunnel.formats.sites.simgrid_xml.fabric import (
    Fabric,
    add_hosts,
    fits,
    read_parts,
    read_radical,
    start_fabric,
)
from windtunnel.formats.sites.simgrid_xml.values import Values
from windtunnel.model.network import DragonflyZone, FatTreeNode, FatTreeZone, PointKind, TorusZone

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["read_dragonfly", "read_fat_tree", "read_torus"]


def read_torus(element: "_Element", parent: int, builder: Builder, values: Values, around: Mapping[str, str]) -> None:
    """``topo_parameters="4,4,2"``: the size in each dimension."""
    fabric = start_fabric(element, builder, values)
    parts = read_parts(element, values, (0,), "4,4,2")
    sizes = parts[0] if parts else ()
    radical = read_radical(element, values, prod(sizes) if sizes else 0)
    zone = TorusZone(
        name=fabric.name,
        point=builder.point(fabric.name, PointKind.ZONE, parent, fabric.line),
        parent=parent,
        first=0,
        sizes=sizes,
        up=(),
        down=(),
    )
    number = builder.add_zone(zone, fabric.line)
    zone.first, zone.loopbacks, zone.limiters = add_hosts(element, number, radical, fabric, values, around)
    up, down = [], []
    for rank in range(len(radical) if sizes else 0):
        step = 1
        for size in sizes:
            last = rank // step % size == size - 1
            neighbour = rank - (size - 1) * step if last else rank + step
            there, back = fabric.join(f"{fabric.name}_link_from_{rank}_to_{neighbour}")
            up.append(there)
            down.append(back)
            step *= size
    zone.up, zone.down = tuple(up), tuple(down)


def read_fat_tree(
    element: "_Element", parent: int, builder: Builder, values: Values, around: Mapping[str, str]
) -> None:
    """``topo_parameters="2;4,4;1,2;1,2"``: levels; children, parents and parallel cables per level."""
    fabric = start_fabric(element, builder, values)
    parts = read_parts(element, values, (1, 0, 0, 0), "2;4,4;1,2;1,2")
    if parts is not None and any(len(part) != parts[0][0] for part in parts[1:]):
        values.fault(
            element,
            "bad-topology",
            f"topo_parameters {element.get('topo_parameters')!r} name {parts[0][0]} levels, but the lists have "
            f"{', '.join(str(len(part)) for part in parts[1:])} numbers",
        )
        parts = None
    _, down, up, cables = parts or [(0,), (), (), ()]
    radical = read_radical(element, values, prod(down) if parts else 0)
    zone = FatTreeZone(
        name=fabric.name,
        point=builder.point(fabric.name, PointKind.ZONE, parent, fabric.line),
        parent=parent,
        first=0,
        children=down,
        parents=up,
        cables=cables,
    )
    number = builder.add_zone(zone, fabric.line)
    zone.first, zone.loopbacks, zone.limiters = add_hosts(element, number, radical, fabric, values, around)
    switches = sum(prod(up[: i + 1]) * prod(down[i + 1 :]) for i in range(len(down)))
    if fabric.limit > 0 and switches > len(radical) > 0:
        values.fault(
            element,
            "bad-topology",
            f"limiter_link: the tree has more switches ({switches}) than machines ({len(radical)})",
            "SimGrid gives both the same names then and refuses the platform",
        )
    elif parts and radical and fits(element, values, _cables(down, up, cables)):
        _grow_tree(zone, fabric, len(radical))


def _cables(down: tuple[int, ...], up: tuple[int, ...], cables: tuple[int, ...]) -> int:
    """How many links a fat tree has: per level the nodes times the switches above each times the cables."""
    return sum(prod(up[: i + 1]) * prod(down[i:]) * cables[i] for i in range(len(down)))


def _grow_tree(zone: FatTreeZone, fabric: Fabric, leaves: int) -> None:
    """Switches level by level, then the cables from each node to those above it."""
    levels = len(zone.children)
    counters = fabric.builder.counters
    for level in range(levels + 1):
        label_sizes = zone.parents[:level] + zone.children[level:]
        for position, label in enumerate(product(*(range(size) for size in reversed(label_sizes)))):
            node = FatTreeNode(level=level, position=position, label=label[::-1])
            if level == 0:
                # SimGrid counts the machines of all fat trees of a platform together.
                node.position = counters["fat-tree-node"]
                counters["fat-tree-node"] += 1
                node.limiter = zone.limiters[position] if zone.limiters else -1
            zone.nodes.append(node)
    identity = list(range(leaves))
    for i in range(leaves, len(zone.nodes)):
        identity.append(3 * leaves - 1 - i)
        if fabric.limit > 0:
            zone.nodes[i].limiter = fabric.limiter(identity[i])
    by_label = {(node.level, node.label): i for i, node in enumerate(zone.nodes)}
    for node in zone.nodes:
        level = node.level
        if level:
            node.children = [(-1, -1)] * (zone.children[level - 1] * zone.cables[level - 1])
        if level < levels:
            node.parents = [(-1, -1)] * (zone.parents[level] * zone.cables[level])
    for i, node in enumerate(zone.nodes):
        level = node.level
        if level == levels:
            continue
        for choice in range(zone.parents[level]):
            j = by_label[level + 1, (*node.label[:level], choice, *node.label[level + 1 :])]
            above = zone.nodes[j]
            for cable in range(zone.cables[level]):
                link = fabric.join(f"link_from_{identity[i]}_{identity[j]}_{counters['fat-tree']}")
                counters["fat-tree"] += 1
                above.children[node.label[level] + cable * zone.children[level]] = (link[1], i)
                node.parents[choice + cable * zone.parents[level]] = (link[0], j)


def read_dragonfly(
    element: "_Element", parent: int, builder: Builder, values: Values, around: Mapping[str, str]
) -> None:
    """``topo_parameters="3,4;3,2;3,1;2"``: groups and blue links; chassis, black; blades, green; nodes per blade."""
    fabric = start_fabric(element, builder, values)
    parts = read_parts(element, values, (2, 2, 2, 1), "3,4;3,2;3,1;2")
    groups, blue, chassis, black, blades, green, nodes = (n for part in parts for n in part) if parts else [1] * 7
    if blades < groups:
        values.fault(
            element,
            "bad-topology",
            f"a dragonfly of {groups} groups needs at least {groups} blades per chassis, not {blades}",
            "each blade of a group's first chassis holds the link to one other group",
        )
        parts = None
    radical = read_radical(element, values, groups * chassis * blades * nodes if parts else 0)
    zone = DragonflyZone(
        name=fabric.name,
        point=builder.point(fabric.name, PointKind.ZONE, parent, fabric.line),
        parent=parent,
        first=0,
        chassis=chassis,
        blades=blades,
        nodes=nodes,
        local=(),
    )
    number = builder.add_zone(zone, fabric.line)
    zone.first, zone.loopbacks, zone.limiters = add_hosts(element, number, radical, fabric, values, around)
    routers = groups * chassis * blades
    pairs = routers * (nodes + blades + chassis) + groups * groups
    if parts and radical and fits(element, values, pairs):
        if fabric.limit > 0:
            zone.router_limiters = tuple(fabric.limiter(2 * len(radical) - 1 - i) for i in range(routers))
        _wire_dragonfly(zone, fabric, groups, (blue, black, green))


def _wire_dragonfly(zone: DragonflyZone, fabric: Fabric, groups: int, widths: tuple[int, int, int]) -> None:
    """The links of the nodes, then green, black and blue ones, each colour between all pairs."""
    chassis, blades = zone.chassis, zone.blades
    counters = fabric.builder.counters

    def join(name: str, times: int) -> tuple[int, int]:
        counters["dragonfly"] += 1
        return fabric.join(f"{name}_{counters['dragonfly'] - 1}", times)

    blue, black, green = widths
    zone.local = tuple(
        join(f"local_link_from_router_{router}_to_node_{node}", 1)
        for router in range(groups * chassis * blades)
        for node in range(zone.nodes)
    )
    for box in range(groups * chassis):
        for j in range(blades):
            for k in range(j + 1, blades):
                up, down = join(f"green_link_in_chassis_{box % chassis}_between_routers_{j}_and_{k}", green)
                zone.green[box * blades + j, k] = up
                zone.green[box * blades + k, j] = down
    for group in range(groups):
        for j in range(chassis):
            for k in range(j + 1, chassis):
                for blade in range(blades):
                    name = f"black_link_in_group_{group}_between_chassis_{j}_and_{k}_blade_{blade}"
                    up, down = join(name, black)
                    zone.black[zone.router(group, j, blade), k] = up
                    zone.black[zone.router(group, k, blade), j] = down
    for i in range(groups):
        for j in range(i + 1, groups):
            a, b = zone.router(i, 0, j), zone.router(j, 0, i)
            up, down = join(f"blue_link_between_group_{i}_and_{j}_routers_{a}_and_{b}", blue)
            zone.blue[a], zone.blue[b] = up, down
