"""One datacenter in front of its own scheduler: notices are translated for it, its decisions back.

What runs and waits there, and which machines are up, is in a view of its own, in the numbers that the scheduler sees.
"""

from math import inf
from typing import Final

import msgspec

from windtunnel.diagnostics import ComponentError, UsageError, too_many
from windtunnel.model import HostSet, Job
from windtunnel.model.demands import Demands, described_by
from windtunnel.schedulers.by_core import packing_by_cores
from windtunnel.schedulers.packing.forms import packing
from windtunnel.schedulers.registry import make_registered
from windtunnel.schedulers.stage import Stage
from windtunnel.vocabulary import (
    CallMeLater,
    Component,
    Decision,
    DecisionRefused,
    ExecuteJob,
    ExternalEventOccurred,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    JobCompleted,
    JobsKilled,
    JobSubmitted,
    KillJobs,
    Notice,
    RejectJob,
    ResourceStateChanged,
    SimulationBegins,
    StopCallMeLater,
    View,
)
from windtunnel.vocabulary.checking import wrong_field
from windtunnel.vocabulary.coverage import Wire, unsaid

__all__ = ["Part"]


class Part:
    """A datacenter: its hosts, which follow each other, and whoever decides on them now."""

    def __init__(
        self,
        rank: int,
        hosts: HostSet,
        component: Component,
        begins: SimulationBegins,
        *,
        by_cores: bool = False,
        by_amounts: bool = False,
    ) -> None:
        self.rank: Final = rank
        self._offset = hosts.first if hosts else 0
        self._all = HostSet.span(len(hosts))
        platform = begins.platform
        mine = tuple(
            msgspec.structs.replace(host, id=number)
            for number, host in enumerate(platform.hosts[self._offset : self._offset + len(hosts)])
        )
        self._elsewhere = described_by(platform.hosts) - described_by(mine)
        self._cores = [host.cores for host in mine]
        self._total = sum(self._cores)
        self._begins = msgspec.structs.replace(
            begins,
            platform=msgspec.structs.replace(platform, hosts=mine, storages=(), network=None, site=None, events=None),
            event_lists=tuple(events.renumbered(self._here) for events in begins.event_lists),
        )
        self._by_cores = by_cores
        self._by_amounts = by_amounts
        self._component = self._packing(component)
        self._inbox: list[Notice] = []
        self._view = View()
        self._view.apply(begins.timestamp, [self._begins])
        self._inherited: set[str] = set()
        """Jobs that an earlier scheduler started: the present one is told that their hosts are unavailable."""
        self._load = 0.0
        self._early: list[Decision] = []
        """What a scheduler decided when it was told of its machines."""
        self._start()

    def _packing(self, component: Component) -> Component:
        if self._by_amounts:
            component = packing(component)
        return packing_by_cores(component) if self._by_cores else component

    def _start(self) -> None:
        if isinstance(self._component, Stage):
            self._component.follows_changes = True
        self._component.hello()
        self._early += self._component.decide(self._begins.timestamp, [self._begins]).decisions

    def stop(self) -> None:
        """Nothing more will happen."""
        self._component.stop()

    # -- what the dispatcher asks -------------------------------------------------------------------------------

    def could_hold(self, job: Job) -> bool:
        """Whether the datacenter could hold a job if it were empty."""
        if self._lacking(job):
            return False
        if isinstance(self._component, Stage):
            return self._component.could_hold(job)
        request = job.request
        if not request.processors:
            demands = Demands(self._begins.platform.hosts)
            return not demands.unmeetable(demands.of(request))
        return self._total >= request.processors

    def _lacking(self, job: Job) -> list[str]:
        """What a job asks for of each host that other datacenters have, and this one does not."""
        return [name for name, amount in job.request.amounts if amount > 0 and name in self._elsewhere]

    def why_not(self, job: Job) -> str:
        """Why the datacenter could never hold a job."""
        if lacking := self._lacking(job):
            return f"it has no {' and no '.join(lacking)}"
        request = job.request
        demands = Demands(self._begins.platform.hosts)
        if isinstance(self._component, Stage):
            return self._component.why_not(job)
        if request.processors > self._total:
            return too_many(request.processors, "core", self._total)
        return demands.unmeetable(demands.of(request))

    @property
    def load(self) -> float:
        """Cores that waiting and running jobs want, over the cores that are up."""
        up = self._total - sum(self._cores[host] for host in self._view.unavailable)
        return self._load / up if up else inf

    def _wanted(self, job: Job) -> float:
        request = job.request
        cores = dict(request.amounts).get("cores")
        if cores is not None:
            return request.hosts * cores
        if request.processors:
            return float(request.processors)
        return request.hosts * self._total / max(len(self._cores), 1)

    # -- notices ------------------------------------------------------------------------------------------------

    def tell(self, notice: Notice) -> None:
        """Hand a notice on as it is."""
        self._inbox.append(notice)

    def submitted(self, notice: JobSubmitted) -> None:
        """A job was given to this datacenter."""
        self._view.apply(notice.timestamp, [notice])
        self._load += self._wanted(notice.job)
        self._inbox.append(notice)

    def completed(self, notice: JobCompleted) -> None:
        """A job of this datacenter has ended."""
        here = msgspec.structs.replace(notice, hosts=self._here(notice.hosts))
        self._view.apply(notice.timestamp, [here])
        self._load -= self._wanted(notice.job)
        if notice.job.id not in self._inherited:
            self._inbox.append(here)
            return
        self._inherited.remove(notice.job.id)
        if back := here.hosts - self._view.unavailable - self._of_inherited():
            self._inbox.append(HostsBecameAvailable(notice.timestamp, back, "an earlier scheduler's job has ended"))

    def _of_inherited(self) -> HostSet:
        """The hosts of jobs that an earlier scheduler started."""
        held = HostSet()
        for job_id in self._inherited:
            held |= self._view.running[job_id].hosts
        return held

    def availability(self, notice: HostsBecameAvailable | HostsBecameUnavailable) -> None:
        """Some of the hosts are, or are no longer, available."""
        hosts = self._here(notice.hosts)
        if not hosts:
            return
        self._view.apply(notice.timestamp, [msgspec.structs.replace(notice, hosts=hosts)])
        if isinstance(notice, HostsBecameAvailable):
            hosts -= self._of_inherited()
        if hosts:
            self._inbox.append(msgspec.structs.replace(notice, hosts=hosts))

    def switched(self, notice: HostsPStateChanged | HostsSwitching | HostsTurnedOnOff | ResourceStateChanged) -> None:
        """Some of the hosts have another power state."""
        if hosts := self._here(notice.hosts):
            here = msgspec.structs.replace(notice, hosts=hosts)
            self._view.apply(notice.timestamp, [here])
            self._inbox.append(here)

    def killed(self, notice: JobsKilled) -> None:
        """Kills are acknowledged to all: a scheduler passes over jobs that are not its own."""
        self._inbox.append(notice)

    def refused(self, notice: DecisionRefused) -> None:
        """A decision of this datacenter's scheduler was refused."""
        decision = notice.decision
        if isinstance(decision, ExecuteJob) and not wrong_field(decision):
            amounts = decision.amounts
            if amounts is not None:
                amounts = {host - self._offset: taken for host, taken in amounts.items()}
            decision = msgspec.structs.replace(decision, hosts=self._here(decision.hosts), amounts=amounts)
        elif isinstance(decision, CallMeLater | StopCallMeLater):
            _, _, call = decision.call_me_later_id.partition(":")
            decision = msgspec.structs.replace(decision, call_me_later_id=call)
        here = msgspec.structs.replace(notice, decision=decision)
        self._view.apply(notice.timestamp, [here])
        if not isinstance(decision, ExecuteJob) or decision.job_id not in self._inherited:
            self._inbox.append(here)
            return
        # An earlier scheduler decided that: to the present one the job is new, and its hosts are free after all.
        self._inherited.remove(decision.job_id)
        if back := decision.hosts - self._view.unavailable - self._of_inherited():
            cause = "an earlier scheduler's job has not started"
            self._inbox.append(HostsBecameAvailable(notice.timestamp, back, cause))
        job = self._view.waiting[decision.job_id]
        self._inbox.append(JobSubmitted(notice.timestamp, job, job.submission_time))

    def change(self, notice: ExternalEventOccurred) -> None:
        """Another scheduler takes over; a stage scheduler that stays one only changes its options."""
        name, options = notice.attributes["scheduler"], notice.attributes.get("options", {})
        if name == Stage.name and isinstance(self._component, Stage) and not self._inherited:
            self._inbox.append(notice)
            return
        self._component.stop()
        spelled = {key.replace("-", "_"): value for key, value in options.items()}
        self._component = self._packing(make_registered(name, **spelled))
        self._inherited.update(self._view.running)
        self._inbox.clear()
        self._early.clear()
        self._start()
        if busy := self._view.unavailable | self._of_inherited():
            self._inbox.append(HostsBecameUnavailable(notice.timestamp, busy, "in use, or down"))
        self._inbox += [JobSubmitted(notice.timestamp, job, job.submission_time) for job in self._view.queue]

    # -- decisions ----------------------------------------------------------------------------------------------

    def decide(self, now: float) -> list[Decision]:
        """What the scheduler decides on what it was told since the last time."""
        decisions, self._early = self._early, []
        if self._inbox:
            inbox, self._inbox = self._inbox, []
            decisions = [*decisions, *self._component.decide(now, inbox).decisions]
        return [self._translated(decision, now) for decision in decisions]

    def _translated(self, decision: Decision, now: float) -> Decision:
        if wrong_field(decision):
            return decision  # which the engine refuses
        if isinstance(decision, ExecuteJob):
            if outside := decision.hosts - self._all:
                raise ComponentError(
                    f"datacenter {self.rank}: its scheduler gives job {decision.job_id!r} hosts {outside}, "
                    f"and has {self._all}",
                    now=now,
                )
            self._view.decided([decision])
            amounts = decision.amounts
            if amounts is not None:
                amounts = {host + self._offset: taken for host, taken in amounts.items()}
            return msgspec.structs.replace(decision, hosts=self._there(decision.hosts), amounts=amounts)
        if isinstance(decision, RejectJob):
            if (job := self._view.waiting.get(decision.job_id)) is not None:
                self._load -= self._wanted(job)
                self._view.decided([decision])
            return decision
        if isinstance(decision, CallMeLater | StopCallMeLater):
            call = f"{self.rank}:{decision.call_me_later_id}"
            return msgspec.structs.replace(decision, call_me_later_id=call)
        if isinstance(decision, KillJobs):
            return decision
        try:
            unsaid(decision, Wire.DATACENTERS)
        except UsageError as fault:
            raise ComponentError(f"datacenter {self.rank}: {fault}", now=now) from None
        raise ComponentError(f"datacenter {self.rank}: {type(decision).__name__} is unknown here", now=now)

    def _here(self, hosts: HostSet) -> HostSet:
        """Hosts of the site that are in this datacenter, by its own numbers."""
        runs = ((first - self._offset, last - self._offset) for first, last in hosts.runs)
        last = len(self._all) - 1
        kept = tuple((max(a, 0), min(b, last)) for a, b in runs if b >= 0 and a <= last)
        return HostSet.of_runs(kept)

    def _there(self, hosts: HostSet) -> HostSet:
        """Hosts of this datacenter by their numbers in the site."""
        return HostSet.of_runs(tuple((first + self._offset, last + self._offset) for first, last in hosts.runs))
