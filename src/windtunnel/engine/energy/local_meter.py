"""The meter of a site that generates electricity or has a battery: what it takes from the grid and gives to it.

What is generated is consumed first. What is missing the battery gives, if it does, and else the grid; of what is left
the battery takes what it takes, and the rest goes to the grid.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.engine.energy.running_battery import RunningBattery
from windtunnel.engine.energy.signal_walk import SignalWalk
from windtunnel.engine.energy.site_meter import SiteMeter, Sources, Stored
from windtunnel.model.bill import Bill
from windtunnel.model.billing import Billing

__all__ = ["LocalMeter"]


@mypyc_attr(allow_interpreted_subclasses=True)
class LocalMeter(SiteMeter):
    """Time passes in pieces, in each of which as much is generated, and the battery does one thing."""

    def __init__(self, billing: Billing, hosts: int = 0) -> None:
        super().__init__(billing, hosts)
        self.battery = None if billing.battery is None else RunningBattery(billing.battery, billing)
        self.generated = None if billing.generation is None else SignalWalk(billing.generation, 0.0)
        if self.battery is not None:
            self.now.held = self.battery.held

    def check_signals(self, since: float, until: float) -> None:
        """Look whether it is known what is generated, too."""
        super().check_signals(since, until)
        if self.billing.generation is not None:
            self.billing.generation.integral(since, until)

    def pass_time(self, machines: float, since: float, until: float, hooks: Sequence[Callable[..., None]]) -> None:
        """The machines draw so many watts from ``since`` to ``until``.

        Raises:
            SimulationError: a signal is not known there.
        """
        self.known(since, until)  # all of it passes, or nothing
        consumed, battery, walk = self.watts(machines), self.battery, self.generated
        site = consumed[3]
        while since < until:
            generated, end = 0.0, until
            if walk is not None:
                generated, end = walk.value, min(until, walk.until)
            taken = 0.0
            if battery is not None:
                taken = battery.watts(site - generated)
                end = battery.pass_time(taken, end)
                self.now.held = battery.held
            if end > since:
                parts = (*consumed[:4], site + taken - generated, taken, generated)
                self.draw(parts, since, end, hooks)
            if walk is not None and self.billing.generation is not None and walk.until <= end:
                walk.advance(self.billing.generation)
            since = end

    def stored(self, end: float) -> Stored | None:
        """What the battery took and gave in the present quarter of an hour, and holds at its end."""
        one = self.quarter
        return None if self.battery is None else (one.charged, one.given, self.battery.held_at(end))

    def sources(self) -> Sources | None:
        """What was generated, exported and paid for that in the present quarter of an hour."""
        one = self.quarter
        return None if self.generated is None else (one.generated, one.exported, one.revenue)

    def bill(self) -> Bill:
        """What was drawn, generated and stored between the begin and the end of the account."""
        first, last = self.first, self.last
        bill = super().bill()
        if self.generated is not None:
            bill = replace(
                bill,
                generated_joules=last.generated - first.generated,
                exported_joules=last.exported - first.exported,
                revenue=None if self.billing.export_price is None else last.revenue - first.revenue,
            )
        if self.battery is None:
            return bill
        charged, given = last.charged - first.charged, last.given - first.given
        return replace(
            bill,
            battery_charged_joules=charged,
            battery_given_joules=given,
            battery_losses_joules=charged - given - (last.held - first.held) if self.battery.loses else 0.0,
            battery_begin_joules=first.held,
            battery_end_joules=last.held,
        )
