"""Leases as plain data: what a lease asks for, the site it is asked of, and workloads of leases (Haizea's model).

Times are seconds: dates since the start of the workload, durations as lengths. Amounts follow Haizea: CPU in percent
of one CPU (100 = one CPU), memory, disk and disk images in MB, network in Mbps; other resource types are opaque.
"""

from collections.abc import Mapping, Sequence
from enum import Enum, IntEnum, StrEnum
from typing import Final

import msgspec

from windtunnel.diagnostics import Finding

__all__ = [
    "CPU",
    "DISK",
    "MEMORY",
    "MOST_AMOUNT",
    "MOST_NODES",
    "NET_IN",
    "NET_OUT",
    "DiskImage",
    "Lease",
    "LeaseAnnotation",
    "LeaseAnnotations",
    "LeaseKind",
    "LeaseSite",
    "LeaseState",
    "LeaseWorkload",
    "NodeSet",
    "When",
]

CPU = "CPU"
MEMORY = "Memory"
DISK = "Disk"
NET_IN = "Net-in"
NET_OUT = "Net-out"


class When(Enum):
    """A start that is not a date."""

    UNSPECIFIED = "unspecified"
    """As soon as the scheduler finds room (best-effort)."""
    NOW = "now"
    """At once or not at all (immediate)."""


class LeaseKind(StrEnum):
    """What kind of lease it is: derived from start and deadline, with Haizea's names."""

    BEST_EFFORT = "Best-effort"
    RESERVATION = "AR"
    IMMEDIATE = "Immediate"
    DEADLINE = "Deadline"


# Bound once: an enumeration looks its members up anew each time.
_UNSPECIFIED: Final = When.UNSPECIFIED
_NOW: Final = When.NOW
_BEST_EFFORT: Final = LeaseKind.BEST_EFFORT
_RESERVATION: Final = LeaseKind.RESERVATION


class LeaseState(IntEnum):
    """The life of a lease, with Haizea's numbers."""

    NEW = 0
    PENDING = 1
    REJECTED = 2
    SCHEDULED = 3
    QUEUED = 4
    CANCELLED = 5
    PREPARING = 6
    READY = 7
    ACTIVE = 8
    SUSPENDING = 9
    SUSPENDED_PENDING = 10
    SUSPENDED_QUEUED = 11
    SUSPENDED_SCHEDULED = 12
    MIGRATING = 13
    RESUMING = 14
    RESUMED_READY = 15
    DONE = 16
    FAIL = 17
    REJECTED_BY_USER = 18

    @property
    def label(self) -> str:
        """Haizea's spelling, such as ``Suspended-Queued``."""
        return _LABELS[self]

    @property
    def is_final(self) -> bool:
        """Whether nothing follows this state."""
        return self in _FINAL


_LABELS: Final = tuple(
    "Rejected by user"
    if state is LeaseState.REJECTED_BY_USER
    else "-".join(part.capitalize() for part in state.name.split("_"))
    for state in LeaseState
)

_FINAL = frozenset(
    {
        LeaseState.REJECTED,
        LeaseState.CANCELLED,
        LeaseState.DONE,
        LeaseState.FAIL,
        LeaseState.REJECTED_BY_USER,
    }
)


MOST_NODES = 1_000_000
"""Sites and leases have no more nodes: the lease manager keeps an account of each."""
MOST_AMOUNT = 1 << 53
"""Nodes have no more of a resource, and leases ask for no more: a double holds every whole number up to here."""


class NodeSet(msgspec.Struct, frozen=True):
    """``count`` equal nodes. ``amounts`` gives per resource type the amount of each of its instances in one node."""

    count: int
    amounts: Mapping[str, tuple[int, ...]]

    def total(self, kind: str) -> int:
        """The sum over the instances of a resource type in one node; 0 when it is not mentioned."""
        return sum(self.amounts.get(kind, ()))


class DiskImage(msgspec.Struct, frozen=True):
    """A software environment held in a disk image of ``size`` MB."""

    id: str
    size: int


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """A request for nodes. ``id`` is ``None`` until one is given; ``software`` is ``None`` when it is unmanaged."""

    id: int | None = None
    submit: float = 0.0
    nodes: tuple[NodeSet, ...]
    start: float | When = When.UNSPECIFIED
    duration: float
    real_duration: float | None = None
    """How long it will really run if shorter than ``duration``: known to a simulation only, never to a scheduler."""
    deadline: float | None = None
    preemptible: bool = True
    software: DiskImage | None = None
    user: int | None = None
    extras: Mapping[str, str] = {}
    state: LeaseState = LeaseState.NEW

    @property
    def kind(self) -> LeaseKind:
        """Best-effort, immediate, advance reservation, or (with a deadline too) deadline."""
        start = self.start
        if start is _UNSPECIFIED:
            return _BEST_EFFORT
        if start is _NOW:
            return LeaseKind.IMMEDIATE
        return _RESERVATION if self.deadline is None else LeaseKind.DEADLINE

    @property
    def numnodes(self) -> int:
        """The number of (virtual) nodes asked for."""
        nodes = self.nodes
        return nodes[0].count if len(nodes) == 1 else sum([group.count for group in nodes])


class LeaseSite(msgspec.Struct, frozen=True):
    """The machines leases run on: resource types in order, and node sets; nodes are numbered from 1 in that order."""

    resource_types: tuple[str, ...]
    nodes: tuple[NodeSet, ...]

    @property
    def numnodes(self) -> int:
        """The number of physical nodes."""
        return sum(group.count for group in self.nodes)


class LeaseWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """Leases in order of submission, and optionally the site they were written for."""

    name: str = ""
    description: str = ""
    attributes: Mapping[str, str] = {}
    site: LeaseSite | None = None
    leases: Sequence[Lease] = ()
    warnings: tuple[Finding, ...] = ()
    """What the reader found odd in the input."""


class LeaseAnnotation(msgspec.Struct, frozen=True, kw_only=True):
    """Parts to put in place of a lease's own; times count from its submission. Absent parts are ``UNSET``."""

    id: int | None = None
    start: float | When | msgspec.UnsetType = msgspec.UNSET
    deadline: float | msgspec.UnsetType = msgspec.UNSET
    software: DiskImage | msgspec.UnsetType | None = msgspec.UNSET
    extras: Mapping[str, str] = {}


class LeaseAnnotations(msgspec.Struct, frozen=True, kw_only=True):
    """Annotations of a whole workload: either all name a lease, or none does (then they apply in order)."""

    attributes: Mapping[str, str] = {}
    entries: tuple[LeaseAnnotation, ...] = ()
