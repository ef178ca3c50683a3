"""Policies, of four kinds, each a small class.

Admission (may this lease be considered at all?), preemption (which leases may give way to which?), host selection
(which hosts first?) and pricing (what does it cost?). A class of your own subclasses the base of its kind.
"""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.leases.planner.policies.admission import AcceptAll as AcceptAll
    from windtunnel.leases.planner.policies.admission import AdmissionPolicy as AdmissionPolicy
    from windtunnel.leases.planner.policies.admission import NoReservations as NoReservations
    from windtunnel.leases.planner.policies.host_selection import AnyHost as AnyHost
    from windtunnel.leases.planner.policies.host_selection import GreedyHosts as GreedyHosts
    from windtunnel.leases.planner.policies.host_selection import HostSelectionPolicy as HostSelectionPolicy
    from windtunnel.leases.planner.policies.preemption import DeadlinePreemption as DeadlinePreemption
    from windtunnel.leases.planner.policies.preemption import NoPreemption as NoPreemption
    from windtunnel.leases.planner.policies.preemption import PreemptionPolicy as PreemptionPolicy
    from windtunnel.leases.planner.policies.preemption import ReservationsPreempt as ReservationsPreempt
    from windtunnel.leases.planner.policies.pricing import AdaptivePrice as AdaptivePrice
    from windtunnel.leases.planner.policies.pricing import ConstantPrice as ConstantPrice
    from windtunnel.leases.planner.policies.pricing import FreePrice as FreePrice
    from windtunnel.leases.planner.policies.pricing import MaximumPrice as MaximumPrice
    from windtunnel.leases.planner.policies.pricing import PricingPolicy as PricingPolicy
    from windtunnel.leases.planner.policies.pricing import RandomPrice as RandomPrice
    from windtunnel.leases.planner.policies.pricing import user_rate as user_rate

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

_MODULE: Final = {
    "AcceptAll": "admission",
    "AdaptivePrice": "pricing",
    "AdmissionPolicy": "admission",
    "AnyHost": "host_selection",
    "ConstantPrice": "pricing",
    "DeadlinePreemption": "preemption",
    "FreePrice": "pricing",
    "GreedyHosts": "host_selection",
    "HostSelectionPolicy": "host_selection",
    "MaximumPrice": "pricing",
    "NoPreemption": "preemption",
    "NoReservations": "admission",
    "PreemptionPolicy": "preemption",
    "PricingPolicy": "pricing",
    "RandomPrice": "pricing",
    "ReservationsPreempt": "preemption",
    "user_rate": "pricing",
}

__getattr__ = loads_on_use(__name__, _MODULE)
