"""Outages announced before a run: maintenance and halts of hosts whose times are given in the events of a site.

Failures are not announced, and so are not included.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

from windtunnel.model import HostSet
from windtunnel.vocabulary.notices import SimulationBegins

__all__ = ["Outages"]

Period = tuple[float, float]
"""Start and end (s); the end is infinite for a host that never returns."""

_ANNOUNCED: Final = ("MAINTENANCE", "HALT")


class Outages:
    """Which hosts will be unavailable and when, as far as is known beforehand."""

    def __init__(self, periods: Mapping[int, Sequence[Period]] | None = None) -> None:
        self.periods: Final = {host: tuple(sorted(known)) for host, known in (periods or {}).items() if known}
        """By host, in order of time."""

    @classmethod
    def of(cls, begins: SimulationBegins) -> "Outages":
        """The outages announced in the event lists of a run (only our own components get them)."""
        found: dict[int, list[Period]] = {}
        for events in begins.event_lists:
            since: dict[int, float] = {}
            for event in events.events:
                if event.kind != "machine_state":
                    continue
                state = event.attributes.get("state")
                for host in event.hosts:
                    if state in _ANNOUNCED:
                        since.setdefault(host, event.timestamp)
                    elif state == "ACTIVE" and host in since:
                        found.setdefault(host, []).append((since.pop(host), event.timestamp))
            for host, begin in since.items():
                found.setdefault(host, []).append((begin, inf))
        return cls(found)

    def __bool__(self) -> bool:
        return bool(self.periods)

    def back(self, host: int, now: float) -> float:
        """When an unavailable host returns, if its outage was announced; otherwise infinite."""
        return max((end for begin, end in self.periods.get(host, ()) if begin <= now < end), default=inf)

    def within(self, now: float, length: float) -> HostSet:
        """The available hosts that become unavailable within the given number of seconds; none if it is infinite."""
        if length == inf:
            return HostSet()
        return HostSet(
            host for host, periods in self.periods.items() if any(now < begin < now + length for begin, _ in periods)
        )

    def never(self, now: float, length: float) -> HostSet:
        """The hosts that will never again be available for the given number of seconds."""
        return HostSet(
            host
            for host, periods in self.periods.items()
            if _longest(periods, now) < (0.0 if length == inf else length)
        )


def _longest(periods: Sequence[Period], now: float) -> float:
    """For how many seconds, at most, a host stays from now on."""
    longest, since = -1.0, now
    for begin, end in periods:
        if begin > since:
            longest = max(longest, begin - since)
        since = max(since, end)
    return longest if since == inf else inf
