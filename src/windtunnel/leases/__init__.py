"""Leases as Haizea schedules them: the decision component, and the base classes of user-defined policies.

What a user needs is here, and is loaded when it is first used. The planner knows no files and no clock; its component
drives it on the engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from windtunnel.leases.component import LeaseManager as LeaseManager
    from windtunnel.leases.planner.mapper import GreedyMapper as GreedyMapper
    from windtunnel.leases.planner.mapping import Mapper as Mapper
    from windtunnel.leases.planner.mapping import Mapping as Mapping
    from windtunnel.leases.planner.planner import Planner as Planner
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
    "AcceptAll": "planner.policies.admission",
    "AdaptivePrice": "planner.policies.pricing",
    "AdmissionPolicy": "planner.policies.admission",
    "AnyHost": "planner.policies.host_selection",
    "ConstantPrice": "planner.policies.pricing",
    "DeadlinePreemption": "planner.policies.preemption",
    "FreePrice": "planner.policies.pricing",
    "GreedyHosts": "planner.policies.host_selection",
    "GreedyMapper": "planner.mapper",
    "HostSelectionPolicy": "planner.policies.host_selection",
    "LeaseManager": "component",
    "Mapper": "planner.mapping",
    "Mapping": "planner.mapping",
    "MaximumPrice": "planner.policies.pricing",
    "NoPreemption": "planner.policies.preemption",
    "NoReservations": "planner.policies.admission",
    "Planner": "planner.planner",
    "PreemptionPolicy": "planner.policies.preemption",
    "PricingPolicy": "planner.policies.pricing",
    "RandomPrice": "planner.policies.pricing",
    "ReservationsPreempt": "planner.policies.preemption",
}


def __getattr__(name: str) -> Any:
    module = _MODULE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
