"""Which cores of sockets a job could have where whole sockets are given (``CR_Socket``, §5.2).

Jobs with GPUs may leave part of a socket. It serves jobs of other partitions, once any job runs in theirs: of these
slurmctld then only compares what jobs of the same partition have. So it was recorded.
"""

from windtunnel.schedulers.slurm.nodes.cluster import Cluster
from windtunnel.schedulers.slurm.nodes.occupancy import Occupancy

__all__ = ["free_in_sockets", "whole_cpus"]


def free_in_sockets(cluster: Cluster, held: Occupancy, node: int, partition: str) -> list[int]:
    """The cores of each socket of a node that a job of a partition could have: none of sockets that are in use."""
    busy, sockets = held.cores[node], cluster.sockets[node]
    if not busy:
        return sockets
    found, parts = [], False
    for socket in sockets:
        parts = parts or 0 < socket & busy < socket
        found.append(0 if socket & busy else socket)
    if parts and any(other.partition == partition for other in held.holdings.values()):
        own = 0
        for job in held.on_node[node]:
            if held.holdings[job].partition == partition:
                own |= held.holdings[job].cores.get(node, 0)
        return [0 if socket & own else socket & ~busy for socket in sockets]
    return found


def whole_cpus(cluster: Cluster, node: int, cores: int) -> int:
    """The CPUs of all sockets that some cores of a node are on: so many count, whoever has a part of these."""
    return sum([socket.bit_count() for socket in cluster.sockets[node] if socket & cores]) * cluster.threads[node]
