"""The backfill loop over the queue: which jobs are tested, and what limits end a cycle (§4)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.loops.cancelling import drop_hopeless, drop_late
from windtunnel.schedulers.slurm.loops.deferred import Deferred
from windtunnel.schedulers.slurm.loops.het_jobs import forget_het_plans
from windtunnel.schedulers.slurm.loops.last_tested import LastTested
from windtunnel.schedulers.slurm.loops.looked_at import LookedAt
from windtunnel.schedulers.slurm.loops.main_loop import forget_limits
from windtunnel.schedulers.slurm.loops.not_placed import liked, only_as_liked
from windtunnel.schedulers.slurm.loops.passes import Pass
from windtunnel.schedulers.slurm.loops.planner import Planner
from windtunnel.schedulers.slurm.loops.prospects import Prospects, Sort
from windtunnel.schedulers.slurm.loops.queue import job_queue
from windtunnel.schedulers.slurm.loops.starting import all_started
from windtunnel.schedulers.slurm.loops.surely_tested import all_tested
from windtunnel.schedulers.slurm.plans.outcomes import FULL, PLANNED, STARTED, show_plan
from windtunnel.schedulers.slurm.state import State

__all__ = ["backfill_pass"]


@mypyc_attr(allow_interpreted_subclasses=True)
class _Cycle:
    """One cycle, with its plans."""

    def __init__(self, state: State, all_plans: bool) -> None:
        self.state = state
        self.all_plans = all_plans
        self.settings = state.site.backfill
        self.limits_stop = state.site.main.assoc_limit_stop
        self.planner = Planner(state)
        self.done = self.planner.done
        self.full = False
        known = self.settings
        self.most_starts: int = known.bf_max_job_start
        self.seen = LookedAt(known)
        self.last = LastTested()
        self.least_priority: int = known.bf_min_prio_reserve
        self.least_age: int = known.bf_min_age_reserve
        self.once_each: bool = known.bf_one_resv_per_job
        self.most_plans: int = known.bf_job_part_count_reserve
        self.arrays_begun: set[str] = set()
        """Arrays of which tasks have started: the loop passes over them in their further partitions."""
        self.array = ""
        """The array whose tasks were last planned, and how many of them one after another."""
        self.array_plans = 0
        self.may_defer = False
        """Whether plans may be put off that keep no job from starting now."""
        self.deferred = Deferred()
        self.not_all = False
        """Whether limits of the cycle may leave out jobs with deadlines, which are not cancelled then (§9)."""

    def go(self) -> Pass:
        """Over the queue in order, until a limit of the cycle ends it."""
        state, settings = self.state, self.settings
        self.done.failed += drop_hopeless(state)
        queue = job_queue(state, backfill=True)
        count, boundaries = len(queue), self.planner.most_boundaries
        in_map = not boundaries or 2 * count + 1 < boundaries
        self.not_all = bool(state.watched) and not (in_map and not self.seen.may_leave_out(count))
        if not self.not_all:
            self.done.failed += drop_late(state, queue)
        for job in state.pending.values():
            job.expected, job.planned = None, 0
        most = settings.bf_max_job_test
        prospects = self._prospects(queue)
        for place, record in enumerate(queue):
            if self.deferred.jobs and most and self.done.tested + self.deferred.waiting >= most:
                if prospects is not None and all_tested(self.deferred, self.planner, prospects):
                    break
                self._catch_up()
            if self.full or (most and self.done.tested >= most):
                break
            if self.most_starts and len(self.done.started) >= self.most_starts:
                break
            if prospects is not None and not prospects.any_from(place):
                if not prospects.refusals_from(place, queue):
                    break
                prospects = None
            if record.job.id not in state.pending or record.job.id in self.arrays_begun:
                continue
            if not record.job.startable_tasks:
                record.job.reason = "JobArrayTaskLimit"
                continue
            if (record.magnetic or record.listed) and not self._drawn(record):
                continue
            if prospects is None:
                self._record(record)
            else:
                self._with_prospects(record, prospects, place)
            if record.magnetic and record.job.id in state.pending:
                record.job.reservation = ""
        most = self.most_starts
        if not most or len(self.done.started) < most:
            self.done.started += list(self.planner.het.start_all(max(0, most - len(self.done.started))))
        return self.done

    def _drawn(self, record: Record) -> bool:
        """Whether a job's reservation has begun, one that takes it or of several; otherwise it is said that it will.

        Nothing is said of one that takes a job which lacks licences: it is not even looked at.
        """
        job, asks = record.job, bool(record.listed)
        if not asks and job.licences and not (self.settings.bf_licenses or self.state.has_licences(job.licences)):
            return False
        job.reservation = record.listed or record.magnetic
        if self.state.bookings.open_to(job, self.state.now):
            return True
        job.reservation, job.reason = job.reservation if asks else "", "Reservation"
        return False

    def _prospects(self, queue: list[Record]) -> Prospects | None:
        """What tells when no job can start any more; None: all are to be tested."""
        state, masks = self.state, self.state.selector.masks
        if self.all_plans or masks is None or self.planner.preempting or self.planner.het.plans or self.not_all:
            return None
        if state.limits.active and not self._limits_tell(len(queue)):
            return None
        self.may_defer = self.planner.keeps and not (
            state.limits.active  # plans that they refuse are not entered
            or self.seen.bounded
            or self.least_age
            or self.least_priority
            or state.limits.thresholds
            or self.once_each
            or self.most_plans
            or state.users_alone
        )
        return Prospects(state, self.planner, queue, masks)

    def _limits_tell(self, count: int) -> bool:
        """Whether limits say without plans which of so many jobs they refuse, all of which are tested."""
        most, boundaries = self.settings.bf_max_job_test, self.planner.most_boundaries
        in_full = (not most or count <= most) and (not boundaries or 2 * count + 1 < boundaries)
        return in_full and self.state.limits.by_cpus and not self.limits_stop

    def _with_prospects(self, record: Record, prospects: Prospects, place: int) -> None:
        """A job is tested, or put off where its plan keeps no job from starting now."""
        sort = prospects.of[place]
        if sort.hopeless and self.may_defer:
            return
        if sort.opaque:
            self._catch_up()
        elif prospects.may_start(sort):
            if self.deferred.jobs and not self._starts_before_plans(record, sort, prospects):
                self._catch_up()
        elif self.may_defer and self.planner.is_hopeless(record, look=False):
            sort.hopeless = True
            return
        elif self.may_defer and prospects.behind(sort, place):
            self.deferred.put_off(record, sort, self.state.now + sort.length, self.planner.map)
            return
        elif self.deferred.jobs:
            if self.planner.is_hopeless(record, look=True):
                sort.hopeless = True
                return
            if self.may_defer and prospects.behind_by_slots(sort, place):
                self.deferred.put_off(record, sort, self.state.now + sort.length, self.planner.map)
                return
            if self._map_has_room() and self.deferred.planned_ahead(record, sort, self.planner, prospects):
                return
            self._catch_up()
        if self.full:
            return
        started = len(self.done.started)
        self._record(record)
        if self.deferred.jobs:
            self.deferred.started(self.done.started[started:])

    def _starts_before_plans(self, record: Record, sort: Sort, prospects: Prospects) -> bool:
        """Whether a job starts now wherever the plans go that are put off; one with whole nodes changes these."""
        return self._map_has_room() and not record.demand.exclusive and prospects.starts(sort)

    def _map_has_room(self) -> bool:
        """Whether the plans that are put off and one more cannot fill the map, which would end the cycle."""
        most = self.planner.most_boundaries
        return not most or self.planner.map.records + self.deferred.boundaries + 2 < most

    def _catch_up(self) -> None:
        """What was put off is planned after all, in order: each job as before those that have started since."""
        if not self.deferred.jobs:
            return
        selector, waiting = self.state.selector, self.deferred.take(self.planner)
        for one in waiting:
            if isinstance(one, RunningJob):
                selector.gave_back(one.holding)
        for one in waiting:
            if isinstance(one, RunningJob):
                selector.took(one.holding)
            elif not self.full:  # what has started did while the map had room for all before it
                self._record(one)

    def _record(self, record: Record) -> None:
        """A job, or the tasks of an array one after another."""
        job = record.job
        if self.done.made_room_for(job):
            return  # in another partition
        first = self.planner.het.first(record)
        if first is None:
            return  # some other component has no start yet
        before = job.expected
        if self._refused(record):
            return
        if record.liking is not None and (self._starts_as_it_likes(record, first) or only_as_liked(record)):
            return
        only_now = self._only_now(record)
        first = max(first, self._blocked_until(record))
        while not self.seen.enough_of(record):
            if self.not_all and drop_late(self.state, [record]):
                self.done.failed.append(job)
                return
            plan, tested = self.planner.test(record, only_now, first)
            self.done.tested += tested and not record.magnetic  # each task of an array counts
            if plan.outcome is STARTED:
                if job.tasks is not None:
                    self.arrays_begun.add(job.id)
                if self.most_starts and len(self.done.started) >= self.most_starts:
                    return
                if all_started(self.state, job):
                    return
                continue
            show_plan(job, plan, before)
            self.full = plan.outcome is FULL
            if plan.outcome is not PLANNED or not self._next_task(job):
                return

    def _starts_as_it_likes(self, record: Record, first: int) -> bool:
        """Whether a job, or all tasks that may, start now on the nodes that it prefers; there nothing is planned."""
        job = record.job
        while not self.seen.enough_of(record):
            plan, tested = self.planner.test(liked(record), True, first)
            self.done.tested += tested
            if plan.outcome is not STARTED:
                return False
            if all_started(self.state, job):
                return True
        return True

    def _refused(self, record: Record) -> bool:
        """Whether limits that need no placement keep a job back: then it counts for no limit of the cycle (§6.1).

        Of an array they are looked at once for all its tasks.
        """
        if self.limits_stop:
            return False
        if not self.state.limits.active:
            forget_limits(record.job)
            return False
        refusal = self.state.limits.before(record)
        if refusal:
            record.job.reason = refusal
            self.last.leave(self.state, record.job)
        else:
            forget_limits(record.job)
            self.last.note(record.job)
        return bool(refusal)

    def _blocked_until(self, record: Record) -> int:
        """With ``assoc_limit_stop`` no job of a QOS passes one that waits for a limit of the QOS (§6.2)."""
        blocked = self.planner.blocked_until
        if not blocked:
            return 0
        return max([blocked.get(one.name, 0) for one in self.state.limits.qos_of(record)], default=0)

    def _next_task(self, job: PendingJob) -> bool:
        """Whether one more task of an array is planned; in the next partition the count goes on."""
        if job.tasks is None:
            return False
        if self.array != job.id:
            self.array, self.array_plans = job.id, 0
        self.array_plans += 1
        return self.array_plans < min(self.settings.bf_max_job_array_resv, len(job.tasks))

    def _only_now(self, record: Record) -> bool:
        """Whether a job is tested for now alone, without a plan (§4.5)."""
        job = record.job
        if record.priority < self.state.limits.least_priority(record, self.least_priority):
            return True
        if self.least_age and job.eligible is not None and self.state.now - job.eligible < self.least_age:
            return True
        if self.once_each and job.expected is not None:
            return True
        most = self.most_plans
        return bool(most and self.planner.reserved.get(record.table.name, 0) >= most)


def backfill_pass(state: State, all_plans: bool = True) -> Pass:
    """One cycle of the backfill loop at ``state.now``: starts and plans.

    Where nobody asks for ``all_plans``, those are not made that keep no job from starting now.
    """
    if not state.pending:
        forget_het_plans(state)
        return Pass()
    return _Cycle(state, all_plans).go()
