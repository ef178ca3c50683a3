"""Policies of the lease manager, chosen by name or given as ``package.module:Class``.

Four kinds, each a small class: admission (may this lease be considered at all?), preemption (which leases may give
way to which?), host selection (which hosts first?) and pricing (what does it cost?). A class of your own subclasses
the base of its kind and is checked when it is loaded.
"""

from typing import TypeVar

from windtunnel.diagnostics import UsageError, did_you_mean
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
from windtunnel.loading import load

__all__ = [
    "ADMISSION",
    "HOST_SELECTION",
    "PREEMPTION",
    "PRICING",
    "AdmissionPolicy",
    "GreedyHosts",
    "HostSelectionPolicy",
    "PreemptionPolicy",
    "PricingPolicy",
    "ReservationsPreempt",
    "load_policy",
    "user_rate",
]

ADMISSION: dict[str, type[AdmissionPolicy]] = {"accept-all": AcceptAll, "no-ARs": NoReservations}
PREEMPTION: dict[str, type[PreemptionPolicy]] = {
    "no-preemption": NoPreemption,
    "ar-preempts-everything": ReservationsPreempt,
    "ar-preempts-be": ReservationsPreempt,
    "deadline": DeadlinePreemption,
}
HOST_SELECTION: dict[str, type[HostSelectionPolicy]] = {"greedy": GreedyHosts, "no-policy": AnyHost}
PRICING: dict[str, type[PricingPolicy]] = {
    "free": FreePrice,
    "constant": ConstantPrice,
    "random": RandomPrice,
    "maximum": MaximumPrice,
    "adaptive": AdaptivePrice,
}

T = TypeVar("T")


def load_policy(name: str, known: dict[str, type[T]], base: type[T], option: str) -> type[T]:
    """The policy class of that name, or the one at ``package.module:Class``.

    Raises:
        UsageError: no such policy, or the class is not of the right kind; the message names the option.
    """
    if name in known:
        return known[name]
    if ":" not in name:
        hint = did_you_mean(name, known)
        raise UsageError(f"{option}: no policy {name!r}", f"{hint} (or give package.module:Class)")
    found = load(name, f"{option}:")
    if not (isinstance(found, type) and issubclass(found, base)):
        raise UsageError(f"{option}: {name!r} is not a subclass of {base.__module__}.{base.__qualname__}")
    return found
