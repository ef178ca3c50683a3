"""What is asked of the account of a site's electricity, as users give it: carbon, price, overhead, battery."""

from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

from windtunnel.diagnostics import Account, UsageError, show_time
from windtunnel.formats.signals import read_signal
from windtunnel.formats.supply import read_supply
from windtunnel.model.battery import Battery
from windtunnel.model.battery_text import parse_battery
from windtunnel.model.billing import QUARTER, Billing, check_signal
from windtunnel.model.facility import Overhead, parse_overhead
from windtunnel.model.signal_units import Quantity
from windtunnel.model.signals import Signal
from windtunnel.model.supply import Supply

__all__ = [
    "BatteryLike",
    "CarbonLike",
    "PueLike",
    "SecondZeroLike",
    "SupplyLike",
    "asked",
    "check_electricity",
    "make_billing",
    "noted_billing",
    "second_zero_of",
]

CarbonLike = str | Path | Signal | None
PueLike = float | str | Overhead | None
SupplyLike = str | Path | Supply | None
SecondZeroLike = str | float | datetime | None
BatteryLike = str | Battery | None


def asked(
    carbon: CarbonLike,
    price: CarbonLike,
    pue: PueLike,
    second_zero: SecondZeroLike,
    supply: SupplyLike = None,
    battery: BatteryLike = None,
    *,
    energy: bool,
) -> bool:
    """Whether there is to be such an account.

    Raises:
        UsageError: something is asked for that needs another thing, or is of the wrong kind.
    """
    for name, value, kinds in (
        ("carbon", carbon, (str, Path, Signal)),
        ("price", price, (str, Path, Signal)),
        ("pue", pue, (float, int, str, Overhead)),
        ("second_zero", second_zero, (float, int, str, datetime)),
        ("supply", supply, (str, Path, Supply)),
        ("battery", battery, (str, Battery)),
    ):
        if value is not None and (isinstance(value, bool) or not isinstance(value, kinds)):
            raise UsageError(f"{name} cannot be a {type(value).__name__}")
    things = {"carbon": carbon, "price": price, "pue": pue, "supply": supply, "battery": battery}
    wanted = [name for name, value in things.items() if value is not None]
    if wanted and not energy:
        verb = "needs" if len(wanted) == 1 else "need"
        raise UsageError(f"{' and '.join(wanted)} {verb} the energy of the run", "add --energy (energy=True)")
    if second_zero is not None and not wanted:
        what = "the date of second 0 says when carbon, price and quarters of an hour begin"
        raise UsageError(f"second_zero: {what}", "add --carbon, --price or --pue (carbon=, price=, pue=)")
    if battery is not None:
        check_signal(parse_battery(battery), carbon=carbon is not None, price=price is not None)
    return bool(wanted)


def check_electricity(
    *,
    carbon: CarbonLike = None,
    price: CarbonLike = None,
    pue: PueLike = None,
    second_zero: SecondZeroLike = None,
    supply: SupplyLike = None,
    battery: BatteryLike = None,
    energy: bool = False,
) -> None:
    """Look at what needs no file to be read, before anything is simulated.

    Raises:
        UsageError: something is asked for that is not valid, or needs another thing.
    """
    asked(carbon, price, pue, second_zero, supply, battery, energy=energy)
    second_zero_of(second_zero)
    if pue is not None:
        parse_overhead(pue)


def second_zero_of(given: SecondZeroLike) -> float | None:
    """Seconds since 1970 (UTC), from such a number, a date, or an ISO date (UTC unless it says otherwise).

    Raises:
        UsageError: it is none of these.
    """
    if given is None:
        return None
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given.strip())
        except ValueError:
            raise UsageError(
                f"second_zero: {given!r:.60} is not a date", "such as 2024-01-01 or 2024-01-01T06:00+01:00"
            ) from None
    if isinstance(given, datetime):
        given = (given if given.tzinfo else given.replace(tzinfo=UTC)).timestamp()
    if not isfinite(given):
        raise UsageError(f"second_zero: {given!r} is not a date")
    return float(given)


def make_billing(
    carbon: CarbonLike,
    price: CarbonLike,
    pue: PueLike,
    second_zero: SecondZeroLike,
    supply: SupplyLike,
    battery: BatteryLike,
    start_date: float | None,
    account: Account,
) -> Billing:
    """Read the signals, and place them so that second 0 of the simulation is theirs.

    Args:
        carbon: a file, a constant such as ``350g/kWh``, or a signal; None: no account of it.
        price: the same of prices.
        pue: what the facility adds; None: nothing.
        second_zero: the date of second 0; None: that of the workload.
        supply: what feeds the machines; None: nothing is lost on the way.
        battery: what is between the site and the grid; None: nothing.
        start_date: that of the workload (s since 1970, UTC), if it has one.
        account: what there is to tell about the signals.

    Raises:
        InputError: a file is invalid.
        UsageError: a signal has dates and second 0 has none, or nothing is known at second 0.
    """
    given = second_zero_of(second_zero)
    zero = start_date if given is None else given
    if given is not None and start_date is not None and given != start_date:
        own, log = show_time(0.0, given), show_time(0.0, start_date)
        account.tell("second-zero", f"carbon and price begin at {own}; the log begins at {log}", note=True)
    return Billing(
        supply=None if supply is None else read_supply(supply),
        overhead=Overhead() if pue is None else parse_overhead(pue),
        carbon=_placed(carbon, "carbon", zero, account),
        price=_placed(price, "price", zero, account),
        clock=(zero or 0.0) % QUARTER,
        battery=None if battery is None else parse_battery(battery),
    )


def _placed(given: CarbonLike, quantity: Quantity, zero: float | None, account: Account) -> Signal | None:
    if given is None:
        return None
    signal, findings = read_signal(given, quantity)
    account.take(findings)
    if signal.dated:
        if zero is None:
            raise UsageError(
                f"{signal.name} has dates, and the date of second 0 of the simulation is not known",
                "give it: --second-zero 2024-01-01 (second_zero=...); a log's own date is used where it has one",
            )
        signal = signal.from_zero(zero)
    if not signal.knows(0.0):
        first, end = (show_time(date, zero) for date in (signal.first, signal.end))
        raise UsageError(
            f"{signal.name} has no value at second 0 ({show_time(0.0, zero)}): its rows hold from {first} to {end}",
            "--second-zero says which date second 0 is; ?outside=hold (or year) behind the file what holds elsewhere",
        )
    return signal


def noted_billing(
    billing: Billing | None, carbon: CarbonLike, price: CarbonLike, second_zero: SecondZeroLike
) -> Mapping[str, Any]:
    """What makes this run another than one without such an account, for ``run.json``."""
    if billing is None:
        return {}
    noted: dict[str, Any] = {"pue": str(billing.overhead)}
    for name, given, signal in (("carbon", carbon, billing.carbon), ("price", price, billing.price)):
        if signal is not None:
            noted[name] = signal.name if isinstance(given, Signal) else str(given)
            noted[f"{name}_unit"] = signal.unit
            if signal.kind:
                noted[f"{name}_kind"] = signal.kind
    if billing.supply is not None:
        noted["supply"] = billing.supply.name or "made in Python"
    if billing.battery is not None:
        noted["battery"] = str(billing.battery)
    zero = second_zero_of(second_zero)
    if zero is not None:
        noted["second_zero"] = datetime.fromtimestamp(zero, UTC).isoformat()
    return {"electricity": noted}
