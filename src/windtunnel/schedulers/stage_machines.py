"""What a stage scheduler knows of its machines: what is free on each, and which one a policy takes.

Machines are kept in pools by their free cores, and those that nobody uses by their cores, so that a placement costs
the number of different core counts rather than the number of machines (unless a job asks for more than cores).
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from math import ceil
from typing import Final

import msgspec

from windtunnel.model import Host, HostPool, HostSet
from windtunnel.model.demands import described_by
from windtunnel.model.stage import PlacementPolicy

__all__ = ["Machines", "Need"]

Amounts = Mapping[int, Mapping[str, float]]


class Need(msgspec.Struct, frozen=True):
    """What a job needs of each of ``hosts`` machines. ``whole``: nobody else may be there.

    ``processors``: how many it needs in all, where the same can be had in other parts on more machines (else 0).
    """

    hosts: int
    cores: float
    others: tuple[tuple[str, float], ...] = ()
    whole: bool = False
    processors: int = 0


class _Levels:
    """Machines in pools, by level."""

    def __init__(self) -> None:
        self.total = 0.0
        """The sum of all machines' levels."""
        self._pools: dict[float, HostPool] = {}

    def add(self, machines: HostSet, level: float) -> None:
        """Put machines, which are nowhere, on a level."""
        pool = self._pools.get(level)
        if pool is None:
            pool = self._pools[level] = HostPool()
        pool |= machines
        self.total += level * len(machines)

    def remove(self, machines: HostSet, level: float) -> None:
        """Take machines off their level."""
        pool = self._pools[level]
        pool -= machines
        self.total -= level * len(machines)
        if not pool:
            del self._pools[level]

    def from_level(self, least: float) -> list[tuple[float, HostPool]]:
        """The pools from a level on, ascending."""
        return sorted((level, pool) for level, pool in self._pools.items() if level >= least) if self._pools else []


class Machines:
    """The machines of a stage scheduler; numbers are those of the hosts."""

    def __init__(self, hosts: Sequence[Host], stream: random.Random) -> None:
        self.hosts: Final = {host.id: host for host in hosts}
        self.described: Final = described_by(hosts)
        self._sizes = sorted((host.cores for host in hosts), reverse=True)
        self._groups = {size: HostSet(h.id for h in hosts if h.cores == size) for size in set(self._sizes)}
        self._stream = stream
        self._possible: dict[Need, bool] = {}
        self._free = {host.id: {"cores": float(host.cores), **host.resources} for host in hosts}
        self._shares = dict.fromkeys(self.hosts, 0)
        self._held: set[int] = set()
        """Machines that a job has whole."""
        self._down: set[int] = set()
        self._by_free = _Levels()
        self._unused = _Levels()
        self._last = -1
        for size, group in self._groups.items():
            self._by_free.add(group, float(size))
            self._unused.add(group, float(size))

    @property
    def most_cores(self) -> int:
        """The cores of the largest machine."""
        return self._sizes[0] if self._sizes else 0

    @property
    def free_cores(self) -> float:
        """The free cores of all machines that are up."""
        return self._by_free.total

    def possible(self, need: Need, *, without: HostSet | None = None) -> bool:
        """Whether an empty site (``without`` some machines) could ever satisfy a need."""
        if without:
            able = (host for number, host in self.hosts.items() if number not in without)
            return sum(self._could(host, need) for host in able) >= need.hosts
        if not need.others:
            sizes = self._sizes
            return need.hosts <= len(sizes) and (not need.hosts or sizes[need.hosts - 1] >= need.cores)
        known = self._possible.get(need)
        if known is None:
            fitting = sum(self._could(host, need) for host in self.hosts.values())
            known = self._possible[need] = fitting >= need.hosts
        return known

    def why_not(self, need: Need) -> str:
        """Why an empty site could never satisfy a need."""
        if need.hosts > len(self.hosts):
            return f"asks for {need.hosts} machines, there are {len(self.hosts)}"
        what = " and ".join(f"{size:g} {name}" for name, size in (("cores", need.cores), *need.others) if size)
        fitting = sum(self._could(host, need) for host in self.hosts.values())
        return f"asks for {need.hosts} x {what}, of which {fitting} machines have so much"

    def _could(self, host: Host, need: Need) -> bool:
        return host.cores >= need.cores and all(host.resources.get(name, 0.0) >= size for name, size in need.others)

    def fills(self, cores: float) -> bool:
        """Whether so many cores are all that each machine has."""
        return bool(self._sizes) and self._sizes[0] == self._sizes[-1] == cores

    def spreads(self, cores: int) -> list[int]:
        """On how many machines so many cores can go in equal parts, fewest first ([1] if that is impossible).

        On more machines than the last of these no other machine could help: the parts fit the smallest one.
        """
        sizes = self._sizes
        counts = []
        for count in range(max(1, ceil(cores / self.most_cores)), len(sizes) + 1) if sizes else ():
            part = ceil(cores / count)
            if sizes[count - 1] >= part:
                counts.append(count)
                if part <= sizes[-1]:
                    break
        return counts or [1]

    def bound(self, need: Need) -> float:
        """So many cores must be free at least to satisfy a need."""
        return need.hosts * (need.cores or self._sizes[-1])

    # -- taking -------------------------------------------------------------------------------------------------

    def take(self, need: Need, placement: PlacementPolicy) -> tuple[HostSet, Amounts | None] | None:
        """Take what is needed, or None if it is not there: the machines, and what of each (None: all of it)."""
        chosen = self._choose(need, placement)
        if chosen is None:
            return None
        hosts, self._last = chosen
        if need.whole:
            self._held.update(hosts)
            for size, part in self._by_size(hosts):
                self._by_free.remove(part, size)
                self._unused.remove(part, size)
            return hosts, None
        taken = {"cores": need.cores, **dict(need.others)}
        for machine in hosts:
            self._move(machine, taken, +1)
        return hosts, dict.fromkeys(hosts, taken)

    def give_back(self, hosts: HostSet, amounts: Amounts | None) -> None:
        """A job has left."""
        if amounts is not None:
            for machine in hosts:
                self._move(machine, amounts[machine], -1)
            return
        self._held.difference_update(hosts)
        back = hosts - HostSet(self._down.intersection(hosts)) if self._down else hosts
        for size, part in self._by_size(back):
            self._by_free.add(part, size)
            self._unused.add(part, size)

    def set_down(self, hosts: Iterable[int], *, down: bool) -> None:
        """Machines take no work any more, or again."""
        for machine in hosts:
            if down == (machine in self._down):
                continue
            if machine not in self._held:
                self._list(machine, listed=not down)
            if down:
                self._down.add(machine)
            else:
                self._down.discard(machine)

    @contextmanager
    def without(self, machines: HostSet) -> Iterator[None]:
        """For a moment, as if some machines were not there."""
        away = [machine for machine in machines if machine not in self._down]
        self.set_down(away, down=True)
        try:
            yield
        finally:
            self.set_down(away, down=False)

    def _by_size(self, hosts: HostSet) -> list[tuple[float, HostSet]]:
        """Machines by their cores."""
        if len(self._groups) == 1:
            return [(float(self._sizes[0]), hosts)] if hosts else []
        parts = ((float(size), hosts & group) for size, group in self._groups.items())
        return [(size, part) for size, part in parts if part]

    def _list(self, machine: int, *, listed: bool) -> None:
        """Put a machine into the pools, or take it out."""
        one = HostSet.span(1, machine)
        change = _Levels.add if listed else _Levels.remove
        change(self._by_free, one, self._free[machine]["cores"])
        if not self._shares[machine]:
            change(self._unused, one, float(self.hosts[machine].cores))

    def _move(self, machine: int, taken: Mapping[str, float], sign: int) -> None:
        """A job takes a part of a machine (+1) or gives it back (-1)."""
        if machine not in self._down:
            self._list(machine, listed=False)
        self._shares[machine] += sign
        free = self._free[machine]
        if self._shares[machine]:
            for name, amount in taken.items():
                free[name] -= sign * amount
        else:  # no rounding errors stay behind
            host = self.hosts[machine]
            free.update(cores=float(host.cores), **host.resources)
        if machine not in self._down:
            self._list(machine, listed=True)

    # -- choosing -----------------------------------------------------------------------------------------------

    def _choose(self, need: Need, placement: PlacementPolicy) -> tuple[HostSet, int] | None:
        """The machines for a need, and the one that was chosen last."""
        pools = (self._unused if need.whole else self._by_free).from_level(need.cores)
        if need.others:
            pools = self._with_others(pools, need)
        if sum(len(pool) for _, pool in pools) < need.hosts:
            return None
        if placement in {PlacementPolicy.BEST_FIT, PlacementPolicy.WORST_FIT}:
            return _pick_level_by_level(pools if placement is PlacementPolicy.BEST_FIT else pools[::-1], need.hosts)
        if need.hosts == 1 and placement is PlacementPolicy.FIRST_FIT:
            first = min(one.first for _, pool in pools if (one := pool.pick(1)))
            return HostSet.span(1, first), first
        if len(pools) == 1:
            fitting = pools[0][1]
        else:
            fitting = HostPool()
            for _, pool in pools:
                fitting |= pool.frozen()
        if placement is PlacementPolicy.FIRST_FIT:
            hosts = fitting.pick(need.hosts)
            assert hosts is not None
            return hosts, hosts.last if hosts else self._last
        if (
            placement is PlacementPolicy.RANDOM
        ):  # in order of their numbers: chance does not depend on how they are kept
            ordered = fitting.frozen()
            chosen = [ordered[rank] for rank in self._stream.sample(range(len(ordered)), need.hosts)]
        else:
            ordered = fitting.frozen()
            later = ordered - HostSet.span(self._last + 1)
            chosen = list(islice((*islice(later, need.hosts), *islice(ordered, need.hosts)), need.hosts))
        return HostSet(chosen), chosen[-1] if chosen else self._last

    def _with_others(self, pools: list[tuple[float, HostPool]], need: Need) -> list[tuple[float, HostPool]]:
        """The pools, without machines that lack anything but cores."""
        free = self._free
        return [
            (
                level,
                HostPool(
                    HostSet(
                        machine
                        for machine in pool
                        if all(free[machine].get(name, 0.0) >= amount for name, amount in need.others)
                    )
                ),
            )
            for level, pool in pools
        ]


def _pick_level_by_level(pools: list[tuple[float, HostPool]], count: int) -> tuple[HostSet, int]:
    """So many machines, all of one pool before any of the next."""
    chosen = HostSet()
    last = -1
    for _, pool in pools:
        part = pool.pick(min(count - len(chosen), len(pool)))
        if part:
            chosen |= part
            last = part.last
        if len(chosen) == count:
            break
    return chosen, last
