"""Numbers with units as SimGrid reads them (spec/execution-model.md 1.2)."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["BANDWIDTH", "SPEED", "TIME", "Quantity", "parse_quantity"]

NUMBER = re.compile(r"[ \t\r\n]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")


class Quantity(NamedTuple):
    """A kind of quantity: its name, its base unit, how to write it, and the factor of every unit."""

    name: str
    base: str
    hint: str
    units: Mapping[str, float]


def _scaled(unit: str, value: float, prefixes: tuple[str, ...], step: float) -> dict[str, float]:
    units = {unit: value}
    for prefix in prefixes:
        value *= step
        units[prefix + unit] = value
    return units


_DECIMAL = ("k", "M", "G", "T", "P", "E", "Z", "Y")
_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi")
_WORDS = ("kilo", "mega", "giga", "tera", "peta", "exa", "zeta", "yotta")

SPEED: Final = Quantity(
    "speed",
    "f",
    "for instance 1.5Gf or 1.5gigaflops",
    _scaled("f", 1.0, _DECIMAL, 1e3) | _scaled("flops", 1.0, _WORDS, 1e3),
)
"""flop/s"""
BANDWIDTH: Final = Quantity(
    "bandwidth",
    "Bps",
    "for instance 125MBps, 1Gbps (bits) or 1GiBps (powers of 1024)",
    _scaled("Bps", 1.0, _DECIMAL, 1e3)
    | _scaled("Bps", 1.0, _BINARY, 1024.0)
    | _scaled("bps", 0.125, _DECIMAL, 1e3)
    | _scaled("bps", 0.125, _BINARY, 1024.0),
)
"""bytes/s"""
TIME: Final = Quantity(
    "time",
    "s",
    "for instance 50us; units: w, d, h, m, s, ms, us, ns, ps",
    {"w": 604800.0, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12},
)
"""s"""


def parse_quantity(text: str, kind: Quantity) -> tuple[float, str]:
    """The value in the base unit, and the unit met ("" where there is none).

    Raises:
        ValueError: Not a number, or an unknown unit; the message says which and what is known.
    """
    match = NUMBER.match(text)
    if match is None:
        raise ValueError(f"{text!r} does not start with a number")
    unit = text[match.end() :]
    factor = kind.units.get(unit or kind.base)
    if factor is None:
        raise ValueError(f"{unit!r} is not a unit of {kind.name}")
    value = float(match[1]) * factor
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text!r} is out of range")
    return value, unit
