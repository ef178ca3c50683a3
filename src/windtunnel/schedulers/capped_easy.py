"""EASY backfilling under a power cap that may change over time."""

from collections.abc import Iterable, Sequence
from math import inf
from typing import ClassVar

from windtunnel.diagnostics import too_many
from windtunnel.model import Job
from windtunnel.model.signals import Signal
from windtunnel.schedulers.batch import BatchScheduler
from windtunnel.schedulers.orders import QueueOrder, Together
from windtunnel.schedulers.power_plan import HostWatts, PowerPlan, Reserved, longest_window, next_step
from windtunnel.schedulers.waiting import ANY
from windtunnel.vocabulary import (
    Ability,
    CallMeLater,
    Decision,
    Notice,
    OneShot,
    RejectJob,
    Reply,
    SimulationBegins,
    View,
)

__all__ = ["CappedEasy"]


class CappedEasy(BatchScheduler):
    """EASY that never has jobs draw more than the run's power cap, now or at any time until their predicted ends.

    A job is taken to draw what its hosts draw at full load, and all others what they draw idle; which hosts it will
    get is not known before, so that it counts with the largest of them. It starts if the sum stays within the cap
    from now until its walltime is over. The first job that does not fit, for want of hosts or watts, gets a
    reservation: the earliest date from which it would have both for its whole walltime, by the walltimes of the
    running jobs. A later one overtakes if it fits now and either ends by that date or leaves the first job its hosts
    and watts.

    Of a job without walltime only the cap at its start counts. Jobs to which the cap never leaves their watts for so
    long, or no more, are rejected. Without a power cap, and behind protocols, which do not tell it, this is EASY.
    """

    name: ClassVar[str] = "capped-easy"
    honours = BatchScheduler.honours - {Ability.ANNOUNCED_UNAVAILABILITY}
    follows: ClassVar[str] = "power_cap"

    def __init__(self, *, queue_order: QueueOrder = "fcfs", policy: Together = "best_effort_contiguous") -> None:
        self.policy = policy
        super().__init__(queue_order)

    def _reset(self) -> None:
        super()._reset()
        self._cap: Signal | None = None
        self._watts = HostWatts(())
        self._windows: dict[float, float] = {}
        self._called = -inf
        """When it will be called next, if it is."""

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """As all batch schedulers; and whenever the cap changes."""
        self.site.apply(now, notices)
        for notice in notices:
            if isinstance(notice, SimulationBegins):
                self._cap = notice.signals.get(self.follows)
                self._watts = HostWatts(notice.platform.hosts, notice.platform.storages)
        decisions: list[Decision] = []
        if self.site.refused:
            self._retry(now, decisions)
        if self._called <= now:
            self._windows.clear()
            decisions += self._forsake()
        for job in self.site.arrived:
            reason = self._never(job)
            if reason:
                decisions.append(RejectJob(job_id=job.id, reason=reason))
            else:
                self.queue.add(job, now)
        if (self.site.changed or self.site.arrived or self.site.called) and self.queue.count:
            decisions += self.schedule(self.view)
        if self.queue.count and self._cap is not None and self._called <= now:
            decisions += self._call(self._cap, now)
        return Reply(now, decisions)

    def schedule(self, view: View) -> Iterable[Decision]:
        """Start the queue from the front; then whoever may overtake."""
        del view
        site, queue, now = self.site, self.queue, self.site.now
        plan = self._plan()
        made: list[Decision] = []
        while queue.count:
            first = queue.first()
            if not self._fits(plan, first):
                break
            queue.remove(first)
            made.append(self._start(plan, first))
        if queue.count and site.free.size:
            reserved, extra = self._reserve(plan, first)
            for job in [*queue][1:]:
                size = job.request.hosts
                if not self._fits(plan, job):
                    continue
                if now + job.walltime > reserved.begin or job.walltime > ANY:
                    if size > extra or not self._leaves(plan, job, reserved):
                        continue
                    extra -= size
                queue.remove(job)
                made.append(self._start(plan, job))
        return made

    def _plan(self) -> PowerPlan | None:
        """What is drawn from now on."""
        if self._cap is None:
            return None
        watts, running = self._watts, self.site.running.values()
        held = ((one.end, watts.of(one.hosts)) for one in running)
        return PowerPlan(self._cap, watts.base, self.site.now, held)

    def _fits(self, plan: PowerPlan | None, job: Job) -> bool:
        """Whether there are hosts for a job now, and watts for all its walltime."""
        if job.request.hosts > self.site.free.size:
            return False
        return plan is None or self._has_watts(plan, job, self.site.now)

    def _has_watts(self, plan: PowerPlan, job: Job, begin: float) -> bool:
        """Whether there are watts for a job that starts at a date."""
        return plan.fits(self._watts.at_most(job.request.hosts), begin, _end(begin, job))

    def _leaves(self, plan: PowerPlan | None, job: Job, reserved: Reserved) -> bool:
        """Whether a job that starts now leaves the first one its watts."""
        now = self.site.now
        return plan is None or plan.fits(self._watts.at_most(job.request.hosts), now, now + job.walltime, reserved)

    def _start(self, plan: PowerPlan | None, job: Job) -> Decision:
        decision = self.site.run(job, self.policy != "basic")
        if plan is not None:
            plan.hold(self.site.now + job.walltime, self._watts.of(decision.hosts))
        return decision

    def _reserve(self, plan: PowerPlan | None, job: Job) -> tuple[Reserved, int]:
        """When the first job will start at the latest, with its watts; and how many hosts are free then beside it."""
        site, need = self.site, job.request.hosts
        ends = [(max(end, site.now), freed) for end, _, freed, _ in site.ends]
        dates = [end for end, _ in ends]
        free, rank = site.free.size, 0
        for date in sorted({site.now, *dates}) if plan is None else plan.dates(dates):
            while rank < len(ends) and ends[rank][0] <= date:
                free += ends[rank][1]
                rank += 1
            if free >= need and (plan is None or date == inf or self._has_watts(plan, job, date)):
                return Reserved(date, date + job.walltime, self._watts.at_most(need)), free - need
        return Reserved(ANY, inf, 0.0), 0

    def _never(self, job: Job) -> str:
        """Why a job can never start; empty: it can."""
        need, size = job.request.hosts, self.site.size
        if need > size:
            return too_many(need, "host", size)
        if self._cap is None:
            return ""
        watts = self._watts.base + self._watts.at_most(need)
        if watts not in self._windows:
            self._windows[watts] = longest_window(self._cap, watts, self.site.now)
        window = self._windows[watts]
        if window <= 0.0 or (job.walltime <= ANY and job.walltime > window):
            lasts = f" for {job.walltime:g} s" if window > 0.0 else ""
            return f"with it the hosts may draw {watts:,.0f} W, which the power cap does not allow{lasts} from now on"
        return ""

    def _forsake(self) -> list[Decision]:
        """Waiting jobs that can start no more since the cap has changed; one that comes again makes no difference."""
        made: list[Decision] = []
        if self._cap is not None and self._cap.period <= 0.0:
            for job in [*self.queue]:
                if reason := self._never(job):
                    self.queue.remove(job)
                    made.append(RejectJob(job_id=job.id, reason=reason))
        return made

    def _call(self, cap: Signal, now: float) -> list[Decision]:
        """Look again where the cap changes."""
        date = next_step(cap, now)
        self._called = date
        return [] if date == inf else [CallMeLater(call_me_later_id=f"{self.name} {date!r}", when=OneShot(date))]


def _end(begin: float, job: Job) -> float:
    """When a job ends whose watts are looked at: of one without walltime only its start counts."""
    return begin + job.walltime if job.walltime <= ANY else begin
