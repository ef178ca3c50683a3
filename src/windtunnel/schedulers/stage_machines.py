"""An index of the machines of a stage scheduler by what is free on each, and which one a policy takes.

What is free is in the mirror of the site. Here machines are in pools by their free cores, and those that nobody uses
by their cores, so that a placement costs the number of different core counts rather than the number of machines
(unless a job asks for more than cores).
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final

from windtunnel.model import HostPool, HostSet, Job
from windtunnel.model.stage import PlacementPolicy
from windtunnel.schedulers.stage_needs import Need
from windtunnel.vocabulary import ExecuteJob, Mirror, Running

__all__ = ["Machines"]

_NOBODY: Final = HostSet()


class _Levels:
    """Machines in pools, by level."""

    def __init__(self) -> None:
        self.total = 0.0
        """The sum of all machines' levels."""
        self._pools: dict[float, HostPool] = {}

    def add(self, machines: HostSet, level: float) -> None:
        """Put machines on a level; some may be there already."""
        pool = self._pools.get(level)
        if pool is None:
            pool = self._pools[level] = HostPool()
        before = pool.size
        pool.add(machines)
        self.total += level * (pool.size - before)

    def remove(self, machines: HostSet, level: float) -> None:
        """Take machines off a level, as far as they are there."""
        pool = self._pools.get(level)
        if pool is None:
            return
        before = pool.size
        pool.remove(machines)
        self.total -= level * (before - pool.size)
        if not pool.size:
            del self._pools[level]

    def from_level(self, least: float) -> list[tuple[float, HostPool]]:
        """The pools from a level on, ascending."""
        return sorted((level, pool) for level, pool in self._pools.items() if level >= least) if self._pools else []


class Machines:
    """The machines of a site, as its mirror shows them; numbers are those of the hosts."""

    def __init__(self, site: Mirror, stream: random.Random) -> None:
        hosts = self.hosts = site.hosts
        self._site = site
        sizes = sorted((host.cores for host in hosts), reverse=True)
        self._groups = {size: HostSet(h.id for h in hosts if h.cores == size) for size in set(sizes)}
        self._stream = stream
        self._partly: dict[int, float] = {}
        """On which level machines stand of which jobs have parts."""
        self._by_free = _Levels()
        self._unused = _Levels()
        self._last = -1
        self.changed(HostSet.span(len(hosts)))

    @property
    def free_cores(self) -> float:
        """The free cores of all machines that are up."""
        return self._by_free.total

    # -- taking -------------------------------------------------------------------------------------------------

    def take(self, job: Job, need: Need, placement: PlacementPolicy) -> ExecuteJob | None:
        """The decision that a job starts now, noted, on what it needs; None if that is not there."""
        chosen = self._choose(need, placement)
        if chosen is None:
            return None
        hosts, self._last = chosen
        part = {"cores": need.cores, **dict(need.others)}
        amounts = None if need.whole else dict.fromkeys(hosts, part)
        self._site.start(job, hosts, amounts)
        if not self._shifted(hosts):
            self._list(hosts, _NOBODY)
        return ExecuteJob(job_id=job.id, hosts=hosts, amounts=amounts)

    def changed(self, hosts: HostSet) -> None:
        """Something has happened to machines: the mirror of the site says what is free there now."""
        if self._shifted(hosts):
            return
        free = self._site.free
        self._list(hosts, hosts if free.covers(hosts) else free.frozen() & hosts)

    def could_take(self, running: Running) -> bool:
        """Whether all that is known of the site allows a job to run where the engine has refused to start it."""
        if running.amounts is None:
            return self._site.free.covers(running.hosts)
        return all(
            self._site.left_of(host).get(name, 0.0) >= amount
            for host, amounts in running.amounts.items()
            for name, amount in amounts.items()
        )

    @contextmanager
    def without(self, machines: HostSet) -> Iterator[None]:
        """For a moment, as if some machines were not there."""
        for machine in machines:
            level = self._partly.pop(machine, None)
            if level is not None:
                self._by_free.remove(HostSet.span(1, machine), level)
        for size, part in self._by_size(machines):
            self._by_free.remove(part, size)
            self._unused.remove(part, size)
        try:
            yield
        finally:
            self.changed(machines)

    def _by_size(self, hosts: HostSet) -> list[tuple[float, HostSet]]:
        """Machines by their cores."""
        if len(self._groups) == 1:
            return [(float(size), hosts) for size in self._groups] if hosts else []
        parts = ((float(size), hosts & group) for size, group in self._groups.items())
        return [(size, part) for size, part in parts if part]

    def _list(self, hosts: HostSet, unused: HostSet) -> None:
        """Put machines into the pools that are theirs now; ``unused`` are those of them that can be had whole."""
        partly, shared = self._partly, self._site.shares.left
        if partly:
            for machine in hosts:
                level = partly.pop(machine, None)
                if level is not None:
                    self._by_free.remove(HostSet.span(1, machine), level)
        for size, part in self._by_size(hosts):
            free = part & unused if unused else unused
            if free.size < part.size:
                used = part - free
                self._by_free.remove(used, size)
                self._unused.remove(used, size)
            if free:
                self._by_free.add(free, size)
                self._unused.add(free, size)
        if not shared:
            return
        absent = self._site.absent
        for machine in hosts:
            left = shared.get(machine)
            if left is not None and machine not in absent:
                level = partly[machine] = left["cores"]
                self._by_free.add(HostSet.span(1, machine), level)

    def _shifted(self, hosts: HostSet) -> bool:
        """The common case: one machine, of which another part is taken than before. Whether it was that."""
        if hosts.size != 1 or self._site.absent:
            return False
        machine = hosts.first
        before, left = self._partly.get(machine), self._site.shares.left.get(machine)
        if before is None or left is None:
            return False
        level = self._partly[machine] = left["cores"]
        self._by_free.remove(hosts, before)
        self._by_free.add(hosts, level)
        return True

    # -- choosing -----------------------------------------------------------------------------------------------

    def _choose(self, need: Need, placement: PlacementPolicy) -> tuple[HostSet, int] | None:
        """The machines for a need, and the one that was chosen last."""
        pools = (self._unused if need.whole else self._by_free).from_level(need.cores)
        if need.others:
            pools = [(level, self._with_others(pool, need)) for level, pool in pools]
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

    def _with_others(self, pool: HostPool, need: Need) -> HostPool:
        """A pool, without machines that lack anything but cores."""
        shared, hosts = self._site.shares.left, self.hosts
        return HostPool(
            HostSet(
                machine
                for machine in pool
                for left in (shared.get(machine) or hosts[machine].resources,)
                if all(left.get(name, 0.0) >= amount for name, amount in need.others)
            )
        )


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
