"""EASY backfilling on a machine whose idle hosts sleep."""

from bisect import insort
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model import Host, HostSet
from windtunnel.schedulers.easy import Easy
from windtunnel.schedulers.orders import QueueOrder
from windtunnel.schedulers.site import Held
from windtunnel.vocabulary import (
    AllStaticJobsHaveBeenSubmitted,
    CallMeLater,
    Decision,
    DecisionRefused,
    HostsBecameAvailable,
    HostsTurnedOnOff,
    Notice,
    OneShot,
    Reply,
    RequestedCall,
    ResourceStateChanged,
    SimulationBegins,
    TurnOnOffHosts,
)

__all__ = ["EnergyIdleSleeper"]


class EnergyIdleSleeper(Easy):
    """EASY; a host that was idle for ``idle_time`` seconds is switched off, and on again when waiting jobs need it.

    No host is switched off while a job waits, and ``keep_awake`` hosts without work stay awake. Hosts are switched on
    as soon as the waiting jobs together ask for more hosts than are free or on their way; the reservation counts with
    those that are on their way. How hosts sleep, and how long switching takes, is what the platform says of each.

    Raises (while running):
        UsageError: no host of the platform can sleep.
    """

    name = "energy-idle-sleeper"

    def __init__(
        self,
        *,
        idle_time: Annotated[float, msgspec.Meta(ge=0)] = 300.0,
        keep_awake: Annotated[int, msgspec.Meta(ge=0)] = 0,
        queue_order: QueueOrder = "fcfs",
    ) -> None:
        self.idle_time = idle_time
        self.keep_awake = keep_awake
        super().__init__(queue_order=queue_order)

    def _reset(self) -> None:
        super()._reset()
        self._now = 0.0
        self._about: tuple[Host, ...] = ()
        self._asleep = HostSet()
        self._coming = 0  # hosts that are being switched on
        self._moving: dict[tuple[int, ...], str] = {}  # hosts that switch -> how they are held
        self._since: list[float] = []  # by host: since when it is idle, if it is
        self._idle: deque[tuple[float, HostSet]] = deque()  # hosts that were freed, by date
        self._called = False
        self._last = False

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """As EASY does; then see which hosts are to be switched."""
        self._now = now
        reply = super().decide(now, notices)
        decisions = list(reply.decisions)
        if self._queue.count:
            self._wake(now, decisions)
        else:
            self._sleep(now, decisions)
        return Reply(reply.now, decisions)

    def _take_in(self, notice: Notice, decisions: list[Decision]) -> bool:
        if isinstance(notice, HostsTurnedOnOff | ResourceStateChanged):
            return self._arrived_at(notice.hosts, notice.state)
        if isinstance(notice, DecisionRefused) and isinstance(notice.decision, TurnOnOffHosts):
            held = self._moving.pop(tuple(notice.decision.hosts), None)
            return held is not None and self._forget(held)
        if isinstance(notice, AllStaticJobsHaveBeenSubmitted):
            self._last = True
        elif isinstance(notice, RequestedCall):
            self._called = False
        changed = super()._take_in(notice, decisions)
        if isinstance(notice, SimulationBegins):
            self._begin(notice.platform.hosts)
        elif isinstance(notice, HostsBecameAvailable):
            self._pool -= self._asleep  # the base thinks that whoever has no job is free
            self._note_idle(notice.hosts)
        return changed

    def _begin(self, hosts: tuple[Host, ...]) -> None:
        if not any(host.sleep_pstates for host in hosts):
            raise UsageError(
                "energy-idle-sleeper: no host of this platform can be switched off",
                'give hosts a property such as <prop id="sleep_pstates" value="1:2:3"/>: asleep, off, on',
            )
        self._about = hosts
        self._asleep = HostSet(host.id for host in hosts if host.pstate in host.sleep_pstates)
        self._pool -= self._asleep
        self._since = [0.0] * len(hosts)
        self._note_idle(HostSet(host.id for host in hosts) - self._asleep)

    # -- what is idle -------------------------------------------------------------------------------------------

    def _released(self, held: Held) -> None:
        super()._released(held)
        self._note_idle(held[3])

    def _note_idle(self, hosts: HostSet) -> None:
        for host in hosts:
            self._since[host] = self._now
        self._idle.append((self._now, hosts))

    def _sleep(self, now: float, decisions: list[Decision]) -> None:
        """Switch off what was idle for long; be called when the next hosts may have been."""
        idle = self._idle
        spare = self._free - self.keep_awake
        while idle and spare > 0 and idle[0][0] + self.idle_time <= now:
            since, hosts = idle.popleft()
            still = [h for h in hosts if h in self._pool and self._since[h] == since and self._about[h].sleep_pstates]
            rest = still[: max(0, len(still) - spare)]  # the highest numbers go first: jobs get the lowest
            if rest:
                idle.appendleft((since, HostSet(rest)))
            spare -= len(still) - len(rest)
            for state, alike in self._by_state(still[len(rest) :]):
                self._switch(now, alike, state, decisions, off=True)
        finished = self._last and not self._running
        if idle and spare > 0 and not self._called and not finished:
            self._called = True
            decisions.append(CallMeLater(call_me_later_id=self.name, when=OneShot(idle[0][0] + self.idle_time)))

    def _by_state(self, hosts: Iterable[int]) -> list[tuple[int, HostSet]]:
        alike: dict[int, list[int]] = {}
        for host in hosts:
            alike.setdefault(next(iter(self._about[host].sleep_pstates)), []).append(host)
        return [(state, HostSet(numbers)) for state, numbers in alike.items()]

    # -- switching ----------------------------------------------------------------------------------------------

    def _wake(self, now: float, decisions: list[Decision]) -> None:
        """Switch on what the waiting jobs need."""
        asleep = self._asleep - self._unavailable
        if not asleep:
            return
        missing = -self._free - self._coming
        for job in self._queue:
            missing += job.request.hosts
            if missing >= len(asleep):
                break
        if missing <= 0:
            return
        woken = HostSet(list(asleep)[:missing])
        self._asleep -= woken
        self._coming += len(woken)
        alike: dict[int, list[int]] = {}
        for host in woken:
            about = self._about[host]
            computing = about.pstate if about.pstate not in about.sleep_pstates else 0
            alike.setdefault(computing, []).append(host)
        for state, hosts in alike.items():
            self._switch(now, HostSet(hosts), state, decisions, off=False)

    def _switch(self, now: float, hosts: HostSet, state: int, decisions: list[Decision], *, off: bool) -> None:
        """Hosts on their way are held like a job that ends when they can be used (again)."""
        if off:
            self._pool -= hosts
            self._free -= len(hosts)
        decisions.append(TurnOnOffHosts(hosts=hosts, state=state))
        lasts = max(self._switching_time(self._about[host], both=off) for host in hosts)
        self._starts += 1
        name = f"\0switch{self._starts}"  # no job is called so
        held = self._running[name] = (now + lasts, self._starts, len(hosts), hosts)
        insort(self._ends, held)
        self._extra = -1
        self._moving[tuple(hosts)] = name

    def _switching_time(self, host: Host, *, both: bool) -> float:
        """Seconds until a host can be used: switching on, or off and on again."""
        off, on = next(iter(host.sleep_pstates.values()))
        return sum(1.0 / host.pstates[p].speed for p in ((off, on) if both else (on,)))

    def _arrived_at(self, hosts: HostSet, state: int) -> bool:
        """Hosts have switched."""
        name = self._moving.pop(tuple(hosts), None)
        if name is None:
            return False
        held = self._running[name]
        if state not in self._about[hosts.first].sleep_pstates:
            self._coming -= len(hosts)
            return self._forget(name)
        del self._running[name]
        self._ends.remove(held)
        self._asleep |= hosts
        return self._queue.count > 0
