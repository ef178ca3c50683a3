"""How a host sleeps, as far as a scheduler can know: by the platform, or by the property that a wire forwards."""

from collections.abc import Mapping
from contextlib import suppress

from windtunnel.model import Host

__all__ = ["can_compute", "sleep_states"]


def sleep_states(host: Host) -> Mapping[int, tuple[int, int]]:
    """The power states in which a host sleeps, with the virtual ones it goes through: while switched off, and on.

    Behind Batsim 4 only the text of the property ``sleep_pstates`` is told (``asleep:off:on``, with commas between).
    """
    text = host.properties.get("sleep_pstates", "") if not host.sleep_pstates else ""
    if not text:
        return host.sleep_pstates
    states: dict[int, tuple[int, int]] = {}
    for entry in text.split(","):
        with suppress(ValueError):
            asleep, off, on = map(int, entry.split(":"))
            states[asleep] = off, on
    return states


def can_compute(host: Host, state: int) -> bool:
    """Whether a power state is one for computing: the host neither sleeps in it nor is on its way."""
    states = sleep_states(host)
    return state not in states and not any(state in pair for pair in states.values())
