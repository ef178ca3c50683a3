"""Plain data: platforms, jobs, profiles, workloads, external events, host sets. No I/O, no simulation."""

from windtunnel.model.host import Host, PowerState
from windtunnel.model.hostpool import HostPool
from windtunnel.model.hostset import HostSet
from windtunnel.model.job import Allocation, ExecutorPlacement, Job, JobState, PlacementStrategy, Request
from windtunnel.model.job_record import JobRecord
from windtunnel.model.platform import Link, Network, Platform, natural_key
from windtunnel.model.profiles import (
    DelayProfile,
    ForkJoinCompositionProfile,
    GenerationStrategy,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    Profile,
    ReceiveProfile,
    SendProfile,
    SequentialCompositionProfile,
    TraceReplayProfile,
    TraceType,
)
from windtunnel.model.workload import EventList, ExternalEvent, JobList, Workflow, Workload

__all__ = [
    "Allocation",
    "DelayProfile",
    "EventList",
    "ExecutorPlacement",
    "ExternalEvent",
    "ForkJoinCompositionProfile",
    "GenerationStrategy",
    "Host",
    "HostPool",
    "HostSet",
    "Job",
    "JobList",
    "JobRecord",
    "JobState",
    "Link",
    "Network",
    "ParallelTaskDataStagingBetweenStoragesProfile",
    "ParallelTaskHomogeneousProfile",
    "ParallelTaskMergeCompositionProfile",
    "ParallelTaskOnStorageHomogeneousProfile",
    "ParallelTaskProfile",
    "PlacementStrategy",
    "Platform",
    "PowerState",
    "Profile",
    "ReceiveProfile",
    "Request",
    "SendProfile",
    "SequentialCompositionProfile",
    "TraceReplayProfile",
    "TraceType",
    "Workflow",
    "Workload",
    "natural_key",
]
