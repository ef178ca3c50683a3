"""A battery behind the meter of a site: what it holds, how fast it charges, and when it does (power-carbon.md 2.2).

It charges with a constant power, and gives what the site draws, as far as it can; a policy chooses by the carbon
intensity or the price. Or it takes what the site generates beyond its consumption, and gives it when it lacks some
(power-carbon.md 4).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean

__all__ = ["MOST", "POLICIES", "RULES", "SIGNALS", "Battery", "battery_faults", "faulty_battery"]

POLICIES: Final[Mapping[str, tuple[str, ...]]] = {
    "single": ("threshold",),
    "double": ("lower", "upper"),
    "runningMean": ("window",),
    "runningMeanPlus": ("window",),
    "surplus": (),
}
"""By name, with the members that each needs."""

SIGNALS: Final = ("carbon", "price")
RULES: Final = ("exact", "opendc")
MOST: Final = 1e12
"""Larger numbers have no meaning."""
_LEAST: Final = 1e-6
"""Neither have smaller efficiencies, of which sums would overflow."""

_OF_POLICIES: Final = ("threshold", "lower", "upper", "window")
_EXAMPLE: Final = "such as capacity=50kWh;charge=10000;policy=double;lower=200;upper=350"


class Battery(msgspec.Struct, frozen=True, kw_only=True):
    """A battery, and the policy by which it charges and gives.

    Raises:
        UsageError: members are missing, of the wrong kind or without effect; all of them are named.
    """

    capacity: float
    """What it holds when it is full (kWh)."""
    charge: float
    """What it takes while it charges (W, at the meter of the site); of ``surplus``: what it takes at most."""
    policy: str
    """One of :data:`POLICIES`."""
    signal: str = "carbon"
    """What the policy looks at: ``carbon`` (g/kWh) or ``price`` (currency per MWh)."""
    threshold: float | None = None
    """``single``: it charges below, and gives from here on. Of running means: the first value of the window."""
    lower: float | None = None
    """``double``: it charges below."""
    upper: float | None = None
    """``double``: it gives above."""
    window: int | None = None
    """Running means: values of the signal that are counted, the present one among them."""
    discharge: float | None = None
    """What it gives at most (W, at the meter of the site); None: as much as the site draws and does not generate."""
    charge_efficiency: float = 1.0
    """What it holds more for each joule that it takes, from 1e-6 to 1."""
    discharge_efficiency: float = 1.0
    """What it gives for each joule that it holds less, from 1e-6 to 1."""
    initial: float = 0.0
    """What it holds at second 0 (kWh)."""
    rules: str = "exact"
    """``exact``; or ``opendc``: full and empty are noticed at the next millisecond, with what flowed until then, and
    the policy is told the first row of the signal before the one of second 0 (power-carbon.md 2.2)."""

    def __post_init__(self) -> None:
        faults = battery_faults({name: getattr(self, name) for name in self.__struct_fields__})
        if faults:
            raise faulty_battery(faults)

    def __str__(self) -> str:
        """As :func:`windtunnel.model.battery_text.parse_battery` reads it: in kWh and W."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return ";".join(f"{name}={value}" for name, value in values.items() if value != _DEFAULTS.get(name))


_DEFAULTS: Final[Mapping[str, Any]] = {
    one.name: one.default for one in msgspec.structs.fields(Battery) if one.default is not msgspec.NODEFAULT
}
_CHOICES: Final = {"policy": tuple(POLICIES), "signal": SIGNALS, "rules": RULES}
_UNITS: Final = {"capacity": "kWh", "initial": "kWh", "charge": "W", "discharge": "W"}
_ABOVE_ZERO: Final = ("capacity", "charge", "discharge")
_SHARES: Final = ("charge_efficiency", "discharge_efficiency")


def faulty_battery(faults: Sequence[str]) -> UsageError:
    """What is raised of faults, all of them."""
    return UsageError(f"battery: {'; '.join(faults)}", _EXAMPLE)


def battery_faults(values: Mapping[str, Any]) -> list[str]:
    """What is not valid in the members of a battery, each told with what to do about it; None: not given."""
    given = {name: value for name, value in values.items() if value is not None}
    faults = [f"{name} is missing" for name in ("capacity", "charge", "policy") if name not in given]
    for name, value in given.items():
        fault = _fault(name, value)
        if fault:
            faults.append(f"{name} must be {fault}, not {value!r:.40}{_near(name, value)}")
    return faults or [*_of_policy(given), *_of_sizes(given)]


def _fault(name: str, value: Any) -> str:
    """What a member must be, if it is something else."""
    if name in _CHOICES:
        return "" if value in _CHOICES[name] else f"one of {', '.join(_CHOICES[name])}"
    if name == "window":
        return "" if isinstance(value, int) and not isinstance(value, bool) and value > 0 else "a whole number from 1"
    number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST
    if name in _ABOVE_ZERO:
        return "" if number and value > 0.0 else f"a number above 0 and at most {MOST:g} ({_UNITS[name]})"
    if name in _SHARES:
        return "" if number and _LEAST <= value <= 1.0 else f"from {_LEAST:g} to 1"
    if name == "initial":
        return "" if number and value >= 0.0 else f"a number from 0 to {MOST:g} ({_UNITS[name]})"
    return "" if number else f"a number of at most {MOST:g}"


def _near(name: str, value: Any) -> str:
    """What was perhaps meant."""
    hint = did_you_mean(value, _CHOICES.get(name, ()))
    return f" ({hint})" if hint.startswith("did") else ""


def _of_policy(given: Mapping[str, Any]) -> list[str]:
    """Members that its policy lacks, or does not look at."""
    policy = given["policy"]
    needed = POLICIES[policy]
    faults = [f"policy={policy} needs {name}" for name in needed if name not in given]
    looked_at = (*needed, "threshold") if "window" in needed else needed
    others = [name for name in _OF_POLICIES if name in given and name not in looked_at]
    if policy == "surplus":
        others += [name for name in ("signal", "rules") if given.get(name, _DEFAULTS[name]) != _DEFAULTS[name]]
    what = " and ".join(looked_at) or "what the site generates"
    faults += [f"{name} has no effect: policy={policy} looks at {what}" for name in others]
    return faults


def _of_sizes(given: Mapping[str, Any]) -> list[str]:
    """Members that contradict each other."""
    faults = []
    if {"lower", "upper"} <= given.keys() and given["lower"] > given["upper"]:
        faults.append(
            f"lower={given['lower']:g} is above upper={given['upper']:g}: it charges below and gives above them"
        )
    if given.get("initial", 0.0) > given["capacity"]:
        faults.append(f"initial={given['initial']:g} kWh is more than the capacity of {given['capacity']:g} kWh")
    return faults
