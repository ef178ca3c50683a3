"""select/linear: whole nodes (§5.5)."""

from windtunnel.schedulers.slurm.cluster import Cluster
from windtunnel.schedulers.slurm.jobs import Record
from windtunnel.schedulers.slurm.nodesets import bits
from windtunnel.schedulers.slurm.occupancy import Occupancy
from windtunnel.schedulers.slurm.runs import runs_of

__all__ = ["jobs_at_once", "linear_pick", "linear_usable"]


def linear_usable(
    cluster: Cluster, record: Record, nodes: int, held: Occupancy, memory: bool, most: int = 0
) -> list[int]:
    """The nodes that a job could have: idle ones, or those on which as many jobs may run as there is room for.

    ``most``: that many jobs at once, this one included (0: as many as may share).
    """
    demand = record.demand
    most = most or jobs_at_once(record)
    found = []
    for node in bits(nodes & ~held.exclusive if most == 1 else nodes):
        if held.jobs[node] and (
            most == 1 or not _all_share(held, node, record.table.name) or held.jobs[node] >= most
        ):
            continue
        if cluster.cpus[node] < max(demand.min_cpus_per_node, (demand.tasks_per_node or 1) * demand.cpus_per_task):
            continue
        if memory:
            asked = demand.memory_per_node or (demand.memory_per_cpu or 0) * cluster.cpus[node]
            asked = asked or cluster.memory[node]
            if asked > cluster.memory[node] - held.memory[node]:
                continue
        found.append(node)
    return found


def jobs_at_once(record: Record) -> int:
    """How many jobs may run on a node of this partition, beside one like this."""
    demand = record.demand
    return record.table.partition.share_count if demand.over_subscribe and not demand.exclusive else 1


def _all_share(held: Occupancy, node: int, partition: str) -> bool:
    return all(held.holdings[job].shares and held.holdings[job].partition == partition for job in held.on_node[node])


def linear_pick(cluster: Cluster, record: Record, nodes: list[int], taken: int = 0) -> int | None:
    """Pick whole nodes from runs of consecutive ones; None when they do not suffice.

    ``taken`` are nodes that the job names.
    """
    demand = record.demand
    wanted = max(demand.min_nodes, demand.requested_nodes)
    left = demand.max_nodes
    cpus = demand.cpus
    if len(nodes) < demand.min_nodes:
        return None
    picked = taken
    for node in bits(taken):
        wanted, left, cpus = wanted - 1, left - 1, cpus - cluster.cpus[node]
    if taken and not record.job.ask.contiguous:
        for node in _beside(cluster, nodes, taken):
            if left <= 0 or (wanted <= 0 and cpus <= 0):
                break
            picked |= 1 << node
            wanted, left, cpus = wanted - 1, left - 1, cpus - cluster.cpus[node]
    runs, _ = runs_of({node: cluster.cpus[node] for node in nodes if not picked >> node & 1}, None)
    while runs and left > 0 and not (wanted <= 0 and cpus <= 0):
        run = runs.pop(_choose_run(cluster, runs, wanted, cpus))
        for node in run:
            if left <= 0 or (wanted <= 0 and cpus <= 0):
                break
            picked |= 1 << node
            wanted, left, cpus = wanted - 1, left - 1, cpus - cluster.cpus[node]
        if record.job.ask.contiguous:
            break
    if wanted <= 0 and cpus <= 0:
        return picked
    return picked if cpus <= 0 and picked.bit_count() >= demand.min_nodes else None


def _beside(cluster: Cluster, nodes: list[int], taken: int) -> list[int]:
    """The run that holds the first of the named nodes: up from it, then down."""
    first = (taken & -taken).bit_length() - 1
    runs, _ = runs_of({node: cluster.cpus[node] for node in nodes}, None)
    run = next((run for run in runs if first in run), [])
    around = [node for node in run if node > first] + [node for node in reversed(run) if node < first]
    return [node for node in around if not taken >> node & 1]


def _choose_run(cluster: Cluster, runs: list[list[int]], wanted: int, cpus: int) -> int:
    """The smallest run that suffices, else the largest."""
    best, best_cpus, best_suffices = -1, 0, False
    for place, run in enumerate(runs):
        here = sum(cluster.cpus[node] for node in run)
        suffices = here >= cpus and len(run) >= wanted
        better = (not best_suffices or here < best_cpus) if suffices else here > best_cpus
        if best < 0 or better:
            best, best_cpus, best_suffices = place, here, suffices
    return best
