"""A battery while time passes: what it holds is a line between two changes of what it does or the site draws.

It is full or empty at a date that follows from these, so nothing is put into the calendar for it.
"""

from math import ceil, inf

from mypy_extensions import mypyc_attr

from windtunnel.engine.energy.battery_policies import CHARGING, GIVING, IDLE, policy_of
from windtunnel.engine.energy.signal_walk import SignalWalk
from windtunnel.model.battery import Battery
from windtunnel.model.billing import JOULES_PER_KWH, Billing
from windtunnel.model.signals import Signal

__all__ = ["RunningBattery"]


@mypyc_attr(allow_interpreted_subclasses=True)
class RunningBattery:
    """What it holds (J) and does; ``doing`` is one of ``IDLE``, ``CHARGING`` and ``GIVING``."""

    def __init__(self, battery: Battery, billing: Billing, date: float = 0.0) -> None:
        self.billing = billing
        self.by_price = battery.signal == "price"
        self.capacity = battery.capacity * JOULES_PER_KWH
        self.held = battery.initial * JOULES_PER_KWH
        self.charging_watts = battery.charge
        self.most_watts = inf if battery.discharge is None else battery.discharge
        self.kept = battery.charge_efficiency
        """Joules that it holds more for each one it takes."""
        self.spent = 1.0 / battery.discharge_efficiency
        """Joules that it holds less for each one it gives."""
        self.loses = self.kept < 1.0 or self.spent > 1.0
        self.grain = 1e-3 if battery.rules == "opendc" else 0.0
        """Seconds to the next multiple of which full and empty are noticed; 0: at once."""
        self.at = date
        self.rate = 0.0
        """Joules per second by which it held more up to now."""
        signal = self._signal()
        self.walk = SignalWalk(signal, date)
        self.policy = policy_of(battery)
        if battery.rules == "opendc" and self.walk.rank > 0:
            self.policy.tell(signal.values[0])
        self.policy.tell(self.walk.value)
        self.doing = IDLE
        self._decide()

    def _signal(self) -> Signal:
        signal = self.billing.price if self.by_price else self.billing.carbon
        assert signal is not None
        return signal

    def _decide(self) -> None:
        self.doing = self.policy.decide(empty=self.held <= 0.0, full=self.held >= self.capacity)

    def watts(self, site: float) -> float:
        """What it takes (W) while the site draws so many watts; negative: what it gives, never more than these."""
        if self.doing == CHARGING:
            return self.charging_watts
        return -min(site, self.most_watts) if self.doing == GIVING else 0.0

    def held_at(self, date: float) -> float:
        """Joules that it held at a date of the time that passed last."""
        return self.held - self.rate * (self.at - date)

    def pass_time(self, watts: float, until: float) -> float:
        """It takes so many watts, to ``until`` or to where that changes; returns that date."""
        self.rate = watts * self.kept if watts > 0.0 else watts * self.spent
        done = self._done()
        end = min(until, done, self.walk.until)
        self.held += self.rate * (end - self.at)
        if self.grain <= 0.0:
            if done <= end:
                self.held = self.capacity if self.rate > 0.0 else 0.0
            self.held = min(max(self.held, 0.0), self.capacity)  # to rounding, just before
        self.at = end
        changed = False
        while self.walk.until <= end:
            self.walk.advance(self._signal())
            changed |= self.walk.value != self.policy.value
            self.policy.tell(self.walk.value)
        if changed or done <= end:
            self._decide()
        return end

    def _done(self) -> float:
        """Where it is full or empty if it goes on so; ``inf``: nowhere."""
        if self.rate == 0.0:
            return inf
        seconds = (self.capacity - self.held) / self.rate if self.rate > 0.0 else self.held / -self.rate
        if self.grain > 0.0:
            return self.at + ceil(seconds / self.grain) * self.grain
        return self.at + seconds
