"""Policies, of four kinds, each a small class.

Admission (may this lease be considered at all?), preemption (which leases may give way to which?), host selection
(which hosts first?) and pricing (what does it cost?). A class of your own subclasses the base of its kind.
"""

from windtunnel.leases.planner.policies.admission import AcceptAll, AdmissionPolicy, NoReservations
from windtunnel.leases.planner.policies.host_selection import AnyHost, GreedyHosts, HostSelectionPolicy
from windtunnel.leases.planner.policies.preemption import (
    DeadlinePreemption,
    NoPreemption,
    PreemptionPolicy,
    ReservationsPreempt,
)
from windtunnel.leases.planner.policies.pricing import (
    AdaptivePrice,
    ConstantPrice,
    FreePrice,
    MaximumPrice,
    PricingPolicy,
    RandomPrice,
    user_rate,
)

__all__ = [
    "AcceptAll",
    "AdaptivePrice",
    "AdmissionPolicy",
    "AnyHost",
    "ConstantPrice",
    "DeadlinePreemption",
    "FreePrice",
    "GreedyHosts",
    "HostSelectionPolicy",
    "MaximumPrice",
    "NoPreemption",
    "NoReservations",
    "PreemptionPolicy",
    "PricingPolicy",
    "RandomPrice",
    "ReservationsPreempt",
    "user_rate",
]
