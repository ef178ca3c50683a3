"""The planner's times: whole hundredths of a second (ticks), so that sums are exact, as Haizea's are."""

from typing import Final

from windtunnel.diagnostics import SimulationError

__all__ = ["FOREVER", "TICKS", "ceil_second", "ticks", "uncountable"]

TICKS: Final = 100
"""Ticks in a second."""
FOREVER: Final = 1 << 60
"""Later than everything that is planned."""


def ticks(seconds: float) -> int:
    """Seconds as ticks, rounded to the nearest.

    Raises:
        SimulationError: they are more than can be counted.
    """
    try:
        return round(seconds * TICKS)
    except OverflowError:
        raise uncountable(seconds) from None


def uncountable(*seconds: float | None) -> SimulationError:
    """The error of times of which one is more than can be counted."""
    largest = max([one for one in seconds if one is not None])
    return SimulationError(f"leases cannot be planned for {largest:g} s, in hundredths of a second")


def ceil_second(ticks: int) -> int:
    """Rounded up to a whole second."""
    return -(-ticks // TICKS) * TICKS
