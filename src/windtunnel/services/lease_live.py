"""A live lease scheduler: driven by a clock, told by clients, durable.

Its time is the wall clock's, or runs ``speed`` times as fast. All that is planned happens at its exact instant,
however late the clock is looked at; what clients ask happens at the instant they ask.
"""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from time import time as wall_clock

from msgspec.structs import replace

from windtunnel.diagnostics import UsageError
from windtunnel.leases.core import Core
from windtunnel.leases.record import LeaseRecord, ticks
from windtunnel.leases.reservations import TICKS, Reservation, VirtualMachines
from windtunnel.leases.scheduler import LeaseScheduler
from windtunnel.model.lease import CPU, MEMORY, Lease, LeaseSite, LeaseState
from windtunnel.model.lease_options import LeaseOptions
from windtunnel.services.lease_store import Facts, Input, LeaseStore

__all__ = ["HostFacts", "LiveLeases"]

HostFacts = dict[str, int | str]


class _Archive:
    """Observes the scheduler and remembers leases that are over."""

    def __init__(self) -> None:
        self.over: dict[int, LeaseRecord] = {}

    def changed(self, now: int, lease: LeaseRecord, old: LeaseState, new: LeaseState) -> None: ...
    def began(self, now: int, reservation: Reservation) -> None: ...
    def ended(self, now: int, reservation: Reservation) -> None: ...
    def ended_early(self, now: int, vm: VirtualMachines) -> None: ...
    def lost(self, now: int, vm: VirtualMachines) -> None: ...
    def step(self, now: int, core: Core) -> None: ...

    def requested(self, now: int, lease: LeaseRecord) -> None:
        """Leases rejected at once are over."""
        if lease.state is LeaseState.REJECTED:
            self.finished(now, lease)

    def finished(self, now: int, lease: LeaseRecord) -> None:
        """Only what clients may ask about is kept."""
        del now
        lease.vms.clear()
        lease.preparation.clear()
        self.over[lease.id] = lease


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
        if not speed > 0:
            raise UsageError(f"the speed of the clock must be positive, not {speed:g}")
        self._clock = clock
        self._lock = threading.Lock()
        epoch = datetime.fromtimestamp(int(clock()))  # noqa: DTZ006  Haizea's clients speak local time
        facts = store.facts(Facts(site, options, epoch, speed))
        self.epoch, self.site, self._speed, self._store = facts.epoch, facts.site, facts.speed, store
        self._archive = _Archive()
        self._scheduler = LeaseScheduler(facts.site, facts.options, [self._archive])
        self._lead = ticks(facts.options.non_schedulable_interval)
        self._last_id = 0
        for entry in store.inputs():
            self._until(entry.instant)
            self._apply(entry)

    # --- time -----------------------------------------------------------------------------------------------------

    def now(self) -> int:
        """The present instant (ticks); it never goes back, also when the wall clock does."""
        passed = (self._clock() - self.epoch.timestamp()) * self._speed
        return max(int(passed * TICKS), self._scheduler.now)

    def date(self) -> datetime:
        """The present instant as a date."""
        return self.epoch + timedelta(milliseconds=10 * self.now())

    def _until(self, instant: int) -> None:
        """Let all happen that was planned up to an instant."""
        scheduler = self._scheduler
        while (following := scheduler.next_event()) is not None and following <= instant:
            scheduler.advance(following, schedulable=following + self._lead)

    def _apply(self, entry: Input) -> None:
        scheduler, later = self._scheduler, entry.instant + self._lead
        if entry.kind == "lease" and entry.lease is not None:
            self._last_id = max(self._last_id, entry.lease_id)
            scheduler.advance(entry.instant, [entry.lease], schedulable=later)
        elif entry.kind == "end":
            scheduler.advance(entry.instant, ended=[entry.lease_id], schedulable=later)
        else:
            scheduler.advance(entry.instant, schedulable=later)
            scheduler.cancel(entry.lease_id)

    # --- what clients ask -----------------------------------------------------------------------------------------

    def create(self, lease: Lease) -> int:
        """Accept a lease; when this returns its id, it is on disk.

        Raises:
            UsageError: it makes no sense on this site.
        """
        if objection := self._scheduler.objection(lease):
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
            instant = self.now()
            self._until(instant)
            over = self._archive.over.get(number)
            if over is not None:
                raise UsageError(f"lease {number} is over already ({over.state.label})")
            if reason := self._scheduler.why_not_cancel(number):
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
            instant = self.now()
            self._until(instant)
            lease = self._scheduler.core.leases.get(number)
            if lease is None or lease.state is not LeaseState.ACTIVE:
                raise UsageError(f"lease {number} is not running")
            entry = Input(instant, "end", number, None)
            self._store.add(entry)
            self._apply(entry)

    def leases(self) -> list[Lease]:
        """Leases that are not over, with their states."""
        with self._lock:
            self._until(self.now())
            return [_shown(lease) for lease in self._scheduler.core.leases.values()]

    def queue(self) -> list[Lease]:
        """Leases that wait, in the order of the queue."""
        with self._lock:
            self._until(self.now())
            return [_shown(lease) for lease in self._scheduler.core.queue]

    def lease(self, number: int) -> tuple[Lease, str]:
        """A lease, over or not, and why it was rejected (or waits), if it was.

        Raises:
            UsageError: there is no such lease.
        """
        with self._lock:
            self._until(self.now())
            found = self._scheduler.core.leases.get(number) or self._archive.over.get(number)
            if found is None:
                raise UsageError(f"there is no lease {number}")
            return _shown(found), found.reason

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
            self._until(self.now())
            following = self._scheduler.next_event()
            return None if following is None else max(0.0, (following - self.now()) / TICKS / self._speed)

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            self._store.close()


def _shown(record: LeaseRecord) -> Lease:
    return replace(record.lease, state=record.state)
