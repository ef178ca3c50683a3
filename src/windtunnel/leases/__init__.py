"""Leases as Haizea schedules them: the decision component, and the base classes of user-defined policies.

What a user needs is here, and is loaded when it is first used. The planner knows no files and no clock; its component
drives it on the engine.
"""

from typing import TYPE_CHECKING, Final

from windtunnel.on_use import loads_on_use

if TYPE_CHECKING:
    from windtunnel.leases.component import LeaseManager as LeaseManager
    from windtunnel.leases.planner.mapper import GreedyMapper as GreedyMapper
    from windtunnel.leases.planner.mapping import Mapper as Mapper
    from windtunnel.leases.planner.mapping import Mapping as Mapping
    from windtunnel.leases.planner.planner import Planner as Planner
    from windtunnel.leases.planner.policies import AcceptAll as AcceptAll
    from windtunnel.leases.planner.policies import AdaptivePrice as AdaptivePrice
    from windtunnel.leases.planner.policies import AdmissionPolicy as AdmissionPolicy
    from windtunnel.leases.planner.policies import AnyHost as AnyHost
    from windtunnel.leases.planner.policies import ConstantPrice as ConstantPrice
    from windtunnel.leases.planner.policies import DeadlinePreemption as DeadlinePreemption
    from windtunnel.leases.planner.policies import FreePrice as FreePrice
    from windtunnel.leases.planner.policies import GreedyHosts as GreedyHosts
    from windtunnel.leases.planner.policies import HostSelectionPolicy as HostSelectionPolicy
    from windtunnel.leases.planner.policies import MaximumPrice as MaximumPrice
    from windtunnel.leases.planner.policies import NoPreemption as NoPreemption
    from windtunnel.leases.planner.policies import NoReservations as NoReservations
    from windtunnel.leases.planner.policies import PreemptionPolicy as PreemptionPolicy
    from windtunnel.leases.planner.policies import PricingPolicy as PricingPolicy
    from windtunnel.leases.planner.policies import RandomPrice as RandomPrice
    from windtunnel.leases.planner.policies import ReservationsPreempt as ReservationsPreempt

__all__ = [
    "AcceptAll",
    "AdaptivePrice",
    "AdmissionPolicy",
    "AnyHost",
    "ConstantPrice",
    "DeadlinePreemption",
    "FreePrice",
    "GreedyHosts",
    "GreedyMapper",
    "HostSelectionPolicy",
    "LeaseManager",
    "Mapper",
    "Mapping",
    "MaximumPrice",
    "NoPreemption",
    "NoReservations",
    "Planner",
    "PreemptionPolicy",
    "PricingPolicy",
    "RandomPrice",
    "ReservationsPreempt",
]

_MODULE: Final = {
    "AcceptAll": "planner.policies",
    "AdaptivePrice": "planner.policies",
    "AdmissionPolicy": "planner.policies",
    "AnyHost": "planner.policies",
    "ConstantPrice": "planner.policies",
    "DeadlinePreemption": "planner.policies",
    "FreePrice": "planner.policies",
    "GreedyHosts": "planner.policies",
    "GreedyMapper": "planner.mapper",
    "HostSelectionPolicy": "planner.policies",
    "LeaseManager": "component",
    "Mapper": "planner.mapping",
    "Mapping": "planner.mapping",
    "MaximumPrice": "planner.policies",
    "NoPreemption": "planner.policies",
    "NoReservations": "planner.policies",
    "Planner": "planner.planner",
    "PreemptionPolicy": "planner.policies",
    "PricingPolicy": "planner.policies",
    "RandomPrice": "planner.policies",
    "ReservationsPreempt": "planner.policies",
}

__getattr__ = loads_on_use(__name__, _MODULE)
