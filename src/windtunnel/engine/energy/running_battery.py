"""A battery while time passes: what it holds is a line between two changes of what it does and the site draws.

It is full or empty at a date that follows from these, so nothing is put into the calendar for it.
"""

from math import ceil, inf

from mypy_extensions import mypyc_attr

from windtunnel.engine.energy.battery_policies import CHARGING, GIVING, IDLE, Policy, policy_of
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
        self.doing = IDLE
        self.policy: Policy | None = None
        """None: it takes what the site generates beyond its consumption, and gives what it lacks."""
        self.walk: SignalWalk | None = None
        if battery.policy != "surplus":
            self._follow(battery, date)

    def _follow(self, battery: Battery, date: float) -> None:
        """It does as a policy says of a signal."""
        signal = self._signal()
        self.walk = walk = SignalWalk(signal, date)
        self.policy = policy = policy_of(battery)
        if battery.rules == "opendc" and walk.rank > 0:
            policy.tell(signal.values[0])
        policy.tell(walk.value)
        self.doing = self._decided(policy)

    def _signal(self) -> Signal:
        signal = self.billing.price if self.by_price else self.billing.carbon
        assert signal is not None
        return signal

    def _decided(self, policy: Policy) -> int:
        return policy.decide(empty=self.held <= 0.0, full=self.held >= self.capacity)

    def watts(self, lacking: float) -> float:
        """What it takes (W) while the site draws so many watts more than it generates; below 0: what it gives.

        It never gives more than these.
        """
        if self.policy is None:
            return self._of_surplus(lacking)
        if self.doing == CHARGING:
            return self.charging_watts
        return -min(max(lacking, 0.0), self.most_watts) if self.doing == GIVING else 0.0

    def _of_surplus(self, lacking: float) -> float:
        self.doing = IDLE
        if lacking > 0.0 and self.held > 0.0:
            self.doing = GIVING
            return -min(lacking, self.most_watts)
        if lacking < 0.0 and self.held < self.capacity:
            self.doing = CHARGING
            return min(-lacking, self.charging_watts)
        return 0.0

    def held_at(self, date: float) -> float:
        """Joules that it held at a date of the time that passed last."""
        return self.held - self.rate * (self.at - date)

    def pass_time(self, watts: float, until: float) -> float:
        """It takes so many watts, to ``until`` or to where that changes; returns that date."""
        self.rate = watts * self.kept if watts > 0.0 else watts * self.spent
        done = self._done()
        walk, policy = self.walk, self.policy
        end = min(until, done, inf if walk is None else walk.until)
        self.held += self.rate * (end - self.at)
        if self.grain <= 0.0:
            if done <= end:
                self.held = self.capacity if self.rate > 0.0 else 0.0
            self.held = min(max(self.held, 0.0), self.capacity)  # to rounding, just before
        self.at = end
        if walk is not None and policy is not None:
            changed = False
            while walk.until <= end:
                walk.advance(self._signal())
                changed |= walk.value != policy.value
                policy.tell(walk.value)
            if changed or done <= end:
                self.doing = self._decided(policy)
        return end

    def _done(self) -> float:
        """Where it is full or empty if it goes on so; ``inf``: nowhere."""
        if self.rate == 0.0:
            return inf
        seconds = (self.capacity - self.held) / self.rate if self.rate > 0.0 else self.held / -self.rate
        if self.grain > 0.0:
            return self.at + ceil(seconds / self.grain) * self.grain
        return self.at + seconds
