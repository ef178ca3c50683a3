"""What is asked of the account of a site's electricity: overhead, carbon, price, battery; with what it holds."""

from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model.battery import Battery
from windtunnel.model.facility import Overhead
from windtunnel.model.signals import Signal
from windtunnel.model.supply import Supply

__all__ = ["JOULES_PER_KWH", "JOULES_PER_MWH", "QUARTER", "Bill", "Billing", "check_signal"]

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
    battery: Battery | None = None
    """What is between the site and the grid; None: nothing."""

    def __post_init__(self) -> None:
        if self.battery is not None:
            check_signal(self.battery, carbon=self.carbon is not None, price=self.price is not None)

    @property
    def signals(self) -> dict[str, Signal]:
        """What schedulers may follow, by name."""
        given = {"carbon": self.carbon, "price": self.price}
        return {name: signal for name, signal in given.items() if signal is not None}


def check_signal(battery: Battery, *, carbon: bool, price: bool) -> None:
    """Look whether there is the signal by which a battery charges.

    Raises:
        UsageError: there is not.
    """
    if not (price if battery.signal == "price" else carbon):
        other = price if battery.signal == "carbon" else carbon
        instead = {"carbon": "price", "price": "carbon"}[battery.signal]
        hint = f"add --{battery.signal} ({battery.signal}=)"
        raise UsageError(
            f"battery: policy={battery.policy} looks at signal={battery.signal}, and there is none",
            f"{hint}, or let it look at signal={instead}" if other else hint,
        )


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
    """What the site consumed: machines, devices, losses and overhead."""
    grid_joules: float = 0.0
    """What it took from the grid: what it consumed and the battery took, less what the battery gave."""
    pue: float | None = None
    """Power usage effectiveness: joules of the site for each joule of machines, devices and losses, which is where
    ISO/IEC 30134-2 meters them."""
    peak_watts: float = 0.0
    """The highest mean of a whole quarter of an hour from second 0 on, of the watts taken from the grid; of shorter
    runs, the mean."""
    carbon_g: float | None = None
    """Grams of CO2 equivalent, of what the site took from the grid; None without carbon intensity."""
    carbon_kind: str = ""
    """Which intensity that is, if its source says so: ``life-cycle``, ``direct``, ``average`` or ``marginal``."""
    cue: float | None = None
    """Carbon usage effectiveness: kg of CO2 equivalent for each kWh of these (ISO/IEC 30134-8)."""
    cost: float | None = None
    """Of what the site took from the grid; None without price."""
    currency: str = ""
    battery_charged_joules: float | None = None
    """What the battery took, at the meter of the site; None, as all that follows, without a battery."""
    battery_given_joules: float | None = None
    """What it gave to the site."""
    battery_losses_joules: float | None = None
    """What it lost in charging and giving."""
    battery_begin_joules: float | None = None
    """What it held at the first submission."""
    battery_end_joules: float | None = None
    """What it held in the end."""
