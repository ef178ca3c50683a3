"""What state each compute host is in, and how long hosts have been in each.

Nothing here walks over hosts one by one, except over those whose power or availability changes: the time spent idle
follows from the others when it is asked for.
"""

from enum import IntEnum
from operator import attrgetter
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.state.last_changes import LastChanges
from windtunnel.model import HostPool, HostSet, Platform
from windtunnel.model.platform import column_of, kinds_of

__all__ = ["HostState", "HostStates"]


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
class HostStates:
    """State of the compute hosts (0..n-1). Storages are never given to jobs and are always idle here."""

    def __init__(self, platform: Platform, *, sharing: bool) -> None:
        self.size = len(platform.hosts)
        self.storages = len(platform.storages)
        self.sharing = sharing
        self.free = HostPool(HostSet.span(self.size))
        """Hosts that can be given to a job now: idle, or with sharing also computing."""
        self.without_jobs = HostPool(HostSet.span(self.size if sharing else 0))
        """With sharing: hosts on which no job runs, whatever their state is."""
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
