"""Any scheduler of whole hosts, packing jobs by cores (decisions.md 16, ``--share-hosts``).

To the scheduler inside, every core is a host of its own; what it decides is turned back into hosts and cores. So all
schedulers pack by cores without knowing of it. Cores are numbered host by host. A scheduler that can pack by cores
itself (:class:`PacksByCores`) is told to.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, Protocol, runtime_checkable

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model import DelayProfile, Host, HostSet, Job, Platform, PowerState, Request
from windtunnel.schedulers.core_numbers import CoreNumbers
from windtunnel.vocabulary import (
    Ability,
    AnswerWaitingTime,
    CallMeLater,
    ChangeJobState,
    Component,
    ContinueRegistration,
    Decision,
    DecisionRefused,
    ExecuteJob,
    FinishRegistration,
    ForceSimulationStop,
    Hello,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    ImageTransferred,
    JobCompleted,
    JobMigrated,
    JobRejected,
    JobResumed,
    JobStarted,
    JobSubmitted,
    JobSuspended,
    KillJobs,
    MessageToJob,
    Notice,
    ProbeDataEmitted,
    QueryEnergy,
    RegisterJob,
    RegisterProfile,
    RejectJob,
    Reply,
    ReportLeases,
    ResourceStateChanged,
    ResumeJob,
    SetJobMetadata,
    SimulationBegins,
    StopCallMeLater,
    SuspendJob,
    WaitingTimeQueried,
    honoured_by,
)
from windtunnel.vocabulary.checking import wrong_field
from windtunnel.vocabulary.component import Named

__all__ = ["ByCore", "PacksByCores", "SwitchesHosts", "packing_by_cores"]

_MOST: Final = 10_000_000
"""More cores are not shown as hosts: each takes memory."""

_WHOLE: Final = "run without --share-hosts (share_hosts)"

_WITHOUT_HOSTS = (
    CallMeLater,
    StopCallMeLater,
    RejectJob,
    KillJobs,
    SuspendJob,
    RegisterJob,
    RegisterProfile,
    FinishRegistration,
    ContinueRegistration,
    ForceSimulationStop,
    QueryEnergy,
    AnswerWaitingTime,
    SetJobMetadata,
    ChangeJobState,
    MessageToJob,
    ReportLeases,
)
"""Decisions that mean the same whether cores or machines are counted."""

_ABOUT_HOSTS = (
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    ImageTransferred,
    ResourceStateChanged,
)
"""Notices of hosts, which become those of all their cores."""


@runtime_checkable
class PacksByCores(Protocol):
    """A component that can pack by cores by itself."""

    def pack_by_cores(self) -> None:
        """Do so from now on."""


@runtime_checkable
class SwitchesHosts(Protocol):
    """A component that switches machines off and on, which cores that it sees as hosts are not."""

    switches_hosts: bool


def packing_by_cores(component: Component) -> Component:
    """A component that packs by cores: itself if it can, else with cores shown to it as hosts.

    Raises:
        UsageError: it is known to switch hosts, which would end the run at the first of them.
    """
    if isinstance(component, SwitchesHosts) and component.switches_hosts:
        name = component.name if isinstance(component, Named) else type(component).__name__
        raise UsageError(f"{name} switches whole hosts, and cannot pack jobs by cores", _WHOLE)
    if not isinstance(component, PacksByCores):
        return ByCore(component)
    component.pack_by_cores()
    return component


class ByCore(Component):
    """A scheduler in process, to which cores are shown as hosts."""

    def __init__(self, inner: Component) -> None:
        self.inner = inner
        self._numbers = CoreNumbers(())
        self._cores: dict[str, HostSet] = {}
        """The cores of each running job."""

    @property
    def honours(self) -> frozenset[Ability]:
        """What the scheduler inside does, and cores; it cannot see other amounts."""
        return (honoured_by(self.inner) | {Ability.SHARES}) - {Ability.MEMORY, Ability.GPUS, Ability.RESOURCES}

    def hello(self) -> Hello:
        """As the scheduler inside."""
        return self.inner.hello()

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Translate, ask, translate back."""
        reply = self.inner.decide(now, [self._seen(notice) for notice in notices])
        return Reply(reply.now, [self._meant(decision) for decision in reply.decisions])

    def stop(self) -> None:
        """As the scheduler inside."""
        self.inner.stop()

    def _seen(self, notice: Notice) -> Notice:
        """A notice in terms of cores."""
        if isinstance(notice, JobSubmitted | WaitingTimeQueried | JobRejected):
            return msgspec.structs.replace(notice, job=self._by_cores(notice.job))
        if isinstance(notice, JobCompleted):
            cores = self._cores.pop(notice.job.id, HostSet())
            return msgspec.structs.replace(notice, job=self._by_cores(notice.job), hosts=cores)
        if isinstance(notice, JobStarted):
            cores = self._numbers.of_hosts(notice.hosts)
            return msgspec.structs.replace(notice, job=self._by_cores(notice.job), hosts=cores, amounts=None)
        if isinstance(notice, JobSuspended | JobResumed | JobMigrated):
            cores = self._cores.get(notice.job.id, HostSet())  # none: it is another component's
            return msgspec.structs.replace(notice, job=self._by_cores(notice.job), hosts=cores)
        if isinstance(notice, DecisionRefused):
            decision = notice.decision
            if isinstance(decision, ExecuteJob | ResumeJob) and not wrong_field(decision):
                cores = self._cores.get(decision.job_id, HostSet())
                decision = msgspec.structs.replace(decision, hosts=cores, amounts=None)
            return msgspec.structs.replace(notice, decision=decision)
        if isinstance(notice, _ABOUT_HOSTS):
            return msgspec.structs.replace(notice, hosts=self._numbers.of_hosts(notice.hosts))
        if isinstance(notice, SimulationBegins):
            platform = self._by_core(notice.platform)
            lists = tuple(events.renumbered(self._numbers.of_hosts) for events in notice.event_lists)
            return msgspec.structs.replace(notice, platform=platform, event_lists=lists)
        if isinstance(notice, ProbeDataEmitted):
            _unsaid(notice)
        return notice

    def _by_core(self, platform: Platform) -> Platform:
        cores = sum(host.cores for host in platform.hosts)
        if cores > _MOST:
            raise UsageError(
                f"packing by cores shows each core as a host, and {cores:,} are too many: {_MOST:,} at most",
                "give jobs amounts_per_host with cores and use stage-scheduler, or run without --share-hosts",
            )
        self._numbers = CoreNumbers([host.cores for host in platform.hosts])
        first = self._numbers.first
        hosts = tuple(
            Host(
                id=first[host.id] + core,
                name=f"{host.name}.{core}",
                pstates=_of_a_core(host.pstates, host.cores),
                pstate=host.pstate,
                properties=host.properties,
                place=(*host.place, host.name),
            )
            for host in platform.hosts
            for core in range(host.cores)
        )
        return msgspec.structs.replace(platform, hosts=hosts, network=None, site=None)

    def _by_cores(self, job: Job) -> Job:
        request = job.request
        if not isinstance(job.profile, DelayProfile):
            _refuse_elastic(job)
        if request.amounts:
            raise UsageError(
                f"job {job.id!r} asks for amounts of resources on each host, which packing by cores does not support",
                "use a scheduler that places by resources, such as stage-scheduler",
            )
        if not request.processors and self._numbers.parts_whole_hosts(request.hosts):
            raise UsageError(
                f"job {job.id!r} asks for whole hosts, and the hosts of this site differ in cores: a scheduler to "
                "which cores are shown as hosts cannot choose whole ones",
                "use stage-scheduler, or run without --share-hosts",
            )
        return msgspec.structs.replace(
            job, request=Request(hosts=request.processors or self._numbers.of_so_many(request.hosts))
        )

    def _meant(self, decision: Decision) -> Decision:
        """A decision in terms of hosts and the cores taken of each."""
        if isinstance(decision, _WITHOUT_HOSTS) or wrong_field(decision):  # what is wrong, the engine refuses
            return decision
        if not isinstance(decision, ExecuteJob | ResumeJob):
            _unsaid(decision)
            return decision
        if isinstance(decision, ExecuteJob) and decision.placement is not None:
            raise UsageError(
                "a placement is about machines and executors: a scheduler cannot use it while it packs by cores",
                "run it without --share-hosts",
            )
        if decision.hosts and decision.hosts.last >= self._numbers.count:
            return decision  # there is no such core, nor such a host
        self._cores[decision.job_id] = decision.hosts
        amounts = self._numbers.amounts(decision.hosts)
        # A job of no hosts has no part of any.
        return msgspec.structs.replace(decision, hosts=amounts.hosts, amounts=amounts or None)


def _unsaid(thing: Notice | Decision) -> None:
    """Refuse what is about machines, in the words of the table (which most runs need not load)."""
    from windtunnel.vocabulary.coverage import Wire, unsaid

    unsaid(thing, Wire.CORES, _WHOLE)


@cache
def _of_a_core(states: tuple[PowerState, ...], cores: int) -> tuple[PowerState, ...]:
    """Power states of one of so many cores: whichever are busy, together they draw no less than their host.

    What a host draws more as soon as any core is busy may be due to each of them.
    """
    if cores == 1:
        return states
    made = []
    for state in states:
        idle, full = state.idle, state.full
        if idle is None or full is None:
            made.append(state)
            continue
        first = idle if state.epsilon is None else state.epsilon
        each = idle / cores + first - idle
        watts = {"idle": idle / cores, "epsilon": each, "full": each + (full - first) / cores}
        made.append(msgspec.structs.replace(state, **watts))
    return tuple(made)


def _refuse_elastic(job: Job) -> None:
    """Refuse a job that takes different numbers of hosts, which are whole ones."""
    from windtunnel.model.application import sizes_of  # few runs have such jobs

    fewest, most = sizes_of(job)
    if fewest != most:
        raise UsageError(
            f"job {job.id!r} takes {fewest} to {most} whole hosts, which packing by cores does not support",
            "run without --share-hosts",
        )
