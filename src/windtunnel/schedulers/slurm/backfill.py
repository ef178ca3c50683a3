"""The backfill loop: plans for pending jobs in order, and starts that disturb none of them (§4)."""

from collections import Counter
from collections.abc import Mapping
from enum import Enum
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.cancelling import cut, drop_hopeless
from windtunnel.schedulers.slurm.het_jobs import HetStarts
from windtunnel.schedulers.slurm.jobs import PendingJob, Picked, Record, RunningJob
from windtunnel.schedulers.slurm.main_loop import Pass
from windtunnel.schedulers.slurm.node_map import NodeMap, Slot
from windtunnel.schedulers.slurm.preemption import candidates, find_victims, signal
from windtunnel.schedulers.slurm.queue import job_queue, partition_refusal
from windtunnel.schedulers.slurm.state import State
from windtunnel.schedulers.slurm.switch_wait import waits_for_switches

__all__ = ["backfill_pass"]

_MOST_TRIES: Final = 500
_MOST_MOVES: Final = 10
_NEVER: Final = 1 << 62
_UNKNOWN_START: Final = 500
"""Seconds after which a job is planned that limits refuse now (``assoc_limit_stop``)."""


class _Outcome(Enum):
    STARTED = "started"
    PLANNED = "planned"
    """Entered in the map."""
    SHOWN = "shown"
    """A start is known, but nothing is kept for it."""
    LATE = "late"
    """The same, beyond the window."""
    NOTHING = "nothing"
    REFUSED = "refused"
    """Limits do not let it start now."""
    FULL = "full"


@mypyc_attr(allow_interpreted_subclasses=True)
class _Plan:
    """What a try came to."""

    __slots__ = ("nodes", "outcome", "start")

    def __init__(self, outcome: _Outcome, start: int = 0, nodes: int = 0) -> None:
        self.outcome = outcome
        self.start = start
        self.nodes = nodes


@mypyc_attr(allow_interpreted_subclasses=True)
class _Cycle:
    """One cycle, with the map of its plans."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.settings = state.site.backfill
        self.window = self.settings.bf_window * 60
        self.limits_stop = state.site.main.assoc_limit_stop
        counted = state.site.licences if self.settings.bf_licenses else {}
        self.map = NodeMap(state.now, self.window, self.settings.bf_resolution, state.up & ~state.completing, counted)
        for job in state.running.values():
            if counted and job.licences and job.holding.end > state.now:
                self.map.take(state.now, job.holding.end, 0, job.licences)
        self.done = Pass()
        self.full = False
        self.seen: Counter[tuple[object, ...]] = Counter()
        """Jobs looked at, of users, partitions and associations (§4.5)."""
        self.reserved: Counter[str] = Counter()
        """Plans of each partition."""
        self.het = HetStarts(state, self.window)
        self.array = ""
        """The array whose tasks were last planned, and how many of them one after another."""
        self.array_plans = 0
        if self.settings.bf_running_job_reserve:
            for job in state.running.values():
                if job.holding.exclusive:
                    self.map.take(state.now, job.holding.end, job.holding.nodes)

    def go(self) -> Pass:
        """Over the queue in order, until a limit of the cycle ends it."""
        state, settings = self.state, self.settings
        self.done.failed += drop_hopeless(state)
        queue = job_queue(state, backfill=True)
        for job in state.pending.values():
            job.expected, job.planned = None, 0
        most = settings.bf_max_job_test
        for record in queue:
            if self.full or (most and self.done.tested >= most):
                break
            if settings.bf_max_job_start and len(self.done.started) >= settings.bf_max_job_start:
                break
            if record.job.id not in state.pending:
                continue
            if not record.job.startable_tasks:
                record.job.reason = "JobArrayTaskLimit"
                continue
            self._record(record)
        most = settings.bf_max_job_start
        if not most or len(self.done.started) < most:
            self.done.started += list(self.het.start_all(max(0, most - len(self.done.started))))
        return self.done

    def _record(self, record: Record) -> None:
        """A job, or the tasks of an array one after another."""
        job = record.job
        first = self.het.first(record)
        if first is None:
            return  # some other component has no start yet
        before = job.expected
        if self._refused(record):
            return
        only_now = self._only_now(record)
        while not self._beyond(record):
            plan, tested = self._try(record, only_now, first)
            self.done.tested += tested  # each task of an array counts
            if plan.outcome is _Outcome.STARTED:
                if self.settings.bf_max_job_start and len(self.done.started) >= self.settings.bf_max_job_start:
                    return
                if job.id not in self.state.pending or not job.startable_tasks:
                    return
                continue
            self._show(job, plan, before)
            self.full = plan.outcome is _Outcome.FULL
            if plan.outcome is not _Outcome.PLANNED or not self._next_task(job):
                return

    @staticmethod
    def _show(job: PendingJob, plan: _Plan, before: int | None) -> None:
        """A job's expected start and nodes; ``before``: what other partitions gave it, which stays if earlier.

        A plan that is not entered in the map has no nodes, and those of an earlier task stay.
        """
        if plan.outcome in (_Outcome.NOTHING, _Outcome.REFUSED):
            job.expected = before
            return
        earlier = before is None or plan.start < before
        if earlier and plan.nodes:
            job.planned = plan.nodes
        keeps = plan.outcome in (_Outcome.PLANNED, _Outcome.LATE) and not earlier
        job.expected = before if keeps else plan.start

    def _refused(self, record: Record) -> bool:
        """Whether limits that need no placement keep a job back: then it counts for no limit of the cycle (§6.1).

        Of an array they are looked at once for all its tasks.
        """
        refusal = self.state.limits.before(record)
        if refusal:
            record.job.reason = refusal
        return bool(refusal) and not self.limits_stop

    def _next_task(self, job: PendingJob) -> bool:
        """Whether one more task of an array is planned; in the next partition the count goes on."""
        if job.tasks is None:
            return False
        if self.array != job.id:
            self.array, self.array_plans = job.id, 0
        self.array_plans += 1
        return self.array_plans < min(self.settings.bf_max_job_array_resv, len(job.tasks))

    def _beyond(self, record: Record) -> bool:
        """Whether enough jobs of its user, partition or association were looked at (§4.5)."""
        known = self.settings
        user, part = record.job.user, record.table.name
        keys: list[tuple[tuple[object, ...], int]] = [
            (("user", user), known.bf_max_job_user),
            (("partition", part), known.bf_max_job_part),
            (("both", user, part), known.bf_max_job_user_part),
            (("association", record.job.account, user), known.bf_max_job_assoc),
        ]
        limited = [(key, most) for key, most in keys if most]
        if any(self.seen[key] >= most for key, most in limited):
            return True
        for key, _ in limited:
            self.seen[key] += 1
        return False

    def _only_now(self, record: Record) -> bool:
        """Whether a job is tested for now alone, without a plan (§4.5)."""
        known, job, now = self.settings, record.job, self.state.now
        if record.priority < self.state.limits.least_priority(record, known.bf_min_prio_reserve):
            return True
        if known.bf_min_age_reserve and now - job.submitted < known.bf_min_age_reserve:
            return True
        if known.bf_one_resv_per_job and job.expected is not None:
            return True
        most = known.bf_job_part_count_reserve
        return bool(most and self.reserved[record.table.name] >= most)

    def _try(self, record: Record, only_now: bool, first: int) -> tuple[_Plan, bool]:
        """The first start at which a job fits beside all plans (§4.3); and whether selection was tried.

        Not before ``first``: components of a heterogeneous job start with the others.
        """
        state, job = self.state, record.job
        if job.ask.licences and not self.settings.bf_licenses and not state.has_licences(job.ask.licences):
            return _Plan(_Outcome.NOTHING), False
        refusal = state.limits.bound(record)
        if refusal:
            job.reason = refusal
            return _Plan(_Outcome.REFUSED), False
        no_reserve = bool(state.site.preempt.type and job.qos is not None and job.qos.has("NoReserve"))
        minutes = 1 if no_reserve else min(record.limit, job.time_min or record.limit)
        tested = False
        later = state.now
        for _ in range(_MOST_TRIES):
            start = max(later, first)
            kept, booked_until, reservation = self._bookings(record, start, minutes)
            if reservation is None:
                return _Plan(_Outcome.NOTHING), tested
            start, base = reservation
            base &= record.table.mask & state.up & ~kept & ~state.completing & ~state.of_others(record)
            later, among, slots = self.map.later_than(start, base, base, max(start, state.now) + minutes * 60)
            if (
                booked_until
                and booked_until + 1 < state.now + self.window
                and (not later or booked_until + 1 < later)
            ):
                later = booked_until + 1
            among &= record.mask
            if self.settings.bf_licenses and job.ask.licences:
                free_again = self._licences_again(job.ask.licences, slots)
                later = min(later, free_again) if later and free_again else later or free_again
            again = bool(later) and not only_now
            if not self._possible(record, among, slots):
                if again:
                    continue
                return _Plan(_Outcome.NOTHING), tested
            tested = True
            horizon = later if again else state.now if only_now else _NEVER
            found = self._will_run(record, among, horizon)
            if found is None or (only_now and found[0] > state.now):
                if again:
                    continue
                return _Plan(_Outcome.NOTHING), tested
            when, placed = max(found[0], start), found[1]
            self.het.note(record, when, placed)
            if when <= state.now and job.het is None:
                plan = self._start(record, among, minutes)
                if plan is not None and (plan.outcome is not _Outcome.REFUSED or not self.limits_stop):
                    return plan, tested
                if plan is not None:
                    when = later or state.now + _UNKNOWN_START  # nobody knows when limits leave room
            elif later and when > later:
                continue
            if when > state.now + self.window:
                return _Plan(_Outcome.LATE, when), tested
            if not self.map.free(when, when + minutes * 60, placed.nodes):
                later = when
                continue
            if self.het.deadlocked(record, when):
                return _Plan(_Outcome.NOTHING), tested
            return self._reserve(record, when, minutes, placed, no_reserve), tested
        return _Plan(_Outcome.NOTHING), tested

    def _will_run(self, record: Record, among: int, horizon: int) -> tuple[int, Picked] | None:
        """What starts after ``horizon`` is tried again from there on, or not planned: nobody needs to know it."""
        state = self.state
        gone = [job.holding for job in candidates(state, record)]
        found = state.selector.will_run(record, among, state.held, state.now, gone, horizon)
        return None if found is not None and waits_for_switches(state, record, found[1]) else found

    def _bookings(self, record: Record, start: int, minutes: int) -> tuple[int, int, tuple[int, int] | None]:
        """Nodes kept for reservations of others, when the next of these ends, and from when on which nodes."""
        state, job = self.state, record.job
        nodes = state.cluster.all
        if not state.bookings:
            return 0, 0, (start, nodes)
        if job.reservation and state.bookings.flexible(job.reservation):
            pass  # neither its nodes nor its time bind the job
        elif job.reservation:
            own = state.bookings.own(job, max(start, state.now))
            if own is None:
                return 0, 0, None
            if own.start > state.now:
                return 0, 0, None  # it waits for its reservation without a plan
            nodes = own.mask
            if start + minutes * 60 > own.end:
                return 0, 0, None
        else:
            start = self._after_maintenance(record, start, minutes)
        end = start + minutes * 60
        kept = state.bookings.kept_from(job, start, end)
        until = state.bookings.next_end(job, start, end, record.table.mask, self.settings.bf_resolution)
        return kept, until, (start, nodes)

    def _after_maintenance(self, record: Record, start: int, minutes: int) -> int:
        """A start that would run into a reservation of the whole partition is its end instead (§8)."""
        for _ in range(_MOST_MOVES):
            one = self.state.bookings.covering(start, start + minutes * 60, record.table.mask)
            if one is None:
                break
            start = one.end
        return start

    def _possible(self, record: Record, among: int, slots: list[Slot]) -> bool:
        """Whether nodes, named ones and licences are enough for a test at all."""
        job = record.job
        if among.bit_count() < record.demand.min_nodes or job.named & ~among:
            return False
        if self.settings.bf_licenses and job.ask.licences:
            for slot in slots:
                if any(slot.licences.get(name, 0) < count for name, count in job.ask.licences.items()):
                    return False
        return True

    def _licences_again(self, wanted: Mapping[str, int], slots: list[Slot]) -> int:
        """When the first slot with too few licences is over; 0: all have enough, or it is the last one."""
        for slot in slots:
            if any(slot.licences.get(name, 0) < count for name, count in wanted.items()):
                return 0 if slot is self.map.slots[-1] else slot.end
        return 0

    def _start(self, record: Record, among: int, minutes: int) -> _Plan | None:
        """Start a job now: nodes are selected anew within what was free; None: that failed, it is planned instead."""
        state, job = self.state, record.job
        if partition_refusal(record) or not job.startable_tasks:
            return None
        placed = state.selector.start(record, among, state.held, state.limits.preferred(record))
        if placed is None:
            listed = candidates(state, record)
            found = find_victims(state, record, among, listed) if listed else None
            if found is None:
                return None
            self.done.victims += [(victim, job) for victim in found[1]]
            signal(state, found[1])
            job.reason = "Resources"
            return None
        if waits_for_switches(state, record, placed):
            return None
        refusal = state.limits.before(record) or state.limits.after(record, placed, state.tres_of(record, placed))
        if refusal:
            job.reason = refusal
            return _Plan(_Outcome.REFUSED)
        limit = minutes
        if minutes < record.limit:
            limit = self._longest(record, placed, minutes)
        running = state.begin(record, placed, state.now, cut(record, limit, state.now))
        self._take_licences(record, running)
        self.done.started.append(running)
        return _Plan(_Outcome.STARTED, state.now, placed.nodes)

    def _take_licences(self, record: Record, running: RunningJob) -> None:
        wanted = record.job.ask.licences
        if self.settings.bf_licenses and wanted:
            self.map.take(self.state.now, running.holding.end, 0, wanted)

    def _longest(self, record: Record, placed: Picked, minutes: int) -> int:
        """With --time-min the limit grows as far as the next plan on its nodes allows (§4.3)."""
        now = self.state.now
        end = now + record.limit * 60
        for slot in self.map.slots:
            if slot.begin > now and slot.begin < end and placed.nodes & ~slot.nodes:
                end = slot.begin
                break
        return max(minutes, min(record.limit, (end - now) // 60))

    def _reserve(self, record: Record, when: int, minutes: int, placed: Picked, shown: bool) -> _Plan:
        """Enter a plan in the map, unless it is only ``shown``, limits refuse it, or there are enough already."""
        state, job = self.state, record.job
        refusal = state.limits.after(record, placed, state.tres_of(record, placed))
        if refusal and not self.limits_stop:
            job.reason = refusal
            return _Plan(_Outcome.SHOWN, when)
        part = self.settings.bf_job_part_count_reserve
        if shown or (part and self.reserved[record.table.name] >= part):
            return _Plan(_Outcome.SHOWN, when)
        most = self.settings.bf_node_space_size or self.settings.bf_max_job_test
        if most and self.map.records >= most:
            return _Plan(_Outcome.FULL, when, placed.nodes)
        self.map.take(
            when, when + minutes * 60, placed.nodes, job.ask.licences if self.settings.bf_licenses else None
        )
        self.reserved[record.table.name] += 1
        return _Plan(_Outcome.PLANNED, when, placed.nodes)


def backfill_pass(state: State) -> Pass:
    """One cycle of the backfill loop at ``state.now``: starts and plans."""
    return _Cycle(state).go()
