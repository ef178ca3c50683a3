"""What a lease manager reports besides its decisions, for the lease tables of a run. Times are seconds."""

from collections.abc import Mapping

import msgspec

from windtunnel.model import HostSet
from windtunnel.model.lease import Lease, LeaseState

__all__ = ["LeaseFact", "LeaseOver", "LeaseRequested", "LeasesNow", "ReservationOver"]


class LeaseRequested(msgspec.Struct, gc=False):
    """A lease was submitted, and admitted or ``rejected``."""

    lease: Lease
    rejected: bool


class LeaseOver(msgspec.Struct, gc=False):
    """A lease is done, rejected, cancelled or has failed."""

    lease: Lease
    """As requested."""
    state: LeaseState
    requested: float
    """The duration, including overheads if they are added."""
    started: float | None
    ended: float
    actual: float
    """For how long it counts as run; 0 unless it is done."""
    ran: float
    """For how long its machines ran."""
    hosts: tuple[int, ...]
    """The final host of each virtual node."""
    suspensions: int
    migrations: int
    transfers: int
    price: float | None
    extras: Mapping[str, object]
    """The extra attributes of the lease, and those added by pricing."""
    reason: str


class ReservationOver(msgspec.Struct, gc=False):
    """An operation for a lease is over: machines ran, were saved, moved or restored, or an image was transferred."""

    lease_id: int
    kind: str
    start: float
    end: float
    hosts: HostSet


class LeasesNow(msgspec.Struct, gc=False):
    """The state after an instant, reported when it has changed."""

    queued: int
    cpu: float
    """The share of the site's CPU allocated to running machines."""
    disk: int
    """The maximum over all nodes of deployed images and saved memory (MB)."""


LeaseFact = LeaseRequested | LeaseOver | ReservationOver | LeasesNow
"""Any of these facts."""
