"""The lease manager as a decision component: any workload, scheduled as leases on the common engine.

Jobs become leases (:func:`~windtunnel.leases.jobs.lease_of`). The planner is driven by what the engine tells; what it
plans becomes decisions of the vocabulary when its time has come: machines start (execute), are saved (suspend),
move (migrate), resume, images are sent (transfer). The engine holds a suspended job's hosts free while its
memory is saved and restored; the slot table does not give them away meanwhile.

A lease that is cancelled to start again from the beginning becomes a new job: ``NAME#2`` follows ``NAME``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec

from windtunnel.leases.decisions import DecisionWriter
from windtunnel.leases.haizea.stopping import StopCondition
from windtunnel.leases.jobs import lease_of, site_of
from windtunnel.leases.planner.plan import Plan
from windtunnel.leases.planner.planner import Planner
from windtunnel.leases.planner.record import LeaseRecord, VirtualMachines
from windtunnel.leases.planner.sanity import check
from windtunnel.leases.planner.ticks import FOREVER, TICKS, ticks, uncountable
from windtunnel.leases.registry import parts_of, read_settings, rules_of, shown_settings
from windtunnel.model import Platform
from windtunnel.model.lease import Lease, LeaseState
from windtunnel.model.lease_jobs import AT_LEAST, LeaseJobs
from windtunnel.model.lease_options import CODE_OPTIONS, LeaseOptions, Preparation, Stop
from windtunnel.options import Option
from windtunnel.schedulers.base import Scheduler
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    Ability,
    AllStaticExternalEventsHaveBeenInjected,
    AllStaticJobsHaveBeenSubmitted,
    CallMeLater,
    Decision,
    ExternalEventOccurred,
    Features,
    FinishRegistration,
    ForceSimulationStop,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    JobCompleted,
    JobSubmitted,
    KillJobs,
    Notice,
    OneShot,
    Reply,
    RequestedCall,
    SimulationBegins,
)

__all__ = ["CANCEL", "END", "LeaseManager"]

CANCEL: Final = "cancel_lease"
"""The kind of external event that cancels the lease in its attribute ``lease``, if it can be cancelled."""
END: Final = "end_lease"
"""The kind of external event that says that the machines of the lease in its attribute ``lease`` are no more."""
LOST: Final = -2
"""The return code of a job whose hosts went away."""


_GIVING_WAY: Final = frozenset({Ability.PREEMPTABILITY})


class LeaseManager(Scheduler):
    """Haizea's lease scheduling. Options are those of :class:`~windtunnel.model.lease_options.LeaseOptions`."""

    name: ClassVar[str] = "leases"
    honours: ClassVar[frozenset[Ability]] = HONOURED_BY_ALL | {
        Ability.EXACT_STARTS,
        Ability.DEADLINES,
        Ability.PREEMPTABILITY,
        Ability.SHARES,
        Ability.MEMORY,
        Ability.RESOURCES,
        Ability.UNAVAILABLE_HOSTS,
    }
    """As leases ask for it; jobs that are not leases get whole hosts."""
    features: ClassVar[Features] = Features(dynamic_registration=True, profile_reuse=True)
    code_options: ClassVar[frozenset[str]] = frozenset({"options", "stop", "live", *CODE_OPTIONS})
    python_only: ClassVar[frozenset[str]] = frozenset({"options", "stop", "live"})

    def __init__(
        self,
        options: LeaseOptions | None = None,
        *,
        stop: Stop | None = None,
        sanity_check: bool = False,
        live: bool = False,
        **settings: Any,
    ) -> None:
        """``live``: leases come from outside as long as it runs, and nodes are given away with the lead asked for.

        Raises:
            UsageError: an option does not exist or has no sensible value.
        """
        super().__init__()
        self.options = read_settings(settings, options)
        self._rules, self._parts = rules_of(self.options), parts_of(self.options)
        self.stop_condition = StopCondition(stop or Stop())
        self.journal_readers: list[Callable[[Plan], None]] = [check] if sanity_check else []
        """Called after each instant, when the journal tells what happened."""
        self.live = live
        self.planner: Planner
        self._writer: DecisionWriter
        self._lead = ticks(self.options.non_schedulable_interval) if live else 0
        self._asked: dict[str, Lease] = {}
        """The leases of the workloads, by job."""
        self._requests: list[LeaseRecord] = []
        self._ended: list[int] = []
        self._cancelled: list[int] = []
        self._next: int | None = None
        """When the planner has something to do next."""
        self._wake: int | None = None
        """When it has to be called for it."""
        self._calls: set[int] = set()
        """When the engine will call."""
        self._last = 0
        """The last number given to a job that is not a lease."""
        self._all_submitted = self._all_events = self._finished = False
        self._no_more = False
        """Whether it has been notified that no more will come."""

    def lasts(self, lease: Lease, /) -> tuple[float, float | None]:
        """A lease's duration and real duration (s), with the overheads that are to be added."""
        asked, real = self._rules.durations(lease.kind, lease.duration, lease.real_duration)
        return asked / TICKS, None if real is None else real / TICKS

    def why_stuck(self) -> str:
        """Which leases wait indefinitely because of a quirk of Haizea."""
        return self.planner.plan.why_stuck()

    def honours_on(self, platform: Platform) -> frozenset[Ability]:
        """Disk images too, where they are to be brought to the nodes."""
        del platform
        images = self.options.lease_preparation is Preparation.IMAGETRANSFER
        given = self.honours if self.options.policy_preemption != "no-preemption" else self.honours - _GIVING_WAY
        return given | {Ability.IMAGES} if images else given

    @classmethod
    def settings(cls) -> Mapping[str, Option]:
        """Those of the lease manager."""
        return shown_settings()

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Take in what happened, let the planner advance, and answer with what it does now."""
        try:
            instant = round(now * TICKS)
        except OverflowError:
            raise uncountable(now) from None
        happened = False
        for notice in notices:
            if isinstance(notice, JobSubmitted):
                self._submitted(notice)
            elif isinstance(notice, JobCompleted):
                happened |= self._completed(notice, instant)
            elif isinstance(notice, SimulationBegins):
                self._begin(notice)
                stays_open = CallMeLater(call_me_later_id="open", when=OneShot(FOREVER / TICKS))
                return Reply(now, [stays_open] if self.live else [])
            elif isinstance(notice, RequestedCall):
                self._calls.discard(instant)
            elif isinstance(notice, HostsBecameUnavailable):
                happened = True
                self.planner.outages.close(notice.hosts.bits, instant)
            elif isinstance(notice, HostsBecameAvailable):
                happened = True
                self.planner.outages.open(notice.hosts.bits, instant)
            elif isinstance(notice, AllStaticJobsHaveBeenSubmitted):
                self._all_submitted = self._no_more = True
            elif isinstance(notice, AllStaticExternalEventsHaveBeenInjected):
                self._all_events = self._no_more = True
            elif isinstance(notice, ExternalEventOccurred):
                happened |= self._told(notice)
        return Reply(now, self._answer(now, max(instant, self.planner.plan.now), happened=happened))

    def _answer(self, now: float, instant: int, *, happened: bool) -> list[Decision]:
        writer = self._writer
        due = self._next is not None and self._next <= instant
        if not (happened or due or self._requests or self._ended or self._cancelled):
            decisions: list[Decision] = []
            if self._no_more:
                self._ask_for_call(decisions)
            return decisions
        if due and (late := self._still_running(instant)):
            latest = round(instant / TICKS + AT_LEAST, 6)  # as dates travel
            if now < latest:
                return [CallMeLater(call_me_later_id="late", when=OneShot(latest))]
            writer.decisions.append(KillJobs(job_ids=tuple(late)))
        while self._next is not None and self._next < instant:
            self._advance(self._next, (), ())
        self._advance(instant, self._requests, self._ended)
        self._requests, self._ended = [], []
        self._cancel()
        decisions = writer.take()
        self._ask_for_call(decisions)
        return decisions

    def _cancel(self) -> None:
        """What outsiders have cancelled, as far as it can be; what waits for its nodes may start at once."""
        for number in self._cancelled:
            if not self.planner.why_not_cancel(number):
                self.planner.cancel(number)
                self._writer.write()
        if self._cancelled:
            self._cancelled.clear()
            self._advance(self.planner.now, (), ())

    def _advance(self, instant: int, requests: Sequence[LeaseRecord], ended: Sequence[int]) -> None:
        plan = self.planner.plan
        self.planner.advance(instant, requests, ended=ended, lead=self._lead)
        for read in self.journal_readers:
            read(plan)
        self._writer.write()
        self._next, self._wake = plan.table.upcoming(instant)

    def _ask_for_call(self, decisions: list[Decision]) -> None:
        """Ask for the next call, or see that nothing more is to come."""
        plan = self.planner.plan
        self._no_more = False
        if self.stop_condition.is_set and self.stop_condition.enough(plan):
            decisions.append(ForceSimulationStop())
            return
        if self._all_submitted and not self.live:
            self._finish(decisions)
        wake = self._wake
        if wake is not None and wake not in self._calls:  # calls cannot be taken back on all wires
            self._calls.add(wake)
            decisions.append(CallMeLater(call_me_later_id="leases", when=OneShot(wake / TICKS)))

    def _finish(self, decisions: list[Decision]) -> None:
        """No more jobs come from the workloads."""
        planner, plan = self.planner, self.planner.plan
        if plan.leases and self._next is None and plan.table.away and self._all_events:
            planner.outages.give_up("it waits for nodes that do not come back")
            self._writer.write()
            decisions += self._writer.take()
        if plan.leases:
            if not planner.busy:  # Haizea leaves some leases suspended indefinitely
                decisions.append(ForceSimulationStop())
        elif not self._finished:
            self._finished = True
            decisions.append(FinishRegistration())

    def _begin(self, notice: SimulationBegins) -> None:
        self.planner = Planner(site_of(notice.platform), self._rules, self._parts)
        self.planner.plan.live = self.live
        self._writer = DecisionWriter(self.planner.plan)
        for work in notice.workloads:
            if isinstance(work, LeaseJobs):
                self._asked.update(work.leases)
        self.stop_condition.begin(notice.workloads)

    def _submitted(self, notice: JobSubmitted) -> None:
        """A job is a lease, unless it is the continuation of one."""
        job, writer = notice.job, self._writer
        if job.id in writer.numbers:
            return
        asked = self._asked.pop(job.id, None) or lease_of(job, self.planner.plan.site)
        number = asked.id
        if number is None or number in writer.jobs:
            self._last += 1
            while self._last in writer.jobs:
                self._last += 1
            number = self._last
        lease = msgspec.structs.replace(asked, id=number, submit=notice.submission_time)
        writer.numbers[job.id] = number
        writer.jobs[number] = job
        self.stop_condition.submitted(lease.kind)
        record = self.planner.record(lease)
        record.ends_by_itself = job.walltime * TICKS <= record.requested + TICKS * AT_LEAST + 1e-6
        self._requests.append(record)

    def _completed(self, notice: JobCompleted, instant: int) -> bool:
        """A job is over; whether it was lost with its hosts."""
        number = self._writer.numbers.pop(notice.job.id, None)
        job = None if number is None else self._writer.jobs.get(number)
        if number is None or job is None or job.id != notice.job.id:  # it gave way: another job has followed it
            return False
        self._writer.over.add(number)
        if notice.return_code == LOST:
            self.planner.outages.lose(number, "a machine it ran on is gone", instant)
            self._writer.write()  # by option it comes back at once, under the same number
            return True
        self._ended.append(number)
        return False

    def _still_running(self, instant: int) -> list[str]:
        """Jobs whose machines are to end now, of which the engine has not been notified yet."""
        writer = self._writer
        return [
            writer.jobs[r.lease.id].id
            for r in self.planner.plan.table.ending_at(instant)
            if isinstance(r, VirtualMachines) and r.state and not r.is_suspending and r.lease.id not in writer.over
        ]

    def _told(self, notice: ExternalEventOccurred) -> bool:
        """What clients ask of a service; whether it concerns leases."""
        number = notice.attributes.get("lease")
        if notice.kind not in (CANCEL, END) or not isinstance(number, int):
            return False
        if notice.kind == END:
            lease = self.planner.plan.leases.get(number)
            if lease is not None and lease.state is LeaseState.ACTIVE and number not in self._writer.over:
                self._writer.decisions.append(KillJobs(job_ids=(self._writer.jobs[number].id,)))
                self._writer.over.add(number)
                self._ended.append(number)
        else:
            self._cancelled.append(number)
        return True
