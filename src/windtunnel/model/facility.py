"""What a facility draws besides its machines: cooling, pumps, fans, lights, losses (power-carbon.md 7).

Overhead is a function of the watts of the machines alone: a constant share of them (a constant PUE), or
a + b·P + c·P², where a does not follow the load, so that the PUE rises when machines idle.
"""

from math import isfinite
from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean

__all__ = ["Overhead", "parse_overhead"]


_MOST: Final = 1e12
"""Larger watts, and watts for each watt, have no meaning."""


class Overhead(msgspec.Struct, frozen=True, kw_only=True):
    """Overhead (W) = fixed + linear·P + quadratic·P², where P are the watts of all machines."""

    fixed: float = 0.0
    """Watts that do not follow the load."""
    linear: float = 0.0
    """Watts for each watt: the constant PUE minus 1."""
    quadratic: float = 0.0
    """Watts for each square watt, such as losses of power supplies and fans."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= _MOST:
                raise UsageError(f"pue: {name} must be a number from 0 to {_MOST:g}, not {value!r:.40}")

    def watts(self, machines: float) -> float:
        """The overhead (W) of machines that draw so many watts."""
        return self.fixed + machines * (self.linear + machines * self.quadratic)

    def __str__(self) -> str:
        """As :func:`parse_overhead` reads it."""
        if self.fixed or self.quadratic:
            values = {name: getattr(self, name) for name in self.__struct_fields__}
            return ";".join(f"{name}={value!r}" for name, value in values.items() if value)
        return repr(1.0 + self.linear)


_EXAMPLE: Final = "such as 1.2, or fixed=20000;linear=0.05;quadratic=1e-8 (W, W per W, W per W²)"


def parse_overhead(given: "str | float | Overhead") -> Overhead:
    """Read a constant PUE (``1.2``), or parts: ``fixed=20000;linear=0.05;quadratic=1e-8``.

    Raises:
        UsageError: it is neither, a part is unknown or there twice, or the PUE is less than 1.
    """
    if isinstance(given, Overhead):
        return given
    text = str(given).strip()
    if "=" in text:
        return Overhead(**_parts(text))
    value = _number(text)
    if value is None or isinstance(given, bool):
        raise UsageError(f"pue: {given!r:.60} is not a number", _EXAMPLE)
    if value < 1.0:
        raise UsageError(f"pue: {text} is less than 1: the facility draws what its machines draw, and more", _EXAMPLE)
    return Overhead(linear=value - 1.0)


def _parts(text: str) -> dict[str, float]:
    values: dict[str, float] = {}
    faults = []
    for part in filter(None, text.split(";")):
        name, _, rest = (piece.strip() for piece in part.partition("="))
        value = _number(rest)
        if name not in Overhead.__struct_fields__:
            hint = did_you_mean(name, Overhead.__struct_fields__)
            faults.append(f"there is no part {name!r:.40}" + (f" ({hint})" if hint else ""))
        elif name in values:
            faults.append(f"{name} is given twice")
        elif value is None or not 0.0 <= value <= _MOST:
            faults.append(f"{name} must be a number from 0 to {_MOST:g}, not {rest!r:.40}")
        else:
            values[name] = value
    if faults:
        raise UsageError(f"pue: {'; '.join(faults)}", _EXAMPLE)
    return values


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and "_" not in text else None
