"""A live lease service: a simulation paced by a clock, told by clients (whose wishes are injected), durable.

Its time is the wall clock's, or runs ``speed`` times as fast. All that is planned happens at its exact instant,
however late the clock is looked at; what clients ask happens at the instant they ask.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from math import inf
from time import time as wall_clock

from msgspec.structs import replace

from windtunnel.diagnostics import UsageError, WindtunnelError
from windtunnel.engine.simulation import Simulation
from windtunnel.leases.component import CANCEL, END, LeaseManager
from windtunnel.leases.planner.record import LeaseRecord
from windtunnel.leases.planner.ticks import TICKS
from windtunnel.model import ExternalEvent
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, LeaseState
from windtunnel.model.lease_jobs import job_of_lease
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.model.lease_platform import platform_of_site
from windtunnel.services.lease_store import Facts, Input, LeaseStore
from windtunnel.vocabulary import LeaseFact, LeaseOver, Observer

__all__ = ["HostFacts", "LiveLeases"]

HostFacts = dict[str, int | str]


class _Archive(Observer):
    """Remembers leases that are over, and why: only what clients may ask about."""

    def __init__(self) -> None:
        self.over: dict[int, tuple[Lease, str]] = {}

    def on_leases(self, now: float, facts: Sequence[LeaseFact]) -> None:  # noqa: ARG002  dates are not asked for
        """Keep what is over."""
        for fact in facts:
            if isinstance(fact, LeaseOver) and fact.lease.id is not None:
                self.over[fact.lease.id] = (replace(fact.lease, state=fact.state), fact.reason)


class LiveLeases:
    """All methods may be called from any thread. Dates in leases are seconds since :attr:`epoch`."""

    def __init__(
        self,
        site: LeaseSite,
        options: LeaseOptions,
        store: LeaseStore,
        *,
        speed: float = 1.0,
        clock: Callable[[], float] = wall_clock,
    ) -> None:
        """Takes up what the store holds.

        Raises:
            UsageError: the store was kept with another site, options or speed.
        """
        if not 0 < speed < inf:
            raise UsageError(f"the speed of the clock must be positive and finite, not {speed:g}")
        self._clock = clock
        self._lock = threading.Lock()
        epoch = datetime.fromtimestamp(int(clock()))  # noqa: DTZ006  Haizea's clients speak local time
        facts = store.facts(Facts(site, options, epoch, speed))
        self.epoch, self.site, self._speed, self._store = facts.epoch, facts.site, facts.speed, store
        self._last = (datetime.max - self.epoch) // timedelta(milliseconds=10)  # noqa: DTZ901 -- as the epoch
        """The last instant that has a date: a fast clock comes to the end of the calendar, and stands still there."""
        self._failed: WindtunnelError | None = None
        self._archive = _Archive()
        self._manager = LeaseManager(facts.options, live=True)
        self._simulation = Simulation(
            platform_of_site(facts.site), components=[self._manager], observers=[self._archive]
        )
        self._simulation.run_until(0.0)
        self._last_id = 0
        self._reached = 0
        """The latest instant that the store knows to be past."""
        for entry in store.inputs():
            self._apply(entry)
        self._reached = store.reached()
        self._until(self._reached)

    # --- time -----------------------------------------------------------------------------------------------------

    def now(self) -> int:
        """The present instant (ticks); it never goes back, also when the wall clock does."""
        passed = (self._clock() - self.epoch.timestamp()) * self._speed
        return max(int(min(passed * TICKS, self._last)), self._manager.planner.now, self._reached)

    def date(self) -> datetime:
        """The present instant as a date."""
        return self.epoch + timedelta(milliseconds=10 * self.now())

    def _until(self, instant: int) -> None:
        """Let all happen that was planned up to an instant.

        Raises:
            WindtunnelError: the leases cannot be scheduled any further; whoever asks again hears the same.
        """
        if self._failed is not None:
            raise self._failed
        try:
            self._simulation.run_until(instant / TICKS)
        except WindtunnelError as error:
            self._failed = error
            raise

    def _to_now(self) -> int:
        """Let all happen that is due, and keep that it has happened before anybody hears of it; returns the instant.

        Raises:
            UsageError: it cannot be kept (a full disk).
        """
        instant = self.now()
        self._until(instant)
        if (happened := self._manager.planner.now) > self._reached:
            self._store.reach(happened)
            self._reached = happened
        return instant

    def _apply(self, entry: Input) -> None:
        """Let happen what the service was told, at its instant."""
        self._until(entry.instant)
        date = entry.instant / TICKS
        if entry.kind == "lease" and entry.lease is not None:
            self._last_id = max(self._last_id, entry.lease_id)
            self._simulation.inject(job_of_lease(entry.lease, "live"), date)
        else:
            kind = END if entry.kind == "end" else CANCEL
            told = ExternalEvent(timestamp=date, kind=kind, attributes={"lease": entry.lease_id})
            self._simulation.inject(told, date)
        self._until(entry.instant)
        self._reached = max(self._reached, entry.instant)

    # --- what clients ask -----------------------------------------------------------------------------------------

    def create(self, lease: Lease) -> int:
        """Accept a lease; when this returns its id, it is on disk.

        Raises:
            UsageError: it is invalid on this site.
        """
        if objection := self._manager.planner.objection(lease):
            raise UsageError(f"the lease cannot be accepted: {objection}")
        with self._lock:
            instant = self.now()
            self._until(instant)
            number = self._last_id + 1
            accepted = replace(
                lease, id=number, submit=float(instant // TICKS), state=LeaseState.NEW, real_duration=None
            )
            entry = Input(instant, "lease", number, accepted)
            self._store.add(entry)
            self._apply(entry)
            return number

    def cancel(self, number: int) -> None:
        """Cancel a lease; when this returns, that is on disk.

        Raises:
            UsageError: there is no such lease, it is over, or cannot be cancelled just now.
        """
        with self._lock:
            instant = self._to_now()
            over = self._archive.over.get(number)
            if over is not None:
                raise UsageError(f"lease {number} is over already ({over[0].state.label})")
            if reason := self._manager.planner.why_not_cancel(number):
                raise UsageError(reason)
            entry = Input(instant, "cancel", number, None)
            self._store.add(entry)
            self._apply(entry)

    def end(self, number: int) -> None:
        """The machines of a running lease have ended by themselves.

        Raises:
            UsageError: there is no such lease, or it is not running.
        """
        with self._lock:
            instant = self._to_now()
            lease = self._manager.planner.plan.leases.get(number)
            if lease is None or lease.state is not LeaseState.ACTIVE:
                raise UsageError(f"lease {number} is not running")
            entry = Input(instant, "end", number, None)
            self._store.add(entry)
            self._apply(entry)

    def leases(self) -> list[Lease]:
        """Leases that are not over, with their states."""
        with self._lock:
            self._to_now()
            return [_shown(lease) for lease in self._manager.planner.plan.leases.values()]

    def queue(self) -> list[Lease]:
        """Leases that wait, in the order of the queue."""
        with self._lock:
            self._to_now()
            return [_shown(lease) for lease in self._manager.planner.plan.queue]

    def lease(self, number: int) -> tuple[Lease, str]:
        """A lease, over or not, and why it was rejected (or waits), if it was.

        Raises:
            UsageError: there is no such lease.
        """
        with self._lock:
            self._to_now()
            alive = self._manager.planner.plan.leases.get(number)
            if alive is not None:
                return _shown(alive), alive.reason
            if number not in self._archive.over:
                raise UsageError(f"there is no lease {number}")
            return self._archive.over[number]

    def hosts(self) -> list[HostFacts]:
        """The nodes of the site: id, hostname, cpu (percent of one CPU), mem (MB)."""
        found: list[HostFacts] = []
        for group in self.site.nodes:
            for _ in range(group.count):
                number = len(found) + 1
                cpu, memory = group.total(CPU), group.total(MEMORY)
                found.append({"id": number, "hostname": f"simul-{number}", "cpu": cpu, "mem": memory})
        return found

    def tick(self) -> float | None:
        """Let happen what is due; returns the seconds (wall clock) until something is due again."""
        with self._lock:
            self._to_now()
            following = self._manager.planner.next_event()
            return None if following is None else max(0.0, (following - self.now()) / TICKS / self._speed)

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            self._store.close()


def _shown(record: LeaseRecord) -> Lease:
    return replace(record.lease, state=record.state)
