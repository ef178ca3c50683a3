"""The words of a study, as they are kept once they have been checked: what varies, and what is done with it."""

from typing import Any, Final

import msgspec

__all__ = ["AXES", "DESIGNS", "Entry", "Span", "Words"]

DESIGNS: Final = ("grid", "list", "random", "latin-hypercube")
"""How the values of parameters are combined."""

AXES: Final = ("platform", "workload", "scheduler", "failures", "engine", "seed")
"""What a study crosses besides its parameters; columns of its results."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One value of an axis: what it is (a text, an object, a class), what it is called, and its options."""

    what: Any
    """Of workloads also several, which run together."""
    label: str
    options: dict[str, Any] = {}
    operations: tuple[str, ...] = ()
    """Of a workload: what is done to it before the operations for all workloads."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """The values from ``low`` to ``high`` from which a design draws: evenly, or evenly in their logarithms."""

    low: float
    high: float
    logarithmic: bool = False
    whole: bool = False
    """Whole numbers only, both ends included."""

    def at(self, share: float) -> float | int:
        """The value at a share in [0, 1) of the way."""
        if self.whole:
            return min(int(self.low + share * (self.high - self.low + 1)), int(self.high))
        if self.logarithmic:
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + share * (self.high - self.low))


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """A study as it was asked for; the members are those of a study file (docs/guides/studies.md)."""

    name: str = ""
    platforms: tuple[Entry, ...]
    workloads: tuple[Entry, ...]
    operations: tuple[str, ...] = ()
    schedulers: tuple[Entry, ...]
    failures: tuple[Entry, ...]
    engine: tuple[Entry, ...]
    events: tuple[str, ...] = ()
    parameters: dict[str, "tuple[Any, ...] | Span"] = {}
    seeds: tuple[int, ...] = ()
    """Empty: nothing is repeated, and no text has ``{seed}``."""
    design: str = "grid"
    samples: int = 0
    design_seed: int = 1
    points: tuple[dict[str, Any], ...] = ()
    energy: bool = False
    carbon: str = ""
    price: str = ""
    generation: str = ""
    export_price: str = ""
    power_cap: str = ""
    pue: str | float = ""
    second_zero: str = ""
    supply: str = ""
    battery: str = ""
    """With energy: as for :class:`windtunnel.Simulation`; empty: not asked for."""
    share_hosts: bool = False
    warm_up: float | str = 0.0
    cool_down: float | str = 0.0
    until: float | str = ""
    """Where each run stops; empty: at its end."""
    job_tables: bool = False
    """Whether the table of jobs of every point is kept."""
