"""The compute hosts: which are free, what state each is in, and how long they have been in each.

Where hosts run one job at a time nothing here walks over hosts one by one, except over those whose power or
availability changes: the time spent idle follows from the others when it is asked for.
"""

from collections.abc import Sequence
from enum import IntEnum
from operator import attrgetter
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.state.last_changes import MANY, LastChanges
from windtunnel.engine.state.shared_hosts import Amounts, Shares
from windtunnel.model import Host, HostPool, HostSet, Platform
from windtunnel.model.demands import described_by
from windtunnel.model.platform import column_of, kinds_of

__all__ = ["HostState", "HostTable"]


class HostState(IntEnum):
    """What a host is doing (names of Batsim)."""

    SLEEPING = 0
    SWITCHING_ON = 1
    SWITCHING_OFF = 2
    IDLE = 3
    COMPUTING = 4
    UNAVAILABLE = 5


_IDLE: Final = HostState.IDLE
_COMPUTING: Final = HostState.COMPUTING


@mypyc_attr(allow_interpreted_subclasses=True)
class HostTable:
    """State of the compute hosts (0..n-1). Storages are never given to jobs and are always idle here."""

    def __init__(self, platform: Platform, *, sharing: bool) -> None:
        self.size = len(platform.hosts)
        self.storages = len(platform.storages)
        self.sharing = sharing
        self.free = HostPool(HostSet.span(self.size))
        """Hosts that can be given to a job now: idle, or with sharing also computing."""
        self.without_jobs = HostPool(HostSet.span(self.size if sharing else 0))
        """With sharing: hosts on which no job runs, whatever their state is."""
        self.crowded: dict[int, int] = {}
        """With sharing: how many jobs run on each host that has several."""
        self.shares = Shares()
        """What is taken of hosts that jobs share by amounts; such hosts are not in ``free``."""
        self._described: frozenset[str] | None = None
        self._kinds: list[tuple[HostSet, Host]] | None = None
        self.reserved = HostSet()
        """Idle hosts that are kept for running jobs, hence not in ``free``."""
        self.special: dict[int, HostState] = {}
        """Hosts that sleep, switch or are unavailable."""
        self.unavailable = HostSet()
        self.resting: dict[int, HostState] = {}
        """Of unavailable hosts that slept or switched: what they will be doing when they come back."""
        self.touched: set[int] = set()
        """Hosts whose present state does not date from the start of the one job on them: their availability changed
        under a job, or several jobs were there at a time; until the last of them leaves."""
        self.pstate: list[int] = column_of(platform.hosts, "pstate")
        self.counts: list[int] = [0, 0, 0, self.size, 0]
        """How many sleep, switch on, switch off, idle, compute (as in machine_states.csv)."""
        self.changes = LastChanges(self.size)
        self._rest(platform)
        self.times: list[float] = [0.0] * 6
        """Accumulated host-seconds by :class:`HostState`; idle time is derived (:meth:`totals`)."""

    def _rest(self, platform: Platform) -> None:
        """Hosts whose first power state is one of sleep are asleep until they are switched on."""
        if not any(map(attrgetter("sleep_pstates"), kinds_of(platform.hosts))):
            return
        self.free -= HostSet(host.id for host in platform.hosts if not host.computes_in(host.pstate))
        asleep = HostSet(host.id for host in platform.hosts if host.pstate in host.sleep_pstates)
        self.special = dict.fromkeys(asleep, HostState.SLEEPING)
        self.counts[HostState.SLEEPING] += len(asleep)
        self.counts[_IDLE] -= len(asleep)

    def kinds(self, hosts: Sequence[Host]) -> list[tuple[HostSet, Host]]:
        """The compute hosts in groups with equal cores and resources, and one host of each."""
        if self._kinds is None:
            groups: dict[tuple[object, ...], list[int]] = {}
            for host in hosts:
                groups.setdefault((host.cores, *host.resources.items()), []).append(host.id)
            self._kinds = [(HostSet(group), hosts[group[0]]) for group in groups.values()]
        return self._kinds

    def described(self, hosts: Sequence[Host]) -> frozenset[str]:
        """The resources that the site describes: what it says nothing of, no host has to give."""
        if self._described is None:
            self._described = described_by(hosts)
        return self._described

    # -- jobs ---------------------------------------------------------------------------------------------------

    def occupy(self, hosts: HostSet, now: float) -> bool:
        """A job starts on these hosts, if all can be given to it; whether it does."""
        if not self.sharing:
            if not self.free.claim(hosts):
                return False
        elif not self.free.covers(hosts):
            return False
        elif not self.without_jobs.claim(hosts):
            self._join(hosts, now)
            return True
        size = hosts.size
        counts = self.counts
        counts[3] = counts[3] - size  # compiled, augmented assignments to items are left to Python
        counts[4] = counts[4] + size
        changes = self.changes
        changes.hosts.append(hosts)
        changes.when.append(now)
        return True

    def _join(self, hosts: HostSet, now: float) -> None:
        """A job comes to hosts of which some have jobs."""
        fresh = []
        without_jobs = self.without_jobs.frozen()
        for host in hosts:
            if host in without_jobs:
                self._leave(host, _IDLE, now)
                fresh.append(host)
            else:
                self.touched.add(host)
                self.crowded[host] = self.crowded.get(host, 1) + 1
        self.without_jobs -= HostSet(fresh)
        self.counts[3] -= len(fresh)
        self.counts[4] += len(fresh)

    def release(self, hosts: HostSet, start: float, now: float) -> None:
        """A job that had these hosts since ``start`` leaves them."""
        if self.touched:
            self._release_one_by_one(hosts, now)
            return
        size = hosts.size
        counts = self.counts
        counts[3] = counts[3] + size
        counts[4] = counts[4] - size
        times = self.times
        times[4] = times[4] + size * (now - start)
        if self.sharing:
            self.without_jobs.add(hosts)
        else:
            self.free.put_back(hosts)
        changes = self.changes
        changes.hosts.append(hosts)
        changes.when.append(now)
        if len(changes.when) > MANY:
            changes.settle()

    def set_aside(self, hosts: HostSet) -> None:
        """Free hosts are kept for a job that will get them later."""
        self.free -= hosts
        self.reserved |= hosts

    def give_back(self, hosts: HostSet) -> None:
        """Hosts are no longer kept for a job; those that can compute jobs are free."""
        self.reserved -= hosts
        self.free |= HostSet(host for host in hosts if host not in self.special)

    def occupy_shares(self, hosts: HostSet, amounts: Amounts, now: float) -> None:
        """A job takes amounts, which were checked, of these hosts."""
        if self.sharing:
            self.shares.take(hosts, amounts)
            self.occupy(hosts, now)
            return
        fresh = self.shares.take(hosts, amounts)
        if fresh:
            self.free -= fresh
            self.counts[3] -= len(fresh)
            self.counts[4] += len(fresh)
            self.changes.note(fresh, now)

    def release_shares(self, hosts: HostSet, amounts: Amounts, start: float, now: float) -> None:
        """A job that had amounts of these hosts since ``start`` gives them back."""
        alone, others = self.shares.give_back_apart(hosts, amounts)
        whole = alone | others if others else alone
        if self.sharing or self.touched or self.special:
            self._release_one_by_one(hosts if self.sharing else whole, now)
            return
        if not whole:
            return
        spent = self.times[4] + alone.size * (now - start)
        if others:
            last_change = self.changes.dates()
            for first, last in others.runs:
                for since in last_change[first : last + 1]:
                    spent += now - since
        self.times[4] = spent
        self.changes.note(whole, now)
        size = whole.size
        self.counts[3] += size
        self.counts[4] -= size
        self.free.add(whole)

    def _release_one_by_one(self, hosts: HostSet, now: float) -> None:
        left = []
        freed = []
        for host in hosts:
            jobs = self.crowded.pop(host, 1) - 1
            if jobs:
                if jobs > 1:
                    self.crowded[host] = jobs
                continue
            left.append(host)
            self.touched.discard(host)
            if self.special.get(host) is None:
                self._leave(host, _COMPUTING, now)
                self.counts[3] += 1
                self.counts[4] -= 1
                freed.append(host)
        if self.sharing:
            self.without_jobs |= HostSet(left)
        else:
            self.free |= HostSet(freed)

    # -- other states -------------------------------------------------------------------------------------------

    def _leave(self, host: int, state: HostState, now: float) -> None:
        last_change = self.changes.dates()
        self.times[state] += now - last_change[host]
        last_change[host] = now

    def state(self, host: int) -> HostState:
        """What one host is doing."""
        special = self.special.get(host)
        if special is not None:
            return special
        if self.sharing:
            return _IDLE if host in self.without_jobs else _COMPUTING
        return _IDLE if host in self.free or host in self.reserved else _COMPUTING

    def _has_jobs(self, host: int) -> bool:
        """Whether a host that is or was unavailable has jobs."""
        return host in self.touched or (self.sharing and host not in self.without_jobs)

    def behind(self, host: int) -> HostState:
        """What an unavailable host would be doing were it available."""
        if self._has_jobs(host):
            return _COMPUTING
        return self.resting.get(host, _IDLE)

    def set_special(self, hosts: HostSet, state: HostState, now: float) -> None:
        """Idle (or already special) hosts begin to sleep or switch; unavailable ones will, when they come back."""
        for host in hosts:
            if host in self.unavailable:
                self.resting[host] = state
                continue
            before = self.special.get(host, _IDLE)
            self._leave(host, before, now)
            self.counts[before] -= 1
            self.counts[state] += 1
            self.special[host] = state
        self.free -= hosts

    def clear_special(self, hosts: HostSet, now: float) -> None:
        """Hosts are idle again (those that are unavailable will be)."""
        for host in hosts & self.unavailable:
            self.resting.pop(host, None)
        hosts -= self.unavailable
        for host in hosts:
            before = self.special.pop(host)
            self._leave(host, before, now)
            self.counts[before] -= 1
            self.counts[3] += 1
        self.free |= hosts

    def make_unavailable(self, hosts: HostSet, now: float) -> None:
        """Nothing new may start on these hosts; what runs there goes on."""
        for host in hosts:
            before = self.state(host)
            if before is _COMPUTING:
                self.touched.add(host)
            self._leave(host, before, now)
            if before < 5:
                self.counts[before] -= 1
            if before < _IDLE:
                self.resting[host] = before
            self.special[host] = HostState.UNAVAILABLE
        self.unavailable |= hosts
        self.free -= hosts

    def make_available(self, hosts: HostSet, now: float) -> None:
        """The hosts may be used again: idle, or computing if a job is still there."""
        idle = []
        for host in hosts:
            self._leave(host, HostState.UNAVAILABLE, now)
            del self.special[host]
            rest = self.resting.pop(host, None)
            if rest is not None:
                self.counts[rest] += 1
                self.special[host] = rest
            elif self._has_jobs(host):
                self.counts[4] += 1
            else:
                self.counts[3] += 1
                idle.append(host)
        self.unavailable -= hosts
        if self.reserved:
            idle = [host for host in idle if host not in self.reserved]
        self.free |= HostSet(h for h in hosts if h not in self.special) if self.sharing else HostSet(idle)

    def totals(self) -> dict[str, float]:
        """Host-seconds in each state up to each host's last change, as Batsim counts them."""
        times = self.times.copy()
        # Every host was in exactly one state from 0 to its last change, so the idle time is what remains.
        times[3] = sum(self.changes.dates(), 0.0) - sum(times[:3], 0.0) - times[4] - times[5]
        names = (
            "time_sleeping",
            "time_switching_on",
            "time_switching_off",
            "time_idle",
            "time_computing",
            "time_unavailable",
        )
        return dict(zip(names, times, strict=True))
