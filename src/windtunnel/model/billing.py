"""What is asked of the account of a site's electricity: overhead, carbon, price; with what the account holds."""

from typing import Final

import msgspec

from windtunnel.model.facility import Overhead
from windtunnel.model.signals import Signal
from windtunnel.model.supply import Supply

__all__ = ["JOULES_PER_KWH", "JOULES_PER_MWH", "QUARTER", "Bill", "Billing"]

JOULES_PER_KWH: Final = 3.6e6
JOULES_PER_MWH: Final = 3.6e9
QUARTER: Final = 900.0
"""Seconds over which the peak is a mean, as meters of the grid count it."""


class Billing(msgspec.Struct, frozen=True, kw_only=True):
    """How the electricity of a site is accounted for, with dates in seconds of the simulation."""

    supply: Supply | None = None
    """What feeds the machines; None: nothing is lost on the way."""
    overhead: Overhead = Overhead()
    carbon: Signal | None = None
    """Carbon intensity of the grid (g/kWh)."""
    price: Signal | None = None
    """In a currency per MWh."""
    clock: float = 0.0
    """Seconds of a quarter of an hour that have passed at second 0: quarters are those of the clock."""

    @property
    def signals(self) -> dict[str, Signal]:
        """What schedulers may follow, by name."""
        given = {"carbon": self.carbon, "price": self.price}
        return {name: signal for name, signal in given.items() if signal is not None}


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """The electricity of a site from the first submission to the last end of a job (never trimmed)."""

    machines_joules: float
    """What the machines consumed."""
    devices_joules: float = 0.0
    """What the devices of the supply consumed, such as switches."""
    losses_joules: float = 0.0
    """What the converters of the supply lost."""
    overhead_joules: float = 0.0
    """What the facility consumed besides."""
    site_joules: float = 0.0
    """What the site took from the grid: machines, devices, losses and overhead."""
    pue: float | None = None
    """Power usage effectiveness: joules of the site for each joule of machines, devices and losses, which is where
    ISO/IEC 30134-2 meters them."""
    peak_watts: float = 0.0
    """The highest mean of a whole quarter of an hour from second 0 on; of shorter runs, the mean."""
    carbon_g: float | None = None
    """Grams of CO2 equivalent, of what the site took from the grid; None without carbon intensity."""
    carbon_kind: str = ""
    """Which intensity that is, if its source says so: ``life-cycle``, ``direct``, ``average`` or ``marginal``."""
    cue: float | None = None
    """Carbon usage effectiveness: kg of CO2 equivalent for each kWh of these (ISO/IEC 30134-8)."""
    cost: float | None = None
    """Of what the site took from the grid; None without price."""
    currency: str = ""
