"""EASY backfilling on a machine whose idle hosts sleep."""

from bisect import insort
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Annotated, Final, NamedTuple

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


_MICROSECOND: Final = 1e-6
"""s; calls are told so much too early at most."""


class _Sleep(NamedTuple):
    """How a host sleeps: its power states, and how long switching takes (s), where that is known."""

    asleep: int
    awake: int
    off_time: float | None
    on_time: float | None


def _sleep_of(host: Host) -> _Sleep | None:
    """Its first sleep state, as the platform says, or as its property does where that is all that is told."""
    states = dict(host.sleep_pstates)
    for entry in host.properties.get("sleep_pstates", "").split(",") if not states else ():
        with suppress(ValueError):
            asleep, off, on = map(int, entry.split(":"))
            states[asleep] = off, on
    if not states:
        return None
    asleep, (off, on) = next(iter(states.items()))
    known = max(off, on) < len(host.pstates)
    times = [1.0 / host.pstates[p].speed if known and host.pstates[p].speed > 0 else None for p in (off, on)]
    return _Sleep(asleep, 0 if host.pstate in states else host.pstate, times[0], times[1])


class EnergyIdleSleeper(Easy):
    """EASY; a host that was idle for ``idle_time`` seconds is switched off, and on again when waiting jobs need it.

    No host is switched off while a job waits, and ``keep_awake`` hosts without work stay awake. Hosts are switched on
    as soon as the waiting jobs together ask for more hosts than are free or on their way; the reservation counts with
    those that are on their way. How hosts sleep, and how long switching takes, is what the platform says of each;
    behind a protocol that does not tell how long (Batsim 4), it is what it took the last time, and before that
    ``switch_on_time`` and ``switch_off_time`` (s).

    Raises (while running):
        UsageError: no host of the platform can sleep.
    """

    name = "energy-idle-sleeper"

    def __init__(
        self,
        *,
        idle_time: Annotated[float, msgspec.Meta(ge=0)] = 300.0,
        keep_awake: Annotated[int, msgspec.Meta(ge=0)] = 0,
        switch_on_time: Annotated[float, msgspec.Meta(ge=0)] = 0.0,
        switch_off_time: Annotated[float, msgspec.Meta(ge=0)] = 0.0,
        queue_order: QueueOrder = "fcfs",
    ) -> None:
        self.idle_time = idle_time
        self.switch_on_time = switch_on_time
        self.switch_off_time = switch_off_time
        self.keep_awake = keep_awake
        super().__init__(queue_order=queue_order, policy="basic")  # the highest numbers are those that sleep

    def _reset(self) -> None:
        super()._reset()
        self._now = 0.0
        self._sleeps: dict[int, _Sleep] = {}  # the hosts that can
        self._took = {
            False: self.switch_on_time,
            True: self.switch_off_time,
        }  # seconds that switching on, and off, took the last time
        self._asleep = HostSet()
        self._coming = 0  # hosts that are being switched on
        self._moving: dict[tuple[int, ...], tuple[str, float]] = {}  # hosts that switch -> how held, since when
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
            moved = self._moving.pop(tuple(notice.decision.hosts), None)
            return moved is not None and self._forget(moved[0])
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
        self._sleeps = {host.id: sleep for host in hosts if (sleep := _sleep_of(host)) is not None}
        if not self._sleeps:
            raise UsageError(
                "energy-idle-sleeper: no host of this platform can be switched off",
                'give hosts a property such as <prop id="sleep_pstates" value="1:2:3"/>: asleep, off, on',
            )
        self._asleep = HostSet(h for h, sleep in self._sleeps.items() if hosts[h].pstate == sleep.asleep)
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
        if self._last and len(self._running) == len(self._moving):
            return  # the last job has ended: nothing is left to be saved
        idle = self._idle
        spare = self._free - self.keep_awake
        while idle and spare > 0 and idle[0][0] + self.idle_time <= now + _MICROSECOND:
            since, hosts = idle.popleft()
            still = [h for h in hosts if h in self._pool and self._since[h] == since and h in self._sleeps]
            rest = still[: max(0, len(still) - spare)]  # the highest numbers go first: jobs get the lowest
            if rest:
                idle.appendleft((since, HostSet(rest)))
            spare -= len(still) - len(rest)
            self._switch(now, still[len(rest) :], decisions, off=True)
        if idle and spare > 0 and not self._called:
            self._called = True
            decisions.append(CallMeLater(call_me_later_id=self.name, when=OneShot(idle[0][0] + self.idle_time)))

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
        self._switch(now, woken, decisions, off=False)

    def _switch(self, now: float, hosts: Iterable[int], decisions: list[Decision], *, off: bool) -> None:
        """Hosts on their way are held like a job that ends when they can be used (again)."""
        alike: dict[int, list[int]] = {}
        for host in hosts:
            sleep = self._sleeps[host]
            alike.setdefault(sleep.asleep if off else sleep.awake, []).append(host)
        for state, numbers in alike.items():
            group = HostSet(numbers)
            if off:
                self._pool -= group
                self._free -= len(group)
            decisions.append(TurnOnOffHosts(hosts=group, state=state))
            self._starts += 1
            name = f"\0switch{self._starts}"  # no job is called so
            usable = now + max(self._switching_time(self._sleeps[host], off=off) for host in numbers)
            held = self._running[name] = (usable, self._starts, len(group), group)
            insort(self._ends, held)
            self._extra = -1
            self._moving[tuple(numbers)] = name, now

    def _switching_time(self, sleep: "_Sleep", *, off: bool) -> float:
        """Seconds until a host can be used: switching on, or off and on again."""
        on_time = self._took[False] if sleep.on_time is None else sleep.on_time
        off_time = self._took[True] if sleep.off_time is None else sleep.off_time
        return off_time + on_time if off else on_time

    def _arrived_at(self, hosts: HostSet, state: int) -> bool:
        """Hosts have switched."""
        moved = self._moving.pop(tuple(hosts), None)
        if moved is None:
            return False
        name, began = moved
        held = self._running[name]
        off = state == self._sleeps[hosts.first].asleep
        self._took[off] = self._now - began
        if not off:
            self._coming -= len(hosts)
            return self._forget(name)
        del self._running[name]
        self._ends.remove(held)
        self._asleep |= hosts
        return self._queue.count > 0
