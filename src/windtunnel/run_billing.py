"""What is asked of the account of a site's electricity, as users give it: signals, overhead, supply, battery."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, Final

import msgspec

from windtunnel.diagnostics import Account, InputError, UsageError, show_time
from windtunnel.diagnostics.at_once import raise_all, tried
from windtunnel.formats.signals import read_signal
from windtunnel.formats.supply import read_supply
from windtunnel.model import Workload
from windtunnel.model.abilities import Dated
from windtunnel.model.battery import Battery
from windtunnel.model.battery_text import parse_battery
from windtunnel.model.billing import QUARTER, Billing, check_given
from windtunnel.model.facility import Overhead, parse_overhead
from windtunnel.model.lease_batch import BatchLeases
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.model.signal_units import Quantity
from windtunnel.model.signals import Signal
from windtunnel.model.supply import Supply

__all__ = [
    "SIGNALS",
    "TEXTS",
    "BatteryLike",
    "CarbonLike",
    "Electricity",
    "PueLike",
    "SecondZeroLike",
    "SupplyLike",
]

CarbonLike = str | Path | Signal | None
PueLike = float | str | Overhead | None
SupplyLike = str | Path | Supply | None
SecondZeroLike = str | float | date | None
BatteryLike = str | Battery | None

SIGNALS: Final[Mapping[str, Quantity]] = {
    "carbon": "carbon",
    "price": "price",
    "generation": "power",
    "export_price": "price",
    "power_cap": "power",
}
"""What is a signal, and of which quantity."""
_KINDS: Final[Mapping[str, tuple[tuple[type, ...], str]]] = {
    "carbon": ((str, Path, Signal), "a file, a constant such as '350g/kWh', or a Signal"),
    "price": ((str, Path, Signal), "a file, a constant such as '94EUR/MWh', or a Signal"),
    "generation": ((str, Path, Signal), "a file, a constant such as '20kW', or a Signal"),
    "export_price": ((str, Path, Signal), "a file, a constant such as '40EUR/MWh', or a Signal"),
    "power_cap": ((str, Path, Signal), "a file, a constant such as '1.5MW', or a Signal"),
    "pue": ((Real, str, Overhead), "a number such as 1.2, a text, or an Overhead"),
    "supply": ((str, Path, Supply), "a file or a Supply"),
    "battery": ((str, Battery), "a text such as 'capacity=9kWh;charge=1kW;policy=single;threshold=200' or a Battery"),
    "second_zero": ((Real, str, date), "a date such as '2024-01-01', or seconds since 1970"),
}
"""What each argument may be, and how that is said."""

_KINDS_OF_DELAYS: Final[Mapping[type, str]] = {
    Dated: "jobs of logs",
    LeaseJobs: "leases",
    BatchLeases: "leases",
}
"""Workloads that do not say what is done meanwhile."""

_FIRST, _LAST = -62135596800.0, 253402300800.0
"""Second 0 lies between the years 1 and 9999 (s since 1970, UTC): others have no date."""


class Electricity(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of the account of a site's electricity, as users give it; None: not asked for."""

    carbon: CarbonLike = None
    """A file, a constant such as ``350g/kWh``, or a signal."""
    price: CarbonLike = None
    """The same of prices."""
    generation: CarbonLike = None
    """The same of what the site generates, in W; None: nothing."""
    export_price: CarbonLike = None
    """The same of what is paid for what it exports; None: nothing."""
    power_cap: CarbonLike = None
    """The same of what its machines may draw together, in W; None: as much as they do."""
    pue: PueLike = None
    """What the facility adds; None: nothing."""
    second_zero: SecondZeroLike = None
    """The date of second 0; None: that of the workload."""
    supply: SupplyLike = None
    """What feeds the machines; None: nothing is lost on the way."""
    battery: BatteryLike = None
    """What is between the site and the grid; None: nothing."""

    def check(self, *, energy: bool, rule: str = "exact") -> None:
        """Look at what needs no file to be read, before anything is simulated; at files if there is no way on.

        Args:
            energy: whether the run has energy.
            rule: by which rule.

        Raises:
            UsageError: something is not valid, of the wrong kind, or needs another thing.
        """
        for name, (kinds, expected) in _KINDS.items():
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, kinds)):
                raise UsageError(f"{name} is {expected}, not {value!r:.60} ({type(value).__name__})")
            if value == "":
                raise UsageError(f"{name} is empty: expected {expected}", f"leave out {name} if there is none")
        self.check_needs(energy=energy, rule=rule)
        faults: list[InputError | UsageError] = []
        for name, parse in TEXTS.items():
            if getattr(self, name) is not None:
                tried(partial(parse, getattr(self, name)), faults)
        if faults:  # there will be no run: what is wrong with files is told with it
            self._read_all(faults)
        raise_all(faults)
        self.check_battery()

    def _read_all(self, faults: list[InputError | UsageError]) -> None:
        for name, kind in SIGNALS.items():
            if (given := getattr(self, name)) is not None:
                tried(partial(read_signal, given, kind), faults)
        if self.supply is not None:
            tried(partial(read_supply, self.supply), faults)

    def check_needs(self, *, energy: bool, rule: str = "exact") -> None:
        """Look whether there is what all of it needs besides.

        Raises:
            UsageError: there is not.
        """
        given = [name for name in _KINDS if getattr(self, name) is not None]
        wanted = [name for name in given if name != "second_zero"]
        verb = "needs" if len(wanted) == 1 else "need"
        names = " and ".join(filter(None, [", ".join(wanted[:-1]), *wanted[-1:]]))
        if wanted and not energy:
            raise UsageError(f"{names} {verb} the energy of the run", "add --energy (energy=True)")
        if given and not wanted:
            what = "the date of second 0 says when signals and quarters of an hour begin"
            raise UsageError(f"second_zero: {what}", "add --carbon, --price or --generation (carbon=, ...)")
        if wanted and rule != "exact":
            raise UsageError(
                f"{names} {verb} the exact energy rule, not {rule!r}",
                "leave out --energy-rule (energy_rule)",
            )

    def check_battery(self) -> None:
        """Look whether there is what the battery and the price of exports look at.

        Raises:
            UsageError: there is not.
        """
        battery = None if self.battery is None else parse_battery(self.battery)
        check_given(battery, {name: getattr(self, name) is not None for name in SIGNALS})

    def billing(self, start_dates: Sequence[float], account: Account) -> Billing:
        """Read the signals, and place them so that second 0 of the simulation is theirs.

        Args:
            start_dates: those of the workloads that have one (s since 1970, UTC); the first one counts.
            account: what there is to tell about the signals.

        Raises:
            InputError: a file is invalid.
            UsageError: a signal has dates and second 0 has none, or nothing is known at second 0.
        """
        zero = self._zero(start_dates, account)
        faults: list[InputError | UsageError] = []
        signals = {
            name: tried(partial(_placed, getattr(self, name), kind, zero, account), faults)
            for name, kind in SIGNALS.items()
        }
        supply = None if self.supply is None else tried(partial(read_supply, self.supply), faults)
        raise_all(faults)
        stepped = [one for one in signals.values() if one is not None and len(one.dates) > 1]
        if self.second_zero is not None and stepped and all(one.zero is None for one in stepped):
            reason = f"{stepped[0].name} has seconds and no dates: second_zero only says when quarters begin"
            account.tell("second-zero", reason, note=True)
        return Billing(
            supply=supply,
            overhead=Overhead() if self.pue is None else parse_overhead(self.pue),
            **signals,
            clock=(zero or 0.0) % QUARTER,
            battery=None if self.battery is None else parse_battery(self.battery),
        )

    def _zero(self, start_dates: Sequence[float], account: Account) -> float | None:
        """The date of second 0, if there is one; that there are others is told."""
        given = _second_zero(self.second_zero)
        log = start_dates[0] if start_dates else None
        if given is None:
            if len(dates := sorted(set(start_dates))) > 1:
                shown = ", ".join(show_time(0.0, one) for one in dates[:5])
                reason = f"the workloads begin at {shown}; signals begin at {show_time(0.0, log)}"
                account.tell("second-zero", reason, hint="--second-zero (second_zero=) says at which date")
            return log
        if log is not None and given != log:
            reason = f"signals begin at {show_time(0.0, given)}; the log begins at {show_time(0.0, log)}"
            account.tell("second-zero", reason, note=True)
        return given

    def tell_idle(self, workloads: Iterable[Workload], account: Account) -> None:
        """Jobs of logs and leases say how long they last, not what they do: hosts draw as if they did nothing."""
        kinds = {_KINDS_OF_DELAYS[kind] for one in workloads for kind in _KINDS_OF_DELAYS if isinstance(one, kind)}
        for what in sorted(kinds):
            reason = f"{what} only say how long they last: their hosts draw the watts of idle ones"
            hint = "--delays-compute (Options(delays_compute=True)): their cores count as busy"
            account.tell("idle-delays", reason, hint=hint, note=True)

    def noted(self, billing: Billing) -> Mapping[str, Any]:
        """What makes this run another than one without such an account, for ``run.json``."""
        noted: dict[str, Any] = {"pue": str(billing.overhead)}
        for name in SIGNALS:
            given, signal = getattr(self, name), getattr(billing, name)
            if signal is not None:
                noted[name] = signal.name if isinstance(given, Signal) else str(given)
                noted[f"{name}_unit"] = signal.unit
                if signal.kind:
                    noted[f"{name}_kind"] = signal.kind
        if billing.supply is not None:
            noted["supply"] = billing.supply.name or "made in Python"
        if billing.battery is not None:
            noted["battery"] = str(billing.battery)
        zero = _second_zero(self.second_zero)
        if zero is not None:
            noted["second_zero"] = datetime.fromtimestamp(zero, UTC).isoformat()
        return {"electricity": noted}


def _second_zero(given: SecondZeroLike) -> float | None:
    """Seconds since 1970 (UTC), from such a number, a date, or an ISO date (UTC unless it says otherwise).

    Raises:
        UsageError: it is none of these.
    """
    said = given
    if given is None:
        return None
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given.strip())
        except ValueError:
            raise UsageError(
                f"second_zero: {given!r:.60} is not a date", "such as 2024-01-01 or 2024-01-01T06:00+01:00"
            ) from None
    if isinstance(given, date):
        day = given if isinstance(given, datetime) else datetime(given.year, given.month, given.day, tzinfo=UTC)
        seconds = (day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp()
    else:
        seconds = float(given)
    if not _FIRST <= seconds < _LAST:
        raise UsageError(f"second_zero: {said!r:.60} is not a date between the years 1 and 9999")
    return seconds


TEXTS: Final[Mapping[str, Callable[[Any], object]]] = {
    "pue": parse_overhead,
    "battery": parse_battery,
    "second_zero": _second_zero,
}
"""What is no file, and what reads it."""


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
    first, end = (show_time(date, zero) for date in (signal.first, signal.end))
    if not signal.knows(0.0):
        raise UsageError(
            f"{signal.name} has no value at second 0 ({show_time(0.0, zero)}): its rows hold from {first} to {end}",
            "--second-zero says which date second 0 is; ?outside=hold (or year) behind the file what holds elsewhere",
        )
    if not signal.first <= 0.0 < signal.end:
        does = "holds" if signal.outside == "hold" else f"repeats every {signal.outside}"
        reason = f"{signal.name} {does} at second 0 ({show_time(0.0, zero)}): its rows hold from {first} to {end}"
        account.tell("outside-rows", reason, note=True)
    return signal
