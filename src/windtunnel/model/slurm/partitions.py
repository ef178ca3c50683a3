"""Partitions of a Slurm site."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from windtunnel.model.slurm.nodes import SlurmNode

__all__ = ["OverSubscribe", "Partition"]


class OverSubscribe(StrEnum):
    """How jobs of a partition share resources."""

    NO = "NO"
    YES = "YES"
    """Jobs that ask for it share."""
    FORCE = "FORCE"
    """All jobs share."""
    EXCLUSIVE = "EXCLUSIVE"
    """Whole nodes."""


class Partition(msgspec.Struct, frozen=True, kw_only=True):
    """A partition: ``PartitionName=`` of slurm.conf."""

    name: str
    nodes: tuple[str, ...] | None = None
    """Names of its nodes, in the order of the site; None: all (``Nodes=ALL``)."""
    default: bool = False
    state: str = "UP"
    """``UP``, ``DOWN``, ``DRAIN`` or ``INACTIVE``."""
    default_time: int | None = None
    """Minutes; None: ``max_time``."""
    max_time: int | None = None
    """Minutes; None: unlimited."""
    min_nodes: int = 0
    max_nodes: int | None = None
    max_cpus_per_node: int | None = None
    priority_tier: int = 1
    priority_job_factor: int = 1
    over_subscribe: OverSubscribe = OverSubscribe.NO
    share_count: int = 4
    """Jobs that share a resource, where they do."""
    exclusive_user: bool = False
    lln: bool = False
    """Least loaded nodes first."""
    preempt_mode: tuple[str, ...] | None = None
    """In capitals; None: the cluster's."""
    grace_time: int = 0
    """Seconds between a victim's signal and its end."""
    allow_accounts: tuple[str, ...] | None = None
    deny_accounts: tuple[str, ...] = ()
    allow_qos: tuple[str, ...] | None = None
    deny_qos: tuple[str, ...] = ()
    allow_groups: tuple[str, ...] | None = None
    """Who is in which group stands in no file of Slurm."""
    qos: str = ""
    """Its own QOS (``QOS=``)."""
    default_memory_per_cpu: int | None = None
    default_memory_per_node: int | None = None
    max_memory_per_cpu: int | None = None
    max_memory_per_node: int | None = None
    job_defaults: Mapping[str, int] = {}
    """``DefCpuPerGPU``, ``DefMemPerGPU`` (as written) -> count or MB."""
    billing_weights: Mapping[str, float] = {}
    """``TRESBillingWeights``: TRES -> weight; of memory for each MB."""
    require_reservation: bool = False
    root_only: bool = False
    over_time_limit: int | None = None
    """Minutes; None: the cluster's."""

    def holds(self, node: SlurmNode) -> bool:
        """Whether a node is one of its."""
        return self.nodes is None or node.name in self.nodes
