"""What is asked of the account of a site's electricity: overhead, carbon, price, generation, battery."""

from collections.abc import Mapping
from typing import Final

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model.battery import Battery
from windtunnel.model.facility import Overhead
from windtunnel.model.signals import Signal
from windtunnel.model.supply import Supply

__all__ = [
    "JOULES_PER_KWH",
    "JOULES_PER_MWH",
    "QUARTER",
    "Billing",
    "check_currencies",
    "check_given",
    "check_signal",
]

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
    generation: Signal | None = None
    """What the site generates itself, such as by the sun (W)."""
    export_price: Signal | None = None
    """What is paid for what it gives to the grid, in the same currency per MWh; None: nothing."""
    power_cap: Signal | None = None
    """What its machines may draw together (W)."""
    clock: float = 0.0
    """Seconds of a quarter of an hour that have passed at second 0: quarters are those of the clock."""
    battery: Battery | None = None
    """What is between the site and the grid; None: nothing."""

    def __post_init__(self) -> None:
        check_given(
            self.battery,
            {name: getattr(self, name) is not None for name in ("carbon", "price", "generation", "export_price")},
        )
        for name in ("generation", "power_cap"):
            signal = getattr(self, name)
            if signal is not None:
                check_signal(name, signal)
        if self.price is not None and self.export_price is not None:
            check_currencies(self.price.unit, self.export_price.unit)

    @property
    def signals(self) -> dict[str, Signal]:
        """What schedulers may follow, by name."""
        given = {name: getattr(self, name) for name in ("carbon", "price", "generation", "power_cap")}
        return {name: signal for name, signal in given.items() if signal is not None}


def check_signal(name: str, signal: Signal) -> None:
    """Look whether power is 0 W or more.

    Raises:
        UsageError: it is not.
    """
    if name in {"generation", "power_cap"} and min(signal.values) < 0.0:
        raise UsageError(f"{name}: {signal.name} has values below 0", "these are 0 W or more")


def check_currencies(price: str, export_price: str) -> None:
    """Look whether prices have one unit.

    Raises:
        UsageError: they do not.
    """
    if price != export_price:
        raise UsageError(
            f"export_price is in {export_price}, price in {price}",
            "there is no exchange rate: give both in the same currency",
        )


def check_given(battery: Battery | None, given: Mapping[str, bool]) -> None:
    """Look whether there is what a battery and the price of exports need.

    Args:
        battery: the battery, if there is one.
        given: whether there are ``carbon``, ``price``, ``generation`` and ``export_price``.

    Raises:
        UsageError: there is not.
    """
    if given["export_price"] and not given["generation"]:
        raise UsageError(
            "export_price has no effect: nothing goes back to the grid where nothing is generated",
            "add --generation (generation=)",
        )
    if battery is None:
        return
    wanted = "generation" if battery.policy == "surplus" else battery.signal
    if given[wanted]:
        return
    hint = f"add --{wanted} ({wanted}=)"
    if wanted == "generation":
        raise UsageError("battery: policy=surplus looks at what the site generates, and there is nothing", hint)
    other = "price" if wanted == "carbon" else "carbon"
    raise UsageError(
        f"battery: policy={battery.policy} looks at signal={wanted}, and there is none",
        f"{hint}, or let it look at signal={other}" if given[other] else hint,
    )
