"""Nodes of a Slurm site, their generic resources, and the switches between them."""

import msgspec

__all__ = ["GresItem", "SlurmNode", "Switch"]


class GresItem(msgspec.Struct, frozen=True, kw_only=True):
    """Generic resources of one name and type on a node, with consecutive indices."""

    name: str
    """``gpu``, ``mps``, ``shard`` or any other of GresTypes."""
    count: int
    type: str = ""
    """``a100``; empty: without a type."""
    cores: tuple[int, ...] = ()
    """The cores of the node it is bound to (``Cores=`` of gres.conf); empty: to all."""
    counted: bool = False
    """Whether gres.conf says how many there are, without device files: Slurm only counts them, each type apart."""


class SlurmNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node: ``NodeName=`` of slurm.conf, with what is known of its state."""

    name: str
    cpus: int = 1
    """Logical processors; boards, sockets, cores and threads multiplied, unless only cores are counted."""
    sockets: int = 1
    """Sockets of all boards."""
    cores_per_socket: int = 1
    threads_per_core: int = 1
    memory: int = 1
    """``RealMemory`` (MB)."""
    memory_reserved: int = 0
    """``MemSpecLimit`` (MB): not for jobs."""
    cores_reserved: int = 0
    """``CoreSpecCount``: cores that are not for jobs."""
    temporary_disk: int = 0
    """``TmpDisk`` (MB)."""
    weight: int = 1
    features: tuple[str, ...] = ()
    gres: tuple[GresItem, ...] = ()
    state: str = "UNKNOWN"
    """Base state in capitals (``IDLE``, ``DOWN``, ``FUTURE``, ``CLOUD``...)."""
    flags: tuple[str, ...] = ()
    """What else stands in its state: ``DRAIN``, ``MAINTENANCE``, ``RESERVED``, ``COMPLETING``..."""
    reason: str = ""
    """Why it is down or drained."""

    @property
    def usable(self) -> bool:
        """Whether new jobs may start on it."""
        return self.state not in ("DOWN", "FUTURE", "ERROR") and not {"DRAIN", "FAIL"} & set(self.flags)

    @property
    def cores(self) -> int:
        """Physical cores."""
        return self.sockets * self.cores_per_socket


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """A switch of topology.conf: above nodes (a leaf), or above other switches."""

    name: str
    nodes: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    link_speed: int = 1
