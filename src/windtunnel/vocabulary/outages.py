"""Outages that are announced before a run: maintenance and halts of hosts that the events of a site tell with dates.

A failure comes without a word, and is none of them.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

from windtunnel.model import HostSet
from windtunnel.vocabulary.notices import SimulationBegins

__all__ = ["Outages"]

Period = tuple[float, float]
"""From one date to another (s); the second is infinite for a host that never comes back."""

_ANNOUNCED: Final = ("MAINTENANCE", "HALT")


class Outages:
    """When which hosts will be away, as far as that is known beforehand."""

    def __init__(self, periods: Mapping[int, Sequence[Period]] | None = None) -> None:
        self.periods: Final = {host: tuple(sorted(known)) for host, known in (periods or {}).items() if known}
        """By host, in order of date."""

    @classmethod
    def of(cls, begins: SimulationBegins) -> "Outages":
        """Those that the lists of events of a run announce (other components than ours are not told of them)."""
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
        """When a host that is away comes back, if its outage was announced; else infinite."""
        return max((end for begin, end in self.periods.get(host, ()) if begin <= now < end), default=inf)

    def within(self, now: float, length: float) -> HostSet:
        """The hosts that go away within so many seconds, and are there now. Of an endless time nothing is known."""
        if length == inf:
            return HostSet()
        return HostSet(
            host for host, periods in self.periods.items() if any(now < begin < now + length for begin, _ in periods)
        )

    def never(self, now: float, length: float) -> HostSet:
        """The hosts that never again stay for so many seconds."""
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
