"""What a planner is put together from: a mapper and four policies, each made with the planner."""

from collections.abc import Callable
from typing import NamedTuple

from windtunnel.leases.planner.mapping import Mapper
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.policies import AdmissionPolicy, HostSelectionPolicy, PreemptionPolicy, PricingPolicy

__all__ = ["Parts"]


class Parts(NamedTuple):
    """Classes, or other callables that make such objects."""

    mapper: Callable[[Plan, HostSelectionPolicy, PreemptionPolicy], Mapper]
    admission: Callable[[], AdmissionPolicy]
    preemption: Callable[[Plan], PreemptionPolicy]
    host_selection: Callable[[], HostSelectionPolicy]
    pricing: Callable[[Plan], PricingPolicy]
