"""Where free CPUs say all: the clusters and jobs for which nodes are selected as sets."""

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.select.packed import MOST_CPUS, MOST_NODES

__all__ = ["plain_cluster", "plain_record"]


def plain_cluster(cluster: Cluster) -> bool:
    """Whether free CPUs say all there is to say of a cluster's nodes."""
    select = cluster.site.select
    return (
        select.type != "linear"
        and select.counts in ("CPU", "CORE")
        and not select.tree
        and len(set(cluster.threads)) <= 1
        and (select.counts == "CORE" or max(cluster.threads, default=1) == 1)
        and not cluster.suspends
        and "GANG" not in cluster.site.preempt.mode
        and "CR_LLN" not in select.flags
        and not cluster.site.main.pack_serial_at_end
        and not cluster.site.backfill.bf_busy_nodes
        and cluster.size < MOST_NODES
        and max(cluster.cpus, default=0) < MOST_CPUS
        and all(
            one.partition.over_subscribe.value in ("NO", "EXCLUSIVE")
            and not one.partition.lln
            and one.partition.max_cpus_per_node is None
            for one in cluster.partitions.values()
        )
    )


def plain_record(record: Record, memory: bool = False) -> bool:
    """Whether a job asks for nothing but CPUs, memory for each of them, and nodes."""
    ask, demand = record.job.ask, record.demand
    if memory and (demand.memory_per_cpu is None or demand.cpus_per_task > 1 or demand.exclusive):
        return False
    return not (
        demand.asks_gres
        or demand.exclusive_user
        or demand.one_thread
        or demand.tasks_per_core
        or demand.least_there
        or demand.of_sockets
        or ask.prefer
        or ask.contiguous
        or ask.spread
        or record.job.named
        or record.constraint.counts
        or len(record.constraint.alternatives) > 1
    )
