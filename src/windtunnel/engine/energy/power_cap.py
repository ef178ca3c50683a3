"""What machines draw above a power cap."""

from typing import Final

from windtunnel.model.signals import Signal

__all__ = ["above"]

_ROUNDING: Final = 1e-9
"""Watts that are larger by this share are equal: those of a site are sums."""


def above(cap: Signal, watts: float, since: float, until: float) -> tuple[float, float, float]:
    """Seconds and joules above a cap of machines that draw so many watts, and by how many watts at most.

    Raises:
        SimulationError: the cap is not known there.
    """
    seconds = joules = most = 0.0
    for end in [*cap.steps(since, until), until]:
        over = watts - cap.at(since)
        if over > _ROUNDING * watts:
            seconds += end - since
            joules += over * (end - since)
            most = max(most, over)
        since = end
    return seconds, joules, most
