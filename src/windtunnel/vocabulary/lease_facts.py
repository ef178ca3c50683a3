"""What a lease manager reports beside its decisions, for the lease tables of a run. Times are seconds."""

from collections.abc import Mapping

import msgspec

from windtunnel.model import HostSet
from windtunnel.model.lease import Lease, LeaseState

__all__ = ["LeaseFact", "LeaseOver", "LeaseRequested", "LeasesNow", "ReservationOver"]


class LeaseRequested(msgspec.Struct, gc=False):
    """A lease was submitted, and admitted or (``rejected``) not."""

    lease: Lease
    rejected: bool


class LeaseOver(msgspec.Struct, gc=False):
    """A lease is done, rejected, cancelled or has failed."""

    lease: Lease
    """As it was asked for."""
    state: LeaseState
    requested: float
    """The duration, with overheads where they are added."""
    started: float | None
    ended: float
    actual: float
    """How long it counts as having run; 0 unless it is done."""
    ran: float
    """For how long its machines ran."""
    hosts: tuple[int, ...]
    """The host of each virtual node at last."""
    suspensions: int
    migrations: int
    transfers: int
    price: float | None
    extras: Mapping[str, object]
    """Those of the lease, and what pricing added."""
    reason: str


class ReservationOver(msgspec.Struct, gc=False):
    """Something was carried out for a lease: machines ran, were saved, moved, restored, or an image was sent."""

    lease_id: int
    kind: str
    start: float
    end: float
    hosts: HostSet


class LeasesNow(msgspec.Struct, gc=False):
    """How things stand after an instant, told when it has changed."""

    queued: int
    cpu: float
    """The part of the site's CPU that running machines have."""
    disk: int
    """The most MB of deployed images and saved memory on any node."""


LeaseFact = LeaseRequested | LeaseOver | ReservationOver | LeasesNow
"""Any of them."""
