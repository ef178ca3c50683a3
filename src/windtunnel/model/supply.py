"""The chain of power supply above machines: converters, rectifiers, and what draws a constant power beside them.

A level of the chain is a number of like units, each of which feeds some machines. A unit takes what those below it
take, and what its devices draw (switches, pumps), through converters that lose a constant number of watts each and a
share of what passes: (sum + devices + converters · watts) / efficiency. So the whole chain is a line: what it takes
from the grid is a constant and so many watts for each watt of the machines (power-carbon.md 1.2, 1.3).
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import UsageError

__all__ = ["Chain", "Level", "Supply", "chain_fault", "level_faults"]

_KINDS: Final[Mapping[str, Any]] = {
    "name": str,
    "hosts": int,
    "count": int,
    "device_watts": float,
    "converters": int,
    "converter_watts": float,
    "efficiency": float,
}
_MOST: Final = 1e12
"""Larger numbers of units and watts have no meaning."""
_LEAST: Final = 1e-6
"""Neither have smaller efficiencies, of a level or of a whole chain."""
_WORDS: Final[Mapping[Any, str]] = {str: "a string", int: "a whole number", float: "a number"}


def level_faults(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is not valid in the members of a level, as far as they are given: member and message."""
    found = []
    for name, kind in _KINDS.items():
        value: Any = given.get(name)
        allowed = (int, float) if kind is float else kind
        if value is not None and (isinstance(value, bool) or not isinstance(value, allowed)):
            found.append((name, f"{name} must be {_WORDS[kind]}, not {value!r:.40}"))
        elif kind is float and value is not None and not 0.0 <= value <= _MOST:
            found.append((name, f"{name} must be a number from 0 to {_MOST:g}, not {value!r:.40}"))
        elif kind is int and value is not None and not (1 if name == "converters" else 0) <= value <= _MOST:
            found.append((name, f"{name} must be above 0, and at most {_MOST:g}, not {value!r:.40}"))
    if found:
        return found
    if not _LEAST <= given.get("efficiency", 1.0) <= 1.0:
        found.append(("efficiency", f"efficiency must be from {_LEAST:g} to 1, not {given['efficiency']!r:.40}"))
    if (given.get("hosts", 0) > 0) == (given.get("count", 0) > 0):
        found.append(("", "give either hosts (machines that a unit feeds) or count (units at the site)"))
    return found


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """One level of a chain, seen from the machines: units that feed so many machines, or so many units."""

    name: str = ""
    hosts: int = 0
    """Machines that a unit feeds, which are numbered one after another; 1: each machine has one of its own."""
    count: int = 0
    """Units at the site, where ``hosts`` does not say it."""
    device_watts: float = 0.0
    """What the devices of a unit draw whatever happens, behind its converters (W)."""
    converters: int = 1
    """Converters of a unit, which share the load."""
    converter_watts: float = 0.0
    """What each of them loses whatever happens (W)."""
    efficiency: float = 1.0
    """What comes out of them for each watt that goes in, from 1e-6 to 1."""

    def __post_init__(self) -> None:
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        for _, fault in level_faults(values):
            raise UsageError(f"supply, level {self.name!r:.60}: {fault}")

    def units(self, hosts: int) -> int:
        """How many units there are at a site of so many machines."""
        return self.count or -(-hosts // self.hosts)


def chain_fault(levels: Sequence[Level]) -> str:
    """What is not valid in levels that are valid one by one; "" if nothing."""
    whole = prod(level.efficiency for level in levels)
    return "" if whole >= _LEAST else f"the efficiencies of all levels come to {whole:g}, less than {_LEAST:g}"


class Supply(msgspec.Struct, frozen=True, kw_only=True):
    """A chain of levels, from the machines upward."""

    levels: tuple[Level, ...]
    name: str = ""
    """What it was read from."""

    def __post_init__(self) -> None:
        if not self.levels:
            raise UsageError("a supply has at least one level")
        if fault := chain_fault(self.levels):
            raise UsageError(f"supply: {fault}")

    def chain(self, hosts: int) -> "Chain":
        """The chain at a site of so many machines."""
        slope, constant, saved, devices = 1.0, 0.0, 0.0, 0.0
        for level in self.levels:
            each = level.device_watts + level.converters * level.converter_watts
            units = level.units(hosts)
            slope /= level.efficiency
            constant = (constant + units * each) / level.efficiency
            saved = (saved + (each if level.hosts == 1 else 0.0)) / level.efficiency
            devices += units * level.device_watts
        of_dark = sum(level.device_watts for level in self.levels if level.hosts == 1)
        return Chain(slope=slope, constant=constant, saved=saved, devices=devices, devices_saved=of_dark)


class Chain(msgspec.Struct, frozen=True, kw_only=True):
    """What a site takes from the grid: constant + slope · watts of the machines, less what dark machines save."""

    slope: float = 1.0
    constant: float = 0.0
    """Watts, with all machines switched on."""
    saved: float = 0.0
    """Watts for each machine that is switched off and draws nothing: its own converter is off, too."""
    devices: float = 0.0
    """Watts of the devices alone."""
    devices_saved: float = 0.0

    def watts(self, machines: float, dark: int) -> tuple[float, float]:
        """What is taken when machines draw so many watts, and what of it devices draw; ``dark`` machines are off."""
        taken = self.slope * machines + self.constant - dark * self.saved
        return taken, self.devices - dark * self.devices_saved
