"""The meter of a whole site: what its machines and its facility draw, what that emits and costs.

The watts of the machines are constant between two changes, and so is what the facility adds; carbon and price are
integrals of signals over such spans. All of it is exact, and nothing is put into the calendar for it.
"""

from collections.abc import Callable, Sequence
from math import floor

from mypy_extensions import mypyc_attr

from windtunnel.engine.energy.power_cap import above
from windtunnel.model.bill import Bill
from windtunnel.model.billing import JOULES_PER_KWH, JOULES_PER_MWH, QUARTER, Billing
from windtunnel.model.signal_units import currency_of

__all__ = ["Capped", "Reading", "SiteMeter", "Sources", "Stored", "Watts"]

Watts = tuple[float, float, float, float, float, float, float]
"""Of machines, devices of the supply, all that is supplied (these and the losses), and the site; of the grid (below
0: what it gets), what a battery takes (below 0: gives), and what is generated."""

Stored = tuple[float, float, float]
"""Joules that a battery took and gave, and held in the end."""

Sources = tuple[float, float, float]
"""Joules that were generated and exported, and what was paid for the latter."""

Capped = tuple[float, float]
"""The integral of the power cap (J), and the joules of the machines above it."""

Integrals = tuple[float, float, float, float, float]
"""Of carbon, price and the price of exports; seconds and joules above the power cap."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Reading:
    """What a meter shows: joules of machines, devices, all that is supplied, the site and the grid; grams, cost."""

    def __init__(self) -> None:
        self.machines = 0.0
        self.devices = 0.0
        self.supplied = 0.0
        self.site = 0.0
        self.grid = 0.0
        self.grams = 0.0
        self.cost = 0.0
        self.charged = 0.0
        self.given = 0.0
        """Joules that a battery took and gave, at the meter of the site."""
        self.held = 0.0
        """Joules in it now."""
        self.generated = 0.0
        self.exported = 0.0
        self.revenue = 0.0
        self.over_seconds = 0.0
        self.over_joules = 0.0
        """Above the power cap."""

    def add(self, seconds: float, watts: Watts, integrals: Integrals) -> None:
        """So many seconds have passed at these watts, with these integrals of signals over them."""
        machines, devices, supplied, site, grid, taken, generated = watts
        carbon, price, paid, over_seconds, over_joules = integrals
        self.over_seconds += over_seconds
        self.over_joules += over_joules
        self.machines += machines * seconds
        self.devices += devices * seconds
        self.supplied += supplied * seconds
        self.site += site * seconds
        if grid >= 0.0:
            self.grid += grid * seconds
            self.grams += grid * carbon / JOULES_PER_KWH
            self.cost += grid * price / JOULES_PER_MWH
        else:
            self.exported -= grid * seconds
            self.revenue -= grid * paid / JOULES_PER_MWH
        self.generated += generated * seconds
        if taken > 0.0:
            self.charged += taken * seconds
        else:
            self.given -= taken * seconds

    def copy(self) -> "Reading":
        """What it shows now."""
        new = Reading()
        new.machines, new.devices, new.supplied, new.site = self.machines, self.devices, self.supplied, self.site
        new.grid, new.grams, new.cost = self.grid, self.grams, self.cost
        new.charged, new.given, new.held = self.charged, self.given, self.held
        new.generated, new.exported, new.revenue = self.generated, self.exported, self.revenue
        new.over_seconds, new.over_joules = self.over_seconds, self.over_joules
        return new


@mypyc_attr(allow_interpreted_subclasses=True)
class SiteMeter:
    """Reads on while time passes (:meth:`pass_time`); keeps what it showed at the begin and end of the account."""

    def __init__(self, billing: Billing, hosts: int = 0) -> None:
        self.billing = billing
        self.chain = None if billing.supply is None else billing.supply.chain(hosts)
        self.dark = 0
        """Machines that are switched off and draw nothing."""
        self.now = Reading()
        self.first = Reading()
        self.last = Reading()
        self.began = 0.0
        self.ended = 0.0
        """When ``first`` and ``last`` were read (s)."""
        self.failed = False
        """A signal has ended: what is read from then on is not known."""
        self.peak = -1.0
        """Highest mean (W) of a whole quarter that is over; below 0: there was none."""
        self.peak_at_last = -1.0
        self.worst = 0.0
        """By how many watts the machines exceeded their cap, at most."""
        self.worst_at_last = 0.0
        self.quarter = Reading()
        """The present quarter of an hour."""
        self.quarter_began = 0.0
        self.whole = billing.clock == 0.0
        """Whether the present quarter is metered from its beginning."""
        self.next_quarter = QUARTER - billing.clock

    def integrals(self, since: float, until: float) -> tuple[float, float]:
        """Of carbon (g/kWh·s) and price (currency/MWh·s) from ``since`` to ``until``; 0 without the signal.

        Raises:
            SimulationError: a signal is not known there.
        """
        billing = self.billing
        carbon = 0.0 if billing.carbon is None else billing.carbon.integral(since, until)
        price = 0.0 if billing.price is None else billing.price.integral(since, until)
        return carbon, price

    def known(self, since: float, until: float) -> None:
        """Look whether all signals are known in a time that passes: if one is not, the meter has failed.

        Raises:
            SimulationError: a signal is not known there.
        """
        try:
            self.check_signals(since, until)
            self.integrals(since, until)
        except BaseException:
            self.failed = True
            raise

    def check_signals(self, since: float, until: float) -> None:
        """Look whether signals are known that may not be needed.

        Raises:
            SimulationError: one is not.
        """
        for signal in (self.billing.export_price, self.billing.power_cap):
            if signal is not None:
                signal.integral(since, until)

    def all_integrals(self, watts: Watts, since: float, until: float) -> Integrals:
        """What :meth:`Reading.add` wants to know of the time from ``since`` to ``until``."""
        carbon, price = self.integrals(since, until)
        sold, cap = self.billing.export_price, self.billing.power_cap
        paid = 0.0 if sold is None or watts[4] >= 0.0 else sold.integral(since, until)
        over = (0.0, 0.0, 0.0) if cap is None else above(cap, watts[0], since, until)
        self.worst = max(self.worst, over[2])
        return carbon, price, paid, over[0], over[1]

    def pass_time(self, machines: float, since: float, until: float, hooks: Sequence[Callable[..., None]]) -> None:
        """The machines draw so many watts from ``since`` to ``until``.

        Raises:
            SimulationError: a signal is not known there.
        """
        self.draw(self.watts(machines), since, until, hooks)

    def draw(self, watts: Watts, since: float, until: float, hooks: Sequence[Callable[..., None]]) -> None:
        """The same watts from ``since`` to ``until``.

        Raises:
            SimulationError: a signal is not known there.
        """
        self.known(since, until)
        integrals = self.all_integrals(watts, since, until)
        self.now.add(until - since, watts, integrals)
        if until < self.next_quarter:
            self.quarter.add(until - since, watts, integrals)
        else:
            self._over_quarters(watts, since, until, hooks)

    def watts(self, machines: float) -> Watts:
        """What is drawn where, when machines draw so many watts."""
        devices, supplied = 0.0, machines
        if self.chain is not None:
            supplied, devices = self.chain.watts(machines, self.dark)
        site = supplied + self.billing.overhead.watts(supplied)
        return machines, devices, supplied, site, site, 0.0, 0.0

    def _over_quarters(
        self, watts: Watts, since: float, until: float, hooks: Sequence[Callable[..., None]]
    ) -> None:
        """The same watts to the end of this quarter at least, and perhaps over many."""
        while until >= self.next_quarter:
            end = self.next_quarter
            self.quarter.add(end - since, watts, self.all_integrals(watts, since, end))
            if self.whole:
                self.peak = max(self.peak, self.quarter.grid / QUARTER)
            self.tell(end, hooks)
            self.quarter, self.quarter_began, self.whole = Reading(), end, True
            self.next_quarter = end + QUARTER
            since = end
            if not hooks and until >= end + 2 * QUARTER:  # nobody asks for each of them
                many = floor((until - end) / QUARTER)
                self.peak = max(self.peak, watts[4], 0.0)
                since = self.quarter_began = end + many * QUARTER
                self.next_quarter = since + QUARTER
        if until > since:
            self.quarter.add(until - since, watts, self.all_integrals(watts, since, until))

    def tell(self, end: float, hooks: Sequence[Callable[..., None]]) -> None:
        """A quarter, or what the run has of it, is over."""
        one = self.quarter
        if end <= self.quarter_began:
            return
        integrals = self.integrals(self.quarter_began, end)
        carbon = None if self.billing.carbon is None else (integrals[0], one.grams)
        price = None if self.billing.price is None else (integrals[1], one.cost)
        cap = self.billing.power_cap
        capped = None if cap is None else (cap.integral(self.quarter_began, end), one.over_joules)
        for hook in hooks:
            joules = (one.machines, one.devices, one.supplied, one.site)
            hook(self.quarter_began, end, joules, carbon, price, self.stored(end), self.sources(), capped)

    def stored(self, end: float) -> Stored | None:  # noqa: ARG002
        """What a battery took and gave in this quarter of an hour, and holds at its end; None: there is none."""
        return None

    def sources(self) -> Sources | None:
        """What was generated and exported in this quarter of an hour, and paid for it; None: nothing is."""
        return None

    def begin(self, now: float) -> None:
        """The account begins."""
        self.first = self.now.copy()
        self.worst = 0.0
        self.began = now
        self.end(now)

    def end(self, now: float) -> None:
        """The account ends, as far as is known."""
        self.last = self.now.copy()
        self.ended = now
        self.peak_at_last = self.peak
        self.worst_at_last = self.worst

    def bill(self) -> Bill:
        """What was drawn between the begin and the end of the account."""
        first, last = self.first, self.last
        machines, devices = last.machines - first.machines, last.devices - first.devices
        supplied, site = last.supplied - first.supplied, last.site - first.site
        grid, seconds = last.grid - first.grid, self.ended - self.began
        mean = grid / seconds if seconds > 0.0 else 0.0
        peak = self.peak_at_last if self.peak_at_last >= 0.0 else mean
        carbon, price = self.billing.carbon, self.billing.price
        priced = price or self.billing.export_price
        grams = None if carbon is None else last.grams - first.grams
        capped = self.billing.power_cap is not None
        return Bill(
            machines_joules=machines,
            devices_joules=devices,
            losses_joules=supplied - machines - devices if self.chain is not None else 0.0,
            overhead_joules=site - supplied,
            site_joules=site,
            grid_joules=grid,
            pue=site / supplied if supplied > 0.0 else None,
            peak_watts=peak,
            carbon_g=grams,
            carbon_kind="" if carbon is None else carbon.kind,
            cue=None if grams is None or supplied <= 0.0 else grams / 1000.0 / (supplied / JOULES_PER_KWH),
            cost=None if price is None else last.cost - first.cost,
            currency="" if priced is None else currency_of(priced.unit),
            cap_excess_joules=last.over_joules - first.over_joules if capped else None,
            cap_excess_seconds=last.over_seconds - first.over_seconds if capped else None,
            cap_excess_watts=self.worst_at_last if capped else None,
        )
