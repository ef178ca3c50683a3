"""The messages of batprotocol: one Struct per table, one alias per union.

Generated from batprotocol.fbs by windtunnel.wires.batprotocol.generate: do not edit.
"""
# ruff: noqa: A001, ARG001, E501, I001, RUF022, RUF100 -- generated: names and orders are those of the schema
# fmt: off

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, Final, TypeAlias

import msgspec


__all__ = [
    "AggregatedProbeData",
    "AllStaticExternalEventsHaveBeenInjectedEvent",
    "AllStaticJobsHaveBeenSubmittedEvent",
    "AllocationPlacement",
    "ArithmeticMean",
    "BooleanComparisonOperator",
    "CallMeLaterEvent",
    "ChangeHostsPStateEvent",
    "CreateProbeEvent",
    "CumulativeFunction",
    "CustomExecutorToHostMapping",
    "DelayProfile",
    "EDCHelloEvent",
    "EDCRequestedSimulationFeatures",
    "Event",
    "EventAndTimestamp",
    "ExecuteJobEvent",
    "ExecutorPlacement",
    "ExponentialMovingAverage",
    "ExternalEvent",
    "ExternalEventListAndFilename",
    "ExternalEventOccurredEvent",
    "FinalJobState",
    "FinishRegistrationEvent",
    "FinitePeriodNumber",
    "ForceSimulationStopEvent",
    "ForkJoinCompositionProfile",
    "GenericExternalEvent",
    "HomogeneousParallelTaskGenerationStrategy",
    "Host",
    "HostProperty",
    "HostResources",
    "HostState",
    "HostsPStateChangedEvent",
    "HostsTurnedOnOffEvent",
    "Infinite",
    "JSON_FORM",
    "Job",
    "JobAndProgress",
    "JobCompletedEvent",
    "JobSubmittedEvent",
    "JobsKilledEvent",
    "KillJobsEvent",
    "KillProgress",
    "KillProgressAtomicProfile",
    "KillProgressForkJoinProfile",
    "KillProgressSequentialProfile",
    "KillProgressWrapper",
    "LinkResources",
    "Message",
    "Metrics",
    "NoFiltering",
    "NoProbeDataAccumulation",
    "NoReset",
    "NoResourcesAggregation",
    "NoTemporalAggregation",
    "OneShot",
    "ParallelTaskDataStagingBetweenStoragesProfile",
    "ParallelTaskHomogeneousProfile",
    "ParallelTaskMergeCompositionProfile",
    "ParallelTaskOnStorageHomogeneousProfile",
    "ParallelTaskProfile",
    "Periodic",
    "PeriodicMode",
    "PredefinedExecutorPlacementStrategy",
    "PredefinedExecutorPlacementStrategyWrapper",
    "ProbeAccumulationReset",
    "ProbeData",
    "ProbeDataAccumulation",
    "ProbeDataAccumulationStrategy",
    "ProbeDataEmittedEvent",
    "ProbeEmissionFilteringPolicy",
    "ProbeMeasurementTriggeringPolicy",
    "Profile",
    "ProfileAllocationPlacement",
    "ProfileAndId",
    "QuantileFunction",
    "RegisterJobEvent",
    "RegisterProfileEvent",
    "RejectJobEvent",
    "RequestedCallEvent",
    "ResetMode",
    "ResetProbeEvent",
    "Resources",
    "ResourcesAggregationFunction",
    "SequentialCompositionProfile",
    "SimulationBeginsEvent",
    "SimulationEndsEvent",
    "SimulationErrorEvent",
    "SlidingWindowOperation",
    "StopCallMeLaterEvent",
    "StopProbeEvent",
    "StorageHost",
    "Sum",
    "Table",
    "TemporalAggregationFunction",
    "TemporalTrigger",
    "TemporalTriggerWrapper",
    "ThresholdFilteringFunction",
    "TimeUnit",
    "TraceReplayProfile",
    "TraceType",
    "TriggerProbeEvent",
    "TurnOnOffHostsEvent",
    "VectorialProbeData",
    "WorkloadAndFilename",
]


Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
UInt32 = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
UInt64 = Annotated[int, msgspec.Meta(ge=0)]  # its upper limit is beyond what msgspec checks


class Table(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Base of all tables."""


class HomogeneousParallelTaskGenerationStrategy(IntEnum):
    DefinedAmountsUsedForEachValue = 0
    DefinedAmountsSpreadUniformly = 1


class TraceType(IntEnum):
    SMPI = 0
    FractionalComputation = 1


class FinalJobState(IntEnum):
    COMPLETED_SUCCESSFULLY = 0
    COMPLETED_FAILED = 1
    COMPLETED_WALLTIME_REACHED = 2
    COMPLETED_KILLED = 3
    REJECTED = 4


class PredefinedExecutorPlacementStrategy(IntEnum):
    SpreadOverHostsFirst = 0
    FillOneHostCoresFirst = 1


class CumulativeFunction(IntEnum):
    Sum = 0
    Minimum = 1
    Maximum = 2


class Metrics(IntEnum):
    Power = 0
    NetworkLoad = 1
    ComputationLoad = 2
    NormalizedNetworkLoad = 3
    NormalizedComputationLoad = 4


class BooleanComparisonOperator(IntEnum):
    GreaterThan = 0
    GreaterThanOrEqual = 1
    LessThan = 2
    LessThanOrEqual = 3


class TimeUnit(IntEnum):
    Second = 0
    Millisecond = 1


class HostState(IntEnum):
    SLEEPING = 0
    IDLE = 1
    COMPUTING = 2
    SWITCHING_ON = 3
    SWITCHING_OFF = 4


class DelayProfile(Table, frozen=True, kw_only=True, tag="DelayProfile", tag_field="@type"):
    delay: float = 0.0


class ParallelTaskProfile(Table, frozen=True, kw_only=True, tag="ParallelTaskProfile", tag_field="@type"):
    computation_vector: tuple[float, ...] | None = None
    communication_matrix: tuple[float, ...] | None = None


class SequentialCompositionProfile(Table, frozen=True, kw_only=True, tag="SequentialCompositionProfile", tag_field="@type"):
    repetition_count: UInt32 = 1
    profile_ids: tuple[str, ...]


class ForkJoinCompositionProfile(Table, frozen=True, kw_only=True, tag="ForkJoinCompositionProfile", tag_field="@type"):
    profile_ids: tuple[str, ...]


class ParallelTaskMergeCompositionProfile(Table, frozen=True, kw_only=True, tag="ParallelTaskMergeCompositionProfile", tag_field="@type"):
    profile_ids: tuple[str, ...]


class ParallelTaskHomogeneousProfile(Table, frozen=True, kw_only=True, tag="ParallelTaskHomogeneousProfile", tag_field="@type"):
    computation_amount: float = 0.0
    communication_amount: float = 0.0
    generation_strategy: HomogeneousParallelTaskGenerationStrategy = HomogeneousParallelTaskGenerationStrategy.DefinedAmountsUsedForEachValue


class ParallelTaskOnStorageHomogeneousProfile(Table, frozen=True, kw_only=True, tag="ParallelTaskOnStorageHomogeneousProfile", tag_field="@type"):
    storage_name: str
    bytes_to_read: float = 0.0
    bytes_to_write: float = 0.0
    generation_strategy: HomogeneousParallelTaskGenerationStrategy = HomogeneousParallelTaskGenerationStrategy.DefinedAmountsUsedForEachValue


class ParallelTaskDataStagingBetweenStoragesProfile(Table, frozen=True, kw_only=True, tag="ParallelTaskDataStagingBetweenStoragesProfile", tag_field="@type"):
    bytes_to_transfer: float = 0.0
    emitter_storage_name: str
    receiver_storage_name: str


class TraceReplayProfile(Table, frozen=True, kw_only=True, tag="TraceReplayProfile", tag_field="@type"):
    trace_type: TraceType = TraceType.SMPI
    filename: str


class Job(Table, frozen=True, kw_only=True):
    resource_request: UInt32 = 0
    walltime: float | None = None
    extra_data: str | None = None
    profile_id: str


class JobSubmittedEvent(Table, frozen=True, kw_only=True, tag="JobSubmittedEvent", tag_field="@type"):
    job_id: str
    job: Job
    submission_time: float = 0.0
    profile: ProfileAndId | None = None


class JobCompletedEvent(Table, frozen=True, kw_only=True, tag="JobCompletedEvent", tag_field="@type"):
    job_id: str
    state: FinalJobState = FinalJobState.COMPLETED_SUCCESSFULLY
    return_code: Int32 = 0


class RejectJobEvent(Table, frozen=True, kw_only=True, tag="RejectJobEvent", tag_field="@type"):
    job_id: str


class PredefinedExecutorPlacementStrategyWrapper(Table, frozen=True, kw_only=True, tag="PredefinedExecutorPlacementStrategyWrapper", tag_field="@type"):
    strategy: PredefinedExecutorPlacementStrategy = PredefinedExecutorPlacementStrategy.SpreadOverHostsFirst


class CustomExecutorToHostMapping(Table, frozen=True, kw_only=True, tag="CustomExecutorToHostMapping", tag_field="@type"):
    mapping: tuple[UInt32, ...]


class StorageHost(Table, frozen=True, kw_only=True):
    storage_name: str
    host_id: UInt32 = 0


class AllocationPlacement(Table, frozen=True, kw_only=True):
    host_allocation: str
    executor_placement: ExecutorPlacement


class ProfileAllocationPlacement(Table, frozen=True, kw_only=True):
    profile_id: str
    host_allocation: str
    executor_placement: ExecutorPlacement


class ExecuteJobEvent(Table, frozen=True, kw_only=True, tag="ExecuteJobEvent", tag_field="@type"):
    job_id: str
    allocation: AllocationPlacement
    profile_allocation_override: tuple[ProfileAllocationPlacement, ...] | None = None
    storage_placement: tuple[StorageHost, ...] | None = None


class KillJobsEvent(Table, frozen=True, kw_only=True, tag="KillJobsEvent", tag_field="@type"):
    job_ids: tuple[str, ...]


class KillProgressAtomicProfile(Table, frozen=True, kw_only=True, tag="KillProgressAtomicProfile", tag_field="@type"):
    profile_id: str
    progress: float = 0.0


class KillProgressSequentialProfile(Table, frozen=True, kw_only=True, tag="KillProgressSequentialProfile", tag_field="@type"):
    profile_id: str
    current_repetition: UInt32 = 0
    current_task_index: UInt32 = 0
    current_task_progress: KillProgressWrapper


class KillProgressForkJoinProfile(Table, frozen=True, kw_only=True, tag="KillProgressForkJoinProfile", tag_field="@type"):
    profile_id: str
    tasks_progress: tuple[KillProgressWrapper, ...]


class KillProgressWrapper(Table, frozen=True, kw_only=True):
    kill_progress: KillProgress


class JobAndProgress(Table, frozen=True, kw_only=True):
    job_id: str
    wrapper: KillProgressWrapper


class JobsKilledEvent(Table, frozen=True, kw_only=True, tag="JobsKilledEvent", tag_field="@type"):
    job_ids: tuple[str, ...]
    progresses: tuple[JobAndProgress, ...]
    profiles: tuple[ProfileAndId, ...] | None = None


class ProfileAndId(Table, frozen=True, kw_only=True):
    id: str
    profile: Profile
    extra_data: str | None = None


class RegisterProfileEvent(Table, frozen=True, kw_only=True, tag="RegisterProfileEvent", tag_field="@type"):
    profile: ProfileAndId


class RegisterJobEvent(Table, frozen=True, kw_only=True, tag="RegisterJobEvent", tag_field="@type"):
    job_id: str
    job: Job


class HostResources(Table, frozen=True, kw_only=True, tag="HostResources", tag_field="@type"):
    host_ids: str


class LinkResources(Table, frozen=True, kw_only=True, tag="LinkResources", tag_field="@type"):
    link_ids: tuple[str, ...]


class NoProbeDataAccumulation(Table, frozen=True, kw_only=True, tag="NoProbeDataAccumulation", tag_field="@type"):
    pass


class NoReset(Table, frozen=True, kw_only=True, tag="NoReset", tag_field="@type"):
    pass


class ProbeAccumulationReset(Table, frozen=True, kw_only=True, tag="ProbeAccumulationReset", tag_field="@type"):
    new_value: float = 0.0


class ProbeDataAccumulation(Table, frozen=True, kw_only=True, tag="ProbeDataAccumulation", tag_field="@type"):
    reset_mode: ResetMode
    cumulative_function: CumulativeFunction = CumulativeFunction.Sum
    temporal_normalization: bool = False


class NoTemporalAggregation(Table, frozen=True, kw_only=True, tag="NoTemporalAggregation", tag_field="@type"):
    pass


class ExponentialMovingAverage(Table, frozen=True, kw_only=True, tag="ExponentialMovingAverage", tag_field="@type"):
    pass


class SlidingWindowOperation(Table, frozen=True, kw_only=True, tag="SlidingWindowOperation", tag_field="@type"):
    pass


class NoResourcesAggregation(Table, frozen=True, kw_only=True, tag="NoResourcesAggregation", tag_field="@type"):
    pass


class Sum(Table, frozen=True, kw_only=True, tag="Sum", tag_field="@type"):
    pass


class ArithmeticMean(Table, frozen=True, kw_only=True, tag="ArithmeticMean", tag_field="@type"):
    pass


class QuantileFunction(Table, frozen=True, kw_only=True, tag="QuantileFunction", tag_field="@type"):
    threshold: float = 0.0


class NoFiltering(Table, frozen=True, kw_only=True, tag="NoFiltering", tag_field="@type"):
    pass


class ThresholdFilteringFunction(Table, frozen=True, kw_only=True, tag="ThresholdFilteringFunction", tag_field="@type"):
    threshold: float = 0.0
    operator: BooleanComparisonOperator = BooleanComparisonOperator.GreaterThan


class CreateProbeEvent(Table, frozen=True, kw_only=True, tag="CreateProbeEvent", tag_field="@type"):
    probe_id: str
    metrics: Metrics = Metrics.Power
    resources: Resources
    data_accumulation_strategy: ProbeDataAccumulationStrategy
    measurement_triggering_policy: ProbeMeasurementTriggeringPolicy
    resources_aggregation_function: ResourcesAggregationFunction
    temporal_aggregation_function: TemporalAggregationFunction
    emission_filtering_policy: ProbeEmissionFilteringPolicy


class StopProbeEvent(Table, frozen=True, kw_only=True, tag="StopProbeEvent", tag_field="@type"):
    probe_id: str


class ResetProbeEvent(Table, frozen=True, kw_only=True, tag="ResetProbeEvent", tag_field="@type"):
    probe_id: str
    new_value: float = 0.0


class TriggerProbeEvent(Table, frozen=True, kw_only=True, tag="TriggerProbeEvent", tag_field="@type"):
    probe_id: str
    force_data_emission: bool = True


class AggregatedProbeData(Table, frozen=True, kw_only=True, tag="AggregatedProbeData", tag_field="@type"):
    data: float = 0.0


class VectorialProbeData(Table, frozen=True, kw_only=True, tag="VectorialProbeData", tag_field="@type"):
    data: tuple[float, ...]


class ProbeDataEmittedEvent(Table, frozen=True, kw_only=True, tag="ProbeDataEmittedEvent", tag_field="@type"):
    probe_id: str
    resources: Resources
    metrics: Metrics = Metrics.Power
    data: ProbeData
    manually_triggered: bool = False
    nb_emitted: UInt32 = 0
    nb_triggered: UInt32 = 0


class OneShot(Table, frozen=True, kw_only=True, tag="OneShot", tag_field="@type"):
    time: UInt64 = 0
    time_unit: TimeUnit = TimeUnit.Second


class Infinite(Table, frozen=True, kw_only=True, tag="Infinite", tag_field="@type"):
    pass


class FinitePeriodNumber(Table, frozen=True, kw_only=True, tag="FinitePeriodNumber", tag_field="@type"):
    nb_periods: UInt32 = 0


class Periodic(Table, frozen=True, kw_only=True, tag="Periodic", tag_field="@type"):
    period: UInt64 = 0
    offset: UInt64 = 0
    time_unit: TimeUnit = TimeUnit.Second
    mode: PeriodicMode


class TemporalTriggerWrapper(Table, frozen=True, kw_only=True, tag="TemporalTriggerWrapper", tag_field="@type"):
    temporal_trigger: TemporalTrigger


class CallMeLaterEvent(Table, frozen=True, kw_only=True, tag="CallMeLaterEvent", tag_field="@type"):
    call_me_later_id: str
    when: TemporalTrigger


class RequestedCallEvent(Table, frozen=True, kw_only=True, tag="RequestedCallEvent", tag_field="@type"):
    call_me_later_id: str
    last_periodic_call: bool = False


class StopCallMeLaterEvent(Table, frozen=True, kw_only=True, tag="StopCallMeLaterEvent", tag_field="@type"):
    call_me_later_id: str


class EDCRequestedSimulationFeatures(Table, frozen=True, kw_only=True):
    dynamic_registration: bool = False
    profile_reuse: bool = False
    acknowledge_dynamic_jobs: bool = False
    forward_profiles_on_job_submission: bool = False
    forward_profiles_on_jobs_killed: bool = False
    forward_profiles_on_simulation_begins: bool = False


class EDCHelloEvent(Table, frozen=True, kw_only=True, tag="EDCHelloEvent", tag_field="@type"):
    batprotocol_version: str
    batprotocol_commit: str | None = None
    decision_component_name: str
    decision_component_version: str
    decision_component_commit: str | None = None
    requested_simulation_features: EDCRequestedSimulationFeatures


class HostProperty(Table, frozen=True, kw_only=True):
    key: str
    value: str


class Host(Table, frozen=True, kw_only=True):
    id: UInt32 = 0
    name: str
    pstate: UInt32 = 0
    pstate_count: UInt32 = 1
    state: HostState = HostState.SLEEPING
    properties: tuple[HostProperty, ...] | None = None
    zone_properties: tuple[HostProperty, ...] | None = None
    core_count: UInt32 = 1
    computation_speed: tuple[float, ...]


class WorkloadAndFilename(Table, frozen=True, kw_only=True):
    name: str
    filename: str


class ExternalEventListAndFilename(Table, frozen=True, kw_only=True):
    name: str
    filename: str


class SimulationBeginsEvent(Table, frozen=True, kw_only=True, tag="SimulationBeginsEvent", tag_field="@type"):
    batprotocol_version: str
    batsim_version: str
    batsim_commit: str | None = None
    host_number: UInt32 = 0
    computation_host_number: UInt32 = 0
    computation_hosts: tuple[Host, ...]
    storage_host_number: UInt32 = 0
    storage_hosts: tuple[Host, ...]
    batsim_arguments: tuple[str, ...]
    batsim_execution_context_json: str
    workloads: tuple[WorkloadAndFilename, ...]
    external_event_lists: tuple[ExternalEventListAndFilename, ...]
    profiles: tuple[ProfileAndId, ...] | None = None


class SimulationEndsEvent(Table, frozen=True, kw_only=True, tag="SimulationEndsEvent", tag_field="@type"):
    pass


class SimulationErrorEvent(Table, frozen=True, kw_only=True, tag="SimulationErrorEvent", tag_field="@type"):
    error: str


class AllStaticJobsHaveBeenSubmittedEvent(Table, frozen=True, kw_only=True, tag="AllStaticJobsHaveBeenSubmittedEvent", tag_field="@type"):
    pass


class AllStaticExternalEventsHaveBeenInjectedEvent(Table, frozen=True, kw_only=True, tag="AllStaticExternalEventsHaveBeenInjectedEvent", tag_field="@type"):
    pass


class FinishRegistrationEvent(Table, frozen=True, kw_only=True, tag="FinishRegistrationEvent", tag_field="@type"):
    pass


class ForceSimulationStopEvent(Table, frozen=True, kw_only=True, tag="ForceSimulationStopEvent", tag_field="@type"):
    pass


class ChangeHostsPStateEvent(Table, frozen=True, kw_only=True, tag="ChangeHostsPStateEvent", tag_field="@type"):
    host_ids: str
    pstate: UInt32 = 0


class HostsPStateChangedEvent(Table, frozen=True, kw_only=True, tag="HostsPStateChangedEvent", tag_field="@type"):
    host_ids: str
    pstate: UInt32 = 0


class TurnOnOffHostsEvent(Table, frozen=True, kw_only=True, tag="TurnOnOffHostsEvent", tag_field="@type"):
    host_ids: str
    state: UInt32 = 0


class HostsTurnedOnOffEvent(Table, frozen=True, kw_only=True, tag="HostsTurnedOnOffEvent", tag_field="@type"):
    host_ids: str
    state: UInt32 = 0


class GenericExternalEvent(Table, frozen=True, kw_only=True, tag="GenericExternalEvent", tag_field="@type"):
    data: str


class ExternalEventOccurredEvent(Table, frozen=True, kw_only=True, tag="ExternalEventOccurredEvent", tag_field="@type"):
    id: str
    external_event: ExternalEvent


class EventAndTimestamp(Table, frozen=True, kw_only=True):
    timestamp: float = 0.0
    event: Event


class Message(Table, frozen=True, kw_only=True):
    now: float = 0.0
    events: tuple[EventAndTimestamp, ...]


Profile: TypeAlias = (
    DelayProfile
    | ParallelTaskProfile
    | ParallelTaskHomogeneousProfile
    | SequentialCompositionProfile
    | ForkJoinCompositionProfile
    | ParallelTaskMergeCompositionProfile
    | ParallelTaskOnStorageHomogeneousProfile
    | ParallelTaskDataStagingBetweenStoragesProfile
    | TraceReplayProfile
)


ExecutorPlacement: TypeAlias = (
    PredefinedExecutorPlacementStrategyWrapper
    | CustomExecutorToHostMapping
)


KillProgress: TypeAlias = (
    KillProgressAtomicProfile
    | KillProgressSequentialProfile
    | KillProgressForkJoinProfile
)


Resources: TypeAlias = (
    HostResources
    | LinkResources
)


ProbeMeasurementTriggeringPolicy: TypeAlias = (
    TemporalTriggerWrapper
)


ProbeDataAccumulationStrategy: TypeAlias = (
    NoProbeDataAccumulation
    | ProbeDataAccumulation
)


ResetMode: TypeAlias = (
    NoReset
    | ProbeAccumulationReset
)


TemporalAggregationFunction: TypeAlias = (
    NoTemporalAggregation
    | ExponentialMovingAverage
    | SlidingWindowOperation
)


ResourcesAggregationFunction: TypeAlias = (
    NoResourcesAggregation
    | Sum
    | ArithmeticMean
    | QuantileFunction
)


ProbeEmissionFilteringPolicy: TypeAlias = (
    NoFiltering
    | ThresholdFilteringFunction
)


ProbeData: TypeAlias = (
    AggregatedProbeData
    | VectorialProbeData
)


PeriodicMode: TypeAlias = (
    Infinite
    | FinitePeriodNumber
)


TemporalTrigger: TypeAlias = (
    OneShot
    | Periodic
)


ExternalEvent: TypeAlias = (
    GenericExternalEvent
)


Event: TypeAlias = (
    JobSubmittedEvent
    | JobCompletedEvent
    | RejectJobEvent
    | ExecuteJobEvent
    | KillJobsEvent
    | JobsKilledEvent
    | RegisterProfileEvent
    | RegisterJobEvent
    | CreateProbeEvent
    | StopProbeEvent
    | TriggerProbeEvent
    | ResetProbeEvent
    | ProbeDataEmittedEvent
    | CallMeLaterEvent
    | RequestedCallEvent
    | StopCallMeLaterEvent
    | EDCHelloEvent
    | SimulationBeginsEvent
    | SimulationEndsEvent
    | SimulationErrorEvent
    | AllStaticJobsHaveBeenSubmittedEvent
    | AllStaticExternalEventsHaveBeenInjectedEvent
    | FinishRegistrationEvent
    | ForceSimulationStopEvent
    | ChangeHostsPStateEvent
    | HostsPStateChangedEvent
    | TurnOnOffHostsEvent
    | HostsTurnedOnOffEvent
    | ExternalEventOccurredEvent
)


JSON_FORM: Final[dict[str, tuple[tuple[str, str, Any], ...]]] = {
    "ParallelTaskProfile": (
        ("null", "computation_vector", None),
        ("null", "communication_matrix", None),
    ),
    "ParallelTaskHomogeneousProfile": (
        ("enum", "generation_strategy", tuple(HomogeneousParallelTaskGenerationStrategy.__members__)),
    ),
    "ParallelTaskOnStorageHomogeneousProfile": (
        ("enum", "generation_strategy", tuple(HomogeneousParallelTaskGenerationStrategy.__members__)),
    ),
    "TraceReplayProfile": (
        ("enum", "trace_type", tuple(TraceType.__members__)),
    ),
    "Job": (
        ("null", "extra_data", None),
    ),
    "JobSubmittedEvent": (
        ("null", "profile", None),
        ("table", "job", "Job"),
        ("table", "profile", "ProfileAndId"),
    ),
    "JobCompletedEvent": (
        ("enum", "state", tuple(FinalJobState.__members__)),
    ),
    "PredefinedExecutorPlacementStrategyWrapper": (
        ("enum", "strategy", tuple(PredefinedExecutorPlacementStrategy.__members__)),
    ),
    "AllocationPlacement": (
        ("union", "executor_placement", ("NONE", "PredefinedExecutorPlacementStrategyWrapper", "CustomExecutorToHostMapping")),
    ),
    "ProfileAllocationPlacement": (
        ("union", "executor_placement", ("NONE", "PredefinedExecutorPlacementStrategyWrapper", "CustomExecutorToHostMapping")),
    ),
    "ExecuteJobEvent": (
        ("null", "profile_allocation_override", None),
        ("null", "storage_placement", None),
        ("table", "allocation", "AllocationPlacement"),
        ("each", "profile_allocation_override", "ProfileAllocationPlacement"),
    ),
    "KillProgressSequentialProfile": (
        ("table", "current_task_progress", "KillProgressWrapper"),
    ),
    "KillProgressForkJoinProfile": (
        ("each", "tasks_progress", "KillProgressWrapper"),
    ),
    "KillProgressWrapper": (
        ("union", "kill_progress", ("NONE", "KillProgressAtomicProfile", "KillProgressSequentialProfile", "KillProgressForkJoinProfile")),
    ),
    "JobAndProgress": (
        ("table", "wrapper", "KillProgressWrapper"),
    ),
    "JobsKilledEvent": (
        ("null", "profiles", None),
        ("each", "progresses", "JobAndProgress"),
        ("each", "profiles", "ProfileAndId"),
    ),
    "ProfileAndId": (
        ("union", "profile", ("NONE", "DelayProfile", "ParallelTaskProfile", "ParallelTaskHomogeneousProfile", "SequentialCompositionProfile", "ForkJoinCompositionProfile", "ParallelTaskMergeCompositionProfile", "ParallelTaskOnStorageHomogeneousProfile", "ParallelTaskDataStagingBetweenStoragesProfile", "TraceReplayProfile")),
        ("null", "extra_data", None),
    ),
    "RegisterProfileEvent": (
        ("table", "profile", "ProfileAndId"),
    ),
    "RegisterJobEvent": (
        ("table", "job", "Job"),
    ),
    "ProbeDataAccumulation": (
        ("union", "reset_mode", ("NONE", "NoReset", "ProbeAccumulationReset")),
        ("enum", "cumulative_function", tuple(CumulativeFunction.__members__)),
    ),
    "ThresholdFilteringFunction": (
        ("enum", "operator", tuple(BooleanComparisonOperator.__members__)),
    ),
    "CreateProbeEvent": (
        ("enum", "metrics", tuple(Metrics.__members__)),
        ("union", "resources", ("NONE", "HostResources", "LinkResources")),
        ("union", "data_accumulation_strategy", ("NONE", "NoProbeDataAccumulation", "ProbeDataAccumulation")),
        ("union", "measurement_triggering_policy", ("NONE", "TemporalTriggerWrapper")),
        ("union", "resources_aggregation_function", ("NONE", "NoResourcesAggregation", "Sum", "ArithmeticMean", "QuantileFunction")),
        ("union", "temporal_aggregation_function", ("NONE", "NoTemporalAggregation", "ExponentialMovingAverage", "SlidingWindowOperation")),
        ("union", "emission_filtering_policy", ("NONE", "NoFiltering", "ThresholdFilteringFunction")),
    ),
    "ProbeDataEmittedEvent": (
        ("union", "resources", ("NONE", "HostResources", "LinkResources")),
        ("enum", "metrics", tuple(Metrics.__members__)),
        ("union", "data", ("NONE", "AggregatedProbeData", "VectorialProbeData")),
    ),
    "OneShot": (
        ("enum", "time_unit", tuple(TimeUnit.__members__)),
    ),
    "Periodic": (
        ("enum", "time_unit", tuple(TimeUnit.__members__)),
        ("union", "mode", ("NONE", "Infinite", "FinitePeriodNumber")),
    ),
    "TemporalTriggerWrapper": (
        ("union", "temporal_trigger", ("NONE", "OneShot", "Periodic")),
    ),
    "CallMeLaterEvent": (
        ("union", "when", ("NONE", "OneShot", "Periodic")),
    ),
    "EDCHelloEvent": (
        ("null", "batprotocol_commit", None),
        ("null", "decision_component_commit", None),
    ),
    "Host": (
        ("enum", "state", tuple(HostState.__members__)),
        ("null", "properties", None),
        ("null", "zone_properties", None),
    ),
    "SimulationBeginsEvent": (
        ("null", "batsim_commit", None),
        ("null", "profiles", None),
        ("each", "computation_hosts", "Host"),
        ("each", "storage_hosts", "Host"),
        ("each", "profiles", "ProfileAndId"),
    ),
    "ExternalEventOccurredEvent": (
        ("union", "external_event", ("NONE", "GenericExternalEvent")),
    ),
    "EventAndTimestamp": (
        ("union", "event", ("NONE", "JobSubmittedEvent", "JobCompletedEvent", "RejectJobEvent", "ExecuteJobEvent", "KillJobsEvent", "JobsKilledEvent", "RegisterProfileEvent", "RegisterJobEvent", "CreateProbeEvent", "StopProbeEvent", "TriggerProbeEvent", "ResetProbeEvent", "ProbeDataEmittedEvent", "CallMeLaterEvent", "RequestedCallEvent", "StopCallMeLaterEvent", "EDCHelloEvent", "SimulationBeginsEvent", "SimulationEndsEvent", "SimulationErrorEvent", "AllStaticJobsHaveBeenSubmittedEvent", "AllStaticExternalEventsHaveBeenInjectedEvent", "FinishRegistrationEvent", "ForceSimulationStopEvent", "ChangeHostsPStateEvent", "HostsPStateChangedEvent", "TurnOnOffHostsEvent", "HostsTurnedOnOffEvent", "ExternalEventOccurredEvent")),
    ),
    "Message": (
        ("each", "events", "EventAndTimestamp"),
    ),
}
"""By table, what its JSON text needs: (kind of step, member, what the step needs)."""
