"""What is taken of which host when, as far as that is foreseen: running jobs, reservations, outages.

For schedulers that look at particular hosts, because jobs ask for parts of them or because outages are announced.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

from windtunnel.model.demands import Demands, Need
from windtunnel.vocabulary import Outages
from windtunnel.vocabulary.held import Amounts

__all__ = ["HostPlan", "Slot"]

_SLACK: Final = 1e-9
"""Amounts that are equal on paper may differ by this share of what a host has."""


class Slot(NamedTuple):
    """A time during which something is taken of a host."""

    begin: float
    end: float
    amounts: Mapping[str, float] | None = None
    """None: all of it."""
    outage: bool = False
    """An endless job does not look at outages to come: nobody knows whether it would still be there."""


class HostPlan:
    """What is taken of each host from now on."""

    def __init__(self, demands: Demands, outages: Outages) -> None:
        self._demands = demands
        self._slots: dict[int, list[Slot]] = {
            host: [Slot(begin, end, outage=True) for begin, end in periods]
            for host, periods in outages.periods.items()
        }

    def take(self, hosts: Iterable[int], begin: float, end: float, amounts: Amounts | None) -> None:
        """Something takes amounts of hosts (None: all of them) from one date to another (s)."""
        for host in hosts:
            slot = Slot(begin, end, None if amounts is None else amounts.get(host, {}))
            self._slots.setdefault(host, []).append(slot)

    def give_back(self, hosts: Iterable[int], begin: float, end: float, amounts: Amounts | None) -> None:
        """The opposite."""
        for host in hosts:
            self._slots[host].remove(Slot(begin, end, None if amounts is None else amounts.get(host, {})))

    def close(self, hosts: Iterable[int], begin: float, end: float) -> None:
        """Hosts are away from one date to another."""
        for host in hosts:
            self._slots.setdefault(host, []).append(Slot(begin, end, outage=True))

    def begin(self, host: int, need: Need, length: float, now: float) -> float:
        """From which date on, not before ``now``, a host can meet a need for so long; infinite if never."""
        slots = self._slots.get(host)
        if not slots:
            return now
        date = now
        while date < inf:
            later = self._obstacle(slots, self._demands.whole(host), need, date, length)
            if later is None:
                return date
            date = later
        return inf

    def _obstacle(
        self, slots: Sequence[Slot], whole: Mapping[str, float], need: Need, date: float, length: float
    ) -> float | None:
        """If a need cannot be met from a date on: the first date at which what is in its way is less."""
        stop = date + length
        moments = {date, *(slot.begin for slot in slots if date < slot.begin < stop)}
        for moment in sorted(moments):
            there = [
                slot
                for slot in slots
                if slot.begin <= moment < slot.end and not (slot.outage and length == inf and slot.begin > date)
            ]
            if not there:
                continue
            full = need.whole or any(slot.amounts is None for slot in there)
            for name, amount in () if full else need.amounts:
                taken = sum((slot.amounts or {}).get(name, 0.0) for slot in there)
                if taken + amount > whole.get(name, 0.0) * (1 + _SLACK):
                    full = True
                    break
            if full:
                return min(slot.end for slot in there)
        return None

    def find(self, need: Need, length: float, now: float) -> tuple[float, list[int]]:
        """The earliest date at which enough hosts can meet a need for so long, and all that can then."""
        dates = {host: self.begin(host, need, length, now) for host in self._demands.fitting(need)}
        if not need.hosts:
            return now, []
        while True:
            order = sorted(dates.values())
            if len(order) < need.hosts or order[need.hosts - 1] == inf:
                return inf, []
            date = order[need.hosts - 1]
            fitting = []
            for host, known in dates.items():
                if known < date:
                    dates[host] = self.begin(host, need, length, date)
                if dates[host] <= date:
                    fitting.append(host)
            if len(fitting) >= need.hosts:
                return date, fitting
