"""Messages into flatbuffers.

Generated from batprotocol.fbs by windtunnel.wires.batprotocol.generate: do not edit.
"""
# ruff: noqa: A001, ARG001, E501, I001, RUF022, RUF100 -- generated: names and orders are those of the schema
# fmt: off

from struct import Struct

from windtunnel.wires.batprotocol._writing import (
    PAD,
    Pieces,
    Seen,
    Writer,
    doubles,
    tables,
    text,
    texts,
    uints,
    vtables,
)
from windtunnel.wires.batprotocol.schema import (
    AggregatedProbeData,
    AllStaticExternalEventsHaveBeenInjectedEvent,
    AllStaticJobsHaveBeenSubmittedEvent,
    AllocationPlacement,
    ArithmeticMean,
    CallMeLaterEvent,
    ChangeHostsPStateEvent,
    CreateProbeEvent,
    CustomExecutorToHostMapping,
    DelayProfile,
    EDCHelloEvent,
    EDCRequestedSimulationFeatures,
    EventAndTimestamp,
    ExecuteJobEvent,
    ExponentialMovingAverage,
    ExternalEventListAndFilename,
    ExternalEventOccurredEvent,
    FinishRegistrationEvent,
    FinitePeriodNumber,
    ForceSimulationStopEvent,
    ForkJoinCompositionProfile,
    GenericExternalEvent,
    Host,
    HostProperty,
    HostResources,
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
    Table,
    TemporalTriggerWrapper,
    ThresholdFilteringFunction,
    TraceReplayProfile,
    TriggerProbeEvent,
    TurnOnOffHostsEvent,
    VectorialProbeData,
    WorkloadAndFilename,
)


__all__ = ["write_message"]


_DELAY_PROFILE = Struct("<ixxxxd").pack
_DELAY_PROFILE_VTABLES = vtables(16, [8], [])


def _delay_profile(x: DelayProfile, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _DELAY_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 16 & 4:
        out.append(PAD)
        at += 4
    at += 16
    out.append(_DELAY_PROFILE(
        v - at,
        x.delay,
    ))
    return at


_PARALLEL_TASK_PROFILE = Struct("<iII").pack
_PARALLEL_TASK_PROFILE_VTABLES = vtables(12, [4, 8], [0, 1])


def _parallel_task_profile(x: ParallelTaskProfile, out: Pieces, at: int, seen: Seen) -> int:
    mask = 0
    computation_vector = 0
    if x.computation_vector is not None:
        computation_vector = at = doubles(x.computation_vector, out, at)
        mask |= 1
    communication_matrix = 0
    if x.communication_matrix is not None:
        communication_matrix = at = doubles(x.communication_matrix, out, at)
        mask |= 2
    vtable = _PARALLEL_TASK_PROFILE_VTABLES[mask]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_PARALLEL_TASK_PROFILE(
        v - at,
        at - 4 - computation_vector,
        at - 8 - communication_matrix,
    ))
    return at


_SEQUENTIAL_COMPOSITION_PROFILE = Struct("<iII").pack
_SEQUENTIAL_COMPOSITION_PROFILE_VTABLES = vtables(12, [4, 8], [])


def _sequential_composition_profile(x: SequentialCompositionProfile, out: Pieces, at: int, seen: Seen) -> int:
    profile_ids = at = texts(x.profile_ids, out, at)
    vtable = _SEQUENTIAL_COMPOSITION_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_SEQUENTIAL_COMPOSITION_PROFILE(
        v - at,
        x.repetition_count,
        at - 8 - profile_ids,
    ))
    return at


_FORK_JOIN_COMPOSITION_PROFILE = Struct("<iI").pack
_FORK_JOIN_COMPOSITION_PROFILE_VTABLES = vtables(8, [4], [])


def _fork_join_composition_profile(x: ForkJoinCompositionProfile, out: Pieces, at: int, seen: Seen) -> int:
    profile_ids = at = texts(x.profile_ids, out, at)
    vtable = _FORK_JOIN_COMPOSITION_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_FORK_JOIN_COMPOSITION_PROFILE(
        v - at,
        at - 4 - profile_ids,
    ))
    return at


_PARALLEL_TASK_MERGE_COMPOSITION_PROFILE = Struct("<iI").pack
_PARALLEL_TASK_MERGE_COMPOSITION_PROFILE_VTABLES = vtables(8, [4], [])


def _parallel_task_merge_composition_profile(x: ParallelTaskMergeCompositionProfile, out: Pieces, at: int, seen: Seen) -> int:
    profile_ids = at = texts(x.profile_ids, out, at)
    vtable = _PARALLEL_TASK_MERGE_COMPOSITION_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_PARALLEL_TASK_MERGE_COMPOSITION_PROFILE(
        v - at,
        at - 4 - profile_ids,
    ))
    return at


_PARALLEL_TASK_HOMOGENEOUS_PROFILE = Struct("<ibxxxdd").pack
_PARALLEL_TASK_HOMOGENEOUS_PROFILE_VTABLES = vtables(24, [8, 16, 4], [])


def _parallel_task_homogeneous_profile(x: ParallelTaskHomogeneousProfile, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _PARALLEL_TASK_HOMOGENEOUS_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 24 & 4:
        out.append(PAD)
        at += 4
    at += 24
    out.append(_PARALLEL_TASK_HOMOGENEOUS_PROFILE(
        v - at,
        x.generation_strategy,
        x.computation_amount,
        x.communication_amount,
    ))
    return at


_PARALLEL_TASK_ON_STORAGE_HOMOGENEOUS_PROFILE = Struct("<iIddbxxx").pack
_PARALLEL_TASK_ON_STORAGE_HOMOGENEOUS_PROFILE_VTABLES = vtables(28, [4, 8, 16, 24], [])


def _parallel_task_on_storage_homogeneous_profile(x: ParallelTaskOnStorageHomogeneousProfile, out: Pieces, at: int, seen: Seen) -> int:
    storage_name = at = text(x.storage_name, out, at)
    vtable = _PARALLEL_TASK_ON_STORAGE_HOMOGENEOUS_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 28 & 4:
        out.append(PAD)
        at += 4
    at += 28
    out.append(_PARALLEL_TASK_ON_STORAGE_HOMOGENEOUS_PROFILE(
        v - at,
        at - 4 - storage_name,
        x.bytes_to_read,
        x.bytes_to_write,
        x.generation_strategy,
    ))
    return at


_PARALLEL_TASK_DATA_STAGING_BETWEEN_STORAGES_PROFILE = Struct("<iIdI").pack
_PARALLEL_TASK_DATA_STAGING_BETWEEN_STORAGES_PROFILE_VTABLES = vtables(20, [8, 4, 16], [])


def _parallel_task_data_staging_between_storages_profile(x: ParallelTaskDataStagingBetweenStoragesProfile, out: Pieces, at: int, seen: Seen) -> int:
    emitter_storage_name = at = text(x.emitter_storage_name, out, at)
    receiver_storage_name = at = text(x.receiver_storage_name, out, at)
    vtable = _PARALLEL_TASK_DATA_STAGING_BETWEEN_STORAGES_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 20 & 4:
        out.append(PAD)
        at += 4
    at += 20
    out.append(_PARALLEL_TASK_DATA_STAGING_BETWEEN_STORAGES_PROFILE(
        v - at,
        at - 4 - emitter_storage_name,
        x.bytes_to_transfer,
        at - 16 - receiver_storage_name,
    ))
    return at


_TRACE_REPLAY_PROFILE = Struct("<iIbxxx").pack
_TRACE_REPLAY_PROFILE_VTABLES = vtables(12, [8, 4], [])


def _trace_replay_profile(x: TraceReplayProfile, out: Pieces, at: int, seen: Seen) -> int:
    filename = at = text(x.filename, out, at)
    vtable = _TRACE_REPLAY_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_TRACE_REPLAY_PROFILE(
        v - at,
        at - 4 - filename,
        x.trace_type,
    ))
    return at


_JOB = Struct("<iIdII").pack
_JOB_VTABLES = vtables(24, [4, 8, 16, 20], [1, 2])


def _job(x: Job, out: Pieces, at: int, seen: Seen) -> int:
    mask = 0
    walltime = 0.0
    if x.walltime is not None:
        walltime = x.walltime
        mask |= 1
    extra_data = 0
    if x.extra_data is not None:
        extra_data = at = text(x.extra_data, out, at)
        mask |= 2
    profile_id = at = text(x.profile_id, out, at)
    vtable = _JOB_VTABLES[mask]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 24 & 4:
        out.append(PAD)
        at += 4
    at += 24
    out.append(_JOB(
        v - at,
        x.resource_request,
        walltime,
        at - 16 - extra_data,
        at - 20 - profile_id,
    ))
    return at


_JOB_SUBMITTED_EVENT = Struct("<iIdII").pack
_JOB_SUBMITTED_EVENT_VTABLES = vtables(24, [4, 16, 8, 20], [3])


def _job_submitted_event(x: JobSubmittedEvent, out: Pieces, at: int, seen: Seen) -> int:
    mask = 0
    job_id = at = text(x.job_id, out, at)
    job = at = _job(x.job, out, at, seen)
    profile = 0
    if x.profile is not None:
        profile = at = _profile_and_id(x.profile, out, at, seen)
        mask |= 1
    vtable = _JOB_SUBMITTED_EVENT_VTABLES[mask]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 24 & 4:
        out.append(PAD)
        at += 4
    at += 24
    out.append(_JOB_SUBMITTED_EVENT(
        v - at,
        at - 4 - job_id,
        x.submission_time,
        at - 16 - job,
        at - 20 - profile,
    ))
    return at


_JOB_COMPLETED_EVENT = Struct("<iIibxxx").pack
_JOB_COMPLETED_EVENT_VTABLES = vtables(16, [4, 12, 8], [])


def _job_completed_event(x: JobCompletedEvent, out: Pieces, at: int, seen: Seen) -> int:
    job_id = at = text(x.job_id, out, at)
    vtable = _JOB_COMPLETED_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 16
    out.append(_JOB_COMPLETED_EVENT(
        v - at,
        at - 4 - job_id,
        x.return_code,
        x.state,
    ))
    return at


_REJECT_JOB_EVENT = Struct("<iI").pack
_REJECT_JOB_EVENT_VTABLES = vtables(8, [4], [])


def _reject_job_event(x: RejectJobEvent, out: Pieces, at: int, seen: Seen) -> int:
    job_id = at = text(x.job_id, out, at)
    vtable = _REJECT_JOB_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_REJECT_JOB_EVENT(
        v - at,
        at - 4 - job_id,
    ))
    return at


_PREDEFINED_EXECUTOR_PLACEMENT_STRATEGY_WRAPPER = Struct("<ibxxx").pack
_PREDEFINED_EXECUTOR_PLACEMENT_STRATEGY_WRAPPER_VTABLES = vtables(8, [4], [])


def _predefined_executor_placement_strategy_wrapper(x: PredefinedExecutorPlacementStrategyWrapper, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _PREDEFINED_EXECUTOR_PLACEMENT_STRATEGY_WRAPPER_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_PREDEFINED_EXECUTOR_PLACEMENT_STRATEGY_WRAPPER(
        v - at,
        x.strategy,
    ))
    return at


_CUSTOM_EXECUTOR_TO_HOST_MAPPING = Struct("<iI").pack
_CUSTOM_EXECUTOR_TO_HOST_MAPPING_VTABLES = vtables(8, [4], [])


def _custom_executor_to_host_mapping(x: CustomExecutorToHostMapping, out: Pieces, at: int, seen: Seen) -> int:
    mapping = at = uints(x.mapping, out, at)
    vtable = _CUSTOM_EXECUTOR_TO_HOST_MAPPING_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_CUSTOM_EXECUTOR_TO_HOST_MAPPING(
        v - at,
        at - 4 - mapping,
    ))
    return at


_STORAGE_HOST = Struct("<iII").pack
_STORAGE_HOST_VTABLES = vtables(12, [4, 8], [])


def _storage_host(x: StorageHost, out: Pieces, at: int, seen: Seen) -> int:
    storage_name = at = text(x.storage_name, out, at)
    vtable = _STORAGE_HOST_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_STORAGE_HOST(
        v - at,
        at - 4 - storage_name,
        x.host_id,
    ))
    return at


_ALLOCATION_PLACEMENT = Struct("<iIIBxxx").pack
_ALLOCATION_PLACEMENT_VTABLES = vtables(16, [4, 12, 8], [])


def _allocation_placement(x: AllocationPlacement, out: Pieces, at: int, seen: Seen) -> int:
    host_allocation = at = text(x.host_allocation, out, at)
    executor_placement_type, write = _EXECUTOR_PLACEMENT[type(x.executor_placement)]
    executor_placement = at = write(x.executor_placement, out, at, seen)
    vtable = _ALLOCATION_PLACEMENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 16
    out.append(_ALLOCATION_PLACEMENT(
        v - at,
        at - 4 - host_allocation,
        at - 8 - executor_placement,
        executor_placement_type,
    ))
    return at


_PROFILE_ALLOCATION_PLACEMENT = Struct("<iIIIBxxx").pack
_PROFILE_ALLOCATION_PLACEMENT_VTABLES = vtables(20, [4, 8, 16, 12], [])


def _profile_allocation_placement(x: ProfileAllocationPlacement, out: Pieces, at: int, seen: Seen) -> int:
    profile_id = at = text(x.profile_id, out, at)
    host_allocation = at = text(x.host_allocation, out, at)
    executor_placement_type, write = _EXECUTOR_PLACEMENT[type(x.executor_placement)]
    executor_placement = at = write(x.executor_placement, out, at, seen)
    vtable = _PROFILE_ALLOCATION_PLACEMENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 20
    out.append(_PROFILE_ALLOCATION_PLACEMENT(
        v - at,
        at - 4 - profile_id,
        at - 8 - host_allocation,
        at - 12 - executor_placement,
        executor_placement_type,
    ))
    return at


_EXECUTE_JOB_EVENT = Struct("<iIIII").pack
_EXECUTE_JOB_EVENT_VTABLES = vtables(20, [4, 8, 12, 16], [2, 3])


def _execute_job_event(x: ExecuteJobEvent, out: Pieces, at: int, seen: Seen) -> int:
    mask = 0
    job_id = at = text(x.job_id, out, at)
    allocation = at = _allocation_placement(x.allocation, out, at, seen)
    profile_allocation_override = 0
    if x.profile_allocation_override is not None:
        profile_allocation_override = at = tables(x.profile_allocation_override, out, at, seen, _profile_allocation_placement)
        mask |= 1
    storage_placement = 0
    if x.storage_placement is not None:
        storage_placement = at = tables(x.storage_placement, out, at, seen, _storage_host)
        mask |= 2
    vtable = _EXECUTE_JOB_EVENT_VTABLES[mask]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 20
    out.append(_EXECUTE_JOB_EVENT(
        v - at,
        at - 4 - job_id,
        at - 8 - allocation,
        at - 12 - profile_allocation_override,
        at - 16 - storage_placement,
    ))
    return at


_KILL_JOBS_EVENT = Struct("<iI").pack
_KILL_JOBS_EVENT_VTABLES = vtables(8, [4], [])


def _kill_jobs_event(x: KillJobsEvent, out: Pieces, at: int, seen: Seen) -> int:
    job_ids = at = texts(x.job_ids, out, at)
    vtable = _KILL_JOBS_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_KILL_JOBS_EVENT(
        v - at,
        at - 4 - job_ids,
    ))
    return at


_KILL_PROGRESS_ATOMIC_PROFILE = Struct("<iId").pack
_KILL_PROGRESS_ATOMIC_PROFILE_VTABLES = vtables(16, [4, 8], [])


def _kill_progress_atomic_profile(x: KillProgressAtomicProfile, out: Pieces, at: int, seen: Seen) -> int:
    profile_id = at = text(x.profile_id, out, at)
    vtable = _KILL_PROGRESS_ATOMIC_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 16 & 4:
        out.append(PAD)
        at += 4
    at += 16
    out.append(_KILL_PROGRESS_ATOMIC_PROFILE(
        v - at,
        at - 4 - profile_id,
        x.progress,
    ))
    return at


_KILL_PROGRESS_SEQUENTIAL_PROFILE = Struct("<iIIII").pack
_KILL_PROGRESS_SEQUENTIAL_PROFILE_VTABLES = vtables(20, [4, 8, 12, 16], [])


def _kill_progress_sequential_profile(x: KillProgressSequentialProfile, out: Pieces, at: int, seen: Seen) -> int:
    profile_id = at = text(x.profile_id, out, at)
    current_task_progress = at = _kill_progress_wrapper(x.current_task_progress, out, at, seen)
    vtable = _KILL_PROGRESS_SEQUENTIAL_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 20
    out.append(_KILL_PROGRESS_SEQUENTIAL_PROFILE(
        v - at,
        at - 4 - profile_id,
        x.current_repetition,
        x.current_task_index,
        at - 16 - current_task_progress,
    ))
    return at


_KILL_PROGRESS_FORK_JOIN_PROFILE = Struct("<iII").pack
_KILL_PROGRESS_FORK_JOIN_PROFILE_VTABLES = vtables(12, [4, 8], [])


def _kill_progress_fork_join_profile(x: KillProgressForkJoinProfile, out: Pieces, at: int, seen: Seen) -> int:
    profile_id = at = text(x.profile_id, out, at)
    tasks_progress = at = tables(x.tasks_progress, out, at, seen, _kill_progress_wrapper)
    vtable = _KILL_PROGRESS_FORK_JOIN_PROFILE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_KILL_PROGRESS_FORK_JOIN_PROFILE(
        v - at,
        at - 4 - profile_id,
        at - 8 - tasks_progress,
    ))
    return at


_KILL_PROGRESS_WRAPPER = Struct("<iIBxxx").pack
_KILL_PROGRESS_WRAPPER_VTABLES = vtables(12, [8, 4], [])


def _kill_progress_wrapper(x: KillProgressWrapper, out: Pieces, at: int, seen: Seen) -> int:
    kill_progress_type, write = _KILL_PROGRESS[type(x.kill_progress)]
    kill_progress = at = write(x.kill_progress, out, at, seen)
    vtable = _KILL_PROGRESS_WRAPPER_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_KILL_PROGRESS_WRAPPER(
        v - at,
        at - 4 - kill_progress,
        kill_progress_type,
    ))
    return at


_JOB_AND_PROGRESS = Struct("<iII").pack
_JOB_AND_PROGRESS_VTABLES = vtables(12, [4, 8], [])


def _job_and_progress(x: JobAndProgress, out: Pieces, at: int, seen: Seen) -> int:
    job_id = at = text(x.job_id, out, at)
    wrapper = at = _kill_progress_wrapper(x.wrapper, out, at, seen)
    vtable = _JOB_AND_PROGRESS_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_JOB_AND_PROGRESS(
        v - at,
        at - 4 - job_id,
        at - 8 - wrapper,
    ))
    return at


_JOBS_KILLED_EVENT = Struct("<iIII").pack
_JOBS_KILLED_EVENT_VTABLES = vtables(16, [4, 8, 12], [2])


def _jobs_killed_event(x: JobsKilledEvent, out: Pieces, at: int, seen: Seen) -> int:
    mask = 0
    job_ids = at = texts(x.job_ids, out, at)
    progresses = at = tables(x.progresses, out, at, seen, _job_and_progress)
    profiles = 0
    if x.profiles is not None:
        profiles = at = tables(x.profiles, out, at, seen, _profile_and_id)
        mask |= 1
    vtable = _JOBS_KILLED_EVENT_VTABLES[mask]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 16
    out.append(_JOBS_KILLED_EVENT(
        v - at,
        at - 4 - job_ids,
        at - 8 - progresses,
        at - 12 - profiles,
    ))
    return at


_PROFILE_AND_ID = Struct("<iIIIBxxx").pack
_PROFILE_AND_ID_VTABLES = vtables(20, [4, 16, 8, 12], [3])


def _profile_and_id(x: ProfileAndId, out: Pieces, at: int, seen: Seen) -> int:
    mask = 0
    id = at = text(x.id, out, at)
    profile_type, write = _PROFILE[type(x.profile)]
    profile = at = write(x.profile, out, at, seen)
    extra_data = 0
    if x.extra_data is not None:
        extra_data = at = text(x.extra_data, out, at)
        mask |= 1
    vtable = _PROFILE_AND_ID_VTABLES[mask]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 20
    out.append(_PROFILE_AND_ID(
        v - at,
        at - 4 - id,
        at - 8 - profile,
        at - 12 - extra_data,
        profile_type,
    ))
    return at


_REGISTER_PROFILE_EVENT = Struct("<iI").pack
_REGISTER_PROFILE_EVENT_VTABLES = vtables(8, [4], [])


def _register_profile_event(x: RegisterProfileEvent, out: Pieces, at: int, seen: Seen) -> int:
    profile = at = _profile_and_id(x.profile, out, at, seen)
    vtable = _REGISTER_PROFILE_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_REGISTER_PROFILE_EVENT(
        v - at,
        at - 4 - profile,
    ))
    return at


_REGISTER_JOB_EVENT = Struct("<iII").pack
_REGISTER_JOB_EVENT_VTABLES = vtables(12, [4, 8], [])


def _register_job_event(x: RegisterJobEvent, out: Pieces, at: int, seen: Seen) -> int:
    job_id = at = text(x.job_id, out, at)
    job = at = _job(x.job, out, at, seen)
    vtable = _REGISTER_JOB_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_REGISTER_JOB_EVENT(
        v - at,
        at - 4 - job_id,
        at - 8 - job,
    ))
    return at


_HOST_RESOURCES = Struct("<iI").pack
_HOST_RESOURCES_VTABLES = vtables(8, [4], [])


def _host_resources(x: HostResources, out: Pieces, at: int, seen: Seen) -> int:
    host_ids = at = text(x.host_ids, out, at)
    vtable = _HOST_RESOURCES_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_HOST_RESOURCES(
        v - at,
        at - 4 - host_ids,
    ))
    return at


_LINK_RESOURCES = Struct("<iI").pack
_LINK_RESOURCES_VTABLES = vtables(8, [4], [])


def _link_resources(x: LinkResources, out: Pieces, at: int, seen: Seen) -> int:
    link_ids = at = texts(x.link_ids, out, at)
    vtable = _LINK_RESOURCES_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_LINK_RESOURCES(
        v - at,
        at - 4 - link_ids,
    ))
    return at


_NO_PROBE_DATA_ACCUMULATION = Struct("<i").pack
_NO_PROBE_DATA_ACCUMULATION_VTABLES = vtables(4, [], [])


def _no_probe_data_accumulation(x: NoProbeDataAccumulation, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _NO_PROBE_DATA_ACCUMULATION_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_NO_PROBE_DATA_ACCUMULATION(
        v - at,
    ))
    return at


_NO_RESET = Struct("<i").pack
_NO_RESET_VTABLES = vtables(4, [], [])


def _no_reset(x: NoReset, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _NO_RESET_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_NO_RESET(
        v - at,
    ))
    return at


_PROBE_ACCUMULATION_RESET = Struct("<ixxxxd").pack
_PROBE_ACCUMULATION_RESET_VTABLES = vtables(16, [8], [])


def _probe_accumulation_reset(x: ProbeAccumulationReset, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _PROBE_ACCUMULATION_RESET_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 16 & 4:
        out.append(PAD)
        at += 4
    at += 16
    out.append(_PROBE_ACCUMULATION_RESET(
        v - at,
        x.new_value,
    ))
    return at


_PROBE_DATA_ACCUMULATION = Struct("<iIBb?x").pack
_PROBE_DATA_ACCUMULATION_VTABLES = vtables(12, [8, 4, 9, 10], [])


def _probe_data_accumulation(x: ProbeDataAccumulation, out: Pieces, at: int, seen: Seen) -> int:
    reset_mode_type, write = _RESET_MODE[type(x.reset_mode)]
    reset_mode = at = write(x.reset_mode, out, at, seen)
    vtable = _PROBE_DATA_ACCUMULATION_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_PROBE_DATA_ACCUMULATION(
        v - at,
        at - 4 - reset_mode,
        reset_mode_type,
        x.cumulative_function,
        x.temporal_normalization,
    ))
    return at


_NO_TEMPORAL_AGGREGATION = Struct("<i").pack
_NO_TEMPORAL_AGGREGATION_VTABLES = vtables(4, [], [])


def _no_temporal_aggregation(x: NoTemporalAggregation, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _NO_TEMPORAL_AGGREGATION_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_NO_TEMPORAL_AGGREGATION(
        v - at,
    ))
    return at


_EXPONENTIAL_MOVING_AVERAGE = Struct("<i").pack
_EXPONENTIAL_MOVING_AVERAGE_VTABLES = vtables(4, [], [])


def _exponential_moving_average(x: ExponentialMovingAverage, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _EXPONENTIAL_MOVING_AVERAGE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_EXPONENTIAL_MOVING_AVERAGE(
        v - at,
    ))
    return at


_SLIDING_WINDOW_OPERATION = Struct("<i").pack
_SLIDING_WINDOW_OPERATION_VTABLES = vtables(4, [], [])


def _sliding_window_operation(x: SlidingWindowOperation, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _SLIDING_WINDOW_OPERATION_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_SLIDING_WINDOW_OPERATION(
        v - at,
    ))
    return at


_NO_RESOURCES_AGGREGATION = Struct("<i").pack
_NO_RESOURCES_AGGREGATION_VTABLES = vtables(4, [], [])


def _no_resources_aggregation(x: NoResourcesAggregation, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _NO_RESOURCES_AGGREGATION_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_NO_RESOURCES_AGGREGATION(
        v - at,
    ))
    return at


_SUM = Struct("<i").pack
_SUM_VTABLES = vtables(4, [], [])


def _sum(x: Sum, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _SUM_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_SUM(
        v - at,
    ))
    return at


_ARITHMETIC_MEAN = Struct("<i").pack
_ARITHMETIC_MEAN_VTABLES = vtables(4, [], [])


def _arithmetic_mean(x: ArithmeticMean, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _ARITHMETIC_MEAN_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_ARITHMETIC_MEAN(
        v - at,
    ))
    return at


_QUANTILE_FUNCTION = Struct("<ixxxxd").pack
_QUANTILE_FUNCTION_VTABLES = vtables(16, [8], [])


def _quantile_function(x: QuantileFunction, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _QUANTILE_FUNCTION_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 16 & 4:
        out.append(PAD)
        at += 4
    at += 16
    out.append(_QUANTILE_FUNCTION(
        v - at,
        x.threshold,
    ))
    return at


_NO_FILTERING = Struct("<i").pack
_NO_FILTERING_VTABLES = vtables(4, [], [])


def _no_filtering(x: NoFiltering, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _NO_FILTERING_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_NO_FILTERING(
        v - at,
    ))
    return at


_THRESHOLD_FILTERING_FUNCTION = Struct("<ibxxxd").pack
_THRESHOLD_FILTERING_FUNCTION_VTABLES = vtables(16, [8, 4], [])


def _threshold_filtering_function(x: ThresholdFilteringFunction, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _THRESHOLD_FILTERING_FUNCTION_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 16 & 4:
        out.append(PAD)
        at += 4
    at += 16
    out.append(_THRESHOLD_FILTERING_FUNCTION(
        v - at,
        x.operator,
        x.threshold,
    ))
    return at


_CREATE_PROBE_EVENT = Struct("<iIIIIIIIbBBBBBBx").pack
_CREATE_PROBE_EVENT_VTABLES = vtables(40, [4, 32, 33, 8, 34, 12, 35, 16, 36, 20, 37, 24, 38, 28], [])


def _create_probe_event(x: CreateProbeEvent, out: Pieces, at: int, seen: Seen) -> int:
    probe_id = at = text(x.probe_id, out, at)
    resources_type, write = _RESOURCES[type(x.resources)]
    resources = at = write(x.resources, out, at, seen)
    data_accumulation_strategy_type, write = _PROBE_DATA_ACCUMULATION_STRATEGY[type(x.data_accumulation_strategy)]
    data_accumulation_strategy = at = write(x.data_accumulation_strategy, out, at, seen)
    measurement_triggering_policy_type, write = _PROBE_MEASUREMENT_TRIGGERING_POLICY[type(x.measurement_triggering_policy)]
    measurement_triggering_policy = at = write(x.measurement_triggering_policy, out, at, seen)
    resources_aggregation_function_type, write = _RESOURCES_AGGREGATION_FUNCTION[type(x.resources_aggregation_function)]
    resources_aggregation_function = at = write(x.resources_aggregation_function, out, at, seen)
    temporal_aggregation_function_type, write = _TEMPORAL_AGGREGATION_FUNCTION[type(x.temporal_aggregation_function)]
    temporal_aggregation_function = at = write(x.temporal_aggregation_function, out, at, seen)
    emission_filtering_policy_type, write = _PROBE_EMISSION_FILTERING_POLICY[type(x.emission_filtering_policy)]
    emission_filtering_policy = at = write(x.emission_filtering_policy, out, at, seen)
    vtable = _CREATE_PROBE_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 40
    out.append(_CREATE_PROBE_EVENT(
        v - at,
        at - 4 - probe_id,
        at - 8 - resources,
        at - 12 - data_accumulation_strategy,
        at - 16 - measurement_triggering_policy,
        at - 20 - resources_aggregation_function,
        at - 24 - temporal_aggregation_function,
        at - 28 - emission_filtering_policy,
        x.metrics,
        resources_type,
        data_accumulation_strategy_type,
        measurement_triggering_policy_type,
        resources_aggregation_function_type,
        temporal_aggregation_function_type,
        emission_filtering_policy_type,
    ))
    return at


_STOP_PROBE_EVENT = Struct("<iI").pack
_STOP_PROBE_EVENT_VTABLES = vtables(8, [4], [])


def _stop_probe_event(x: StopProbeEvent, out: Pieces, at: int, seen: Seen) -> int:
    probe_id = at = text(x.probe_id, out, at)
    vtable = _STOP_PROBE_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_STOP_PROBE_EVENT(
        v - at,
        at - 4 - probe_id,
    ))
    return at


_RESET_PROBE_EVENT = Struct("<iId").pack
_RESET_PROBE_EVENT_VTABLES = vtables(16, [4, 8], [])


def _reset_probe_event(x: ResetProbeEvent, out: Pieces, at: int, seen: Seen) -> int:
    probe_id = at = text(x.probe_id, out, at)
    vtable = _RESET_PROBE_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 16 & 4:
        out.append(PAD)
        at += 4
    at += 16
    out.append(_RESET_PROBE_EVENT(
        v - at,
        at - 4 - probe_id,
        x.new_value,
    ))
    return at


_TRIGGER_PROBE_EVENT = Struct("<iI?xxx").pack
_TRIGGER_PROBE_EVENT_VTABLES = vtables(12, [4, 8], [])


def _trigger_probe_event(x: TriggerProbeEvent, out: Pieces, at: int, seen: Seen) -> int:
    probe_id = at = text(x.probe_id, out, at)
    vtable = _TRIGGER_PROBE_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_TRIGGER_PROBE_EVENT(
        v - at,
        at - 4 - probe_id,
        x.force_data_emission,
    ))
    return at


_AGGREGATED_PROBE_DATA = Struct("<ixxxxd").pack
_AGGREGATED_PROBE_DATA_VTABLES = vtables(16, [8], [])


def _aggregated_probe_data(x: AggregatedProbeData, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _AGGREGATED_PROBE_DATA_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 16 & 4:
        out.append(PAD)
        at += 4
    at += 16
    out.append(_AGGREGATED_PROBE_DATA(
        v - at,
        x.data,
    ))
    return at


_VECTORIAL_PROBE_DATA = Struct("<iI").pack
_VECTORIAL_PROBE_DATA_VTABLES = vtables(8, [4], [])


def _vectorial_probe_data(x: VectorialProbeData, out: Pieces, at: int, seen: Seen) -> int:
    data = at = doubles(x.data, out, at)
    vtable = _VECTORIAL_PROBE_DATA_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_VECTORIAL_PROBE_DATA(
        v - at,
        at - 4 - data,
    ))
    return at


_PROBE_DATA_EMITTED_EVENT = Struct("<iIIIIIBbB?").pack
_PROBE_DATA_EMITTED_EVENT_VTABLES = vtables(28, [4, 24, 8, 25, 26, 12, 27, 16, 20], [])


def _probe_data_emitted_event(x: ProbeDataEmittedEvent, out: Pieces, at: int, seen: Seen) -> int:
    probe_id = at = text(x.probe_id, out, at)
    resources_type, write = _RESOURCES[type(x.resources)]
    resources = at = write(x.resources, out, at, seen)
    data_type, write = _PROBE_DATA[type(x.data)]
    data = at = write(x.data, out, at, seen)
    vtable = _PROBE_DATA_EMITTED_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 28
    out.append(_PROBE_DATA_EMITTED_EVENT(
        v - at,
        at - 4 - probe_id,
        at - 8 - resources,
        at - 12 - data,
        x.nb_emitted,
        x.nb_triggered,
        resources_type,
        x.metrics,
        data_type,
        x.manually_triggered,
    ))
    return at


_ONE_SHOT = Struct("<ibxxxQ").pack
_ONE_SHOT_VTABLES = vtables(16, [8, 4], [])


def _one_shot(x: OneShot, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _ONE_SHOT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 16 & 4:
        out.append(PAD)
        at += 4
    at += 16
    out.append(_ONE_SHOT(
        v - at,
        x.time_unit,
        x.time,
    ))
    return at


_INFINITE = Struct("<i").pack
_INFINITE_VTABLES = vtables(4, [], [])


def _infinite(x: Infinite, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _INFINITE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_INFINITE(
        v - at,
    ))
    return at


_FINITE_PERIOD_NUMBER = Struct("<iI").pack
_FINITE_PERIOD_NUMBER_VTABLES = vtables(8, [4], [])


def _finite_period_number(x: FinitePeriodNumber, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _FINITE_PERIOD_NUMBER_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_FINITE_PERIOD_NUMBER(
        v - at,
        x.nb_periods,
    ))
    return at


_PERIODIC = Struct("<iIQQbBxx").pack
_PERIODIC_VTABLES = vtables(28, [8, 16, 24, 25, 4], [])


def _periodic(x: Periodic, out: Pieces, at: int, seen: Seen) -> int:
    mode_type, write = _PERIODIC_MODE[type(x.mode)]
    mode = at = write(x.mode, out, at, seen)
    vtable = _PERIODIC_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 28 & 4:
        out.append(PAD)
        at += 4
    at += 28
    out.append(_PERIODIC(
        v - at,
        at - 4 - mode,
        x.period,
        x.offset,
        x.time_unit,
        mode_type,
    ))
    return at


_TEMPORAL_TRIGGER_WRAPPER = Struct("<iIBxxx").pack
_TEMPORAL_TRIGGER_WRAPPER_VTABLES = vtables(12, [8, 4], [])


def _temporal_trigger_wrapper(x: TemporalTriggerWrapper, out: Pieces, at: int, seen: Seen) -> int:
    temporal_trigger_type, write = _TEMPORAL_TRIGGER[type(x.temporal_trigger)]
    temporal_trigger = at = write(x.temporal_trigger, out, at, seen)
    vtable = _TEMPORAL_TRIGGER_WRAPPER_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_TEMPORAL_TRIGGER_WRAPPER(
        v - at,
        at - 4 - temporal_trigger,
        temporal_trigger_type,
    ))
    return at


_CALL_ME_LATER_EVENT = Struct("<iIIBxxx").pack
_CALL_ME_LATER_EVENT_VTABLES = vtables(16, [4, 12, 8], [])


def _call_me_later_event(x: CallMeLaterEvent, out: Pieces, at: int, seen: Seen) -> int:
    call_me_later_id = at = text(x.call_me_later_id, out, at)
    when_type, write = _TEMPORAL_TRIGGER[type(x.when)]
    when = at = write(x.when, out, at, seen)
    vtable = _CALL_ME_LATER_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 16
    out.append(_CALL_ME_LATER_EVENT(
        v - at,
        at - 4 - call_me_later_id,
        at - 8 - when,
        when_type,
    ))
    return at


_REQUESTED_CALL_EVENT = Struct("<iI?xxx").pack
_REQUESTED_CALL_EVENT_VTABLES = vtables(12, [4, 8], [])


def _requested_call_event(x: RequestedCallEvent, out: Pieces, at: int, seen: Seen) -> int:
    call_me_later_id = at = text(x.call_me_later_id, out, at)
    vtable = _REQUESTED_CALL_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_REQUESTED_CALL_EVENT(
        v - at,
        at - 4 - call_me_later_id,
        x.last_periodic_call,
    ))
    return at


_STOP_CALL_ME_LATER_EVENT = Struct("<iI").pack
_STOP_CALL_ME_LATER_EVENT_VTABLES = vtables(8, [4], [])


def _stop_call_me_later_event(x: StopCallMeLaterEvent, out: Pieces, at: int, seen: Seen) -> int:
    call_me_later_id = at = text(x.call_me_later_id, out, at)
    vtable = _STOP_CALL_ME_LATER_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_STOP_CALL_ME_LATER_EVENT(
        v - at,
        at - 4 - call_me_later_id,
    ))
    return at


_EDC_REQUESTED_SIMULATION_FEATURES = Struct("<i??????xx").pack
_EDC_REQUESTED_SIMULATION_FEATURES_VTABLES = vtables(12, [4, 5, 6, 7, 8, 9], [])


def _edc_requested_simulation_features(x: EDCRequestedSimulationFeatures, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _EDC_REQUESTED_SIMULATION_FEATURES_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_EDC_REQUESTED_SIMULATION_FEATURES(
        v - at,
        x.dynamic_registration,
        x.profile_reuse,
        x.acknowledge_dynamic_jobs,
        x.forward_profiles_on_job_submission,
        x.forward_profiles_on_jobs_killed,
        x.forward_profiles_on_simulation_begins,
    ))
    return at


_EDC_HELLO_EVENT = Struct("<iIIIIII").pack
_EDC_HELLO_EVENT_VTABLES = vtables(28, [4, 8, 12, 16, 20, 24], [1, 4])


def _edc_hello_event(x: EDCHelloEvent, out: Pieces, at: int, seen: Seen) -> int:
    mask = 0
    batprotocol_version = at = text(x.batprotocol_version, out, at)
    batprotocol_commit = 0
    if x.batprotocol_commit is not None:
        batprotocol_commit = at = text(x.batprotocol_commit, out, at)
        mask |= 1
    decision_component_name = at = text(x.decision_component_name, out, at)
    decision_component_version = at = text(x.decision_component_version, out, at)
    decision_component_commit = 0
    if x.decision_component_commit is not None:
        decision_component_commit = at = text(x.decision_component_commit, out, at)
        mask |= 2
    requested_simulation_features = at = _edc_requested_simulation_features(x.requested_simulation_features, out, at, seen)
    vtable = _EDC_HELLO_EVENT_VTABLES[mask]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 28
    out.append(_EDC_HELLO_EVENT(
        v - at,
        at - 4 - batprotocol_version,
        at - 8 - batprotocol_commit,
        at - 12 - decision_component_name,
        at - 16 - decision_component_version,
        at - 20 - decision_component_commit,
        at - 24 - requested_simulation_features,
    ))
    return at


_HOST_PROPERTY = Struct("<iII").pack
_HOST_PROPERTY_VTABLES = vtables(12, [4, 8], [])


def _host_property(x: HostProperty, out: Pieces, at: int, seen: Seen) -> int:
    key = at = text(x.key, out, at)
    value = at = text(x.value, out, at)
    vtable = _HOST_PROPERTY_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_HOST_PROPERTY(
        v - at,
        at - 4 - key,
        at - 8 - value,
    ))
    return at


_HOST = Struct("<iIIIIIIIIbxxx").pack
_HOST_VTABLES = vtables(40, [4, 8, 12, 16, 36, 20, 24, 28, 32], [5, 6])


def _host(x: Host, out: Pieces, at: int, seen: Seen) -> int:
    mask = 0
    name = at = text(x.name, out, at)
    properties = 0
    if x.properties is not None:
        properties = at = tables(x.properties, out, at, seen, _host_property)
        mask |= 1
    zone_properties = 0
    if x.zone_properties is not None:
        zone_properties = at = tables(x.zone_properties, out, at, seen, _host_property)
        mask |= 2
    computation_speed = at = doubles(x.computation_speed, out, at)
    vtable = _HOST_VTABLES[mask]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 40
    out.append(_HOST(
        v - at,
        x.id,
        at - 8 - name,
        x.pstate,
        x.pstate_count,
        at - 20 - properties,
        at - 24 - zone_properties,
        x.core_count,
        at - 32 - computation_speed,
        x.state,
    ))
    return at


_WORKLOAD_AND_FILENAME = Struct("<iII").pack
_WORKLOAD_AND_FILENAME_VTABLES = vtables(12, [4, 8], [])


def _workload_and_filename(x: WorkloadAndFilename, out: Pieces, at: int, seen: Seen) -> int:
    name = at = text(x.name, out, at)
    filename = at = text(x.filename, out, at)
    vtable = _WORKLOAD_AND_FILENAME_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_WORKLOAD_AND_FILENAME(
        v - at,
        at - 4 - name,
        at - 8 - filename,
    ))
    return at


_EXTERNAL_EVENT_LIST_AND_FILENAME = Struct("<iII").pack
_EXTERNAL_EVENT_LIST_AND_FILENAME_VTABLES = vtables(12, [4, 8], [])


def _external_event_list_and_filename(x: ExternalEventListAndFilename, out: Pieces, at: int, seen: Seen) -> int:
    name = at = text(x.name, out, at)
    filename = at = text(x.filename, out, at)
    vtable = _EXTERNAL_EVENT_LIST_AND_FILENAME_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_EXTERNAL_EVENT_LIST_AND_FILENAME(
        v - at,
        at - 4 - name,
        at - 8 - filename,
    ))
    return at


_SIMULATION_BEGINS_EVENT = Struct("<iIIIIIIIIIIIII").pack
_SIMULATION_BEGINS_EVENT_VTABLES = vtables(56, [4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52], [2, 12])


def _simulation_begins_event(x: SimulationBeginsEvent, out: Pieces, at: int, seen: Seen) -> int:
    mask = 0
    batprotocol_version = at = text(x.batprotocol_version, out, at)
    batsim_version = at = text(x.batsim_version, out, at)
    batsim_commit = 0
    if x.batsim_commit is not None:
        batsim_commit = at = text(x.batsim_commit, out, at)
        mask |= 1
    computation_hosts = at = tables(x.computation_hosts, out, at, seen, _host)
    storage_hosts = at = tables(x.storage_hosts, out, at, seen, _host)
    batsim_arguments = at = texts(x.batsim_arguments, out, at)
    batsim_execution_context_json = at = text(x.batsim_execution_context_json, out, at)
    workloads = at = tables(x.workloads, out, at, seen, _workload_and_filename)
    external_event_lists = at = tables(x.external_event_lists, out, at, seen, _external_event_list_and_filename)
    profiles = 0
    if x.profiles is not None:
        profiles = at = tables(x.profiles, out, at, seen, _profile_and_id)
        mask |= 2
    vtable = _SIMULATION_BEGINS_EVENT_VTABLES[mask]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 56
    out.append(_SIMULATION_BEGINS_EVENT(
        v - at,
        at - 4 - batprotocol_version,
        at - 8 - batsim_version,
        at - 12 - batsim_commit,
        x.host_number,
        x.computation_host_number,
        at - 24 - computation_hosts,
        x.storage_host_number,
        at - 32 - storage_hosts,
        at - 36 - batsim_arguments,
        at - 40 - batsim_execution_context_json,
        at - 44 - workloads,
        at - 48 - external_event_lists,
        at - 52 - profiles,
    ))
    return at


_SIMULATION_ENDS_EVENT = Struct("<i").pack
_SIMULATION_ENDS_EVENT_VTABLES = vtables(4, [], [])


def _simulation_ends_event(x: SimulationEndsEvent, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _SIMULATION_ENDS_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_SIMULATION_ENDS_EVENT(
        v - at,
    ))
    return at


_SIMULATION_ERROR_EVENT = Struct("<iI").pack
_SIMULATION_ERROR_EVENT_VTABLES = vtables(8, [4], [])


def _simulation_error_event(x: SimulationErrorEvent, out: Pieces, at: int, seen: Seen) -> int:
    error = at = text(x.error, out, at)
    vtable = _SIMULATION_ERROR_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_SIMULATION_ERROR_EVENT(
        v - at,
        at - 4 - error,
    ))
    return at


_ALL_STATIC_JOBS_HAVE_BEEN_SUBMITTED_EVENT = Struct("<i").pack
_ALL_STATIC_JOBS_HAVE_BEEN_SUBMITTED_EVENT_VTABLES = vtables(4, [], [])


def _all_static_jobs_have_been_submitted_event(x: AllStaticJobsHaveBeenSubmittedEvent, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _ALL_STATIC_JOBS_HAVE_BEEN_SUBMITTED_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_ALL_STATIC_JOBS_HAVE_BEEN_SUBMITTED_EVENT(
        v - at,
    ))
    return at


_ALL_STATIC_EXTERNAL_EVENTS_HAVE_BEEN_INJECTED_EVENT = Struct("<i").pack
_ALL_STATIC_EXTERNAL_EVENTS_HAVE_BEEN_INJECTED_EVENT_VTABLES = vtables(4, [], [])


def _all_static_external_events_have_been_injected_event(x: AllStaticExternalEventsHaveBeenInjectedEvent, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _ALL_STATIC_EXTERNAL_EVENTS_HAVE_BEEN_INJECTED_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_ALL_STATIC_EXTERNAL_EVENTS_HAVE_BEEN_INJECTED_EVENT(
        v - at,
    ))
    return at


_FINISH_REGISTRATION_EVENT = Struct("<i").pack
_FINISH_REGISTRATION_EVENT_VTABLES = vtables(4, [], [])


def _finish_registration_event(x: FinishRegistrationEvent, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _FINISH_REGISTRATION_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_FINISH_REGISTRATION_EVENT(
        v - at,
    ))
    return at


_FORCE_SIMULATION_STOP_EVENT = Struct("<i").pack
_FORCE_SIMULATION_STOP_EVENT_VTABLES = vtables(4, [], [])


def _force_simulation_stop_event(x: ForceSimulationStopEvent, out: Pieces, at: int, seen: Seen) -> int:
    vtable = _FORCE_SIMULATION_STOP_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 4
    out.append(_FORCE_SIMULATION_STOP_EVENT(
        v - at,
    ))
    return at


_CHANGE_HOSTS_P_STATE_EVENT = Struct("<iII").pack
_CHANGE_HOSTS_P_STATE_EVENT_VTABLES = vtables(12, [4, 8], [])


def _change_hosts_p_state_event(x: ChangeHostsPStateEvent, out: Pieces, at: int, seen: Seen) -> int:
    host_ids = at = text(x.host_ids, out, at)
    vtable = _CHANGE_HOSTS_P_STATE_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_CHANGE_HOSTS_P_STATE_EVENT(
        v - at,
        at - 4 - host_ids,
        x.pstate,
    ))
    return at


_HOSTS_P_STATE_CHANGED_EVENT = Struct("<iII").pack
_HOSTS_P_STATE_CHANGED_EVENT_VTABLES = vtables(12, [4, 8], [])


def _hosts_p_state_changed_event(x: HostsPStateChangedEvent, out: Pieces, at: int, seen: Seen) -> int:
    host_ids = at = text(x.host_ids, out, at)
    vtable = _HOSTS_P_STATE_CHANGED_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_HOSTS_P_STATE_CHANGED_EVENT(
        v - at,
        at - 4 - host_ids,
        x.pstate,
    ))
    return at


_TURN_ON_OFF_HOSTS_EVENT = Struct("<iII").pack
_TURN_ON_OFF_HOSTS_EVENT_VTABLES = vtables(12, [4, 8], [])


def _turn_on_off_hosts_event(x: TurnOnOffHostsEvent, out: Pieces, at: int, seen: Seen) -> int:
    host_ids = at = text(x.host_ids, out, at)
    vtable = _TURN_ON_OFF_HOSTS_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_TURN_ON_OFF_HOSTS_EVENT(
        v - at,
        at - 4 - host_ids,
        x.state,
    ))
    return at


_HOSTS_TURNED_ON_OFF_EVENT = Struct("<iII").pack
_HOSTS_TURNED_ON_OFF_EVENT_VTABLES = vtables(12, [4, 8], [])


def _hosts_turned_on_off_event(x: HostsTurnedOnOffEvent, out: Pieces, at: int, seen: Seen) -> int:
    host_ids = at = text(x.host_ids, out, at)
    vtable = _HOSTS_TURNED_ON_OFF_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 12
    out.append(_HOSTS_TURNED_ON_OFF_EVENT(
        v - at,
        at - 4 - host_ids,
        x.state,
    ))
    return at


_GENERIC_EXTERNAL_EVENT = Struct("<iI").pack
_GENERIC_EXTERNAL_EVENT_VTABLES = vtables(8, [4], [])


def _generic_external_event(x: GenericExternalEvent, out: Pieces, at: int, seen: Seen) -> int:
    data = at = text(x.data, out, at)
    vtable = _GENERIC_EXTERNAL_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 8
    out.append(_GENERIC_EXTERNAL_EVENT(
        v - at,
        at - 4 - data,
    ))
    return at


_EXTERNAL_EVENT_OCCURRED_EVENT = Struct("<iIIBxxx").pack
_EXTERNAL_EVENT_OCCURRED_EVENT_VTABLES = vtables(16, [4, 12, 8], [])


def _external_event_occurred_event(x: ExternalEventOccurredEvent, out: Pieces, at: int, seen: Seen) -> int:
    id = at = text(x.id, out, at)
    external_event_type, write = _EXTERNAL_EVENT[type(x.external_event)]
    external_event = at = write(x.external_event, out, at, seen)
    vtable = _EXTERNAL_EVENT_OCCURRED_EVENT_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    at += 16
    out.append(_EXTERNAL_EVENT_OCCURRED_EVENT(
        v - at,
        at - 4 - id,
        at - 8 - external_event,
        external_event_type,
    ))
    return at


_EVENT_AND_TIMESTAMP = Struct("<iIdBxxx").pack
_EVENT_AND_TIMESTAMP_VTABLES = vtables(20, [8, 16, 4], [])


def _event_and_timestamp(x: EventAndTimestamp, out: Pieces, at: int, seen: Seen) -> int:
    event_type, write = _EVENT[type(x.event)]
    event = at = write(x.event, out, at, seen)
    vtable = _EVENT_AND_TIMESTAMP_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 20 & 4:
        out.append(PAD)
        at += 4
    at += 20
    out.append(_EVENT_AND_TIMESTAMP(
        v - at,
        at - 4 - event,
        x.timestamp,
        event_type,
    ))
    return at


_MESSAGE = Struct("<iId").pack
_MESSAGE_VTABLES = vtables(16, [8, 4], [])


def _message(x: Message, out: Pieces, at: int, seen: Seen) -> int:
    events = at = tables(x.events, out, at, seen, _event_and_timestamp)
    vtable = _MESSAGE_VTABLES[0]
    v = seen.get(vtable)
    if v is None:
        out.append(vtable)
        at += len(vtable)
        v = seen[vtable] = at
    if at + 16 & 4:
        out.append(PAD)
        at += 4
    at += 16
    out.append(_MESSAGE(
        v - at,
        at - 4 - events,
        x.now,
    ))
    return at


_PROFILE: dict[type[Table], tuple[int, Writer]] = {
    DelayProfile: (1, _delay_profile),
    ParallelTaskProfile: (2, _parallel_task_profile),
    ParallelTaskHomogeneousProfile: (3, _parallel_task_homogeneous_profile),
    SequentialCompositionProfile: (4, _sequential_composition_profile),
    ForkJoinCompositionProfile: (5, _fork_join_composition_profile),
    ParallelTaskMergeCompositionProfile: (6, _parallel_task_merge_composition_profile),
    ParallelTaskOnStorageHomogeneousProfile: (7, _parallel_task_on_storage_homogeneous_profile),
    ParallelTaskDataStagingBetweenStoragesProfile: (8, _parallel_task_data_staging_between_storages_profile),
    TraceReplayProfile: (9, _trace_replay_profile),
}


_EXECUTOR_PLACEMENT: dict[type[Table], tuple[int, Writer]] = {
    PredefinedExecutorPlacementStrategyWrapper: (1, _predefined_executor_placement_strategy_wrapper),
    CustomExecutorToHostMapping: (2, _custom_executor_to_host_mapping),
}


_KILL_PROGRESS: dict[type[Table], tuple[int, Writer]] = {
    KillProgressAtomicProfile: (1, _kill_progress_atomic_profile),
    KillProgressSequentialProfile: (2, _kill_progress_sequential_profile),
    KillProgressForkJoinProfile: (3, _kill_progress_fork_join_profile),
}


_RESOURCES: dict[type[Table], tuple[int, Writer]] = {
    HostResources: (1, _host_resources),
    LinkResources: (2, _link_resources),
}


_PROBE_MEASUREMENT_TRIGGERING_POLICY: dict[type[Table], tuple[int, Writer]] = {
    TemporalTriggerWrapper: (1, _temporal_trigger_wrapper),
}


_PROBE_DATA_ACCUMULATION_STRATEGY: dict[type[Table], tuple[int, Writer]] = {
    NoProbeDataAccumulation: (1, _no_probe_data_accumulation),
    ProbeDataAccumulation: (2, _probe_data_accumulation),
}


_RESET_MODE: dict[type[Table], tuple[int, Writer]] = {
    NoReset: (1, _no_reset),
    ProbeAccumulationReset: (2, _probe_accumulation_reset),
}


_TEMPORAL_AGGREGATION_FUNCTION: dict[type[Table], tuple[int, Writer]] = {
    NoTemporalAggregation: (1, _no_temporal_aggregation),
    ExponentialMovingAverage: (2, _exponential_moving_average),
    SlidingWindowOperation: (3, _sliding_window_operation),
}


_RESOURCES_AGGREGATION_FUNCTION: dict[type[Table], tuple[int, Writer]] = {
    NoResourcesAggregation: (1, _no_resources_aggregation),
    Sum: (2, _sum),
    ArithmeticMean: (3, _arithmetic_mean),
    QuantileFunction: (4, _quantile_function),
}


_PROBE_EMISSION_FILTERING_POLICY: dict[type[Table], tuple[int, Writer]] = {
    NoFiltering: (1, _no_filtering),
    ThresholdFilteringFunction: (2, _threshold_filtering_function),
}


_PROBE_DATA: dict[type[Table], tuple[int, Writer]] = {
    AggregatedProbeData: (1, _aggregated_probe_data),
    VectorialProbeData: (2, _vectorial_probe_data),
}


_PERIODIC_MODE: dict[type[Table], tuple[int, Writer]] = {
    Infinite: (1, _infinite),
    FinitePeriodNumber: (2, _finite_period_number),
}


_TEMPORAL_TRIGGER: dict[type[Table], tuple[int, Writer]] = {
    OneShot: (1, _one_shot),
    Periodic: (2, _periodic),
}


_EXTERNAL_EVENT: dict[type[Table], tuple[int, Writer]] = {
    GenericExternalEvent: (1, _generic_external_event),
}


_EVENT: dict[type[Table], tuple[int, Writer]] = {
    JobSubmittedEvent: (1, _job_submitted_event),
    JobCompletedEvent: (2, _job_completed_event),
    RejectJobEvent: (3, _reject_job_event),
    ExecuteJobEvent: (4, _execute_job_event),
    KillJobsEvent: (5, _kill_jobs_event),
    JobsKilledEvent: (6, _jobs_killed_event),
    RegisterProfileEvent: (7, _register_profile_event),
    RegisterJobEvent: (8, _register_job_event),
    CreateProbeEvent: (9, _create_probe_event),
    StopProbeEvent: (10, _stop_probe_event),
    TriggerProbeEvent: (11, _trigger_probe_event),
    ResetProbeEvent: (12, _reset_probe_event),
    ProbeDataEmittedEvent: (13, _probe_data_emitted_event),
    CallMeLaterEvent: (14, _call_me_later_event),
    RequestedCallEvent: (15, _requested_call_event),
    StopCallMeLaterEvent: (16, _stop_call_me_later_event),
    EDCHelloEvent: (17, _edc_hello_event),
    SimulationBeginsEvent: (18, _simulation_begins_event),
    SimulationEndsEvent: (19, _simulation_ends_event),
    SimulationErrorEvent: (20, _simulation_error_event),
    AllStaticJobsHaveBeenSubmittedEvent: (21, _all_static_jobs_have_been_submitted_event),
    AllStaticExternalEventsHaveBeenInjectedEvent: (22, _all_static_external_events_have_been_injected_event),
    FinishRegistrationEvent: (23, _finish_registration_event),
    ForceSimulationStopEvent: (24, _force_simulation_stop_event),
    ChangeHostsPStateEvent: (25, _change_hosts_p_state_event),
    HostsPStateChangedEvent: (26, _hosts_p_state_changed_event),
    TurnOnOffHostsEvent: (27, _turn_on_off_hosts_event),
    HostsTurnedOnOffEvent: (28, _hosts_turned_on_off_event),
    ExternalEventOccurredEvent: (29, _external_event_occurred_event),
}


write_message = _message
