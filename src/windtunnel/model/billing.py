"""What is asked of the account of a site's electricity: overhead, carbon, price, battery."""

from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model.battery import Battery
from windtunnel.model.facility import Overhead
from windtunnel.model.signals import Signal
from windtunnel.model.supply import Supply

__all__ = ["JOULES_PER_KWH", "JOULES_PER_MWH", "QUARTER", "Billing", "check_signal"]

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
