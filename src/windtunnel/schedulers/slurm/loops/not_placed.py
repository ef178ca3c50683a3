"""Why a job is not placed: whether it ever could be, who has its nodes, and what is said of that (§3.2)."""

from typing import Final

from windtunnel.schedulers.slurm.jobs.asked_gres import gres_names
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.names import folded
from windtunnel.schedulers.slurm.nodes.nodesets import bits, union, without
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy
from windtunnel.schedulers.slurm.select.linear import oversubscribes
from windtunnel.schedulers.slurm.state import State

__all__ = [
    "AWAY",
    "BUSY",
    "NEVER",
    "NOT_AVAILABLE",
    "idle_nodes",
    "kept_by_others",
    "lack_of_features",
    "left_by_reservations",
    "liked",
    "never_runs",
    "no_such_nodes",
    "nodes_busy",
    "not_available",
    "only_as_liked",
    "wants_idle",
    "what_lacks",
    "would_take",
]

NOT_AVAILABLE: Final = "ReqNodeNotAvail"
"""How the Reason begins of jobs whose nodes exist, and cannot be had now."""
BUSY: Final = 1
"""Others have the nodes that a job could have,"""
AWAY: Final = 2
"""some of them cannot be had,"""
NEVER: Final = 3
"""or it can never have any."""


def liked(record: Record) -> Record:
    """A job on the nodes that it prefers; as it is if it prefers none."""
    if record.liking is None:
        return record
    record.liking.priority, record.liking.refusal = record.priority, record.refusal
    return record.liking


def only_as_liked(record: Record) -> bool:
    """Whether a job goes nowhere but where it prefers to: an array that was refused that is not tried again."""
    return record.liking is not None and (record.job.tasks is not None or record.job.siblings is not None)


def never_runs(state: State, record: Record, among: int = -1) -> bool:
    """Whether a job fits its partition not even when all nodes are there and empty: all those that it prefers.

    ``among``: of nodes that a reservation leaves to it.
    """
    tested = record if state.site.main.ignore_prefer_validation else liked(record)
    nodes = tested.mask & among
    if state.selector.ever(tested, nodes):
        return False
    alone = nodes & state.occupancy.exclusive  # without these, which are not there now, others may be picked
    return not alone or not state.selector.ever(tested, without(nodes, alone))


def what_lacks(state: State, record: Record, seen: int, usable: int, available: int) -> int:
    """Whether a job that is not placed waits for others, for nodes that are not there, or indefinitely.

    ``seen`` are the nodes that it might have, ``usable`` those that reservations leave to it, ``available`` those
    that are left in this run.
    """
    lack = lack_of_features(state, record, seen & ~state.completing, state.occupancy, seen, usable)
    if lack:
        return lack
    if state.selector.ever(record, seen):
        return AWAY if state.selector.beyond_most(record, seen) else BUSY
    named, kept = record.job.named, 0 if record.job.reservation else record.mask & ~seen
    away = named & (~available | kept) or state.selector.ever(record, record.mask & usable)
    return AWAY if away else NEVER


def lack_of_features(
    state: State, record: Record, free: int, held: Occupancy, seen: int, usable: int = -1
) -> int:
    """What a job waits for whose features with counts lack nodes; 0: nothing, or it has none (§5.1).

    Nodes are looked for one feature after another, among those that are ``free``. The first that lacks some says it,
    and where what was found for one lacks the next Slurm looks for no other nodes: such a job can never run.
    """
    if not record.counts:
        return 0
    selector = state.selector
    turn = selector.turn(record, free, held)
    if turn.at_odds:
        return NEVER
    if turn.lacking is None:
        return 0
    if selector.fits_empty(turn, seen):
        return BUSY
    return AWAY if selector.fits_empty(turn, record.mask & usable) else NEVER


def no_such_nodes(state: State, record: Record) -> bool:
    """Whether no node of a partition has the CPUs and the memory that a job takes of a node at least.

    Nodes that MaxCPUsPerNode takes from jobs which want them whole are there all the same. Where a core holds so many
    tasks, as many CPUs as all of these would have are taken to be there.
    """
    demand, cluster = record.demand, state.cluster
    of_core = (demand.tasks_per_core or 0) * demand.cpus_per_task
    memory = demand.memory_per_node or demand.memory_per_cpu or 0
    nodes = record.mask
    if demand.exclusive or demand.exclusive_user:
        nodes |= record.table.beyond_most & union(record.constraint.alternatives)
    if nodes & cluster.described_with(memory, 0, 0, 0, demand.least_cpus):
        return False
    described = nodes & cluster.described_with(memory, 0, 0, 0) if of_core else 0
    return not any(cluster.cores[node] * of_core >= demand.least_cpus for node in bits(described))


def left_by_reservations(state: State, record: Record) -> tuple[int, int]:
    """The nodes that reservations leave to a job that asks for one, and what others have of those (§8).

    Where its own reservation is left with nodes, but none for the job in its partition, nobody looks for more.
    """
    job = record.job
    if not job.reservation:
        return state.cluster.all, 0
    own = None if state.bookings.flexible(job.reservation) else state.bookings.own(job, state.now)
    nodes = state.cluster.all if own is None else own.mask
    kept = state.bookings.kept_from(job, state.now, state.now + record.limit * 60) & nodes
    usable = nodes & ~kept
    return usable, kept & record.mask if record.mask & usable or not usable else 0


def kept_by_others(usable: int) -> str:
    """The Reason of a job in a reservation whose nodes others have: all, or but for too few that are ``usable``."""
    return "Reservation" if usable else f"{NOT_AVAILABLE}, Reserved for maintenance"


def nodes_busy(state: State, record: Record, among: int, available: int) -> bool:
    """Whether some of a job's nodes are given whole to others: then it waits for them, whatever else is missing.

    ``among`` are the nodes that it might have, ``available`` those that are left in this run. Where jobs are
    preempted the others do not count: only nodes that somebody is about to leave do.
    """
    others = state.of_others(record)
    if record.job.named & ~(among | others):
        return False  # what it names is not there
    if state.site.preempt.type:
        return bool(among & state.completing)
    if record.mask & others & available:
        return True
    alone = wants_idle(state, record)
    return bool(among & (state.completing | (state.in_use if alone else state.occupancy.exclusive)))


def wants_idle(state: State, record: Record) -> bool:
    """Whether a job starts on nodes only that nobody uses: select/linear shares them only with jobs that share."""
    linear = state.selector.linear
    return record.demand.alone or (linear and not oversubscribes(record, linear))


def idle_nodes(state: State, record: Record) -> int:
    """The nodes that nobody has whole; if a job wants them whole, and nobody makes room for others, nobody uses."""
    alone = wants_idle(state, record) and not state.site.preempt.type
    return record.mask & state.up & ~(state.in_use if alone else state.occupancy.exclusive)


def would_take(state: State, record: Record, among: int) -> dict[str, float]:
    """What limits count of a job that finds no place: the nodes it would have were they empty, and their GPUs.

    Of select/linear also all of their CPUs.
    """
    job, demand, selector = record.job, record.demand, state.selector
    gpus = demand.gpus_per_job or (demand.exclusive and state.cluster.gres_names)
    if state.limits.active and (gpus or state.limits.counts_nodes or selector.linear):
        kept = selector.fit.weights.kept()
        found = selector.choose(record, among, selector.empty) or selector.choose(record, record.mask, selector.empty)
        selector.fit.weights.restore(kept)
        if found is not None:
            cpus = sum([state.cluster.cpus[node] for node in bits(found.nodes)]) if selector.linear else job.last_cpus
            asked = state.tracked.asked(record, found.nodes.bit_count(), cpus or None)
            return state.tracked.billed(record, asked | _gpus_of(state, record, found)) if gpus else asked
        return state.tracked.asked(record, demand.requested_nodes, job.last_cpus or None)  # it can never run
    most = selector.cons_tres.most_cpus
    least = max(demand.requested_nodes, -(-demand.cpus // most) if most else 0)
    return state.tracked.asked(record, least, job.last_cpus or None)


def _gpus_of(state: State, record: Record, found: Picked) -> dict[str, float]:
    """All generic resources of nodes that a job has alone, or the GPUs of each node for which it has CPUs."""
    demand = record.demand
    if demand.exclusive:
        return state.cluster.gres_on(found.nodes)
    each, count = demand.cpus_per_gpu or demand.cpus_beside_gpu, 0
    for node, cpus in found.cpus.items():
        own = state.cluster.gres_indices(node, "gpu", demand.gpu_type).bit_count()
        count += min(own, cpus // each) if each else own
    return dict.fromkeys(gres_names("gpu", demand.gpu_type, demand.typed_only), float(count))


def not_available(state: State, record: Record, available: int) -> str:
    """The Reason of a job whose nodes cannot be had now, though they exist."""
    job, nodes = record.job, record.table.mask
    if state.bookings.maintained(job, state.now, state.now + record.limit * 60, record.table):
        return f"{NOT_AVAILABLE}, Reserved for maintenance"
    away = (job.named or nodes) & ~available
    if away:
        return f"{NOT_AVAILABLE}, UnavailableNodes:{_host_list(state, away)}"
    return f"{NOT_AVAILABLE}, May be reserved for other job"


def _host_list(state: State, nodes: int) -> str:
    """Names of nodes, consecutive numbers folded (``n[1-3,8]``)."""
    return folded(state.cluster.names[node] for node in bits(nodes))
