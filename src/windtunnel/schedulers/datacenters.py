"""One scheduler per datacenter, as the environment names them, and the rule that gives each job to one of them.

Each scheduler sees its own datacenter only, its machines numbered from 0; any scheduler that can be named may be
one of them. A ``DATACENTER_SCHEDULER_CHANGE`` puts another in its place, which finds the queue as it is; what runs
goes on.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.model import HostSet, Job, Platform
from windtunnel.model.site import Site
from windtunnel.schedulers.base import Scheduler
from windtunnel.schedulers.datacenter import Part
from windtunnel.schedulers.packing.forms import honours_of
from windtunnel.schedulers.registry import make_registered, make_scheduler
from windtunnel.schedulers.stage import Stage
from windtunnel.vocabulary import (
    Ability,
    AllStaticExternalEventsHaveBeenInjected,
    AllStaticJobsHaveBeenSubmitted,
    CallMeLater,
    Component,
    Decision,
    DecisionRefused,
    ExecuteJob,
    ExternalEventOccurred,
    Hello,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    HostsPStateChanged,
    HostsSwitching,
    HostsTurnedOnOff,
    JobCompleted,
    JobsKilled,
    JobSubmitted,
    KillJobs,
    MessageFromJob,
    Notice,
    RejectJob,
    Reply,
    RequestedCall,
    ResourceStateChanged,
    SimulationBegins,
    SimulationEnds,
    StopCallMeLater,
)
from windtunnel.vocabulary.checking import wrong_field
from windtunnel.vocabulary.coverage import Wire, unsaid

__all__ = ["Datacenters"]

_TO_ALL = (
    AllStaticExternalEventsHaveBeenInjected,
    AllStaticJobsHaveBeenSubmitted,
    ExternalEventOccurred,
    SimulationEnds,
)


class Datacenters(Scheduler):
    """Runs the schedulers that an environment names. ``default`` is for datacenters that name none.

    ``dispatch`` gives each job, once, to a datacenter that could hold it when empty: ``least-loaded`` to the one with
    the smallest load (cores wanted by its waiting and running jobs, over its cores that are up), ``first`` to the
    first, ``round-robin`` to the next one round about. Ties go to the first.
    """

    name = "datacenters"
    code_options = frozenset({"default"})
    honours = Stage.honours | {Ability.DESCRIBED_SCHEDULERS}
    """With the schedulers that do not say otherwise: a scheduler of whole hosts in a datacenter honours less."""

    def __init__(
        self,
        *,
        dispatch: Literal["least-loaded", "first", "round-robin"] = "least-loaded",
        default: Annotated[str, msgspec.Meta(min_length=1)] = "stage-scheduler",
    ) -> None:
        super().__init__()
        self.dispatch = dispatch
        self.default = default
        self._by_cores = self._by_amounts = False
        self._parts: list[Part] = []
        self._owner: dict[str, int] = {}
        self._next = 0

    def pack_by_cores(self) -> None:
        """Let the schedulers of all datacenters pack by cores (``--share-hosts``)."""
        self._by_cores = True

    def pack_by_amounts(self) -> None:
        """Let our schedulers in all datacenters pack by whatever amounts jobs name."""
        self._by_amounts = True

    def honours_on(self, platform: Platform) -> frozenset[Ability]:
        """What all the schedulers honour that this environment names, also later, and the default where it needs one.

        Raises:
            UsageError: there is no such scheduler, its options are wrong, or the platform is no environment.
        """
        described = (honours_of(one) | {Ability.DESCRIBED_SCHEDULERS} for one in self._schedulers_on(platform))
        return self.honours.intersection(*described)

    def _schedulers_on(self, platform: Platform) -> list[Component]:
        named = [datacenter.scheduler for datacenter in _environment(platform).datacenters]
        made = [make_scheduler(self.default)] if None in named else []
        made += [make_registered(told.name, **_spelled(told.options)) for told in named if told]
        return made + _changes(platform)

    def hello(self) -> Hello:
        """How it presents itself; forgets an earlier run."""
        self._parts, self._owner, self._next = [], {}, 0
        return super().hello()

    def decide(self, now: float, notices: Sequence[Notice]) -> Reply:
        """Hand each notice to whom it concerns, and collect the decisions."""
        rejected: list[Decision] = []
        for notice in notices:
            self._hand_on(notice, rejected)
        decisions = [decision for part in self._parts for decision in part.decide(now)]
        return Reply(now, rejected + decisions)

    def stop(self) -> None:
        """Stop all of them."""
        for part in self._parts:
            part.stop()

    def _hand_on(self, notice: Notice, rejected: list[Decision]) -> None:
        parts = self._parts
        if isinstance(notice, JobSubmitted):
            chosen = self._dispatch(notice.job)
            if chosen is None:
                rejected.append(RejectJob(job_id=notice.job.id, reason=self._why_nowhere(notice.job)))
            else:
                self._owner[notice.job.id] = chosen
                parts[chosen].submitted(notice)
        elif isinstance(notice, JobCompleted):
            if (owner := self._owner.pop(notice.job.id, None)) is not None:
                parts[owner].completed(notice)
        elif isinstance(notice, HostsBecameAvailable | HostsBecameUnavailable):
            for part in parts:
                part.availability(notice)
        elif isinstance(notice, JobsKilled):
            for part in parts:
                part.killed(notice)
        elif isinstance(notice, RequestedCall):
            rank, _, call = notice.call_me_later_id.partition(":")
            parts[int(rank)].tell(msgspec.structs.replace(notice, call_me_later_id=call))
        elif isinstance(notice, MessageFromJob):
            if (owner := self._owner.get(notice.job_id)) is not None:
                parts[owner].tell(notice)
        elif isinstance(notice, ExternalEventOccurred) and notice.kind == "scheduler_change":
            parts[int(notice.attributes["datacenter"])].change(notice)
        elif isinstance(notice, HostsPStateChanged | HostsSwitching | HostsTurnedOnOff | ResourceStateChanged):
            for part in parts:
                part.switched(notice)
        elif isinstance(notice, DecisionRefused):
            if (owner := self._owner_of(notice.decision)) is not None:
                parts[owner].refused(notice)
        elif isinstance(notice, SimulationBegins):
            self._begin(notice)
        elif isinstance(notice, _TO_ALL):
            for part in parts:
                part.tell(notice)
        else:
            unsaid(notice, Wire.DATACENTERS)

    def _owner_of(self, decision: Decision) -> int | None:
        """The datacenter whose decision that was; None for one of our own, and where there is none."""
        if wrong_field(decision):
            return None
        if isinstance(decision, CallMeLater | StopCallMeLater):
            return int(decision.call_me_later_id.partition(":")[0])
        if isinstance(decision, KillJobs):
            owners = (self._owner.get(job_id) for job_id in decision.job_ids)
            return next((owner for owner in owners if owner is not None), None)
        return self._owner.get(decision.job_id) if isinstance(decision, ExecuteJob | RejectJob) else None

    def _begin(self, notice: SimulationBegins) -> None:
        """Make the schedulers of all datacenters, and try out those that they will change to."""
        site = _environment(notice.platform)
        first = 0
        machines = [datacenter for datacenter, *_ in site.machines()]
        for rank, datacenter in enumerate(site.datacenters):
            count = sum(one is datacenter for one in machines)
            told = datacenter.scheduler
            name, options = (told.name, told.options) if told else (self.default, {})
            # The default comes from whoever runs this; all other names come from data, which may name no code.
            make = make_registered if told else make_scheduler
            component = make(name, **_spelled(options))
            hosts = HostSet.span(count, first)
            self._parts.append(
                Part(rank, hosts, component, notice, by_cores=self._by_cores, by_amounts=self._by_amounts)
            )
            first += count
        _changes(notice.platform)

    def _why_nowhere(self, job: Job) -> str:
        """Why no datacenter could hold a job."""
        if len(self._parts) == 1:
            return self._parts[0].why_not(job)
        return "; ".join(f"datacenter {part.rank}: {part.why_not(job)}" for part in self._parts)

    def _dispatch(self, job: Job) -> int | None:
        able = [part.rank for part in self._parts if part.could_hold(job)]
        if not able:
            return None
        if self.dispatch == "first":
            return able[0]
        if self.dispatch == "round-robin":
            chosen = next((rank for rank in able if rank >= self._next), able[0])
            self._next = chosen + 1
            return chosen
        loads = [(self._parts[rank].load, rank) for rank in able]
        return min(loads)[1] if any(load < math.inf for load, _ in loads) else able[0]


def _changes(platform: Platform) -> list[Component]:
    """The schedulers that datacenters will change to."""
    events = platform.events.events if platform.events else ()
    return [
        make_registered(event.attributes["scheduler"], **_spelled(event.attributes.get("options", {})))
        for event in events
        if event.kind == "scheduler_change"
    ]


def _environment(platform: Platform) -> Site:
    if not isinstance(platform.site, Site):
        raise UsageError(
            "the scheduler 'datacenters' needs an environment: this platform has no datacenters",
            "name the scheduler itself, such as stage-scheduler",
        )
    return platform.site


def _spelled(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the environment spells them, as parameters of a scheduler."""
    return {name.replace("-", "_"): value for name, value in options.items()}
