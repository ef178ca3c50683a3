"""The meter of a site that has a battery behind it: what the site draws from the grid, and what the battery holds."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from windtunnel.engine.energy.running_battery import RunningBattery
from windtunnel.engine.energy.site_meter import SiteMeter, Stored
from windtunnel.model.battery import Battery
from windtunnel.model.bill import Bill
from windtunnel.model.billing import Billing

__all__ = ["BatteryMeter"]


@mypyc_attr(allow_interpreted_subclasses=True)
class BatteryMeter(SiteMeter):
    """Time passes in pieces, in each of which the battery does one thing."""

    def __init__(self, billing: Billing, battery: Battery, hosts: int = 0) -> None:
        super().__init__(billing, hosts)
        self.battery = RunningBattery(battery, billing)
        self.now.held = self.battery.held

    def pass_time(self, machines: float, since: float, until: float, hooks: Sequence[Callable[..., None]]) -> None:
        """The machines draw so many watts from ``since`` to ``until``.

        Raises:
            SimulationError: a signal is not known there.
        """
        self.known(since, until)  # all of it passes, or nothing
        battery = self.battery
        parts = self.watts(machines)
        while since < until:
            taken = battery.watts(parts[3])
            end = battery.pass_time(taken, until)
            self.now.held = battery.held
            if end > since:
                self.draw((parts[0], parts[1], parts[2], parts[3], parts[3] + taken), since, end, hooks)
            since = end

    def stored(self, end: float) -> Stored | None:
        """What the battery took and gave in the present quarter of an hour, and holds at its end."""
        one = self.quarter
        return one.charged, one.given, self.battery.held_at(end)

    def bill(self) -> Bill:
        """What was drawn and stored between the begin and the end of the account."""
        first, last = self.first, self.last
        charged, given = last.charged - first.charged, last.given - first.given
        return replace(
            super().bill(),
            battery_charged_joules=charged,
            battery_given_joules=given,
            battery_losses_joules=charged - given - (last.held - first.held) if self.battery.loses else 0.0,
            battery_begin_joules=first.held,
            battery_end_joules=last.held,
        )
