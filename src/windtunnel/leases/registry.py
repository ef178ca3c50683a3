"""What settings choose: the rules of the planner, its mapper and its policies.

Mappers and policies are ours, those of installed packages, or ``module:Class`` of one's own. Each kind is chosen by a
setting (``policy-pricing``), and packages add theirs under the entry point group of its name
(``windtunnel.lease_policy_pricing``: name -> class). Their own options are the keyword parameters of ``__init__``
behind what the planner gives; they are given like settings of the lease manager.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple, cast

from msgspec.structs import replace

from windtunnel.diagnostics import UsageError, did_you_mean
from windtunnel.leases.haizea.rules import HaizeaRules
from windtunnel.leases.planner import policies
from windtunnel.leases.planner.deadline import DeadlineMapper
from windtunnel.leases.planner.mapper import GreedyMapper
from windtunnel.leases.planner.mapping import Mapper
from windtunnel.leases.planner.parts import Parts
from windtunnel.leases.planner.rules import Rules
from windtunnel.loading import entry_points, load, load_entry
from windtunnel.model.lease_options import WHOSE, LeaseOptions, chosen, lease_options, settings_of_all
from windtunnel.options import Option, checked_options, options_of

__all__ = ["KINDS", "Kind", "parts_of", "read_settings", "rules_of", "shown_settings"]


class Kind(NamedTuple):
    """A kind of part: the shipped ones by name, the base of all, and how much the planner gives them."""

    shipped: Mapping[str, type]
    base: type
    given: int
    """How many arguments."""


KINDS: Final[Mapping[str, Kind]] = {
    "mapper": Kind({"greedy": GreedyMapper, "deadline": DeadlineMapper}, Mapper, 3),
    "policy_admission": Kind(
        {"accept-all": policies.AcceptAll, "no-ARs": policies.NoReservations}, policies.AdmissionPolicy, 0
    ),
    "policy_preemption": Kind(
        {
            "no-preemption": policies.NoPreemption,
            "ar-preempts-everything": policies.ReservationsPreempt,
            "ar-preempts-be": policies.ReservationsPreempt,
            "deadline": policies.DeadlinePreemption,
        },
        policies.PreemptionPolicy,
        1,
    ),
    "policy_host_selection": Kind(
        {"greedy": policies.GreedyHosts, "no-policy": policies.AnyHost}, policies.HostSelectionPolicy, 0
    ),
    "policy_pricing": Kind(
        {
            "free": policies.FreePrice,
            "constant": policies.ConstantPrice,
            "random": policies.RandomPrice,
            "maximum": policies.MaximumPrice,
            "adaptive": policies.AdaptivePrice,
        },
        policies.PricingPolicy,
        1,
    ),
}
"""By the setting that chooses one."""


def read_settings(settings: Mapping[str, Any], base: LeaseOptions | None = None) -> LeaseOptions:
    """Options from settings by name (with dashes or underscores), upon others; those of the parts chosen among them.

    Raises:
        UsageError: a setting or a part does not exist, or a value is invalid.
    """
    return lease_options(settings, base, own=_options_of_parts(chosen(settings, base)))


def parts_of(options: LeaseOptions) -> Parts:
    """The mapper and the policies that options choose, with their own options.

    Raises:
        UsageError: there is no such part, or an option of theirs is unknown, missing or senseless.
    """
    names = chosen({}, options)
    own = checked_options(WHOSE, (_options_of_parts(names), False), options.part_options)
    made: dict[str, Callable[..., Any]] = {}
    for setting, found in _classes(names):
        its = {name: own[name] for name in _options(setting, found) if name in own}
        made[setting.removeprefix("policy_")] = partial(found, **its) if its else found
    return Parts(**made)


def rules_of(options: LeaseOptions) -> Rules:
    """Haizea's own rules where that is asked for, else the sane ones."""
    return HaizeaRules(options) if options.haizea_compat else Rules(options)


def shown_settings() -> dict[str, Option]:
    """All settings by name, with the mappers and policies that there are."""
    shown = settings_of_all()
    for setting, kind in KINDS.items():
        names = (*kind.shipped, *(point.name for point in entry_points(_group(setting))), "module:Class")
        shown[setting] = Option(setting, cast(Any, Literal)[names], shown[setting].default)
    return {name.replace("_", "-"): replace(option, name=name.replace("_", "-")) for name, option in shown.items()}


def _group(setting: str) -> str:
    return f"windtunnel.lease_{setting}"


def _classes(names: Mapping[str, str]) -> Iterator[tuple[str, type]]:
    """The class of each kind; ``names``: setting -> name."""
    for setting, name in names.items():
        yield setting, _class(setting, name)


def _class(setting: str, name: str) -> type:
    kind, shown = KINDS[setting], setting.replace("_", "-")
    if name in kind.shipped:
        return kind.shipped[name]
    points = {point.name: point for point in entry_points(_group(setting))}
    if name in points:
        found = load_entry(points[name], f"{shown}:")
    elif ":" in name:
        found = load(name, f"{shown}:")
    else:
        what = "mapper" if setting == "mapper" else "policy"
        hint = did_you_mean(name, [*kind.shipped, *points])
        raise UsageError(f"{shown}: no {what} {name!r}", f"{hint} (or give package.module:Class)".strip())
    if not (isinstance(found, type) and issubclass(found, kind.base)):
        raise UsageError(f"{shown}: {name!r} is not a subclass of {kind.base.__module__}.{kind.base.__qualname__}")
    return found


def _options_of_parts(names: Mapping[str, str]) -> dict[str, Option]:
    """What the parts of these names take; an option that several take goes to all of them."""
    return {name: option for setting, found in _classes(names) for name, option in _options(setting, found).items()}


def _options(setting: str, found: type) -> dict[str, Option]:
    """The options of a part of one's own; what shipped ones need are settings of all.

    Raises:
        UsageError: one of them has the name of such a setting.
    """
    kind = KINDS[setting]
    if found in kind.shipped.values():
        return {}
    options, _ = options_of(found, skip=kind.given)
    if taken := sorted(options.keys() & settings_of_all().keys()):
        raise UsageError(
            f"{setting.replace('_', '-')}: {found.__qualname__} has options that are settings of the lease manager: "
            f"{', '.join(taken)}",
            "name them otherwise",
        )
    return options
