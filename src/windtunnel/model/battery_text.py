"""A battery as a text: ``capacity=50kWh;charge=10000;policy=double;lower=200;upper=350``.

Members are those of :class:`windtunnel.model.battery.Battery`. Without a unit, what it holds is in kWh and what flows
is in W.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from windtunnel.diagnostics import did_you_mean
from windtunnel.model.battery import Battery, battery_faults, faulty_battery

__all__ = ["parse_battery"]

_OF_ENERGY: Final = {"kWh": 1.0, "Wh": 1e-3, "MWh": 1e3, "": 1.0}
"""In kWh."""
_OF_POWER: Final = {"W": 1.0, "kW": 1e3, "MW": 1e6, "": 1.0}
"""In W."""
_UNITS: Final[Mapping[str, Mapping[str, float]]] = {
    "capacity": _OF_ENERGY,
    "initial": _OF_ENERGY,
    "charge": _OF_POWER,
    "discharge": _OF_POWER,
}
_WORDS: Final = ("policy", "signal", "rules")


def parse_battery(given: str | Battery) -> Battery:
    """Read a description; a :class:`Battery` is returned as it is.

    Raises:
        UsageError: members are unknown, missing, given twice or not valid; all of them are named.
    """
    if isinstance(given, Battery):
        return given
    values: dict[str, Any] = {}
    faults = []
    for part in filter(None, (piece.strip() for piece in given.split(";"))):
        name, equals, text = (piece.strip() for piece in part.partition("="))
        if not equals:
            faults.append(f"{part!r:.60} is not of the form member=value")
        elif name not in Battery.__struct_fields__:
            faults.append(f"there is no member {name!r:.40} ({did_you_mean(name, Battery.__struct_fields__)})")
        elif name in values:
            faults.append(f"{name} is given twice")
        else:
            values[name] = _value(name, text)
    faults += battery_faults(values)
    if faults:
        raise faulty_battery(faults)
    return Battery(**values)


def _value(name: str, text: str) -> Any:
    """What a member is; the text itself where it is none, for :func:`battery_faults` to say so."""
    if name in _WORDS:
        return text
    if name == "window":
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
    units = _UNITS.get(name, {"": 1.0})
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/ ")
    factor = units.get(text[len(number) :].strip())
    try:
        value = float(number)
    except ValueError:
        return text
    return text if factor is None or not isfinite(value) or "_" in number else value * factor
