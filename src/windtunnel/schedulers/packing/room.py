"""What is free of each host: hosts that nobody uses, and what is left of those that jobs share."""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Self

from mypy_extensions import mypyc_attr

from windtunnel.model import HostPool, HostSet
from windtunnel.model.demands import Demands, Need
from windtunnel.vocabulary import Mirror

__all__ = ["Room", "Spare", "lowest_of", "union", "without"]

Spare = dict[int, dict[str, float]]
"""What of some hosts may be used; all of any other."""

_NONE = HostSet()


def union(sets: Iterable[HostSet]) -> HostSet:
    """The hosts that are in any of these sets."""
    known = tuple(sets)
    if all(one.small for one in known):
        return HostSet.of_bits(reduce(or_, [one.bits for one in known], 0))
    return HostSet(host for one in known for host in one)


def lowest_of(able: HostSet, count: int, *preferred: HostSet) -> HostSet:
    """So many hosts: the lowest of those that are preferred first, and so on, then the lowest of all others."""
    chosen = _NONE
    for group in (*preferred, able):
        part = (able & group) - chosen
        chosen |= part if len(chosen) + len(part) <= count else part.lowest(count - len(chosen))
        if len(chosen) == count:
            break
    return chosen


@mypyc_attr(allow_interpreted_subclasses=True)
class Room:
    """What is free, as it stands in the mirror of the site; which hosts can hold what is kept up to date."""

    def __init__(self, demands: Demands, free: HostPool, left: dict[int, dict[str, float]], absent: HostSet) -> None:
        self.demands = demands
        self.free = free
        """Hosts that nobody has a part of."""
        self.left = left
        """What is left of hosts that jobs share."""
        self.absent = absent
        self._able: dict[Need, tuple[int, HostSet]] = {}
        """By need: the hosts that can hold a part, as it was when so many changes had been noted."""
        self._changes: list[HostSet] = []
        """The hosts of which something was taken or given back, as far as that was noted."""
        self._since: dict[int, HostSet] = {}
        """Those that were noted since there were so many changes, once somebody has asked."""
        self._in_parts: tuple[int, HostSet] | None = None
        """The hosts of which jobs have parts, as it was when so many changes had been noted."""

    @classmethod
    def now(cls, site: Mirror, demands: Demands) -> Self:
        """What is free now; it changes with the mirror, and is told so (:meth:`note`)."""
        return cls(demands, site.free, site.shares.left, site.absent)

    def note(self, hosts: HostSet) -> None:
        """Something of these hosts was taken or given back."""
        self._changes.append(hosts)
        self._since.clear()

    def _changed(self, since: int) -> HostSet:
        found = self._since.get(since)
        if found is None:
            found = self._since[since] = union(self._changes[since:])
        return found

    def parts(self, need: Need) -> HostSet:
        """The hosts that can hold a part of a job; those that have changed are looked at again."""
        count = len(self._changes)
        known = self._able.get(need)
        if known is not None and known[0] == count:
            return known[1]
        fitting = self.demands.fitting(need)
        since, able = (0, _NONE) if known is None else known
        changed = fitting if known is None else self._changed(since) & fitting
        left = self.left
        shared = [host for host in changed if host in left]
        holding = HostSet([host for host in shared if need.within(left[host])]) - self.absent
        able = (able - changed) | (changed & self.free.frozen()) | holding
        self._able[need] = count, able
        return able

    def in_parts(self) -> HostSet:
        """The hosts of which jobs have parts."""
        count = len(self._changes)
        if self._in_parts is None:
            found = HostSet(self.left)
        else:
            since, found = self._in_parts
            if since == count:
                return found
            changed = self._changed(since)
            found = (found - changed) | HostSet([host for host in changed if host in self.left])
        self._in_parts = count, found
        return found

    def holds(self, need: Need) -> bool:
        """Whether there is enough for a job now."""
        return len(self.able(need)) >= need.hosts

    def able(self, need: Need, spare: Spare | None = None) -> HostSet:
        """The hosts that can hold their part of a job."""
        able = self.free.frozen() & self.demands.fitting(need) if need.whole else self.parts(need)
        if spare:
            able -= HostSet([host for host, left in spare.items() if need.whole or not need.within(left)])
        return able

    def choose(self, need: Need, *preferred: HostSet, spare: Spare | None = None) -> HostSet | None:
        """Hosts for a job, if there are enough: of those that are preferred, then those in use, the lowest."""
        able = self.able(need, spare)
        if len(able) < need.hosts:
            return None
        return lowest_of(able, need.hosts, *preferred, self.in_parts())

    def of(self, host: int) -> dict[str, float]:
        """What is left of a host."""
        left = self.left.get(host)
        return self.demands.whole(host) if left is None else left.copy()


def without(left: Mapping[str, float], need: Need) -> dict[str, float]:
    """What is left when a job has taken its part."""
    rest = dict(left)
    for name, amount in need.amounts:
        rest[name] = rest.get(name, 0.0) - amount
    return rest
