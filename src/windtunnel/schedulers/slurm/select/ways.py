"""Ways in which a site or a job may have nodes picked: the least loaded, the busy ones first, or in order (§5.3)."""

from collections.abc import Callable

from windtunnel.schedulers.slurm.select.runs import Need

__all__ = ["busy_first", "in_order", "least_loaded"]


def least_loaded(
    need: Need,
    usable: dict[int, int],
    free: dict[int, int],
    whole: list[int],
    weights: list[int],
    gpus: dict[int, int],
) -> dict[int, int] | None:
    """Of each weight the node with most free CPUs for its size, again and again.

    Each node that is looked at counts from then on for no more than could have been taken of it. ``whole``: the CPUs
    of each node; ``gpus``: those of each that it has CPUs for at first.
    """
    groups: dict[int, list[int]] = {}
    seen: set[int] = set()
    for node in sorted(usable):
        groups.setdefault(weights[node], []).append(node)
    for _, group in sorted(groups.items()):
        last = -1
        while not need.done and need.most_nodes > 0:
            best = -1
            for node in group:
                if node in need.taken:
                    continue
                if node in seen:
                    need.again[node] = usable[node]
                seen.add(node)
                usable[node] = need.count(node, usable[node])
                if best < 0 or free[best] * whole[node] < free[node] * whole[best]:
                    best = node
                    if free[best] == last:
                        break
            if best < 0:
                break
            last = free[best]
            need.take(best, usable[best], gpus.get(best, 0))
    return need.taken if need.done or need.enough else None


def busy_first(
    need: Need, usable: dict[int, int], weights: list[int], used: int, gpus: Callable[[int], int]
) -> dict[int, int] | None:
    """Of each weight the nodes that are used now, then one of those that are idle now even if none is needed.

    Where there are as many as it may have with those that are used, of the idle ones as many as it needs are taken.
    """
    lightest_first = sorted({weights[node] for node in usable})
    over = need.done or need.most_nodes <= 0
    for weight in lightest_first:
        if over:
            break
        inside = [node for node in usable if weights[node] == weight and node not in need.taken]
        for idle in (False, True):
            for node in inside:
                if bool(used >> node & 1) is idle:
                    continue
                need.take(node, usable[node], gpus(node))
                if need.done or need.most_nodes == 0:
                    over = True
                    break
    return need.taken if need.done or need.enough else None


def in_order(
    need: Need,
    order: list[int],
    usable: dict[int, int],
    gpus: Callable[[int], int],
    spread: bool = False,
    all_count: bool = False,
) -> dict[int, int] | None:
    """Nodes one after another until they suffice; ``spread``: as many as possible, save for GPUs of the whole job.

    ``all_count`` as in :meth:`~.runs.Need.take`: Slurm's own for jobs that are kept out of the way of larger ones.
    """
    if spread and not need.gpus:
        need.nodes = max(need.nodes, min(len(order), need.most_nodes))
        need.slack = max(0, need.nodes - need.least)
    for node in order:
        if need.done or need.most_nodes <= 0:
            break
        if node in need.taken:
            continue
        need.take(node, usable[node], gpus(node), all_count)
    return need.taken if need.done or need.enough else None
