"""What is free of each host at a date: hosts that nobody uses, and what is left of those that jobs share."""

from collections.abc import Iterable, Mapping
from typing import Self

from windtunnel.model import HostPool, HostSet
from windtunnel.model.demands import Demands, Need
from windtunnel.vocabulary import Mirror, Running
from windtunnel.vocabulary.held import Held

__all__ = ["Room", "Spare", "lowest_of"]

Spare = dict[int, dict[str, float]]
"""What of some hosts may be used; all of any other."""

_NONE = HostSet()


def lowest_of(able: HostSet, count: int, *preferred: HostSet) -> HostSet:
    """So many hosts: the lowest of those that are preferred first, and so on, then the lowest of all others."""
    chosen = _NONE
    for group in (*preferred, able):
        part = (able & group) - chosen
        chosen |= part if len(chosen) + len(part) <= count else part.lowest(count - len(chosen))
        if len(chosen) == count:
            break
    return chosen


class Room:
    """What is free, as it stands in the mirror of the site (``now``), or as it will be (``later``)."""

    def __init__(
        self,
        demands: Demands,
        free: HostPool,
        left: dict[int, dict[str, float]],
        absent: HostSet,
        jobs: dict[int, int],
    ) -> None:
        self.demands = demands
        self.free = free
        """Hosts that nobody has a part of."""
        self.left = left
        """What is left of hosts that jobs share."""
        self.absent = absent
        self._jobs = jobs
        """How many jobs have a part of each of these hosts."""

        self._able: dict[Need, tuple[int, set[int]]] = {}
        """By need: the hosts that can hold a part, as it was when so many changes had been noted."""
        self._changes: list[int] = []
        """The hosts of which something was taken or given back, as far as that was noted."""

    @classmethod
    def now(cls, site: Mirror, demands: Demands) -> Self:
        """What is free now; it changes with the mirror, and is told so (:meth:`note`)."""
        return cls(demands, site.free, site.shares.left, site.absent, {})

    def note(self, hosts: HostSet) -> None:
        """Something of these hosts was taken or given back."""
        self._changes.extend(hosts)

    @classmethod
    def later(cls, site: Mirror, demands: Demands) -> Self:
        """The same to be changed, for asking what will be free."""
        left = {host: rest.copy() for host, rest in site.shares.left.items()}
        jobs = {host: len(taken) for host, taken in site.shares.taken.items()}
        return cls(demands, site.free.copy(), left, site.absent, jobs)

    def _hosts_for(self, need: Need) -> set[int]:
        """The hosts that can hold a part; those that have changed are looked at again."""
        known = self._able.get(need)
        if known is None:
            changed: Iterable[int] = self.demands.fitting(need)
            able: set[int] = set()
        else:
            since, able = known
            changed = set(self._changes[since:])
        left, free = self.left, self.free
        for host in changed:
            rest = left.get(host)
            if rest is None:
                there = host in free and host in self.demands.fitting(need)
            else:
                there = need.within(rest) and host not in self.absent
            if there:
                able.add(host)
            else:
                able.discard(host)
        self._able[need] = len(self._changes), able
        return able

    def holds(self, need: Need) -> bool:
        """Whether there is enough for a job now."""
        if need.whole:
            return len(self.able(need)) >= need.hosts
        return len(self._hosts_for(need)) >= need.hosts

    def able(self, need: Need, spare: Spare | None = None) -> HostSet:
        """The hosts that can hold their part of a job."""
        able = self.free.frozen() & self.demands.fitting(need) if need.whole else HostSet(self._hosts_for(need))
        if spare:
            able -= HostSet(host for host, left in spare.items() if need.whole or not need.within(left))
        return able

    def choose(self, need: Need, *preferred: HostSet, spare: Spare | None = None) -> HostSet | None:
        """Hosts for a job, if there are enough: of those that are preferred, then those in use, the lowest."""
        able = self.able(need, spare)
        if len(able) < need.hosts:
            return None
        return lowest_of(able, need.hosts, *preferred, HostSet(self.left) if self.left else _NONE)

    def give_back(self, held: Held) -> HostSet:
        """Something that was held ends; its hosts, as far as they are there."""
        hosts = held.hosts - self.absent if isinstance(held, Running) else held.hosts
        self.note(hosts)
        amounts = held.amounts if isinstance(held, Running) else None
        if amounts is None:
            self.free.add(hosts)
            return hosts
        for host in hosts:
            self._jobs[host] -= 1
            if self._jobs[host]:
                left = self.left[host]
                for name, amount in amounts.get(host, {}).items():
                    left[name] = left.get(name, 0.0) + amount
            else:
                del self._jobs[host], self.left[host]
                self.free.add(HostSet.span(1, host))
        return hosts

    def of(self, host: int) -> dict[str, float]:
        """What is left of a host."""
        left = self.left.get(host)
        return self.demands.whole(host) if left is None else left.copy()

    def take(self, need: Need, hosts: HostSet) -> None:
        """A job comes to these hosts."""
        idle = hosts - HostSet(self.left) if self.left else hosts
        self.free.remove(idle)
        self.note(hosts)
        if need.whole:
            return
        for host in hosts:
            self.left[host] = without(self.of(host), need)
            self._jobs[host] = self._jobs.get(host, 0) + 1


def without(left: Mapping[str, float], need: Need) -> dict[str, float]:
    """What is left when a job has taken its part."""
    rest = dict(left)
    for name, amount in need.amounts:
        rest[name] = rest.get(name, 0.0) - amount
    return rest
