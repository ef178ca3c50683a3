"""The nodes of one or several partitions in front of a scheduler of their own: to it all others are unavailable."""

from typing import Final

from msgspec.structs import replace

from windtunnel.diagnostics import ComponentError
from windtunnel.model import Host, HostSet, Job, JobState
from windtunnel.schedulers.partitioned.foreign import Foreign
from windtunnel.vocabulary import (
    CallMeLater,
    ChangeHostsPState,
    Component,
    Decision,
    ExecuteJob,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    JobCompleted,
    JobStarted,
    Notice,
    RejectJob,
    ResourceStateChanged,
    SetResourceState,
    SimulationBegins,
    StopCallMeLater,
    TurnOnOffHosts,
)

__all__ = ["Part", "capped", "whole_of"]


def capped(host: Host, most: int | None) -> Host:
    """A host of which only so many cores may be used."""
    return host if most is None or host.cores <= most else replace(host, cores=most)


def whole_of(host: Host) -> dict[str, float]:
    """All that a host has."""
    return {"cores": float(host.cores), **host.resources}


class Part:
    """Partitions of the same nodes, and who decides on them. What other parts start on these nodes is told to it."""

    def __init__(self, rank: int, hosts: HostSet, component: Component, most: int | None = None) -> None:
        self.rank: Final = rank
        self.most: Final = most
        """So many CPUs of each node its jobs may use together (``MaxCPUsPerNode``); None: all."""
        self._foreign: Foreign | None = None
        self.hosts: Final = hosts
        self.component: Final = component
        self._inbox: list[Notice] = []

    def begin(self, notice: SimulationBegins) -> None:
        """The site, of which only these nodes are there."""
        self.component.hello()
        if self.most is not None:
            most = self.most
            self._foreign = Foreign({host.id: max(0, host.cores - most) for host in notice.hosts})
            platform = notice.platform
            capped_hosts = tuple(capped(host, most) for host in platform.hosts)
            notice = replace(notice, platform=replace(platform, hosts=capped_hosts))
        self._inbox.append(notice)
        others = HostSet.span(len(notice.hosts)) - self.hosts
        if others:
            self._inbox.append(HostsBecameUnavailable(notice.timestamp, others, "of other partitions"))

    def tell(self, notice: Notice) -> None:
        """A notice, as far as it is about these nodes."""
        if isinstance(
            notice,
            HostsBecameAvailable
            | HostsBecameUnavailable
            | HostsPStateChanged
            | HostsSwitching
            | HostsTurnedOnOff
            | ResourceStateChanged,
        ):
            hosts = notice.hosts & self.hosts
            if not hosts:
                return
            notice = replace(notice, hosts=hosts)
        self._inbox.append(notice)

    def started(self, now: float, job: Job, decision: ExecuteJob) -> bool:
        """Another part has started a job: whether it has some of these nodes."""
        hosts = decision.hosts & self.hosts
        if not hosts:
            return False
        amounts = decision.amounts
        if amounts is not None:
            amounts = {host: taken for host, taken in amounts.items() if host in hosts}
            if self._foreign is not None:
                amounts = self._foreign.started(job, amounts)
        self._inbox.append(JobStarted(now, job, hosts, amounts))
        return True

    def undone(self, now: float, job: Job, decision: ExecuteJob | RejectJob) -> None:
        """What another part has started did not start after all: to this one it has ended."""
        hosts = decision.hosts & self.hosts if isinstance(decision, ExecuteJob) else HostSet()
        self._inbox.append(JobCompleted(now, job, JobState.COMPLETED_KILLED, -1, hosts, now))
        self._tell_anew(now, job.id)

    def ended(self, notice: JobCompleted) -> None:
        """A job that had some of these nodes has ended."""
        self._inbox.append(replace(notice, hosts=notice.hosts & self.hosts))
        self._tell_anew(notice.timestamp, notice.job.id)

    def _tell_anew(self, now: float, ended: str) -> None:
        """Without a job others take less of what this part may use: they are told to end, and to start with that."""
        for job, amounts in self._foreign.ended(ended) if self._foreign is not None else ():
            hosts = HostSet(amounts)
            self._inbox.append(JobCompleted(now, job, JobState.COMPLETED_KILLED, -1, hosts, now))
            self._inbox.append(JobStarted(now, job, hosts, amounts))

    def decide(self, now: float) -> list[Decision]:
        """What the scheduler decides on what it was told since the last time; calls are marked as its own."""
        if not self._inbox:
            return []
        inbox, self._inbox = self._inbox, []
        return [self._marked(now, decision) for decision in self.component.decide(now, inbox).decisions]

    def _marked(self, now: float, decision: Decision) -> Decision:
        if isinstance(decision, ExecuteJob):
            outside = decision.hosts - self.hosts
            if outside:
                raise ComponentError(
                    f"job {decision.job_id!r} is given the hosts {outside}, which are not in its partition", now=now
                )
        elif isinstance(decision, CallMeLater | StopCallMeLater):
            return replace(decision, call_me_later_id=f"{self.rank}:{decision.call_me_later_id}")
        elif isinstance(decision, ChangeHostsPState | SetResourceState | TurnOnOffHosts):
            raise ComponentError("hosts are switched that belong to other partitions too", now=now)
        return decision
