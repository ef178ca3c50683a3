"""One datacenter in front of its own scheduler: notices are translated for it, its decisions back."""

from math import inf
from typing import Final

import msgspec

from windtunnel.diagnostics import ComponentError, UsageError
from windtunnel.model import HostSet, Job
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
        self._cores = [host.cores for host in mine]
        self._total = sum(self._cores)
        self._begins = msgspec.structs.replace(
            begins,
            platform=msgspec.structs.replace(platform, hosts=mine, storages=(), network=None, site=None, events=None),
        )
        self._by_cores = by_cores
        self._by_amounts = by_amounts
        self._component = self._packing(component)
        self._inbox: list[Notice] = []
        self._waiting: dict[str, JobSubmitted] = {}
        self._running: dict[str, tuple[HostSet, float]] = {}
        self._down = HostSet()
        self._inherited: dict[str, HostSet] = {}
        """Hosts of jobs that an earlier scheduler started: the present one is told that they are unavailable."""
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
        if isinstance(self._component, Stage):
            return self._component.could_hold(job)
        request = job.request
        if not request.processors:
            amounts = dict(request.amounts)
            hosts = self._begins.platform.hosts
            cores = amounts.pop("cores", 0.0)
            fitting = sum(
                host.cores >= cores and all(host.resources.get(name, 0.0) >= size for name, size in amounts.items())
                for host in hosts
            )
            return fitting >= request.hosts
        return self._total >= request.processors

    @property
    def load(self) -> float:
        """Cores that waiting and running jobs want, over the cores that are up."""
        up = self._total - sum(self._cores[host] for host in self._down)
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
        self._waiting[notice.job.id] = notice
        self._load += self._wanted(notice.job)
        self._inbox.append(notice)

    def completed(self, notice: JobCompleted) -> None:
        """A job of this datacenter has ended."""
        job_id = notice.job.id
        self._running.pop(job_id, None)
        self._load -= self._wanted(notice.job)
        inherited = self._inherited.pop(job_id, None)
        if inherited is None:
            self._inbox.append(msgspec.structs.replace(notice, hosts=self._here(notice.hosts)))
            return
        held = [hosts for hosts in self._inherited.values() if not hosts.isdisjoint(inherited)]
        back = inherited - self._down
        for hosts in held:
            back -= hosts
        if back:
            self._inbox.append(HostsBecameAvailable(notice.timestamp, back, "an earlier scheduler's job has ended"))

    def availability(self, notice: HostsBecameAvailable | HostsBecameUnavailable) -> None:
        """Some of the hosts are, or are no longer, available."""
        hosts = self._here(notice.hosts)
        if not hosts:
            return
        if isinstance(notice, HostsBecameUnavailable):
            self._down |= hosts
        else:
            self._down -= hosts
            for inherited in self._inherited.values():
                hosts -= inherited
        if hosts:
            self._inbox.append(msgspec.structs.replace(notice, hosts=hosts))

    def switched(self, notice: HostsPStateChanged | HostsSwitching | HostsTurnedOnOff | ResourceStateChanged) -> None:
        """Some of the hosts have another power state."""
        if hosts := self._here(notice.hosts):
            self._inbox.append(msgspec.structs.replace(notice, hosts=hosts))

    def killed(self, notice: JobsKilled) -> None:
        """Kills are acknowledged to all: a scheduler passes over jobs that are not its own."""
        self._inbox.append(notice)

    def refused(self, notice: DecisionRefused) -> None:
        """A decision was refused; whose it was is told by its job."""
        job_id = getattr(notice.decision, "job_id", "")
        if isinstance(job_id, str) and job_id in self._running:
            hosts, _ = self._running.pop(job_id)
            decision = msgspec.structs.replace(notice.decision, hosts=hosts)
            self._inbox.append(msgspec.structs.replace(notice, decision=decision))

    def change(self, notice: ExternalEventOccurred) -> None:
        """Another scheduler takes over; a stage scheduler that stays one only changes its options."""
        name, options = notice.attributes["scheduler"], notice.attributes.get("options", {})
        if name == Stage.name and isinstance(self._component, Stage) and not self._inherited:
            self._inbox.append(notice)
            return
        self._component.stop()
        spelled = {key.replace("-", "_"): value for key, value in options.items()}
        self._component = self._packing(make_registered(name, **spelled))
        self._inherited |= {job_id: hosts for job_id, (hosts, _) in self._running.items()}
        self._inbox.clear()
        self._early.clear()
        self._start()
        busy = self._down
        for hosts in self._inherited.values():
            busy |= hosts
        if busy:
            self._inbox.append(HostsBecameUnavailable(notice.timestamp, busy, "in use, or down"))
        self._inbox += self._waiting.values()

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
            self._waiting.pop(decision.job_id, None)
            self._running[decision.job_id] = decision.hosts, now
            amounts = decision.amounts
            if amounts is not None:
                amounts = {host + self._offset: taken for host, taken in amounts.items()}
            return msgspec.structs.replace(decision, hosts=self._there(decision.hosts), amounts=amounts)
        if isinstance(decision, RejectJob):
            if (notice := self._waiting.pop(decision.job_id, None)) is not None:
                self._load -= self._wanted(notice.job)
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
