"""Hosts without work sleep: which are switched off, and on again for waiting jobs."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Final, NamedTuple

from msgspec import Meta

from windtunnel.diagnostics import UsageError
from windtunnel.model import Host, HostSet
from windtunnel.vocabulary import (
    CallMeLater,
    Decision,
    HostsBecameAvailable,
    Mirror,
    Notice,
    OneShot,
    TurnOnOffHosts,
)
from windtunnel.vocabulary.sleeping import sleep_states

__all__ = ["IdleHosts", "Seconds"]

Seconds = Annotated[float, Meta(ge=0, description="in seconds")]

_MICROSECOND: Final = 1e-6
"""s; calls are told so much too early at most."""


class _Sleep(NamedTuple):
    """How a host sleeps: its power states, and how long switching takes (s), where that is known."""

    asleep: int
    awake: int
    off_time: float | None
    on_time: float | None


def _sleep_of(host: Host) -> _Sleep | None:
    """Its first sleep state."""
    states = sleep_states(host)
    if not states:
        return None
    asleep, (off, on) = next(iter(states.items()))
    known = max(off, on) < len(host.pstates)
    times = [1.0 / host.pstates[p].speed if known and host.pstates[p].speed > 0 else None for p in (off, on)]
    return _Sleep(asleep, 0 if host.pstate in states else host.pstate, times[0], times[1])


class IdleHosts:
    """Switches hosts of a site off that were idle for ``idle_time`` seconds, and on when they are wanted.

    ``keep_awake`` hosts without work stay awake. ``switch_on_time`` and ``switch_off_time`` (s) are what switching is
    taken to last where the platform does not tell.
    """

    def __init__(
        self,
        site: Mirror,
        name: str,
        *,
        idle_time: float,
        keep_awake: int,
        switch_on_time: float,
        switch_off_time: float,
    ) -> None:
        self.site = site
        self.name = name
        self.idle_time = idle_time
        self.keep_awake = keep_awake
        self._sleeps: dict[int, _Sleep] = {}  # the hosts that can
        # Seconds that switching on, and off, took the last time.
        self._took = {False: switch_on_time, True: switch_off_time}
        self._since: list[float] = []  # by host: since when it is idle, if it is
        self._idle: deque[tuple[float, HostSet]] = deque()  # hosts that were freed, by date
        self._called = False

    def switch(
        self, now: float, notices: Sequence[Notice], wanted: Callable[[HostSet], HostSet] | None
    ) -> list[Decision]:
        """What is to be switched after a message; ``wanted``: which of the sleepers waiting jobs need, if any wait.

        Raises:
            UsageError: no host of the platform can sleep.
        """
        site = self.site
        if site.begins is not None and not self._sleeps:
            self._begin(now)
        self._take_news(now, notices)
        decisions: list[Decision] = []
        if wanted is None:
            self._sleep(now, decisions)
        elif asleep := site.asleep - site.unavailable:
            self._switch(now, wanted(asleep), decisions, off=False)
        return decisions

    def _begin(self, now: float) -> None:
        hosts = self.site.hosts
        self._sleeps = {host.id: sleep for host in hosts if (sleep := _sleep_of(host)) is not None}
        if not self._sleeps:
            raise UsageError(
                f"{self.name}: no host of this platform can be switched off",
                'give hosts a property such as <prop id="sleep_pstates" value="1:2:3"/>: asleep, off, on',
            )
        self._since = [0.0] * len(hosts)
        self._note_idle(now, HostSet(host.id for host in hosts) - self.site.asleep)

    # -- what is idle -------------------------------------------------------------------------------------------

    def _take_news(self, now: float, notices: Sequence[Notice]) -> None:
        """Which hosts have become idle, and how long switching took."""
        site = self.site
        if site.called:
            self._called = False
        for _, _, _, held in site.left:
            self._note_idle(now, held.hosts)
        for hosts, state, promised in site.switched:
            if promised is not None:
                off = state == self._sleeps[hosts.first].asleep
                self._took[off] = now - promised.start
                if not off:
                    self._note_idle(now, hosts)
        for notice in notices:
            if isinstance(notice, HostsBecameAvailable):
                self._note_idle(now, notice.hosts)

    def _note_idle(self, now: float, hosts: HostSet) -> None:
        for host in hosts:
            self._since[host] = now
        self._idle.append((now, hosts))

    def _sleep(self, now: float, decisions: list[Decision]) -> None:
        """Switch off what was idle for long; be called when the next hosts may have been."""
        site = self.site
        if site.all_submitted and not site.running:
            return  # the last job has ended: nothing is left to be saved
        idle = self._idle
        free = site.free.frozen()
        spare = len(free) - self.keep_awake
        while idle and spare > 0 and idle[0][0] + self.idle_time <= now + _MICROSECOND:
            since, hosts = idle.popleft()
            still = [h for h in hosts if h in free and self._since[h] == since and h in self._sleeps]
            rest = still[: max(0, len(still) - spare)]  # the highest numbers go first: jobs get the lowest
            if rest:
                idle.appendleft((since, HostSet(rest)))
            spare -= len(still) - len(rest)
            self._switch(now, still[len(rest) :], decisions, off=True)
        if idle and spare > 0 and not self._called:
            self._called = True
            decisions.append(CallMeLater(call_me_later_id=self.name, when=OneShot(idle[0][0] + self.idle_time)))

    # -- switching ----------------------------------------------------------------------------------------------

    def _switch(self, now: float, hosts: Iterable[int], decisions: list[Decision], *, off: bool) -> None:
        """Hosts on their way are expected to be usable (again) like those of a job that ends."""
        alike: dict[int, list[int]] = {}
        for host in hosts:
            sleep = self._sleeps[host]
            alike.setdefault(sleep.asleep if off else sleep.awake, []).append(host)
        for state, numbers in alike.items():
            group = HostSet(numbers)
            self.site.switch(group, state)
            self.site.promise(group, now + max(self._switching_time(self._sleeps[host], off=off) for host in numbers))
            decisions.append(TurnOnOffHosts(hosts=group, state=state))

    def _switching_time(self, sleep: "_Sleep", *, off: bool) -> float:
        """Seconds until a host can be used: switching on, or off and on again."""
        on_time = self._took[False] if sleep.on_time is None else sleep.on_time
        off_time = self._took[True] if sleep.off_time is None else sleep.off_time
        return off_time + on_time if off else on_time
