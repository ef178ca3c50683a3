"""Where a job goes in the map of the backfill loop: its first start beside all plans, or right now (§4.3)."""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.picked import Picked
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.loops.booked import bookings_for
from windtunnel.schedulers.slurm.loops.het_jobs import HetStarts
from windtunnel.schedulers.slurm.loops.last_tested import tested_for_a_minute
from windtunnel.schedulers.slurm.loops.queue import too_few_tasks
from windtunnel.schedulers.slurm.loops.starting import Starter
from windtunnel.schedulers.slurm.loops.switch_wait import heed_switches, waits_for_switches
from windtunnel.schedulers.slurm.nodes.nodesets import without
from windtunnel.schedulers.slurm.plans.node_map import Slot
from windtunnel.schedulers.slurm.plans.outcomes import DEFERRED, FULL, LATE, NOTHING, PLANNED, REFUSED, SHOWN, Plan
from windtunnel.schedulers.slurm.preemption.victims import (
    candidates,
    suspended_for,
    takes_another_row,
)
from windtunnel.schedulers.slurm.select.answers import Answer
from windtunnel.schedulers.slurm.select.shortage import Shortage
from windtunnel.schedulers.slurm.state import State

__all__ = ["MOST_TRIES", "PlanMaker", "minutes_of"]

MOST_TRIES: Final = 500
"""Dates at which one test looks for nodes."""
_NEVER: Final = 1 << 62
_UNKNOWN_START: Final = 500
"""Seconds after which a job is planned that limits refuse now (``assoc_limit_stop``)."""


@mypyc_attr(allow_interpreted_subclasses=True)
class PlanMaker(Starter):
    """Tests the jobs of one cycle, with the map of its plans."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.limits_stop = state.site.main.assoc_limit_stop
        self.preempting = bool(state.site.preempt.type)
        self.most_plans: int = self.settings.bf_job_part_count_reserve
        """Plans of a partition; 0: any number."""
        self.most_boundaries: int = self.settings.bf_node_space_size or self.settings.bf_max_job_test
        self._bases: dict[str, int] = {}
        """Of each partition."""
        self.booked = bool(state.bookings)
        self.tried = 0
        """The last date at which a start was tried."""
        self.answers: list[Answer] = []
        """What one test has asked for, and whether nothing else decides on it."""
        self.lasting = False
        self.sizes = state.ranking.by_size
        """Whether priorities depend on the CPUs of what is found for jobs."""
        self.reserved: dict[str, int] = {}
        """Plans of each partition."""
        self.blocked_until: dict[str, int] = {}
        """From when on jobs of a QOS are planned: one of them is refused by a limit of the whole QOS until then."""
        self.het = HetStarts(state, self.window)
        self._victims_of: Record | None = None
        self._victims: list[RunningJob] = []
        """Whom the job that is tested may preempt."""

    def make(self, record: Record, only_now: bool, first: int) -> tuple[Plan, bool]:
        """The first start at which a job fits beside all plans (§4.3); and whether selection was tried.

        Not before ``first``: components of a heterogeneous job start with the others.
        """
        state, job = self.state, record.job
        self._victims_of = None
        if job.licences and not self.licensed and not state.has_licences(job.licences):
            return Plan(NOTHING), False
        refusal = state.limits.bound(record)
        if refusal:
            job.reason = refusal
            return Plan(REFUSED), False
        if too_few_tasks(record):
            return Plan(NOTHING), False
        no_reserve = job.qos is not None and job.qos.has("NoReserve")
        for_a_minute = no_reserve and tested_for_a_minute(state, job)
        limit = 1 if for_a_minute else least_time(record)
        minutes = min(limit, minutes_of(record))
        plain = not (self.booked or only_now or job.named or (self.licensed and job.licences))
        tested = False
        shortage = self._shortage(record, minutes) if plain else None
        asked = limit  # for so long no reservation may be in its way, and limits reckon with it
        later = state.now
        tries = 0
        while tries < MOST_TRIES:
            start = max(later, first)
            if plain:
                left = MOST_TRIES - tries
                start, later, among, done, possible = self.chance(record, start, minutes, left, shortage)
                tries += done
                tested = tested or possible
                self.tried = start
                if not among:
                    break
            else:
                tries += 1
                chance = self._booked_chance(record, start, minutes, asked)
                if chance is None:
                    return Plan(DEFERRED if tries > 1 else NOTHING), tested
                start, later, among, possible = chance
                if not possible:
                    if later and not only_now:
                        continue
                    break
                tested = True
            self.tried = start
            if record.too_small:
                among &= ~record.too_small
            again = bool(later) and not only_now
            horizon = later if again else state.now if only_now else _NEVER
            if minutes < record.limit and (self.booked or state.limits.active):
                horizon = _NEVER  # whether it could run at all makes a difference
            if job.het is not None:
                horizon = _NEVER  # the earliest start that is found is kept, though another is tried
            found = self._will_run(record, among, horizon)
            if found is None:
                asked = record.limit  # slurmctld is back at all that the job asks for
            if found is None or (only_now and found[0] > state.now):
                if again:
                    continue
                break
            when, placed = max(found[0], start), found[1]
            if when <= state.now and placed.nodes & state.completing:
                when, later = state.now + 1, 0  # soon, but not yet
            self.het.note(record, when, placed)
            if when <= state.now and job.het is None:
                plan = self.start_now(record, among, limit, record.limit if for_a_minute else limit)
                self._victims_of = None
                if plan is not None and (plan.outcome is not REFUSED or not self.limits_stop):
                    return plan, tested
                if plan is not None:
                    when = later or state.now + _UNKNOWN_START  # nobody knows when limits leave room
                    self._block_qos(job, when)
                    if only_now:
                        return Plan(LATE, when), tested
                else:
                    asked = record.limit
            elif later and when > later:
                continue
            if when > state.now + self.window:
                return Plan(LATE, when), tested
            if not self.map.free(when, when + minutes * 60, placed.nodes, max(start, state.now) + minutes * 60):
                later = when
                continue
            if self.het.deadlocked(record, when):
                break
            if only_now and when > state.now:
                return Plan(LATE, when), tested  # a reservation has moved it: its start is shown, and nothing kept
            shown = no_reserve or bool(record.magnetic)
            return self._reserve(record, when, minutes, placed, shown, asked), tested
        return Plan(NOTHING), tested

    def base(self, record: Record) -> int:
        """The nodes of a job's partition that are up, and not another user's for himself."""
        base = self._bases.get(record.table.name)
        if base is None:
            base = record.table.mask & self.nodes
            if base == self.nodes:
                base = self.nodes  # the same object: it is compared at once
            self._bases[record.table.name] = base
        others = self.state.of_others(record)
        return without(base, others)

    def _shortage(self, record: Record, minutes: int) -> Shortage | None:
        """What tells by which dates a job has too few nodes; None: that alone does not decide."""
        state, selector = self.state, self.state.selector
        if selector.futures is None or self.preempting or state.cluster.suspends or record.job.het is not None:
            return None
        if record.too_small or selector.fit.weights.marked or (minutes < record.limit and state.limits.active):
            return None
        if (self.sizes and not record.demand.plain_shape) or not selector.by_sets(record, self.base(record)):
            return None
        return Shortage(selector, selector.futures, record, self.answers)

    def chance(
        self, record: Record, start: int, minutes: int, tries: int, shortage: Shortage | None = None
    ) -> tuple[int, int, int, int, bool]:
        """The first date with nodes enough for a test; where nothing but plans is in the way."""
        few = record.demand.min_nodes
        base = self.base(record)
        least = self.state.selector.least_nodes(record) if self.state.selector.by_sets(record, base) else few
        mask = planned_on(record) if record.narrow else base
        return self.map.chance(start, base, mask, minutes * 60, least, few, tries, shortage)

    def _booked_chance(
        self, record: Record, start: int, minutes: int, asked: int
    ) -> tuple[int, int, int, bool] | None:
        """From when on a job might go where, when to try again, and whether a test is worth while; None: never.

        ``asked``: the minutes for which no reservation may be in its way.
        """
        state, job = self.state, record.job
        kept, booked_until, reservation = bookings_for(state, record, start, asked)
        if reservation is None:
            return None
        start, base = reservation
        base &= self.base(record) & ~kept
        later, among, slots = self.map.later_than(start, base, base, max(start, state.now) + minutes * 60)
        if booked_until and booked_until + 1 < state.now + self.window and (not later or booked_until + 1 < later):
            later = booked_until + 1
        among &= planned_on(record)
        if self.licensed and job.licences:
            free_again = self.map.licences_again(job.licences, slots)
            later = min(later, free_again) if later and free_again else later or free_again
        return start, later, among, self._possible(record, among, slots)

    def _will_run(self, record: Record, among: int, horizon: int) -> tuple[int, Picked] | None:
        """What starts after ``horizon`` is tried again from there on, or not planned: nobody needs to know it."""
        state = self.state
        if self._victims_of is not record:  # the same at each date that is tried
            self._victims_of = record
            self._victims = candidates(state, record) if self.preempting else []
        listed = self._victims
        gone = [job.holding for job in listed]
        if state.cluster.suspends:
            gone += [job.holding for job in suspended_for(state, record)]
        heed_switches(state, record)
        state.selector.preempts = takes_another_row(state, record, listed)
        # Where priorities depend on CPUs, those of what is found later count, too.
        until = _NEVER if self.sizes and not record.demand.plain_shape else horizon
        found = state.selector.will_run(record, among, state.occupancy, state.now, gone, until)
        state.selector.preempts = False
        answer = state.selector.latest
        if answer is not None:
            self.answers.append(answer)
        else:
            self.lasting = False
        if found is not None and (found[0] <= state.now or horizon > state.now):
            self._measure(record, found[1])  # else only now was looked at, and nothing found
        if found is not None and waits_for_switches(state, record, found[1]):
            return None  # select/linear looks no further
        return found

    def _measure(self, record: Record, placed: Picked) -> None:
        """The CPUs of the placement are the size of the job from now on."""
        if self.sizes and placed.total:
            record.job.last_cpus = placed.total
            record.sort = max(record.sort, 0)  # it had to be tested for that

    def _possible(self, record: Record, among: int, slots: list[Slot]) -> bool:
        """Whether nodes, named ones and licences are enough for a test at all."""
        job = record.job
        if among.bit_count() < record.demand.min_nodes or job.named & ~among:
            return False
        if self.licensed and job.licences:
            for slot in slots:
                if any(slot.licences.get(name, 0) < count for name, count in job.licences.items()):
                    return False
        return True

    def _block_qos(self, job: PendingJob, until: int) -> None:
        """A limit of a whole QOS has refused a job that was placed: no other one of it is planned before (§6.2)."""
        if job.blocking_qos and job.reason.startswith("QOSGrp"):
            self.blocked_until[job.blocking_qos] = max(until, self.blocked_until.get(job.blocking_qos, 0))

    def enter(self, record: Record, begin: int, end: int, nodes: int) -> None:
        """A plan is entered in the map."""
        licences = record.job.licences if self.licensed else None
        self.map.take(begin, end, nodes, licences)
        self.lost += nodes.bit_count()
        name = record.table.name
        self.reserved[name] = self.reserved.get(name, 0) + 1

    def _reserve(
        self, record: Record, when: int, minutes: int, placed: Picked, shown: bool, asked: int
    ) -> Plan:
        """Enter a plan in the map, unless it is only ``shown``, limits refuse it, or there are enough already.

        ``asked``: the minutes with which limits reckon.
        """
        state, job = self.state, record.job
        if state.limits.active:
            named = Picked(placed.nodes & job.named, {})  # of a plan no other nodes are free of charge
            record.tested_minutes = asked
            refusal = state.limits.after(record, named, state.tracked.planned(record, placed))
            record.tested_minutes = -1
            if refusal and not self.limits_stop:
                job.reason = refusal
                return Plan(SHOWN, when)
        part = self.most_plans
        if shown or (part and self.reserved.get(record.table.name, 0) >= part):
            return Plan(SHOWN, when, placed.nodes if record.magnetic else 0)
        most = self.most_boundaries
        if most and self.map.records >= most:
            return Plan(FULL, when, placed.nodes)
        self.enter(record, when, when + minutes * 60, placed.nodes)
        return Plan(PLANNED, when, placed.nodes)


def planned_on(record: Record) -> int:
    """The nodes on which a job may be planned: where features have counts, also those that have none of them."""
    nodes = record.candidates if record.counts else record.mask
    return nodes | record.too_large if record.too_large else nodes


def least_time(record: Record) -> int:
    """The minutes with which backfill starts a job; ``--time-min`` counts only for jobs without a deadline."""
    job = record.job
    return record.limit if job.deadline is not None else min(record.limit, job.time_min or record.limit)


def minutes_of(record: Record) -> int:
    """For how long a job is planned: not beyond MaxTime of its partition, though its QOS may lift that (§6.3)."""
    most, least = record.table.partition.max_time, least_time(record)
    return least if most is None else min(least, most)
