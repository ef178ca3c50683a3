"""Admission: whether a lease is considered at all. Asked once, when the lease is requested."""

from windtunnel.leases.planner.record import LeaseRecord
from windtunnel.model.lease import LeaseKind

__all__ = ["AcceptAll", "AdmissionPolicy", "NoReservations"]


class AdmissionPolicy:
    """Base: accepts everything."""

    def accept(self, lease: LeaseRecord) -> bool:  # noqa: ARG002  for subclasses
        """Whether the lease may be scheduled; otherwise it is rejected."""
        return True


class AcceptAll(AdmissionPolicy):
    """``accept-all``."""


class NoReservations(AdmissionPolicy):
    """``no-ARs``: advance reservations are rejected."""

    def accept(self, lease: LeaseRecord) -> bool:
        return lease.kind is not LeaseKind.RESERVATION
