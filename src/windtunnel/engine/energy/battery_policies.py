"""When a battery charges and gives, by a signal: the policies of OpenDC (power-carbon.md 2.2).

A policy is told each row of the signal. It decides anew where the value changes, or the battery is full or empty.
"""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.battery import Battery

__all__ = ["CHARGING", "GIVING", "IDLE", "Policy", "policy_of"]

IDLE: Final = 0
CHARGING: Final = 1
GIVING: Final = -1


@mypyc_attr(allow_interpreted_subclasses=True)
class Policy:
    """What a battery is to do at the value that it was told last."""

    def __init__(self) -> None:
        self.value = 0.0

    def tell(self, value: float) -> None:
        """A row of the signal begins."""
        self.value = value

    def gives(self) -> bool:
        """Whether the battery gives, if it is not empty."""
        raise NotImplementedError

    def charges(self) -> bool:
        """Whether it charges, if it is not full and does not give."""
        raise NotImplementedError

    def decide(self, *, empty: bool, full: bool) -> int:
        """One of ``IDLE``, ``CHARGING`` and ``GIVING``."""
        if not empty and self.gives():
            return GIVING
        return CHARGING if not full and self.charges() else IDLE


@mypyc_attr(allow_interpreted_subclasses=True)
class OneThreshold(Policy):
    """``single``: it gives from the threshold on, and charges below."""

    def __init__(self, threshold: float) -> None:
        super().__init__()
        self.threshold = threshold

    def gives(self) -> bool:
        """From the threshold on."""
        return self.value >= self.threshold

    def charges(self) -> bool:
        """Below it."""
        return self.value < self.threshold


@mypyc_attr(allow_interpreted_subclasses=True)
class TwoThresholds(Policy):
    """``double``: it gives above the upper one, and charges below the lower one."""

    def __init__(self, lower: float, upper: float) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper

    def gives(self) -> bool:
        """Above the upper one."""
        return self.value > self.upper

    def charges(self) -> bool:
        """Below the lower one."""
        return self.value < self.lower


@mypyc_attr(allow_interpreted_subclasses=True)
class RunningMean(Policy):
    """``runningMean``: the threshold is the mean of the last values, the present one among them.

    ``rising`` (``runningMeanPlus``): it charges only if moreover the value is not below the one before.
    """

    def __init__(self, size: int, first: float | None, *, rising: bool) -> None:
        super().__init__()
        self.size = size
        self.values = [] if first is None else [first]
        self.rising = rising

    def tell(self, value: float) -> None:
        """It takes the place of the oldest one when there are as many as may be."""
        super().tell(value)
        if len(self.values) == self.size:
            self.values.pop(0)
        self.values.append(value)

    def gives(self) -> bool:
        """From the mean on."""
        return self.value >= sum(self.values) / len(self.values)

    def charges(self) -> bool:
        """Below it."""
        if self.rising and len(self.values) > 1 and self.value < self.values[-2]:
            return False
        return self.value < sum(self.values) / len(self.values)


def policy_of(battery: Battery) -> Policy:
    """The policy that a battery has, before it is told anything."""
    if battery.policy == "single":
        assert battery.threshold is not None
        return OneThreshold(battery.threshold)
    if battery.policy == "double":
        assert battery.lower is not None
        assert battery.upper is not None
        return TwoThresholds(battery.lower, battery.upper)
    assert battery.window is not None
    return RunningMean(battery.window, battery.threshold, rising=battery.policy == "runningMeanPlus")
