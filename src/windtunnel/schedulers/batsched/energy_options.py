"""What batsched's energy schedulers are told of power, switching and the queue."""

from fractions import Fraction
from typing import Annotated

from msgspec import Meta, Struct

from windtunnel.schedulers.orders import QueueOrder

__all__ = ["EnergyOptions", "NonNegative", "PositiveSeconds", "Seconds"]

NonNegative = Annotated[float, Meta(ge=0)]
Watts = Annotated[float, Meta(gt=0, description="in watts")]
Joules = Annotated[float, Meta(gt=0, description="in joules")]
PositiveSeconds = Annotated[float, Meta(gt=0, description="in seconds")]
Seconds = Annotated[float, Meta(ge=0, description="in seconds")]


class EnergyOptions(Struct, frozen=True, kw_only=True):
    """What switching and running cost: watts, joules and seconds, and the power states to switch to."""

    power_compute: Watts
    power_idle: Watts
    power_sleep: Watts
    pstate_compute: Annotated[int, Meta(ge=0)]
    pstate_sleep: Annotated[int, Meta(ge=0)]
    time_switch_on: PositiveSeconds
    time_switch_off: PositiveSeconds
    energy_switch_on: Joules
    energy_switch_off: Joules
    ensured_sleep_time_lower_bound: Seconds = 0.0
    ensured_sleep_time_upper_bound: Seconds = 1e8
    queue_order: QueueOrder = "fcfs"
    rjms_delay: Seconds = 5.0

    def ensured_sleep(self) -> float:
        """For how long a host must sleep to save what switching it costs, within the bounds."""
        switching = Fraction(self.time_switch_on) + Fraction(self.time_switch_off) + 2 * Fraction(self.rjms_delay)
        spent = Fraction(self.energy_switch_on) + Fraction(self.energy_switch_off)
        idle, sleep = Fraction(self.power_idle), Fraction(self.power_sleep)
        worth = (switching * idle - spent) / (sleep - idle)
        low, high = Fraction(self.ensured_sleep_time_lower_bound), Fraction(self.ensured_sleep_time_upper_bound)
        return float(min(max(worth, low), high))
