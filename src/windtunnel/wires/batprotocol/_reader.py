"""Messages out of flatbuffers.

Generated from batprotocol.fbs by windtunnel.wires.batprotocol.generate: do not edit.
"""
# ruff: noqa: A001, ARG001, E501, I001, RUF022, RUF100 -- generated: names and orders are those of the schema
# fmt: off

from windtunnel.wires.batprotocol._reading import (
    Budget,
    Reader,
    Shape,
    doubles,
    fault,
    fields,
    nothing,
    tables,
    text,
    texts,
    uints,
    unknown,
)
from windtunnel.wires.batprotocol.schema import (
    AggregatedProbeData,
    AllStaticExternalEventsHaveBeenInjectedEvent,
    AllStaticJobsHaveBeenSubmittedEvent,
    AllocationPlacement,
    ArithmeticMean,
    BooleanComparisonOperator,
    CallMeLaterEvent,
    ChangeHostsPStateEvent,
    CreateProbeEvent,
    CumulativeFunction,
    CustomExecutorToHostMapping,
    DelayProfile,
    EDCHelloEvent,
    EDCRequestedSimulationFeatures,
    EventAndTimestamp,
    ExecuteJobEvent,
    ExponentialMovingAverage,
    ExternalEventListAndFilename,
    ExternalEventOccurredEvent,
    FinalJobState,
    FinishRegistrationEvent,
    FinitePeriodNumber,
    ForceSimulationStopEvent,
    ForkJoinCompositionProfile,
    GenericExternalEvent,
    HomogeneousParallelTaskGenerationStrategy,
    Host,
    HostProperty,
    HostResources,
    HostState,
    HostsPStateChangedEvent,
    HostsTurnedOnOffEvent,
    Infinite,
    Job,
    JobAndProgress,
    JobCompletedEvent,
    JobSubmittedEvent,
    JobsKilledEvent,
    KillJobsEvent,
    KillProgressAtomicProfile,
    KillProgressForkJoinProfile,
    KillProgressSequentialProfile,
    KillProgressWrapper,
    LinkResources,
    Message,
    Metrics,
    NoFiltering,
    NoProbeDataAccumulation,
    NoReset,
    NoResourcesAggregation,
    NoTemporalAggregation,
    OneShot,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    Periodic,
    PredefinedExecutorPlacementStrategy,
    PredefinedExecutorPlacementStrategyWrapper,
    ProbeAccumulationReset,
    ProbeDataAccumulation,
    ProbeDataEmittedEvent,
    ProfileAllocationPlacement,
    ProfileAndId,
    QuantileFunction,
    RegisterJobEvent,
    RegisterProfileEvent,
    RejectJobEvent,
    RequestedCallEvent,
    ResetProbeEvent,
    SequentialCompositionProfile,
    SimulationBeginsEvent,
    SimulationEndsEvent,
    SimulationErrorEvent,
    SlidingWindowOperation,
    StopCallMeLaterEvent,
    StopProbeEvent,
    StorageHost,
    Sum,
    TemporalTriggerWrapper,
    ThresholdFilteringFunction,
    TimeUnit,
    TraceReplayProfile,
    TraceType,
    TriggerProbeEvent,
    TurnOnOffHostsEvent,
    VectorialProbeData,
    WorkloadAndFilename,
)


__all__ = ["read_message"]


_HOMOGENEOUS_PARALLEL_TASK_GENERATION_STRATEGY = tuple(HomogeneousParallelTaskGenerationStrategy)
_TRACE_TYPE = tuple(TraceType)
_FINAL_JOB_STATE = tuple(FinalJobState)
_PREDEFINED_EXECUTOR_PLACEMENT_STRATEGY = tuple(PredefinedExecutorPlacementStrategy)
_CUMULATIVE_FUNCTION = tuple(CumulativeFunction)
_METRICS = tuple(Metrics)
_BOOLEAN_COMPARISON_OPERATOR = tuple(BooleanComparisonOperator)
_TIME_UNIT = tuple(TimeUnit)
_HOST_STATE = tuple(HostState)


_DELAY_PROFILE = Shape(
    "DelayProfile",
    ("delay", "d", 0.0, False),
)


_PARALLEL_TASK_PROFILE = Shape(
    "ParallelTaskProfile",
    ("computation_vector", "o", 0, False),
    ("communication_matrix", "o", 0, False),
)


_SEQUENTIAL_COMPOSITION_PROFILE = Shape(
    "SequentialCompositionProfile",
    ("repetition_count", "I", 1, False),
    ("profile_ids", "o", 0, True),
)


_FORK_JOIN_COMPOSITION_PROFILE = Shape(
    "ForkJoinCompositionProfile",
    ("profile_ids", "o", 0, True),
)


_PARALLEL_TASK_MERGE_COMPOSITION_PROFILE = Shape(
    "ParallelTaskMergeCompositionProfile",
    ("profile_ids", "o", 0, True),
)


_PARALLEL_TASK_HOMOGENEOUS_PROFILE = Shape(
    "ParallelTaskHomogeneousProfile",
    ("computation_amount", "d", 0.0, False),
    ("communication_amount", "d", 0.0, False),
    ("generation_strategy", "B", 0, False),
)


_PARALLEL_TASK_ON_STORAGE_HOMOGENEOUS_PROFILE = Shape(
    "ParallelTaskOnStorageHomogeneousProfile",
    ("storage_name", "o", 0, True),
    ("bytes_to_read", "d", 0.0, False),
    ("bytes_to_write", "d", 0.0, False),
    ("generation_strategy", "B", 0, False),
)


_PARALLEL_TASK_DATA_STAGING_BETWEEN_STORAGES_PROFILE = Shape(
    "ParallelTaskDataStagingBetweenStoragesProfile",
    ("bytes_to_transfer", "d", 0.0, False),
    ("emitter_storage_name", "o", 0, True),
    ("receiver_storage_name", "o", 0, True),
)


_TRACE_REPLAY_PROFILE = Shape(
    "TraceReplayProfile",
    ("trace_type", "B", 0, False),
    ("filename", "o", 0, True),
)


_JOB = Shape(
    "Job",
    ("resource_request", "I", 0, False),
    ("walltime", "d", None, False),
    ("extra_data", "o", 0, False),
    ("profile_id", "o", 0, True),
)


_JOB_SUBMITTED_EVENT = Shape(
    "JobSubmittedEvent",
    ("job_id", "o", 0, True),
    ("job", "o", 0, True),
    ("submission_time", "d", 0.0, False),
    ("profile", "o", 0, False),
)


_JOB_COMPLETED_EVENT = Shape(
    "JobCompletedEvent",
    ("job_id", "o", 0, True),
    ("state", "B", 0, False),
    ("return_code", "i", 0, False),
)


_REJECT_JOB_EVENT = Shape(
    "RejectJobEvent",
    ("job_id", "o", 0, True),
)


_PREDEFINED_EXECUTOR_PLACEMENT_STRATEGY_WRAPPER = Shape(
    "PredefinedExecutorPlacementStrategyWrapper",
    ("strategy", "B", 0, False),
)


_CUSTOM_EXECUTOR_TO_HOST_MAPPING = Shape(
    "CustomExecutorToHostMapping",
    ("mapping", "o", 0, True),
)


_STORAGE_HOST = Shape(
    "StorageHost",
    ("storage_name", "o", 0, True),
    ("host_id", "I", 0, False),
)


_ALLOCATION_PLACEMENT = Shape(
    "AllocationPlacement",
    ("host_allocation", "o", 0, True),
    ("executor_placement_type", "B", 0, False),
    ("executor_placement", "o", 0, True),
)


_PROFILE_ALLOCATION_PLACEMENT = Shape(
    "ProfileAllocationPlacement",
    ("profile_id", "o", 0, True),
    ("host_allocation", "o", 0, True),
    ("executor_placement_type", "B", 0, False),
    ("executor_placement", "o", 0, True),
)


_EXECUTE_JOB_EVENT = Shape(
    "ExecuteJobEvent",
    ("job_id", "o", 0, True),
    ("allocation", "o", 0, True),
    ("profile_allocation_override", "o", 0, False),
    ("storage_placement", "o", 0, False),
)


_KILL_JOBS_EVENT = Shape(
    "KillJobsEvent",
    ("job_ids", "o", 0, True),
)


_KILL_PROGRESS_ATOMIC_PROFILE = Shape(
    "KillProgressAtomicProfile",
    ("profile_id", "o", 0, True),
    ("progress", "d", 0.0, False),
)


_KILL_PROGRESS_SEQUENTIAL_PROFILE = Shape(
    "KillProgressSequentialProfile",
    ("profile_id", "o", 0, True),
    ("current_repetition", "I", 0, False),
    ("current_task_index", "I", 0, False),
    ("current_task_progress", "o", 0, True),
)


_KILL_PROGRESS_FORK_JOIN_PROFILE = Shape(
    "KillProgressForkJoinProfile",
    ("profile_id", "o", 0, True),
    ("tasks_progress", "o", 0, True),
)


_KILL_PROGRESS_WRAPPER = Shape(
    "KillProgressWrapper",
    ("kill_progress_type", "B", 0, False),
    ("kill_progress", "o", 0, True),
)


_JOB_AND_PROGRESS = Shape(
    "JobAndProgress",
    ("job_id", "o", 0, True),
    ("wrapper", "o", 0, True),
)


_JOBS_KILLED_EVENT = Shape(
    "JobsKilledEvent",
    ("job_ids", "o", 0, True),
    ("progresses", "o", 0, True),
    ("profiles", "o", 0, False),
)


_PROFILE_AND_ID = Shape(
    "ProfileAndId",
    ("id", "o", 0, True),
    ("profile_type", "B", 0, False),
    ("profile", "o", 0, True),
    ("extra_data", "o", 0, False),
)


_REGISTER_PROFILE_EVENT = Shape(
    "RegisterProfileEvent",
    ("profile", "o", 0, True),
)


_REGISTER_JOB_EVENT = Shape(
    "RegisterJobEvent",
    ("job_id", "o", 0, True),
    ("job", "o", 0, True),
)


_HOST_RESOURCES = Shape(
    "HostResources",
    ("host_ids", "o", 0, True),
)


_LINK_RESOURCES = Shape(
    "LinkResources",
    ("link_ids", "o", 0, True),
)


_NO_PROBE_DATA_ACCUMULATION = Shape(
    "NoProbeDataAccumulation",
)


_NO_RESET = Shape(
    "NoReset",
)


_PROBE_ACCUMULATION_RESET = Shape(
    "ProbeAccumulationReset",
    ("new_value", "d", 0.0, False),
)


_PROBE_DATA_ACCUMULATION = Shape(
    "ProbeDataAccumulation",
    ("reset_mode_type", "B", 0, False),
    ("reset_mode", "o", 0, True),
    ("cumulative_function", "B", 0, False),
    ("temporal_normalization", "?", False, False),
)


_NO_TEMPORAL_AGGREGATION = Shape(
    "NoTemporalAggregation",
)


_EXPONENTIAL_MOVING_AVERAGE = Shape(
    "ExponentialMovingAverage",
)


_SLIDING_WINDOW_OPERATION = Shape(
    "SlidingWindowOperation",
)


_NO_RESOURCES_AGGREGATION = Shape(
    "NoResourcesAggregation",
)


_SUM = Shape(
    "Sum",
)


_ARITHMETIC_MEAN = Shape(
    "ArithmeticMean",
)


_QUANTILE_FUNCTION = Shape(
    "QuantileFunction",
    ("threshold", "d", 0.0, False),
)


_NO_FILTERING = Shape(
    "NoFiltering",
)


_THRESHOLD_FILTERING_FUNCTION = Shape(
    "ThresholdFilteringFunction",
    ("threshold", "d", 0.0, False),
    ("operator", "B", 0, False),
)


_CREATE_PROBE_EVENT = Shape(
    "CreateProbeEvent",
    ("probe_id", "o", 0, True),
    ("metrics", "B", 0, False),
    ("resources_type", "B", 0, False),
    ("resources", "o", 0, True),
    ("data_accumulation_strategy_type", "B", 0, False),
    ("data_accumulation_strategy", "o", 0, True),
    ("measurement_triggering_policy_type", "B", 0, False),
    ("measurement_triggering_policy", "o", 0, True),
    ("resources_aggregation_function_type", "B", 0, False),
    ("resources_aggregation_function", "o", 0, True),
    ("temporal_aggregation_function_type", "B", 0, False),
    ("temporal_aggregation_function", "o", 0, True),
    ("emission_filtering_policy_type", "B", 0, False),
    ("emission_filtering_policy", "o", 0, True),
)


_STOP_PROBE_EVENT = Shape(
    "StopProbeEvent",
    ("probe_id", "o", 0, True),
)


_RESET_PROBE_EVENT = Shape(
    "ResetProbeEvent",
    ("probe_id", "o", 0, True),
    ("new_value", "d", 0.0, False),
)


_TRIGGER_PROBE_EVENT = Shape(
    "TriggerProbeEvent",
    ("probe_id", "o", 0, True),
    ("force_data_emission", "?", True, False),
)


_AGGREGATED_PROBE_DATA = Shape(
    "AggregatedProbeData",
    ("data", "d", 0.0, False),
)


_VECTORIAL_PROBE_DATA = Shape(
    "VectorialProbeData",
    ("data", "o", 0, True),
)


_PROBE_DATA_EMITTED_EVENT = Shape(
    "ProbeDataEmittedEvent",
    ("probe_id", "o", 0, True),
    ("resources_type", "B", 0, False),
    ("resources", "o", 0, True),
    ("metrics", "B", 0, False),
    ("data_type", "B", 0, False),
    ("data", "o", 0, True),
    ("manually_triggered", "?", False, False),
    ("nb_emitted", "I", 0, False),
    ("nb_triggered", "I", 0, False),
)


_ONE_SHOT = Shape(
    "OneShot",
    ("time", "Q", 0, False),
    ("time_unit", "B", 0, False),
)


_INFINITE = Shape(
    "Infinite",
)


_FINITE_PERIOD_NUMBER = Shape(
    "FinitePeriodNumber",
    ("nb_periods", "I", 0, False),
)


_PERIODIC = Shape(
    "Periodic",
    ("period", "Q", 0, False),
    ("offset", "Q", 0, False),
    ("time_unit", "B", 0, False),
    ("mode_type", "B", 0, False),
    ("mode", "o", 0, True),
)


_TEMPORAL_TRIGGER_WRAPPER = Shape(
    "TemporalTriggerWrapper",
    ("temporal_trigger_type", "B", 0, False),
    ("temporal_trigger", "o", 0, True),
)


_CALL_ME_LATER_EVENT = Shape(
    "CallMeLaterEvent",
    ("call_me_later_id", "o", 0, True),
    ("when_type", "B", 0, False),
    ("when", "o", 0, True),
)


_REQUESTED_CALL_EVENT = Shape(
    "RequestedCallEvent",
    ("call_me_later_id", "o", 0, True),
    ("last_periodic_call", "?", False, False),
)


_STOP_CALL_ME_LATER_EVENT = Shape(
    "StopCallMeLaterEvent",
    ("call_me_later_id", "o", 0, True),
)


_EDC_REQUESTED_SIMULATION_FEATURES = Shape(
    "EDCRequestedSimulationFeatures",
    ("dynamic_registration", "?", False, False),
    ("profile_reuse", "?", False, False),
    ("acknowledge_dynamic_jobs", "?", False, False),
    ("forward_profiles_on_job_submission", "?", False, False),
    ("forward_profiles_on_jobs_killed", "?", False, False),
    ("forward_profiles_on_simulation_begins", "?", False, False),
)


_EDC_HELLO_EVENT = Shape(
    "EDCHelloEvent",
    ("batprotocol_version", "o", 0, True),
    ("batprotocol_commit", "o", 0, False),
    ("decision_component_name", "o", 0, True),
    ("decision_component_version", "o", 0, True),
    ("decision_component_commit", "o", 0, False),
    ("requested_simulation_features", "o", 0, True),
)


_HOST_PROPERTY = Shape(
    "HostProperty",
    ("key", "o", 0, True),
    ("value", "o", 0, True),
)


_HOST = Shape(
    "Host",
    ("id", "I", 0, False),
    ("name", "o", 0, True),
    ("pstate", "I", 0, False),
    ("pstate_count", "I", 1, False),
    ("state", "B", 0, False),
    ("properties", "o", 0, False),
    ("zone_properties", "o", 0, False),
    ("core_count", "I", 1, False),
    ("computation_speed", "o", 0, True),
)


_WORKLOAD_AND_FILENAME = Shape(
    "WorkloadAndFilename",
    ("name", "o", 0, True),
    ("filename", "o", 0, True),
)


_EXTERNAL_EVENT_LIST_AND_FILENAME = Shape(
    "ExternalEventListAndFilename",
    ("name", "o", 0, True),
    ("filename", "o", 0, True),
)


_SIMULATION_BEGINS_EVENT = Shape(
    "SimulationBeginsEvent",
    ("batprotocol_version", "o", 0, True),
    ("batsim_version", "o", 0, True),
    ("batsim_commit", "o", 0, False),
    ("host_number", "I", 0, False),
    ("computation_host_number", "I", 0, False),
    ("computation_hosts", "o", 0, True),
    ("storage_host_number", "I", 0, False),
    ("storage_hosts", "o", 0, True),
    ("batsim_arguments", "o", 0, True),
    ("batsim_execution_context_json", "o", 0, True),
    ("workloads", "o", 0, True),
    ("external_event_lists", "o", 0, True),
    ("profiles", "o", 0, False),
)


_SIMULATION_ENDS_EVENT = Shape(
    "SimulationEndsEvent",
)


_SIMULATION_ERROR_EVENT = Shape(
    "SimulationErrorEvent",
    ("error", "o", 0, True),
)


_ALL_STATIC_JOBS_HAVE_BEEN_SUBMITTED_EVENT = Shape(
    "AllStaticJobsHaveBeenSubmittedEvent",
)


_ALL_STATIC_EXTERNAL_EVENTS_HAVE_BEEN_INJECTED_EVENT = Shape(
    "AllStaticExternalEventsHaveBeenInjectedEvent",
)


_FINISH_REGISTRATION_EVENT = Shape(
    "FinishRegistrationEvent",
)


_FORCE_SIMULATION_STOP_EVENT = Shape(
    "ForceSimulationStopEvent",
)


_CHANGE_HOSTS_P_STATE_EVENT = Shape(
    "ChangeHostsPStateEvent",
    ("host_ids", "o", 0, True),
    ("pstate", "I", 0, False),
)


_HOSTS_P_STATE_CHANGED_EVENT = Shape(
    "HostsPStateChangedEvent",
    ("host_ids", "o", 0, True),
    ("pstate", "I", 0, False),
)


_TURN_ON_OFF_HOSTS_EVENT = Shape(
    "TurnOnOffHostsEvent",
    ("host_ids", "o", 0, True),
    ("state", "I", 0, False),
)


_HOSTS_TURNED_ON_OFF_EVENT = Shape(
    "HostsTurnedOnOffEvent",
    ("host_ids", "o", 0, True),
    ("state", "I", 0, False),
)


_GENERIC_EXTERNAL_EVENT = Shape(
    "GenericExternalEvent",
    ("data", "o", 0, True),
)


_EXTERNAL_EVENT_OCCURRED_EVENT = Shape(
    "ExternalEventOccurredEvent",
    ("id", "o", 0, True),
    ("external_event_type", "B", 0, False),
    ("external_event", "o", 0, True),
)


_EVENT_AND_TIMESTAMP = Shape(
    "EventAndTimestamp",
    ("timestamp", "d", 0.0, False),
    ("event_type", "B", 0, False),
    ("event", "o", 0, True),
)


_MESSAGE = Shape(
    "Message",
    ("now", "d", 0.0, False),
    ("events", "o", 0, True),
)


def _delay_profile(b: bytes, p: int, c: Budget) -> DelayProfile:
    delay = fields(b, p, _DELAY_PROFILE)
    return DelayProfile(
        delay=delay,
    )


def _parallel_task_profile(b: bytes, p: int, c: Budget) -> ParallelTaskProfile:
    (
        computation_vector,
        computation_vector_at,
        communication_matrix,
        communication_matrix_at,
    ) = fields(b, p, _PARALLEL_TASK_PROFILE)
    return ParallelTaskProfile(
        computation_vector=doubles(b, p + computation_vector_at + computation_vector, c, "ParallelTaskProfile.computation_vector") if computation_vector else None,
        communication_matrix=doubles(b, p + communication_matrix_at + communication_matrix, c, "ParallelTaskProfile.communication_matrix") if communication_matrix else None,
    )


def _sequential_composition_profile(b: bytes, p: int, c: Budget) -> SequentialCompositionProfile:
    repetition_count, profile_ids, profile_ids_at = fields(b, p, _SEQUENTIAL_COMPOSITION_PROFILE)
    return SequentialCompositionProfile(
        repetition_count=repetition_count,
        profile_ids=texts(b, p + profile_ids_at + profile_ids, c, "SequentialCompositionProfile.profile_ids") if profile_ids else nothing(b, p, c, "SequentialCompositionProfile.profile_ids"),
    )


def _fork_join_composition_profile(b: bytes, p: int, c: Budget) -> ForkJoinCompositionProfile:
    profile_ids, profile_ids_at = fields(b, p, _FORK_JOIN_COMPOSITION_PROFILE)
    return ForkJoinCompositionProfile(
        profile_ids=texts(b, p + profile_ids_at + profile_ids, c, "ForkJoinCompositionProfile.profile_ids") if profile_ids else nothing(b, p, c, "ForkJoinCompositionProfile.profile_ids"),
    )


def _parallel_task_merge_composition_profile(b: bytes, p: int, c: Budget) -> ParallelTaskMergeCompositionProfile:
    profile_ids, profile_ids_at = fields(b, p, _PARALLEL_TASK_MERGE_COMPOSITION_PROFILE)
    return ParallelTaskMergeCompositionProfile(
        profile_ids=texts(b, p + profile_ids_at + profile_ids, c, "ParallelTaskMergeCompositionProfile.profile_ids") if profile_ids else nothing(b, p, c, "ParallelTaskMergeCompositionProfile.profile_ids"),
    )


def _parallel_task_homogeneous_profile(b: bytes, p: int, c: Budget) -> ParallelTaskHomogeneousProfile:
    computation_amount, communication_amount, generation_strategy = fields(b, p, _PARALLEL_TASK_HOMOGENEOUS_PROFILE)
    return ParallelTaskHomogeneousProfile(
        computation_amount=computation_amount,
        communication_amount=communication_amount,
        generation_strategy=_HOMOGENEOUS_PARALLEL_TASK_GENERATION_STRATEGY[generation_strategy] if generation_strategy < 2 else unknown("ParallelTaskHomogeneousProfile.generation_strategy", generation_strategy),
    )


def _parallel_task_on_storage_homogeneous_profile(b: bytes, p: int, c: Budget) -> ParallelTaskOnStorageHomogeneousProfile:
    (
        storage_name,
        storage_name_at,
        bytes_to_read,
        bytes_to_write,
        generation_strategy,
    ) = fields(b, p, _PARALLEL_TASK_ON_STORAGE_HOMOGENEOUS_PROFILE)
    return ParallelTaskOnStorageHomogeneousProfile(
        storage_name=text(b, p + storage_name_at + storage_name, c, "ParallelTaskOnStorageHomogeneousProfile.storage_name") if storage_name else nothing(b, p, c, "ParallelTaskOnStorageHomogeneousProfile.storage_name"),
        bytes_to_read=bytes_to_read,
        bytes_to_write=bytes_to_write,
        generation_strategy=_HOMOGENEOUS_PARALLEL_TASK_GENERATION_STRATEGY[generation_strategy] if generation_strategy < 2 else unknown("ParallelTaskOnStorageHomogeneousProfile.generation_strategy", generation_strategy),
    )


def _parallel_task_data_staging_between_storages_profile(b: bytes, p: int, c: Budget) -> ParallelTaskDataStagingBetweenStoragesProfile:
    (
        bytes_to_transfer,
        emitter_storage_name,
        emitter_storage_name_at,
        receiver_storage_name,
        receiver_storage_name_at,
    ) = fields(b, p, _PARALLEL_TASK_DATA_STAGING_BETWEEN_STORAGES_PROFILE)
    return ParallelTaskDataStagingBetweenStoragesProfile(
        bytes_to_transfer=bytes_to_transfer,
        emitter_storage_name=text(b, p + emitter_storage_name_at + emitter_storage_name, c, "ParallelTaskDataStagingBetweenStoragesProfile.emitter_storage_name") if emitter_storage_name else nothing(b, p, c, "ParallelTaskDataStagingBetweenStoragesProfile.emitter_storage_name"),
        receiver_storage_name=text(b, p + receiver_storage_name_at + receiver_storage_name, c, "ParallelTaskDataStagingBetweenStoragesProfile.receiver_storage_name") if receiver_storage_name else nothing(b, p, c, "ParallelTaskDataStagingBetweenStoragesProfile.receiver_storage_name"),
    )


def _trace_replay_profile(b: bytes, p: int, c: Budget) -> TraceReplayProfile:
    trace_type, filename, filename_at = fields(b, p, _TRACE_REPLAY_PROFILE)
    return TraceReplayProfile(
        trace_type=_TRACE_TYPE[trace_type] if trace_type < 2 else unknown("TraceReplayProfile.trace_type", trace_type),
        filename=text(b, p + filename_at + filename, c, "TraceReplayProfile.filename") if filename else nothing(b, p, c, "TraceReplayProfile.filename"),
    )


def _job(b: bytes, p: int, c: Budget) -> Job:
    (
        resource_request,
        walltime,
        extra_data,
        extra_data_at,
        profile_id,
        profile_id_at,
    ) = fields(b, p, _JOB)
    return Job(
        resource_request=resource_request,
        walltime=walltime,
        extra_data=text(b, p + extra_data_at + extra_data, c, "Job.extra_data") if extra_data else None,
        profile_id=text(b, p + profile_id_at + profile_id, c, "Job.profile_id") if profile_id else nothing(b, p, c, "Job.profile_id"),
    )


def _job_submitted_event(b: bytes, p: int, c: Budget) -> JobSubmittedEvent:
    job_id, job_id_at, job, job_at, submission_time, profile, profile_at = fields(b, p, _JOB_SUBMITTED_EVENT)
    return JobSubmittedEvent(
        job_id=text(b, p + job_id_at + job_id, c, "JobSubmittedEvent.job_id") if job_id else nothing(b, p, c, "JobSubmittedEvent.job_id"),
        job=_job(b, p + job_at + job, c) if job else nothing(b, p, c, "JobSubmittedEvent.job"),
        submission_time=submission_time,
        profile=_profile_and_id(b, p + profile_at + profile, c) if profile else None,
    )


def _job_completed_event(b: bytes, p: int, c: Budget) -> JobCompletedEvent:
    job_id, job_id_at, state, return_code = fields(b, p, _JOB_COMPLETED_EVENT)
    return JobCompletedEvent(
        job_id=text(b, p + job_id_at + job_id, c, "JobCompletedEvent.job_id") if job_id else nothing(b, p, c, "JobCompletedEvent.job_id"),
        state=_FINAL_JOB_STATE[state] if state < 5 else unknown("JobCompletedEvent.state", state),
        return_code=return_code,
    )


def _reject_job_event(b: bytes, p: int, c: Budget) -> RejectJobEvent:
    job_id, job_id_at = fields(b, p, _REJECT_JOB_EVENT)
    return RejectJobEvent(
        job_id=text(b, p + job_id_at + job_id, c, "RejectJobEvent.job_id") if job_id else nothing(b, p, c, "RejectJobEvent.job_id"),
    )


def _predefined_executor_placement_strategy_wrapper(b: bytes, p: int, c: Budget) -> PredefinedExecutorPlacementStrategyWrapper:
    strategy = fields(b, p, _PREDEFINED_EXECUTOR_PLACEMENT_STRATEGY_WRAPPER)
    return PredefinedExecutorPlacementStrategyWrapper(
        strategy=_PREDEFINED_EXECUTOR_PLACEMENT_STRATEGY[strategy] if strategy < 2 else unknown("PredefinedExecutorPlacementStrategyWrapper.strategy", strategy),
    )


def _custom_executor_to_host_mapping(b: bytes, p: int, c: Budget) -> CustomExecutorToHostMapping:
    mapping, mapping_at = fields(b, p, _CUSTOM_EXECUTOR_TO_HOST_MAPPING)
    return CustomExecutorToHostMapping(
        mapping=uints(b, p + mapping_at + mapping, c, "CustomExecutorToHostMapping.mapping") if mapping else nothing(b, p, c, "CustomExecutorToHostMapping.mapping"),
    )


def _storage_host(b: bytes, p: int, c: Budget) -> StorageHost:
    storage_name, storage_name_at, host_id = fields(b, p, _STORAGE_HOST)
    return StorageHost(
        storage_name=text(b, p + storage_name_at + storage_name, c, "StorageHost.storage_name") if storage_name else nothing(b, p, c, "StorageHost.storage_name"),
        host_id=host_id,
    )


def _allocation_placement(b: bytes, p: int, c: Budget) -> AllocationPlacement:
    (
        host_allocation,
        host_allocation_at,
        executor_placement_type,
        executor_placement,
        executor_placement_at,
    ) = fields(b, p, _ALLOCATION_PLACEMENT)
    return AllocationPlacement(
        host_allocation=text(b, p + host_allocation_at + host_allocation, c, "AllocationPlacement.host_allocation") if host_allocation else nothing(b, p, c, "AllocationPlacement.host_allocation"),
        executor_placement=(_EXECUTOR_PLACEMENT[executor_placement_type](b, p + executor_placement_at + executor_placement, c) if executor_placement and 0 < executor_placement_type <= 2 else unknown("AllocationPlacement.executor_placement", executor_placement_type)),
    )


def _profile_allocation_placement(b: bytes, p: int, c: Budget) -> ProfileAllocationPlacement:
    (
        profile_id,
        profile_id_at,
        host_allocation,
        host_allocation_at,
        executor_placement_type,
        executor_placement,
        executor_placement_at,
    ) = fields(b, p, _PROFILE_ALLOCATION_PLACEMENT)
    return ProfileAllocationPlacement(
        profile_id=text(b, p + profile_id_at + profile_id, c, "ProfileAllocationPlacement.profile_id") if profile_id else nothing(b, p, c, "ProfileAllocationPlacement.profile_id"),
        host_allocation=text(b, p + host_allocation_at + host_allocation, c, "ProfileAllocationPlacement.host_allocation") if host_allocation else nothing(b, p, c, "ProfileAllocationPlacement.host_allocation"),
        executor_placement=(_EXECUTOR_PLACEMENT[executor_placement_type](b, p + executor_placement_at + executor_placement, c) if executor_placement and 0 < executor_placement_type <= 2 else unknown("ProfileAllocationPlacement.executor_placement", executor_placement_type)),
    )


def _execute_job_event(b: bytes, p: int, c: Budget) -> ExecuteJobEvent:
    (
        job_id,
        job_id_at,
        allocation,
        allocation_at,
        profile_allocation_override,
        profile_allocation_override_at,
        storage_placement,
        storage_placement_at,
    ) = fields(b, p, _EXECUTE_JOB_EVENT)
    return ExecuteJobEvent(
        job_id=text(b, p + job_id_at + job_id, c, "ExecuteJobEvent.job_id") if job_id else nothing(b, p, c, "ExecuteJobEvent.job_id"),
        allocation=_allocation_placement(b, p + allocation_at + allocation, c) if allocation else nothing(b, p, c, "ExecuteJobEvent.allocation"),
        profile_allocation_override=tables(b, p + profile_allocation_override_at + profile_allocation_override, c, _profile_allocation_placement, "ExecuteJobEvent.profile_allocation_override") if profile_allocation_override else None,
        storage_placement=tables(b, p + storage_placement_at + storage_placement, c, _storage_host, "ExecuteJobEvent.storage_placement") if storage_placement else None,
    )


def _kill_jobs_event(b: bytes, p: int, c: Budget) -> KillJobsEvent:
    job_ids, job_ids_at = fields(b, p, _KILL_JOBS_EVENT)
    return KillJobsEvent(
        job_ids=texts(b, p + job_ids_at + job_ids, c, "KillJobsEvent.job_ids") if job_ids else nothing(b, p, c, "KillJobsEvent.job_ids"),
    )


def _kill_progress_atomic_profile(b: bytes, p: int, c: Budget) -> KillProgressAtomicProfile:
    profile_id, profile_id_at, progress = fields(b, p, _KILL_PROGRESS_ATOMIC_PROFILE)
    return KillProgressAtomicProfile(
        profile_id=text(b, p + profile_id_at + profile_id, c, "KillProgressAtomicProfile.profile_id") if profile_id else nothing(b, p, c, "KillProgressAtomicProfile.profile_id"),
        progress=progress,
    )


def _kill_progress_sequential_profile(b: bytes, p: int, c: Budget) -> KillProgressSequentialProfile:
    c[1] -= 1
    if c[1] < 0:
        fault("KillProgressSequentialProfile", "nested too deep")
    (
        profile_id,
        profile_id_at,
        current_repetition,
        current_task_index,
        current_task_progress,
        current_task_progress_at,
    ) = fields(b, p, _KILL_PROGRESS_SEQUENTIAL_PROFILE)
    found = KillProgressSequentialProfile(
        profile_id=text(b, p + profile_id_at + profile_id, c, "KillProgressSequentialProfile.profile_id") if profile_id else nothing(b, p, c, "KillProgressSequentialProfile.profile_id"),
        current_repetition=current_repetition,
        current_task_index=current_task_index,
        current_task_progress=_kill_progress_wrapper(b, p + current_task_progress_at + current_task_progress, c) if current_task_progress else nothing(b, p, c, "KillProgressSequentialProfile.current_task_progress"),
    )
    c[1] += 1
    return found


def _kill_progress_fork_join_profile(b: bytes, p: int, c: Budget) -> KillProgressForkJoinProfile:
    c[1] -= 1
    if c[1] < 0:
        fault("KillProgressForkJoinProfile", "nested too deep")
    profile_id, profile_id_at, tasks_progress, tasks_progress_at = fields(b, p, _KILL_PROGRESS_FORK_JOIN_PROFILE)
    found = KillProgressForkJoinProfile(
        profile_id=text(b, p + profile_id_at + profile_id, c, "KillProgressForkJoinProfile.profile_id") if profile_id else nothing(b, p, c, "KillProgressForkJoinProfile.profile_id"),
        tasks_progress=tables(b, p + tasks_progress_at + tasks_progress, c, _kill_progress_wrapper, "KillProgressForkJoinProfile.tasks_progress") if tasks_progress else nothing(b, p, c, "KillProgressForkJoinProfile.tasks_progress"),
    )
    c[1] += 1
    return found


def _kill_progress_wrapper(b: bytes, p: int, c: Budget) -> KillProgressWrapper:
    c[1] -= 1
    if c[1] < 0:
        fault("KillProgressWrapper", "nested too deep")
    kill_progress_type, kill_progress, kill_progress_at = fields(b, p, _KILL_PROGRESS_WRAPPER)
    found = KillProgressWrapper(
        kill_progress=(_KILL_PROGRESS[kill_progress_type](b, p + kill_progress_at + kill_progress, c) if kill_progress and 0 < kill_progress_type <= 3 else unknown("KillProgressWrapper.kill_progress", kill_progress_type)),
    )
    c[1] += 1
    return found


def _job_and_progress(b: bytes, p: int, c: Budget) -> JobAndProgress:
    job_id, job_id_at, wrapper, wrapper_at = fields(b, p, _JOB_AND_PROGRESS)
    return JobAndProgress(
        job_id=text(b, p + job_id_at + job_id, c, "JobAndProgress.job_id") if job_id else nothing(b, p, c, "JobAndProgress.job_id"),
        wrapper=_kill_progress_wrapper(b, p + wrapper_at + wrapper, c) if wrapper else nothing(b, p, c, "JobAndProgress.wrapper"),
    )


def _jobs_killed_event(b: bytes, p: int, c: Budget) -> JobsKilledEvent:
    job_ids, job_ids_at, progresses, progresses_at, profiles, profiles_at = fields(b, p, _JOBS_KILLED_EVENT)
    return JobsKilledEvent(
        job_ids=texts(b, p + job_ids_at + job_ids, c, "JobsKilledEvent.job_ids") if job_ids else nothing(b, p, c, "JobsKilledEvent.job_ids"),
        progresses=tables(b, p + progresses_at + progresses, c, _job_and_progress, "JobsKilledEvent.progresses") if progresses else nothing(b, p, c, "JobsKilledEvent.progresses"),
        profiles=tables(b, p + profiles_at + profiles, c, _profile_and_id, "JobsKilledEvent.profiles") if profiles else None,
    )


def _profile_and_id(b: bytes, p: int, c: Budget) -> ProfileAndId:
    (
        id,
        id_at,
        profile_type,
        profile,
        profile_at,
        extra_data,
        extra_data_at,
    ) = fields(b, p, _PROFILE_AND_ID)
    return ProfileAndId(
        id=text(b, p + id_at + id, c, "ProfileAndId.id") if id else nothing(b, p, c, "ProfileAndId.id"),
        profile=(_PROFILE[profile_type](b, p + profile_at + profile, c) if profile and 0 < profile_type <= 9 else unknown("ProfileAndId.profile", profile_type)),
        extra_data=text(b, p + extra_data_at + extra_data, c, "ProfileAndId.extra_data") if extra_data else None,
    )


def _register_profile_event(b: bytes, p: int, c: Budget) -> RegisterProfileEvent:
    profile, profile_at = fields(b, p, _REGISTER_PROFILE_EVENT)
    return RegisterProfileEvent(
        profile=_profile_and_id(b, p + profile_at + profile, c) if profile else nothing(b, p, c, "RegisterProfileEvent.profile"),
    )


def _register_job_event(b: bytes, p: int, c: Budget) -> RegisterJobEvent:
    job_id, job_id_at, job, job_at = fields(b, p, _REGISTER_JOB_EVENT)
    return RegisterJobEvent(
        job_id=text(b, p + job_id_at + job_id, c, "RegisterJobEvent.job_id") if job_id else nothing(b, p, c, "RegisterJobEvent.job_id"),
        job=_job(b, p + job_at + job, c) if job else nothing(b, p, c, "RegisterJobEvent.job"),
    )


def _host_resources(b: bytes, p: int, c: Budget) -> HostResources:
    host_ids, host_ids_at = fields(b, p, _HOST_RESOURCES)
    return HostResources(
        host_ids=text(b, p + host_ids_at + host_ids, c, "HostResources.host_ids") if host_ids else nothing(b, p, c, "HostResources.host_ids"),
    )


def _link_resources(b: bytes, p: int, c: Budget) -> LinkResources:
    link_ids, link_ids_at = fields(b, p, _LINK_RESOURCES)
    return LinkResources(
        link_ids=texts(b, p + link_ids_at + link_ids, c, "LinkResources.link_ids") if link_ids else nothing(b, p, c, "LinkResources.link_ids"),
    )


def _no_probe_data_accumulation(b: bytes, p: int, c: Budget) -> NoProbeDataAccumulation:
    fields(b, p, _NO_PROBE_DATA_ACCUMULATION)
    return NoProbeDataAccumulation()


def _no_reset(b: bytes, p: int, c: Budget) -> NoReset:
    fields(b, p, _NO_RESET)
    return NoReset()


def _probe_accumulation_reset(b: bytes, p: int, c: Budget) -> ProbeAccumulationReset:
    new_value = fields(b, p, _PROBE_ACCUMULATION_RESET)
    return ProbeAccumulationReset(
        new_value=new_value,
    )


def _probe_data_accumulation(b: bytes, p: int, c: Budget) -> ProbeDataAccumulation:
    (
        reset_mode_type,
        reset_mode,
        reset_mode_at,
        cumulative_function,
        temporal_normalization,
    ) = fields(b, p, _PROBE_DATA_ACCUMULATION)
    return ProbeDataAccumulation(
        reset_mode=(_RESET_MODE[reset_mode_type](b, p + reset_mode_at + reset_mode, c) if reset_mode and 0 < reset_mode_type <= 2 else unknown("ProbeDataAccumulation.reset_mode", reset_mode_type)),
        cumulative_function=_CUMULATIVE_FUNCTION[cumulative_function] if cumulative_function < 3 else unknown("ProbeDataAccumulation.cumulative_function", cumulative_function),
        temporal_normalization=temporal_normalization,
    )


def _no_temporal_aggregation(b: bytes, p: int, c: Budget) -> NoTemporalAggregation:
    fields(b, p, _NO_TEMPORAL_AGGREGATION)
    return NoTemporalAggregation()


def _exponential_moving_average(b: bytes, p: int, c: Budget) -> ExponentialMovingAverage:
    fields(b, p, _EXPONENTIAL_MOVING_AVERAGE)
    return ExponentialMovingAverage()


def _sliding_window_operation(b: bytes, p: int, c: Budget) -> SlidingWindowOperation:
    fields(b, p, _SLIDING_WINDOW_OPERATION)
    return SlidingWindowOperation()


def _no_resources_aggregation(b: bytes, p: int, c: Budget) -> NoResourcesAggregation:
    fields(b, p, _NO_RESOURCES_AGGREGATION)
    return NoResourcesAggregation()


def _sum(b: bytes, p: int, c: Budget) -> Sum:
    fields(b, p, _SUM)
    return Sum()


def _arithmetic_mean(b: bytes, p: int, c: Budget) -> ArithmeticMean:
    fields(b, p, _ARITHMETIC_MEAN)
    return ArithmeticMean()


def _quantile_function(b: bytes, p: int, c: Budget) -> QuantileFunction:
    threshold = fields(b, p, _QUANTILE_FUNCTION)
    return QuantileFunction(
        threshold=threshold,
    )


def _no_filtering(b: bytes, p: int, c: Budget) -> NoFiltering:
    fields(b, p, _NO_FILTERING)
    return NoFiltering()


def _threshold_filtering_function(b: bytes, p: int, c: Budget) -> ThresholdFilteringFunction:
    threshold, operator = fields(b, p, _THRESHOLD_FILTERING_FUNCTION)
    return ThresholdFilteringFunction(
        threshold=threshold,
        operator=_BOOLEAN_COMPARISON_OPERATOR[operator] if operator < 4 else unknown("ThresholdFilteringFunction.operator", operator),
    )


def _create_probe_event(b: bytes, p: int, c: Budget) -> CreateProbeEvent:
    (
        probe_id,
        probe_id_at,
        metrics,
        resources_type,
        resources,
        resources_at,
        data_accumulation_strategy_type,
        data_accumulation_strategy,
        data_accumulation_strategy_at,
        measurement_triggering_policy_type,
        measurement_triggering_policy,
        measurement_triggering_policy_at,
        resources_aggregation_function_type,
        resources_aggregation_function,
        resources_aggregation_function_at,
        temporal_aggregation_function_type,
        temporal_aggregation_function,
        temporal_aggregation_function_at,
        emission_filtering_policy_type,
        emission_filtering_policy,
        emission_filtering_policy_at,
    ) = fields(b, p, _CREATE_PROBE_EVENT)
    return CreateProbeEvent(
        probe_id=text(b, p + probe_id_at + probe_id, c, "CreateProbeEvent.probe_id") if probe_id else nothing(b, p, c, "CreateProbeEvent.probe_id"),
        metrics=_METRICS[metrics] if metrics < 5 else unknown("CreateProbeEvent.metrics", metrics),
        resources=(_RESOURCES[resources_type](b, p + resources_at + resources, c) if resources and 0 < resources_type <= 2 else unknown("CreateProbeEvent.resources", resources_type)),
        data_accumulation_strategy=(_PROBE_DATA_ACCUMULATION_STRATEGY[data_accumulation_strategy_type](b, p + data_accumulation_strategy_at + data_accumulation_strategy, c) if data_accumulation_strategy and 0 < data_accumulation_strategy_type <= 2 else unknown("CreateProbeEvent.data_accumulation_strategy", data_accumulation_strategy_type)),
        measurement_triggering_policy=(_PROBE_MEASUREMENT_TRIGGERING_POLICY[measurement_triggering_policy_type](b, p + measurement_triggering_policy_at + measurement_triggering_policy, c) if measurement_triggering_policy and 0 < measurement_triggering_policy_type <= 1 else unknown("CreateProbeEvent.measurement_triggering_policy", measurement_triggering_policy_type)),
        resources_aggregation_function=(_RESOURCES_AGGREGATION_FUNCTION[resources_aggregation_function_type](b, p + resources_aggregation_function_at + resources_aggregation_function, c) if resources_aggregation_function and 0 < resources_aggregation_function_type <= 4 else unknown("CreateProbeEvent.resources_aggregation_function", resources_aggregation_function_type)),
        temporal_aggregation_function=(_TEMPORAL_AGGREGATION_FUNCTION[temporal_aggregation_function_type](b, p + temporal_aggregation_function_at + temporal_aggregation_function, c) if temporal_aggregation_function and 0 < temporal_aggregation_function_type <= 3 else unknown("CreateProbeEvent.temporal_aggregation_function", temporal_aggregation_function_type)),
        emission_filtering_policy=(_PROBE_EMISSION_FILTERING_POLICY[emission_filtering_policy_type](b, p + emission_filtering_policy_at + emission_filtering_policy, c) if emission_filtering_policy and 0 < emission_filtering_policy_type <= 2 else unknown("CreateProbeEvent.emission_filtering_policy", emission_filtering_policy_type)),
    )


def _stop_probe_event(b: bytes, p: int, c: Budget) -> StopProbeEvent:
    probe_id, probe_id_at = fields(b, p, _STOP_PROBE_EVENT)
    return StopProbeEvent(
        probe_id=text(b, p + probe_id_at + probe_id, c, "StopProbeEvent.probe_id") if probe_id else nothing(b, p, c, "StopProbeEvent.probe_id"),
    )


def _reset_probe_event(b: bytes, p: int, c: Budget) -> ResetProbeEvent:
    probe_id, probe_id_at, new_value = fields(b, p, _RESET_PROBE_EVENT)
    return ResetProbeEvent(
        probe_id=text(b, p + probe_id_at + probe_id, c, "ResetProbeEvent.probe_id") if probe_id else nothing(b, p, c, "ResetProbeEvent.probe_id"),
        new_value=new_value,
    )


def _trigger_probe_event(b: bytes, p: int, c: Budget) -> TriggerProbeEvent:
    probe_id, probe_id_at, force_data_emission = fields(b, p, _TRIGGER_PROBE_EVENT)
    return TriggerProbeEvent(
        probe_id=text(b, p + probe_id_at + probe_id, c, "TriggerProbeEvent.probe_id") if probe_id else nothing(b, p, c, "TriggerProbeEvent.probe_id"),
        force_data_emission=force_data_emission,
    )


def _aggregated_probe_data(b: bytes, p: int, c: Budget) -> AggregatedProbeData:
    data = fields(b, p, _AGGREGATED_PROBE_DATA)
    return AggregatedProbeData(
        data=data,
    )


def _vectorial_probe_data(b: bytes, p: int, c: Budget) -> VectorialProbeData:
    data, data_at = fields(b, p, _VECTORIAL_PROBE_DATA)
    return VectorialProbeData(
        data=doubles(b, p + data_at + data, c, "VectorialProbeData.data") if data else nothing(b, p, c, "VectorialProbeData.data"),
    )


def _probe_data_emitted_event(b: bytes, p: int, c: Budget) -> ProbeDataEmittedEvent:
    (
        probe_id,
        probe_id_at,
        resources_type,
        resources,
        resources_at,
        metrics,
        data_type,
        data,
        data_at,
        manually_triggered,
        nb_emitted,
        nb_triggered,
    ) = fields(b, p, _PROBE_DATA_EMITTED_EVENT)
    return ProbeDataEmittedEvent(
        probe_id=text(b, p + probe_id_at + probe_id, c, "ProbeDataEmittedEvent.probe_id") if probe_id else nothing(b, p, c, "ProbeDataEmittedEvent.probe_id"),
        resources=(_RESOURCES[resources_type](b, p + resources_at + resources, c) if resources and 0 < resources_type <= 2 else unknown("ProbeDataEmittedEvent.resources", resources_type)),
        metrics=_METRICS[metrics] if metrics < 5 else unknown("ProbeDataEmittedEvent.metrics", metrics),
        data=(_PROBE_DATA[data_type](b, p + data_at + data, c) if data and 0 < data_type <= 2 else unknown("ProbeDataEmittedEvent.data", data_type)),
        manually_triggered=manually_triggered,
        nb_emitted=nb_emitted,
        nb_triggered=nb_triggered,
    )


def _one_shot(b: bytes, p: int, c: Budget) -> OneShot:
    time, time_unit = fields(b, p, _ONE_SHOT)
    return OneShot(
        time=time,
        time_unit=_TIME_UNIT[time_unit] if time_unit < 2 else unknown("OneShot.time_unit", time_unit),
    )


def _infinite(b: bytes, p: int, c: Budget) -> Infinite:
    fields(b, p, _INFINITE)
    return Infinite()


def _finite_period_number(b: bytes, p: int, c: Budget) -> FinitePeriodNumber:
    nb_periods = fields(b, p, _FINITE_PERIOD_NUMBER)
    return FinitePeriodNumber(
        nb_periods=nb_periods,
    )


def _periodic(b: bytes, p: int, c: Budget) -> Periodic:
    period, offset, time_unit, mode_type, mode, mode_at = fields(b, p, _PERIODIC)
    return Periodic(
        period=period,
        offset=offset,
        time_unit=_TIME_UNIT[time_unit] if time_unit < 2 else unknown("Periodic.time_unit", time_unit),
        mode=(_PERIODIC_MODE[mode_type](b, p + mode_at + mode, c) if mode and 0 < mode_type <= 2 else unknown("Periodic.mode", mode_type)),
    )


def _temporal_trigger_wrapper(b: bytes, p: int, c: Budget) -> TemporalTriggerWrapper:
    temporal_trigger_type, temporal_trigger, temporal_trigger_at = fields(b, p, _TEMPORAL_TRIGGER_WRAPPER)
    return TemporalTriggerWrapper(
        temporal_trigger=(_TEMPORAL_TRIGGER[temporal_trigger_type](b, p + temporal_trigger_at + temporal_trigger, c) if temporal_trigger and 0 < temporal_trigger_type <= 2 else unknown("TemporalTriggerWrapper.temporal_trigger", temporal_trigger_type)),
    )


def _call_me_later_event(b: bytes, p: int, c: Budget) -> CallMeLaterEvent:
    call_me_later_id, call_me_later_id_at, when_type, when, when_at = fields(b, p, _CALL_ME_LATER_EVENT)
    return CallMeLaterEvent(
        call_me_later_id=text(b, p + call_me_later_id_at + call_me_later_id, c, "CallMeLaterEvent.call_me_later_id") if call_me_later_id else nothing(b, p, c, "CallMeLaterEvent.call_me_later_id"),
        when=(_TEMPORAL_TRIGGER[when_type](b, p + when_at + when, c) if when and 0 < when_type <= 2 else unknown("CallMeLaterEvent.when", when_type)),
    )


def _requested_call_event(b: bytes, p: int, c: Budget) -> RequestedCallEvent:
    call_me_later_id, call_me_later_id_at, last_periodic_call = fields(b, p, _REQUESTED_CALL_EVENT)
    return RequestedCallEvent(
        call_me_later_id=text(b, p + call_me_later_id_at + call_me_later_id, c, "RequestedCallEvent.call_me_later_id") if call_me_later_id else nothing(b, p, c, "RequestedCallEvent.call_me_later_id"),
        last_periodic_call=last_periodic_call,
    )


def _stop_call_me_later_event(b: bytes, p: int, c: Budget) -> StopCallMeLaterEvent:
    call_me_later_id, call_me_later_id_at = fields(b, p, _STOP_CALL_ME_LATER_EVENT)
    return StopCallMeLaterEvent(
        call_me_later_id=text(b, p + call_me_later_id_at + call_me_later_id, c, "StopCallMeLaterEvent.call_me_later_id") if call_me_later_id else nothing(b, p, c, "StopCallMeLaterEvent.call_me_later_id"),
    )


def _edc_requested_simulation_features(b: bytes, p: int, c: Budget) -> EDCRequestedSimulationFeatures:
    (
        dynamic_registration,
        profile_reuse,
        acknowledge_dynamic_jobs,
        forward_profiles_on_job_submission,
        forward_profiles_on_jobs_killed,
        forward_profiles_on_simulation_begins,
    ) = fields(b, p, _EDC_REQUESTED_SIMULATION_FEATURES)
    return EDCRequestedSimulationFeatures(
        dynamic_registration=dynamic_registration,
        profile_reuse=profile_reuse,
        acknowledge_dynamic_jobs=acknowledge_dynamic_jobs,
        forward_profiles_on_job_submission=forward_profiles_on_job_submission,
        forward_profiles_on_jobs_killed=forward_profiles_on_jobs_killed,
        forward_profiles_on_simulation_begins=forward_profiles_on_simulation_begins,
    )


def _edc_hello_event(b: bytes, p: int, c: Budget) -> EDCHelloEvent:
    (
        batprotocol_version,
        batprotocol_version_at,
        batprotocol_commit,
        batprotocol_commit_at,
        decision_component_name,
        decision_component_name_at,
        decision_component_version,
        decision_component_version_at,
        decision_component_commit,
        decision_component_commit_at,
        requested_simulation_features,
        requested_simulation_features_at,
    ) = fields(b, p, _EDC_HELLO_EVENT)
    return EDCHelloEvent(
        batprotocol_version=text(b, p + batprotocol_version_at + batprotocol_version, c, "EDCHelloEvent.batprotocol_version") if batprotocol_version else nothing(b, p, c, "EDCHelloEvent.batprotocol_version"),
        batprotocol_commit=text(b, p + batprotocol_commit_at + batprotocol_commit, c, "EDCHelloEvent.batprotocol_commit") if batprotocol_commit else None,
        decision_component_name=text(b, p + decision_component_name_at + decision_component_name, c, "EDCHelloEvent.decision_component_name") if decision_component_name else nothing(b, p, c, "EDCHelloEvent.decision_component_name"),
        decision_component_version=text(b, p + decision_component_version_at + decision_component_version, c, "EDCHelloEvent.decision_component_version") if decision_component_version else nothing(b, p, c, "EDCHelloEvent.decision_component_version"),
        decision_component_commit=text(b, p + decision_component_commit_at + decision_component_commit, c, "EDCHelloEvent.decision_component_commit") if decision_component_commit else None,
        requested_simulation_features=_edc_requested_simulation_features(b, p + requested_simulation_features_at + requested_simulation_features, c) if requested_simulation_features else nothing(b, p, c, "EDCHelloEvent.requested_simulation_features"),
    )


def _host_property(b: bytes, p: int, c: Budget) -> HostProperty:
    key, key_at, value, value_at = fields(b, p, _HOST_PROPERTY)
    return HostProperty(
        key=text(b, p + key_at + key, c, "HostProperty.key") if key else nothing(b, p, c, "HostProperty.key"),
        value=text(b, p + value_at + value, c, "HostProperty.value") if value else nothing(b, p, c, "HostProperty.value"),
    )


def _host(b: bytes, p: int, c: Budget) -> Host:
    (
        id,
        name,
        name_at,
        pstate,
        pstate_count,
        state,
        properties,
        properties_at,
        zone_properties,
        zone_properties_at,
        core_count,
        computation_speed,
        computation_speed_at,
    ) = fields(b, p, _HOST)
    return Host(
        id=id,
        name=text(b, p + name_at + name, c, "Host.name") if name else nothing(b, p, c, "Host.name"),
        pstate=pstate,
        pstate_count=pstate_count,
        state=_HOST_STATE[state] if state < 5 else unknown("Host.state", state),
        properties=tables(b, p + properties_at + properties, c, _host_property, "Host.properties") if properties else None,
        zone_properties=tables(b, p + zone_properties_at + zone_properties, c, _host_property, "Host.zone_properties") if zone_properties else None,
        core_count=core_count,
        computation_speed=doubles(b, p + computation_speed_at + computation_speed, c, "Host.computation_speed") if computation_speed else nothing(b, p, c, "Host.computation_speed"),
    )


def _workload_and_filename(b: bytes, p: int, c: Budget) -> WorkloadAndFilename:
    name, name_at, filename, filename_at = fields(b, p, _WORKLOAD_AND_FILENAME)
    return WorkloadAndFilename(
        name=text(b, p + name_at + name, c, "WorkloadAndFilename.name") if name else nothing(b, p, c, "WorkloadAndFilename.name"),
        filename=text(b, p + filename_at + filename, c, "WorkloadAndFilename.filename") if filename else nothing(b, p, c, "WorkloadAndFilename.filename"),
    )


def _external_event_list_and_filename(b: bytes, p: int, c: Budget) -> ExternalEventListAndFilename:
    name, name_at, filename, filename_at = fields(b, p, _EXTERNAL_EVENT_LIST_AND_FILENAME)
    return ExternalEventListAndFilename(
        name=text(b, p + name_at + name, c, "ExternalEventListAndFilename.name") if name else nothing(b, p, c, "ExternalEventListAndFilename.name"),
        filename=text(b, p + filename_at + filename, c, "ExternalEventListAndFilename.filename") if filename else nothing(b, p, c, "ExternalEventListAndFilename.filename"),
    )


def _simulation_begins_event(b: bytes, p: int, c: Budget) -> SimulationBeginsEvent:
    (
        batprotocol_version,
        batprotocol_version_at,
        batsim_version,
        batsim_version_at,
        batsim_commit,
        batsim_commit_at,
        host_number,
        computation_host_number,
        computation_hosts,
        computation_hosts_at,
        storage_host_number,
        storage_hosts,
        storage_hosts_at,
        batsim_arguments,
        batsim_arguments_at,
        batsim_execution_context_json,
        batsim_execution_context_json_at,
        workloads,
        workloads_at,
        external_event_lists,
        external_event_lists_at,
        profiles,
        profiles_at,
    ) = fields(b, p, _SIMULATION_BEGINS_EVENT)
    return SimulationBeginsEvent(
        batprotocol_version=text(b, p + batprotocol_version_at + batprotocol_version, c, "SimulationBeginsEvent.batprotocol_version") if batprotocol_version else nothing(b, p, c, "SimulationBeginsEvent.batprotocol_version"),
        batsim_version=text(b, p + batsim_version_at + batsim_version, c, "SimulationBeginsEvent.batsim_version") if batsim_version else nothing(b, p, c, "SimulationBeginsEvent.batsim_version"),
        batsim_commit=text(b, p + batsim_commit_at + batsim_commit, c, "SimulationBeginsEvent.batsim_commit") if batsim_commit else None,
        host_number=host_number,
        computation_host_number=computation_host_number,
        computation_hosts=tables(b, p + computation_hosts_at + computation_hosts, c, _host, "SimulationBeginsEvent.computation_hosts") if computation_hosts else nothing(b, p, c, "SimulationBeginsEvent.computation_hosts"),
        storage_host_number=storage_host_number,
        storage_hosts=tables(b, p + storage_hosts_at + storage_hosts, c, _host, "SimulationBeginsEvent.storage_hosts") if storage_hosts else nothing(b, p, c, "SimulationBeginsEvent.storage_hosts"),
        batsim_arguments=texts(b, p + batsim_arguments_at + batsim_arguments, c, "SimulationBeginsEvent.batsim_arguments") if batsim_arguments else nothing(b, p, c, "SimulationBeginsEvent.batsim_arguments"),
        batsim_execution_context_json=text(b, p + batsim_execution_context_json_at + batsim_execution_context_json, c, "SimulationBeginsEvent.batsim_execution_context_json") if batsim_execution_context_json else nothing(b, p, c, "SimulationBeginsEvent.batsim_execution_context_json"),
        workloads=tables(b, p + workloads_at + workloads, c, _workload_and_filename, "SimulationBeginsEvent.workloads") if workloads else nothing(b, p, c, "SimulationBeginsEvent.workloads"),
        external_event_lists=tables(b, p + external_event_lists_at + external_event_lists, c, _external_event_list_and_filename, "SimulationBeginsEvent.external_event_lists") if external_event_lists else nothing(b, p, c, "SimulationBeginsEvent.external_event_lists"),
        profiles=tables(b, p + profiles_at + profiles, c, _profile_and_id, "SimulationBeginsEvent.profiles") if profiles else None,
    )


def _simulation_ends_event(b: bytes, p: int, c: Budget) -> SimulationEndsEvent:
    fields(b, p, _SIMULATION_ENDS_EVENT)
    return SimulationEndsEvent()


def _simulation_error_event(b: bytes, p: int, c: Budget) -> SimulationErrorEvent:
    error, error_at = fields(b, p, _SIMULATION_ERROR_EVENT)
    return SimulationErrorEvent(
        error=text(b, p + error_at + error, c, "SimulationErrorEvent.error") if error else nothing(b, p, c, "SimulationErrorEvent.error"),
    )


def _all_static_jobs_have_been_submitted_event(b: bytes, p: int, c: Budget) -> AllStaticJobsHaveBeenSubmittedEvent:
    fields(b, p, _ALL_STATIC_JOBS_HAVE_BEEN_SUBMITTED_EVENT)
    return AllStaticJobsHaveBeenSubmittedEvent()


def _all_static_external_events_have_been_injected_event(b: bytes, p: int, c: Budget) -> AllStaticExternalEventsHaveBeenInjectedEvent:
    fields(b, p, _ALL_STATIC_EXTERNAL_EVENTS_HAVE_BEEN_INJECTED_EVENT)
    return AllStaticExternalEventsHaveBeenInjectedEvent()


def _finish_registration_event(b: bytes, p: int, c: Budget) -> FinishRegistrationEvent:
    fields(b, p, _FINISH_REGISTRATION_EVENT)
    return FinishRegistrationEvent()


def _force_simulation_stop_event(b: bytes, p: int, c: Budget) -> ForceSimulationStopEvent:
    fields(b, p, _FORCE_SIMULATION_STOP_EVENT)
    return ForceSimulationStopEvent()


def _change_hosts_p_state_event(b: bytes, p: int, c: Budget) -> ChangeHostsPStateEvent:
    host_ids, host_ids_at, pstate = fields(b, p, _CHANGE_HOSTS_P_STATE_EVENT)
    return ChangeHostsPStateEvent(
        host_ids=text(b, p + host_ids_at + host_ids, c, "ChangeHostsPStateEvent.host_ids") if host_ids else nothing(b, p, c, "ChangeHostsPStateEvent.host_ids"),
        pstate=pstate,
    )


def _hosts_p_state_changed_event(b: bytes, p: int, c: Budget) -> HostsPStateChangedEvent:
    host_ids, host_ids_at, pstate = fields(b, p, _HOSTS_P_STATE_CHANGED_EVENT)
    return HostsPStateChangedEvent(
        host_ids=text(b, p + host_ids_at + host_ids, c, "HostsPStateChangedEvent.host_ids") if host_ids else nothing(b, p, c, "HostsPStateChangedEvent.host_ids"),
        pstate=pstate,
    )


def _turn_on_off_hosts_event(b: bytes, p: int, c: Budget) -> TurnOnOffHostsEvent:
    host_ids, host_ids_at, state = fields(b, p, _TURN_ON_OFF_HOSTS_EVENT)
    return TurnOnOffHostsEvent(
        host_ids=text(b, p + host_ids_at + host_ids, c, "TurnOnOffHostsEvent.host_ids") if host_ids else nothing(b, p, c, "TurnOnOffHostsEvent.host_ids"),
        state=state,
    )


def _hosts_turned_on_off_event(b: bytes, p: int, c: Budget) -> HostsTurnedOnOffEvent:
    host_ids, host_ids_at, state = fields(b, p, _HOSTS_TURNED_ON_OFF_EVENT)
    return HostsTurnedOnOffEvent(
        host_ids=text(b, p + host_ids_at + host_ids, c, "HostsTurnedOnOffEvent.host_ids") if host_ids else nothing(b, p, c, "HostsTurnedOnOffEvent.host_ids"),
        state=state,
    )


def _generic_external_event(b: bytes, p: int, c: Budget) -> GenericExternalEvent:
    data, data_at = fields(b, p, _GENERIC_EXTERNAL_EVENT)
    return GenericExternalEvent(
        data=text(b, p + data_at + data, c, "GenericExternalEvent.data") if data else nothing(b, p, c, "GenericExternalEvent.data"),
    )


def _external_event_occurred_event(b: bytes, p: int, c: Budget) -> ExternalEventOccurredEvent:
    id, id_at, external_event_type, external_event, external_event_at = fields(b, p, _EXTERNAL_EVENT_OCCURRED_EVENT)
    return ExternalEventOccurredEvent(
        id=text(b, p + id_at + id, c, "ExternalEventOccurredEvent.id") if id else nothing(b, p, c, "ExternalEventOccurredEvent.id"),
        external_event=(_EXTERNAL_EVENT[external_event_type](b, p + external_event_at + external_event, c) if external_event and 0 < external_event_type <= 1 else unknown("ExternalEventOccurredEvent.external_event", external_event_type)),
    )


def _event_and_timestamp(b: bytes, p: int, c: Budget) -> EventAndTimestamp:
    timestamp, event_type, event, event_at = fields(b, p, _EVENT_AND_TIMESTAMP)
    return EventAndTimestamp(
        timestamp=timestamp,
        event=(_EVENT[event_type](b, p + event_at + event, c) if event and 0 < event_type <= 29 else unknown("EventAndTimestamp.event", event_type)),
    )


def _message(b: bytes, p: int, c: Budget) -> Message:
    now, events, events_at = fields(b, p, _MESSAGE)
    return Message(
        now=now,
        events=tables(b, p + events_at + events, c, _event_and_timestamp, "Message.events") if events else nothing(b, p, c, "Message.events"),
    )


_PROFILE: tuple[Reader, ...] = (
    nothing,
    _delay_profile,
    _parallel_task_profile,
    _parallel_task_homogeneous_profile,
    _sequential_composition_profile,
    _fork_join_composition_profile,
    _parallel_task_merge_composition_profile,
    _parallel_task_on_storage_homogeneous_profile,
    _parallel_task_data_staging_between_storages_profile,
    _trace_replay_profile,
)


_EXECUTOR_PLACEMENT: tuple[Reader, ...] = (
    nothing,
    _predefined_executor_placement_strategy_wrapper,
    _custom_executor_to_host_mapping,
)


_KILL_PROGRESS: tuple[Reader, ...] = (
    nothing,
    _kill_progress_atomic_profile,
    _kill_progress_sequential_profile,
    _kill_progress_fork_join_profile,
)


_RESOURCES: tuple[Reader, ...] = (
    nothing,
    _host_resources,
    _link_resources,
)


_PROBE_MEASUREMENT_TRIGGERING_POLICY: tuple[Reader, ...] = (
    nothing,
    _temporal_trigger_wrapper,
)


_PROBE_DATA_ACCUMULATION_STRATEGY: tuple[Reader, ...] = (
    nothing,
    _no_probe_data_accumulation,
    _probe_data_accumulation,
)


_RESET_MODE: tuple[Reader, ...] = (
    nothing,
    _no_reset,
    _probe_accumulation_reset,
)


_TEMPORAL_AGGREGATION_FUNCTION: tuple[Reader, ...] = (
    nothing,
    _no_temporal_aggregation,
    _exponential_moving_average,
    _sliding_window_operation,
)


_RESOURCES_AGGREGATION_FUNCTION: tuple[Reader, ...] = (
    nothing,
    _no_resources_aggregation,
    _sum,
    _arithmetic_mean,
    _quantile_function,
)


_PROBE_EMISSION_FILTERING_POLICY: tuple[Reader, ...] = (
    nothing,
    _no_filtering,
    _threshold_filtering_function,
)


_PROBE_DATA: tuple[Reader, ...] = (
    nothing,
    _aggregated_probe_data,
    _vectorial_probe_data,
)


_PERIODIC_MODE: tuple[Reader, ...] = (
    nothing,
    _infinite,
    _finite_period_number,
)


_TEMPORAL_TRIGGER: tuple[Reader, ...] = (
    nothing,
    _one_shot,
    _periodic,
)


_EXTERNAL_EVENT: tuple[Reader, ...] = (
    nothing,
    _generic_external_event,
)


_EVENT: tuple[Reader, ...] = (
    nothing,
    _job_submitted_event,
    _job_completed_event,
    _reject_job_event,
    _execute_job_event,
    _kill_jobs_event,
    _jobs_killed_event,
    _register_profile_event,
    _register_job_event,
    _create_probe_event,
    _stop_probe_event,
    _trigger_probe_event,
    _reset_probe_event,
    _probe_data_emitted_event,
    _call_me_later_event,
    _requested_call_event,
    _stop_call_me_later_event,
    _edc_hello_event,
    _simulation_begins_event,
    _simulation_ends_event,
    _simulation_error_event,
    _all_static_jobs_have_been_submitted_event,
    _all_static_external_events_have_been_injected_event,
    _finish_registration_event,
    _force_simulation_stop_event,
    _change_hosts_p_state_event,
    _hosts_p_state_changed_event,
    _turn_on_off_hosts_event,
    _hosts_turned_on_off_event,
    _external_event_occurred_event,
)


read_message = _message
