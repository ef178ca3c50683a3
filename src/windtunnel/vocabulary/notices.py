"""Notices: what the simulated site tells a decision component.

Names and fields follow batprotocol (seed 001, its ``...Event`` tables) in Python's spelling; what only Batsim's JSON
protocol has (seed 004) and what leases need are added. ``timestamp`` is the simulated time in seconds. Notices carry
whole jobs, so that in-process components need not look them up; wires send what their protocol has of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from windtunnel.model import EventList, Host, HostSet, Job, JobState, Platform, Profile, Workload
from windtunnel.model.signals import Signal
from windtunnel.vocabulary.probes import Metric, ProbeResources
from windtunnel.vocabulary.progress import KillProgress

__all__ = [
    "AllStaticExternalEventsHaveBeenInjected",
    "AllStaticJobsHaveBeenSubmitted",
    "DecisionRefused",
    "EnergyAnswered",
    "HostsRequested",
    "JobCompleted",
    "JobGoesOn",
    "JobMigrated",
    "JobProgressed",
    "JobReconfigured",
    "JobRejected",
    "JobResumed",
    "JobStarted",
    "JobSubmitted",
    "JobSuspended",
    "JobsKilled",
    "MessageFromJob",
    "Notice",
    "ProbeDataEmitted",
    "RequestedCall",
    "SchedulingPointReached",
    "SimulationBegins",
    "SimulationEnds",
    "SimulationErrorOccurred",
    "WaitingTimeQueried",
]


class Notice(msgspec.Struct, gc=False):
    """Base of all notices."""

    timestamp: float


class SimulationBegins(Notice):
    """The first notice of a run."""

    platform: Platform
    workloads: Sequence[Workload] = ()
    event_lists: Sequence[EventList] = ()
    allow_compute_sharing: bool = False
    allow_storage_sharing: bool = True
    options: Mapping[str, Any] = {}
    """Other options of the run that a wire forwards (scheduler configuration, command line...)."""
    profiles: Mapping[str, Profile] | None = None
    """All profiles of the static workloads, if the component requested them."""
    keeps_metadata: bool = True
    """Whether job metadata is recorded (``SetJobMetadata``), which Batsim 5 does not have."""
    signals: Mapping[str, Signal] = {}
    """``carbon``, ``price``, ``generation`` and ``power_cap`` over the run, where they are given; in process only."""

    @property
    def hosts(self) -> Sequence[Host]:
        """The compute hosts, by id."""
        return self.platform.hosts


class SimulationEnds(Notice):
    """The last notice of a complete run."""


class SimulationErrorOccurred(Notice):
    """The last notice of a run that fails (``SimulationErrorEvent`` of batprotocol)."""

    error: str


class JobSubmitted(Notice):
    """A job was submitted, or its registration is acknowledged."""

    job: Job
    submission_time: float
    profile: Profile | None = None
    """The profile, if the component requested it."""


class JobCompleted(Notice):
    """A job that was executed has ended, for any reason."""

    job: Job
    state: JobState
    return_code: int
    hosts: HostSet
    """The hosts it had (not in batprotocol; ``alloc`` in the JSON protocol)."""
    start: float = 0.0
    """When it started (s)."""


class JobStarted(Notice):
    """Another component has started a job (sent to in-process components that follow others)."""

    job: Job
    hosts: HostSet
    amounts: Mapping[int, Mapping[str, float]] | None = None
    """What it takes of each host; None: all of it."""


class JobRejected(Notice):
    """Another component has rejected a job (sent to in-process components that follow others)."""

    job: Job


class JobsKilled(Notice):
    """Acknowledges a :class:`~windtunnel.vocabulary.KillJobs`: all its jobs are over."""

    job_ids: tuple[str, ...]
    progresses: Mapping[str, KillProgress]
    """The progress of the jobs that were actually killed, by id."""
    profiles: Mapping[str, Profile] | None = None
    """Only if the component requested them."""


class JobSuspended(Notice):
    """A job has left its hosts and keeps its progress."""

    job: Job
    hosts: HostSet


class JobResumed(Notice):
    """A suspended job runs again."""

    job: Job
    hosts: HostSet
    amounts: Mapping[int, Mapping[str, float]] | None = None
    """What it takes of each host, if it shares hosts."""


class JobMigrated(Notice):
    """The state of a suspended job has arrived on other hosts."""

    job: Job
    hosts: HostSet


class SchedulingPointReached(Notice):
    """A job that may change size is paused until this is answered; ``ResizeJob`` takes effect at once."""

    job: Job
    hosts: tuple[int, ...]
    """Its hosts, in order of its ranks."""
    steps_done: int
    """Iterations of its phases that are over."""


class HostsRequested(Notice):
    """A job requests another number of hosts, and is paused until this is answered; no answer means no."""

    job: Job
    hosts: tuple[int, ...]
    """Its hosts, in order of its ranks."""
    count: int
    """The requested number of hosts."""
    steps_done: int
    """Iterations of its phases that are over."""


class JobReconfigured(Notice):
    """A running job has changed its hosts, and is about to reconfigure itself."""

    job: Job
    hosts: tuple[int, ...]
    """Its hosts from now on, in order of its ranks."""
    released: HostSet
    """The hosts that it has left."""
    awaited: bool
    """Whether this was decided before the job reached a point where it could change."""


class JobProgressed(Notice):
    """A job has paused (sent first, to components that follow phases)."""

    job: Job
    steps_done: int
    """Iterations of its phases that are over."""


class JobGoesOn(Notice):
    """A job resumes its phases, or begins them after its start (sent to components that follow phases)."""

    job: Job


class RequestedCall(Notice):
    """A call that the component requested."""

    call_me_later_id: str
    last_periodic_call: bool = False


class ProbeDataEmitted(Notice):
    """What a probe measured."""

    probe_id: str
    resources: ProbeResources
    metrics: Metric
    data: float | tuple[float, ...]
    """One aggregated value, or one per resource in the order of the probe's resources."""
    manually_triggered: bool = False
    nb_emitted: int = 0
    nb_triggered: int = 0


class AllStaticJobsHaveBeenSubmitted(Notice):
    """No more jobs will come from the workloads."""


class AllStaticExternalEventsHaveBeenInjected(Notice):
    """No more external events will come from the event lists."""


class EnergyAnswered(Notice):
    """Answers a ``QueryEnergy`` (JSON protocol): joules consumed by all hosts since the start."""

    consumed_energy: float


class WaitingTimeQueried(Notice):
    """The site asks how long a job like this would wait (JSON protocol: QUERY estimate_waiting_time)."""

    job: Job


class MessageFromJob(Notice):
    """A running job sent a message (JSON protocol: FROM_JOB_MSG)."""

    job_id: str
    message: Mapping[str, Any]


class DecisionRefused(Notice):
    """A decision was illegal and was not carried out (only if the run continues after refusals)."""

    decision: Any
    """The decision, as the component made it."""
    rule: str
    reason: str
