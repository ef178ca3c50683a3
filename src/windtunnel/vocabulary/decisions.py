"""Decisions: what a decision component requests of the simulated site.

Names and fields follow batprotocol (seed 001) in Python's spelling; what only Batsim's JSON protocol has (seed 004)
and what leases need are added. ``timestamp`` (keyword only) is when the decision is to be applied, in simulated
seconds; None means at once. The engine checks every decision; a refusal names the broken rule.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from windtunnel.model import ExecutorPlacement, HostSet, Job, JobState, PlacementStrategy, Profile
from windtunnel.vocabulary.nothing import NOTHING
from windtunnel.vocabulary.probes import (
    NO_AGGREGATION,
    Accumulation,
    Metric,
    ProbeResources,
    ResourcesAggregation,
    TemporalAggregation,
    TemporalTrigger,
    ThresholdFiltering,
)

__all__ = [
    "AdditionalIo",
    "AnswerWaitingTime",
    "CallMeLater",
    "ChangeHostsPState",
    "ChangeJobState",
    "ContinueRegistration",
    "CreateProbe",
    "Decision",
    "ExecuteJob",
    "FinishRegistration",
    "ForceSimulationStop",
    "KillJobs",
    "MessageToJob",
    "MigrateJob",
    "ProfilePlacement",
    "QueryEnergy",
    "RegisterJob",
    "RegisterProfile",
    "RejectJob",
    "ReportLeases",
    "ResetProbe",
    "ResizeJob",
    "ResumeJob",
    "SetJobArguments",
    "SetJobMetadata",
    "SetResourceState",
    "StopCallMeLater",
    "StopProbe",
    "SuspendJob",
    "TransferImage",
    "TriggerProbe",
    "TurnOnOffHosts",
]


class Decision(msgspec.Struct, kw_only=True, gc=False):
    """Base of all decisions."""

    timestamp: float | None = None


class RejectJob(Decision):
    """Reject a submitted job permanently."""

    job_id: str
    reason: str = ""
    """The reason, for the record; no protocol transmits it."""


class ProfilePlacement(msgspec.Struct, frozen=True):
    """Where a sub-profile runs, if not where its job does."""

    hosts: HostSet
    placement: ExecutorPlacement = PlacementStrategy.SpreadOverHostsFirst


class AdditionalIo(msgspec.Struct, frozen=True):
    """An I/O task merged into the job's own (JSON protocol: additional_io_job)."""

    hosts: HostSet
    profile_id: str
    profile: Profile | None = None
    """Registered under ``profile_id`` when given."""


class ExecuteJob(Decision):
    """Start a submitted job on hosts."""

    job_id: str
    hosts: HostSet
    placement: ExecutorPlacement | None = None
    """None: executor i on the i-th host."""
    amounts: Mapping[int, Mapping[str, float]] | None = None
    """What it takes of each host if not whole hosts: host -> resource -> amount."""
    profile_placements: Mapping[str, ProfilePlacement] = NOTHING
    """Overrides by sub-profile id."""
    storages: Mapping[str, int] = NOTHING
    """Storage label -> host id."""
    additional_io: AdditionalIo | None = None


class KillJobs(Decision):
    """Kill running jobs; acknowledged by one ``JobsKilled``."""

    job_ids: tuple[str, ...]


class SuspendJob(Decision):
    """Take a running job off its hosts, keeping its progress."""

    job_id: str


class ResumeJob(Decision):
    """Resume a suspended job on as many hosts as it had (with shares and a fixed run time: on any number)."""

    job_id: str
    hosts: HostSet
    amounts: Mapping[int, Mapping[str, float]] | None = None
    """What a job with shares of hosts takes of each from now on; None: what it had before, host by host in order."""


class MigrateJob(Decision):
    """Move the state of a suspended job to other hosts, which takes ``duration`` seconds."""

    job_id: str
    hosts: HostSet
    duration: float = 0.0


class ResizeJob(Decision):
    """Give a running job other hosts: at once if it is paused, otherwise at its next pause.

    Jobs pause at scheduling points and requests. Its current hosts, in order, cancel an earlier resize.
    """

    job_id: str
    hosts: HostSet
    placement: tuple[int, ...] | None = None
    """For each rank of the job the rank of its host among ``hosts``; None: rank i on the i-th host."""
    gpus: int = -1
    """The number of GPUs it uses on each host from then on; -1: as many as before."""


class SetJobArguments(Decision):
    """Arguments for the expressions of a job's application, replacing all that were set before.

    They take effect when the job starts, and whenever its hosts change.
    """

    job_id: str
    arguments: Mapping[str, str]


class TransferImage(Decision):
    """Send a disk image to hosts, which takes ``duration`` seconds."""

    image_id: str
    hosts: HostSet
    duration: float


class RegisterProfile(Decision):
    """Make a profile known; its ``id`` is ``workload!name``."""

    profile: Profile


class RegisterJob(Decision):
    """Submit a job made by the component.

    ``job.profile`` may be a profile to register with it, or None with ``profile_id`` naming a registered one.
    """

    job: Job
    profile_id: str = ""
    """The id of a registered profile; empty if ``job.profile`` is the profile itself."""


class FinishRegistration(Decision):
    """No more jobs will be registered."""


class ContinueRegistration(Decision):
    """Reopen registration after it was finished (JSON protocol)."""


class CallMeLater(Decision):
    """Ask for one or more ``RequestedCall`` notices."""

    call_me_later_id: str
    when: TemporalTrigger


class StopCallMeLater(Decision):
    """Stop a periodic call."""

    call_me_later_id: str


class CreateProbe(Decision):
    """Measure something, once or repeatedly."""

    probe_id: str
    metrics: Metric
    resources: ProbeResources
    when: TemporalTrigger | None
    """None: only when triggered by ``TriggerProbe``."""
    accumulation: Accumulation | None = None
    resources_aggregation: ResourcesAggregation = NO_AGGREGATION
    temporal_aggregation: TemporalAggregation = None
    filtering: ThresholdFiltering | None = None


class StopProbe(Decision):
    """Stop a probe."""

    probe_id: str


class TriggerProbe(Decision):
    """Measure now."""

    probe_id: str
    force_data_emission: bool = True


class ResetProbe(Decision):
    """Set a probe's accumulated value."""

    probe_id: str
    new_value: float


class ChangeHostsPState(Decision):
    """Change the power state of hosts, at once."""

    hosts: HostSet
    pstate: int


class TurnOnOffHosts(Decision):
    """Switch hosts on or off: ``state`` is the power state to reach, through the platform's virtual one."""

    hosts: HostSet
    state: int


class SetResourceState(Decision):
    """Batsim 4's single request for both; its meaning depends on each host's current power state."""

    hosts: HostSet
    state: int


class ReportLeases(Decision):
    """Reports of a lease manager (``LeaseFact`` objects, in order), which are recorded in the lease tables."""

    facts: tuple[Any, ...]


class ForceSimulationStop(Decision):
    """End the run now, whatever its state."""


class QueryEnergy(Decision):
    """Query the energy consumed by all hosts so far (JSON protocol)."""


class AnswerWaitingTime(Decision):
    """Answer a ``WaitingTimeQueried``: seconds (or another value that the scheduler defines)."""

    job_id: str
    estimated_waiting_time: float


class SetJobMetadata(Decision):
    """Attach a string to a job, for the results (JSON protocol)."""

    job_id: str
    metadata: str


class ChangeJobState(Decision):
    """Declare the state of a job that the component simulates itself (JSON protocol)."""

    job_id: str
    job_state: JobState
    kill_reason: str = ""


class MessageToJob(Decision):
    """Send a message to a running job (JSON protocol: TO_JOB_MSG)."""

    job_id: str
    message: str
