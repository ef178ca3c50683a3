"""What batsched's energy_bf_monitoring_inertial and the two sleepers share (spec: schedulers.md section 6.5)."""

from typing import Any

from windtunnel.schedulers.batsched.energy import hosts_of, state_of
from windtunnel.schedulers.batsched.energy_load import MeasuredLoad
from windtunnel.schedulers.batsched.loop import Waiting
from windtunnel.schedulers.batsched.profile import AvailabilityProfile, lowest_bits
from windtunnel.schedulers.batsched.rationals import Exact, exact
from windtunnel.vocabulary import AllStaticJobsHaveBeenSubmitted, Notice

__all__ = ["EnergyEasy"]


class EnergyEasy(MeasuredLoad):
    """EASY backfilling on what is awake, with hosts that are to be switched on and off; subclasses say which, in the
    stage that comes once a period.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._idle_time = exact(self.inertial.idle_time_to_sedate)

    def _reset(self) -> None:
        super()._reset()
        self._to_sedate = self._to_awaken = 0
        self._lately_sedated = self._lately_awakened = 0
        self._by_inertia = self._by_idleness = 0  # how many hosts sleep for that reason
        self._idle = 0
        self._idle_since: dict[int, Exact] = {}
        self._awakens: bool | None = None  # the last decision of a stage
        self._prio: Waiting | None = None
        self._all_submitted = False

    def _on_begin(self, notice: Any) -> None:
        super()._on_begin(notice)
        self._plan = self._profile.copy()
        self._idle = self._awake
        self._idle_since = dict.fromkeys(range(self._n), 0)

    def _on_other(self, notice: Notice) -> None:
        if isinstance(notice, AllStaticJobsHaveBeenSubmitted):
            self._all_submitted = True
        super()._on_other(notice)

    # What both decisions and stages do

    def _drop(self, count: int) -> None:
        """So many hosts fewer sleep: first of those put to sleep by inertia."""
        by_inertia = min(self._by_inertia, count)
        self._by_inertia -= by_inertia
        self._by_idleness -= count - by_inertia

    def _queued(self, plan: AvailabilityProfile, sedate: int, awaken: int) -> tuple[int, int]:
        """Plan switches; those that begin at once: hosts switched off, hosts switched on."""
        now = plan.begins[0]
        awakened = sedated = 0
        for host in hosts_of(awaken):
            if self._awaken(plan, host, None) == now:
                awakened |= 1 << host
        for host in hosts_of(sedate):
            if self._sedate_late(plan, 1 << host) == now:
                sedated |= 1 << host
        return sedated, awakened

    def _update_idle(self, date: Exact) -> None:
        free = self._plan.free[0]
        for host in hosts_of(free & ~self._idle):
            self._idle_since[host] = date
        self._idle = free

    def _awake_soon(self) -> int:
        return ((self._awake | self._switching_on) & ~self._switching_off | self._to_awaken) & ~self._to_sedate

    def _idle_to_sedate(self, date: Exact, awake_soon: int) -> int:
        limit = date - self._idle_time
        candidates = 0
        for host in hosts_of(self._idle):
            if self._idle_since[host] <= limit:
                candidates |= 1 << host
        needed = 0 if self._prio is None else self._prio.size
        return lowest_bits(candidates, max(0, min(awake_soon.bit_count() - needed, candidates.bit_count())))

    def _sedate_idle(self, date: Exact, awake_soon: int) -> None:
        """Put hosts to sleep that were idle for long, if nothing is being woken."""
        if self._switching_on or self._to_awaken:
            return
        sedated, _ = self._queued(self._plan, self._idle_to_sedate(date, awake_soon), 0)
        self._apply(self._plan, call=False)
        self._by_idleness += sedated.bit_count()

    def _choose_to_awaken(self, plan: AvailabilityProfile, count: int, candidates: int) -> int:
        chosen = 0
        for k in range(len(plan)):
            left = count - chosen.bit_count()
            if not left:
                break
            asleep = self._sleeping(plan, k) & candidates & ~chosen
            chosen |= lowest_bits(asleep, min(left, asleep.bit_count()))
        return chosen

    def _choose_to_sedate(self, plan: AvailabilityProfile, count: int, candidates: int, hole: int) -> int:
        """Hosts as they become idle; of those free during the head's place, only what it does not need."""
        shared = candidates & hole
        needed = 0 if self._prio is None else self._prio.size
        allowance = max(0, shared.bit_count() - needed)
        chosen = 0
        for k in range(len(plan)):
            free = plan.free[k] & candidates & ~chosen
            for part, most in ((free & shared, allowance), (free & ~shared, count)):
                left = min(count - chosen.bit_count(), most, part.bit_count())
                picked = lowest_bits(part, left)
                chosen |= picked
                if most == allowance and part == free & shared:
                    allowance -= left
            if chosen.bit_count() == count:
                break
        return chosen

    # Deciding

    def _decide(self, now: float) -> None:
        date = exact(now)
        self._take_ended()
        if self._ended and self._all_submitted and not self._queue and not self._released and self._nothing_runs():
            self._stop = True
        self._advance(now)
        self._measure(date)
        for item in self._take_released():
            if item.duration is None:
                raise self._fault(f"job {item.id} has no walltime")
        plan = self._plan = self._profile.copy()
        sedated, awakened = self._queued(plan, self._to_sedate, self._to_awaken)
        self._prio = None
        if self._queue:
            marked, sedated, awakened = self._plan_front(plan, sedated, awakened)
            self._lately_sedated |= sedated
            self._lately_awakened |= awakened
            self._to_sedate &= ~sedated
            self._to_awaken &= ~awakened
            self._backfill(plan, marked)
        else:
            self._to_sedate &= ~sedated
            self._to_awaken &= ~awakened
        self._apply(plan, call=False)
        self._update_idle(date)
        if not self._awaken_for_backfilling(plan) and self.inertial.sedate_idle_on_classical_events:
            self._update_idle(date)
            self._sedate_idle(date, self._awake_soon())
        self._remember(date)

    def _nothing_runs(self) -> bool:
        return all(state_of(job_id) is not None for jobs in self._profile.jobs for job_id in jobs)

    def _plan_front(self, plan: AvailabilityProfile, sedated: int, awakened: int) -> tuple[set[str], int, int]:
        """Plan jobs from the front of the queue up to the first that does not start now."""
        marked: set[str] = set()
        for _, _, item in self._queue:
            self._prio = item
            placed = plan.add(item.id, item.size, item.duration)
            if placed is None:
                placed, sedated, awakened = self._make_room(plan, item, sedated, awakened)
            if placed is None or placed[0] != 0:
                break
            marked.add(item.id)
            self._prio = None
        return marked, sedated, awakened

    def _make_room(
        self, plan: AvailabilityProfile, item: Waiting, sedated: int, awakened: int
    ) -> tuple[tuple[int, int] | None, int, int]:
        """Give up switching off hosts, and wake some, until a job fits."""
        for host in hosts_of(self._to_sedate):
            for state in ("soff", "esleep", "psleep"):
                plan.remove_last(f"fakejob_{state}_{host}")
        placed = plan.add(item.id, item.size, item.duration)
        if placed is not None:
            used = placed[1] & self._to_sedate
            self._drop(used.bit_count())
            self._to_sedate &= ~used
            sedated, _ = self._queued(plan, self._to_sedate, 0)
            return placed, sedated, awakened
        there = (self._awake | self._switching_on | self._to_awaken).bit_count()
        wanted = item.size - there
        chosen = self._choose_to_awaken(plan, wanted, self._asleep | self._switching_off)
        _, more = self._queued(plan, 0, chosen)
        placed = plan.add(item.id, item.size, item.duration)
        self._drop(self._to_sedate.bit_count())
        self._drop(wanted)
        self._to_sedate = 0
        self._to_awaken |= chosen & ~more
        return placed, 0, awakened | more

    def _backfill(self, plan: AvailabilityProfile, marked: set[str]) -> None:
        free = plan.counts[0]
        for _, _, item in self._queue:
            if not free:
                return
            if item is self._prio or item.id in marked or item.size > free:
                continue
            placed = plan.add(item.id, item.size, item.duration)
            if placed is not None and placed[0] == 0:
                free -= item.size
            elif placed is not None:
                plan.remove(item.id)

    def _awaken_for_backfilling(self, plan: AvailabilityProfile) -> bool:
        """Wake hosts that sleep for idleness if a waiting job could use them; whether any."""
        if not self._queue:
            return False
        asleep = self._sleeping(plan, 0)
        asleep = lowest_bits(asleep, min(max(self._by_idleness, 0), asleep.bit_count()))
        reserved = self._place_of(self._queue[0][2])[0]
        idle, asleep = self._idle & ~reserved, asleep & ~reserved
        usable = idle | asleep
        wanted = 0
        for _, _, item in self._queue:
            if item.size > usable.bit_count():
                continue
            ready = usable & idle
            taken = lowest_bits(ready, min(item.size, ready.bit_count()))
            # As upstream: the lowest usable ones, among which are those just taken.
            taken |= lowest_bits(usable, item.size - taken.bit_count())
            usable &= ~taken
            wanted |= taken & asleep
        if not wanted:
            return False
        self._to_awaken |= wanted
        self._by_idleness -= wanted.bit_count()
        _, awakened = self._queued(plan, 0, wanted)
        self._to_awaken &= ~awakened
        self._apply(plan, call=False)
        return True

    def _place_of(self, item: Waiting) -> tuple[int, int]:
        """The hosts of a job's first fit, and those free during all of it; none where it has no place."""
        plan = self._plan.copy()
        plan.remove(item.id)
        found = plan.find(item.size, item.duration)
        if found is None:
            return 0, 0
        first, last, hosts = found
        hole = plan.free[first]
        for k in range(first + 1, last + 1):
            hole &= plan.free[k]
        return hosts, hole

    def _switch(self, plan: AvailabilityProfile) -> None:
        """Do what was decided as far as it can be done now."""
        sedated, awakened = self._queued(plan, self._to_sedate, self._to_awaken)
        self._to_sedate &= ~sedated
        self._to_awaken &= ~awakened
        self._lately_sedated, self._lately_awakened = sedated, awakened
        self._apply(plan, call=False)
