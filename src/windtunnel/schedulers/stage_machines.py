"""What a stage scheduler knows of its machines: what is free on each, and which one a policy takes.

Machines are kept by their free cores, and whole ones by their cores, so that a placement costs the number of
different core counts rather than the number of machines (unless a job asks for more than cores).
"""

import random
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from heapq import merge
from itertools import chain, islice
from typing import Final

import msgspec

from windtunnel.model import Host, HostSet
from windtunnel.model.stage import Placement

__all__ = ["Machines", "Need"]

Amounts = Mapping[int, Mapping[str, float]]


class Need(msgspec.Struct, frozen=True):
    """What a job needs of each of ``hosts`` machines. ``whole``: nobody else may be there."""

    hosts: int
    cores: float
    others: tuple[tuple[str, float], ...] = ()
    whole: bool = False


class _Levels:
    """Machines sorted into levels, each level in order of their numbers."""

    def __init__(self) -> None:
        self.total = 0.0
        self._of: dict[int, float] = {}
        self._at: dict[float, list[int]] = {}

    def __contains__(self, machine: int) -> bool:
        return machine in self._of

    def put(self, machine: int, level: float) -> None:
        """Move a machine to a level."""
        if self._of.get(machine) == level:
            return
        self.drop(machine)
        self._of[machine] = level
        self.total += level
        insort(self._at.setdefault(level, []), machine)

    def drop(self, machine: int) -> None:
        """Take a machine out, if it is in."""
        level = self._of.pop(machine, None)
        if level is not None:
            self.total -= level
            members = self._at[level]
            del members[bisect_left(members, machine)]
            if not members:
                del self._at[level]

    def levels(self, least: float) -> list[float]:
        """The levels from ``least`` on, ascending."""
        return sorted(level for level in self._at if level >= least)

    def members(self, level: float) -> list[int]:
        """The machines of a level."""
        return self._at[level]


class Machines:
    """The machines of a stage scheduler; numbers are those of the hosts."""

    def __init__(self, hosts: Sequence[Host], stream: random.Random) -> None:
        self.hosts: Final = {host.id: host for host in hosts}
        self.most_cores: Final = max((host.cores for host in hosts), default=0)
        self._sizes = sorted((host.cores for host in hosts), reverse=True)
        self._stream = stream
        self._possible: dict[Need, bool] = {}
        self._free = {host.id: {"cores": float(host.cores), **host.resources} for host in hosts}
        self._shares = dict.fromkeys(self.hosts, 0)
        self._down: set[int] = set()
        self._by_free = _Levels()
        self._whole = _Levels()
        self._last = -1
        for host in hosts:
            self._sort_in(host.id)

    def possible(self, need: Need) -> bool:
        """Whether an empty site could ever satisfy a need."""
        known = self._possible.get(need)
        if known is None:
            fitting = sum(self._could(host, need) for host in self.hosts.values())
            known = self._possible[need] = fitting >= need.hosts
        return known

    def fills(self, cores: float) -> bool:
        """Whether so many cores are all that each machine has."""
        return bool(self._sizes) and self._sizes[0] == self._sizes[-1] == cores

    def spread(self, cores: int) -> int:
        """On how many machines so many cores go in equal parts: as few as are possible (1 if that is impossible)."""
        for count, size in enumerate(self._sizes, 1):
            if size * count >= cores:
                return count
        return 1

    def _could(self, host: Host, need: Need) -> bool:
        return host.cores >= need.cores and all(host.resources.get(name, 0.0) >= size for name, size in need.others)

    def bound(self, need: Need) -> float:
        """So many cores must be free at least to satisfy a need."""
        return need.hosts * (need.cores or self._sizes[-1])

    @property
    def free_cores(self) -> float:
        """The free cores of all machines that are up."""
        return self._by_free.total

    # -- taking -------------------------------------------------------------------------------------------------

    def take(self, need: Need, placement: Placement) -> tuple[HostSet, Amounts | None] | None:
        """Take what is needed, or None if it is not there: the machines, and what of each (None: all of it)."""
        chosen = self._choose(need, placement)
        if chosen is None:
            return None
        amounts = None if need.whole else {m: {"cores": need.cores, **dict(need.others)} for m in chosen}
        hosts = HostSet(chosen)
        for machine in hosts:
            self._shares[machine] += 1
            taken = self._everything(machine) if amounts is None else amounts[machine]
            free = self._free[machine]
            for name, amount in taken.items():
                free[name] -= amount
            self._sort_in(machine)
        self._last = chosen[-1]
        return hosts, amounts

    def give_back(self, hosts: Iterable[int], amounts: Amounts | None) -> None:
        """A job has left."""
        for machine in hosts:
            self._shares[machine] -= 1
            free = self._free[machine]
            if not self._shares[machine]:
                free.update(self._everything(machine))  # no rounding errors stay behind
            elif amounts is not None:
                for name, amount in amounts[machine].items():
                    free[name] += amount
            self._sort_in(machine)

    def set_down(self, hosts: Iterable[int], *, down: bool) -> None:
        """Machines take no work any more, or again."""
        for machine in hosts:
            if down:
                self._down.add(machine)
            else:
                self._down.discard(machine)
            self._sort_in(machine)

    def _everything(self, machine: int) -> dict[str, float]:
        host = self.hosts[machine]
        return {"cores": float(host.cores), **host.resources}

    def _sort_in(self, machine: int) -> None:
        if machine in self._down:
            self._by_free.drop(machine)
            self._whole.drop(machine)
            return
        self._by_free.put(machine, self._free[machine]["cores"])
        if self._shares[machine]:
            self._whole.drop(machine)
        else:
            self._whole.put(machine, self.hosts[machine].cores)

    # -- choosing -----------------------------------------------------------------------------------------------

    def _choose(self, need: Need, placement: Placement) -> list[int] | None:
        """The machines for a need, in the order of the policy."""
        levels = self._whole if need.whole else self._by_free
        if not need.others:
            return self._plain(levels, need, placement)
        fitting = [
            (level, machine)
            for level in levels.levels(need.cores)
            for machine in levels.members(level)
            if all(self._free[machine].get(name, 0.0) >= amount for name, amount in need.others)
        ]
        if len(fitting) < need.hosts:
            return None
        if placement is Placement.RANDOM:
            fitting.sort(key=lambda pair: pair[1])
            return [machine for _, machine in self._stream.sample(fitting, need.hosts)]
        fitting.sort(key=lambda pair: self._rank(pair, placement))
        return [machine for _, machine in fitting[: need.hosts]]

    def _plain(self, levels: _Levels, need: Need, placement: Placement) -> list[int] | None:
        """The same where cores are all that counts."""
        if need.hosts == 1:
            one = self._one(levels, need.cores, placement)
            return None if one is None else [one]
        known = levels.levels(need.cores)
        if sum(len(levels.members(level)) for level in known) < need.hosts:
            return None
        if placement in {Placement.BEST_FIT, Placement.WORST_FIT}:
            ordered = known if placement is Placement.BEST_FIT else reversed(known)
            return list(islice(chain.from_iterable(map(levels.members, ordered)), need.hosts))
        by_number = merge(*map(levels.members, known))
        if placement is Placement.FIRST_FIT:
            return list(islice(by_number, need.hosts))
        machines = list(by_number)
        if placement is Placement.RANDOM:
            return self._stream.sample(machines, need.hosts)
        at = bisect_right(machines, self._last)
        return (machines[at:] + machines[:at])[: need.hosts]

    def _rank(self, pair: tuple[float, int], placement: Placement) -> tuple[float, int]:
        level, machine = pair
        if placement is Placement.BEST_FIT:
            return level, machine
        if placement is Placement.WORST_FIT:
            return -level, machine
        if placement is Placement.NEXT_FIT:
            return float(machine <= self._last), machine
        return 0.0, machine

    def _one(self, levels: _Levels, cores: float, placement: Placement) -> int | None:
        known = levels.levels(cores)
        if not known:
            return None
        if placement is Placement.BEST_FIT:
            return levels.members(known[0])[0]
        if placement is Placement.WORST_FIT:
            return levels.members(known[-1])[0]
        if placement is Placement.RANDOM:
            rank = self._stream.randrange(sum(len(levels.members(level)) for level in known))
            # In order of their numbers, so that chance does not depend on how they are kept.
            return next(islice(merge(*map(levels.members, known)), rank, None))
        after = self._last + 1 if placement is Placement.NEXT_FIT else 0
        return _first_from(levels, known, after) if after else min(levels.members(level)[0] for level in known)


def _first_from(levels: _Levels, known: list[float], after: int) -> int:
    """The first machine from a number on, round about."""
    best = lowest = None
    for level in known:
        members = levels.members(level)
        lowest = members[0] if lowest is None else min(lowest, members[0])
        at = bisect_left(members, after)
        if at < len(members):
            best = members[at] if best is None else min(best, members[at])
    found = lowest if best is None else best
    assert found is not None
    return found
