"""The forms that notices and decisions share: profiles, host sets, placements, triggers, resources, progress.

Each in both directions: ``..._out`` makes schema Structs of the vocabulary, ``..._in`` the other way.
"""

from collections.abc import Mapping
from math import ceil, inf
from typing import Any, Final

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.diagnostics import ProtocolError, UsageError
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.host_texts import hosts_of

__all__ = [
    "hosts_in",
    "job_in",
    "job_out",
    "placement_in",
    "placement_out",
    "profile_in",
    "profile_out",
    "progress_in",
    "progress_out",
    "qualified",
    "resources_in",
    "resources_out",
    "trigger_in",
    "trigger_out",
]

_PROFILES: Final[Mapping[type[m.Profile], type[s.Table]]] = {
    m.DelayProfile: s.DelayProfile,
    m.ParallelTaskProfile: s.ParallelTaskProfile,
    m.ParallelTaskHomogeneousProfile: s.ParallelTaskHomogeneousProfile,
    m.SequentialCompositionProfile: s.SequentialCompositionProfile,
    m.ForkJoinCompositionProfile: s.ForkJoinCompositionProfile,
    m.ParallelTaskMergeCompositionProfile: s.ParallelTaskMergeCompositionProfile,
    m.ParallelTaskOnStorageHomogeneousProfile: s.ParallelTaskOnStorageHomogeneousProfile,
    m.ParallelTaskDataStagingBetweenStoragesProfile: s.ParallelTaskDataStagingBetweenStoragesProfile,
    m.TraceReplayProfile: s.TraceReplayProfile,
}
_MODELS: Final = {table: kind for kind, table in _PROFILES.items()}
_STRATEGY_OUT: Final = {
    m.GenerationStrategy.DefinedAmountsUsedForEachValue: (
        s.HomogeneousParallelTaskGenerationStrategy.DefinedAmountsUsedForEachValue
    ),
    m.GenerationStrategy.DefinedAmountsSpreadUniformly: (
        s.HomogeneousParallelTaskGenerationStrategy.DefinedAmountsSpreadUniformly
    ),
    # Batsim 4's total differs in the communication only; batprotocol has no nearer word for it.
    m.GenerationStrategy.Batsim4Total: s.HomogeneousParallelTaskGenerationStrategy.DefinedAmountsSpreadUniformly,
}


def hosts_in(text: str, where: str, job_id: str | None = None) -> m.HostSet:
    """An interval set; raises ProtocolError naming the member it stands in, or the event and the job it is for."""
    try:
        return hosts_of(text)
    except ValueError as error:
        place = where if job_id is None else f"{where} of {job_id!r}: host_allocation"
        raise ProtocolError(f"{place}: {error}") from None


def qualified(name: str, owner: str) -> str:
    """The full id of a profile named in the workload of ``owner`` (a full id)."""
    return name if "!" in name else f"{owner.partition('!')[0]}!{name}"


def profile_out(profile: m.Profile, fallback: str = "") -> s.ProfileAndId:
    """A profile with its id, or ``fallback`` where it has none.

    Raises:
        UsageError: batprotocol has no such profile (send, receive).
    """
    table = _PROFILES.get(type(profile))
    if table is None:
        raise UsageError(f"profile {profile.id!r}: batprotocol has no {type(profile).__name__}")
    members: dict[str, Any] = {name: getattr(profile, name) for name in table.__struct_fields__}
    if "generation_strategy" in members:
        members["generation_strategy"] = _STRATEGY_OUT[members["generation_strategy"]]
    elif "trace_type" in members:
        members["trace_type"] = s.TraceType(members["trace_type"])
    made: Any = table(**members)
    return s.ProfileAndId(id=profile.id or fallback, profile=made, extra_data=profile.extra_data)


def profile_in(found: s.ProfileAndId) -> m.Profile:
    """A profile; the ids of sub-profiles get the workload of its own where they name none."""
    kind: type[m.Profile] = _MODELS[type(found.profile)]
    members: dict[str, Any] = {name: getattr(found.profile, name) for name in found.profile.__struct_fields__}
    if "generation_strategy" in members:
        members["generation_strategy"] = m.GenerationStrategy(members["generation_strategy"])
    elif "trace_type" in members:
        members["trace_type"] = m.TraceType(members["trace_type"])
    elif "profile_ids" in members:
        members["profile_ids"] = tuple(qualified(name, found.id) for name in members["profile_ids"])
    return kind(id=found.id, extra_data=found.extra_data, **members)


def job_out(job: m.Job, profile_id: str = "") -> s.Job:
    """What batprotocol has of a job. A profile without a name goes by the id of the job."""
    walltime = job.walltime
    return s.Job(
        resource_request=job.request.hosts,
        walltime=None if walltime == inf else walltime,
        extra_data=job.extra_data,
        profile_id=profile_id or job.profile.id or job.id,
    )


def job_in(job_id: str, found: s.Job, submission_time: float, profile: m.Profile | None = None) -> m.Job:
    """A job. Where its profile is not known, a bare one holds its id."""
    return m.Job(
        id=job_id,
        request=m.Request(found.resource_request),
        profile=profile or m.Profile(id=qualified(found.profile_id, job_id)),
        submission_time=submission_time,
        walltime=inf if found.walltime is None else found.walltime,
        extra_data=found.extra_data,
    )


_PLACEMENT_OUT: Final = tuple(s.PredefinedExecutorPlacementStrategy)
_PLACEMENT_IN: Final = tuple(map(m.PlacementStrategy, _PLACEMENT_OUT))


def placement_out(placement: m.ExecutorPlacement | None) -> s.ExecutorPlacement:
    """Where executors run; None is executor i on the i-th host, as spreading over hosts first is."""
    if isinstance(placement, tuple):
        return s.CustomExecutorToHostMapping(mapping=placement)
    strategy = _PLACEMENT_OUT[0 if placement is None else placement]
    return s.PredefinedExecutorPlacementStrategyWrapper(strategy=strategy)


def placement_in(found: s.ExecutorPlacement) -> m.ExecutorPlacement:
    """Where executors run."""
    if isinstance(found, s.CustomExecutorToHostMapping):
        return found.mapping
    return _PLACEMENT_IN[found.strategy]


def trigger_out(trigger: v.TemporalTrigger) -> s.TemporalTrigger:
    """When something is due. A date between two seconds becomes the next whole millisecond."""
    if isinstance(trigger, v.Periodic):
        times = trigger.nb_periods
        return s.Periodic(
            period=trigger.period,
            offset=trigger.offset,
            time_unit=s.TimeUnit(trigger.time_unit),
            mode=s.Infinite() if times is None else s.FinitePeriodNumber(nb_periods=times),
        )
    time, unit = trigger.time, s.TimeUnit(trigger.time_unit)
    if time == int(time):
        return s.OneShot(time=int(time), time_unit=unit)
    if unit is s.TimeUnit.Second:
        time *= 1000
    return s.OneShot(time=ceil(time - 1e-6), time_unit=s.TimeUnit.Millisecond)


def trigger_in(found: s.TemporalTrigger) -> v.TemporalTrigger:
    """When something is due."""
    if isinstance(found, s.OneShot):
        return v.OneShot(found.time, v.TimeUnit(found.time_unit))
    times = found.mode.nb_periods if isinstance(found.mode, s.FinitePeriodNumber) else None
    return v.Periodic(found.period, found.offset, v.TimeUnit(found.time_unit), times)


def resources_out(resources: v.ProbeResources) -> s.Resources:
    """Hosts or links."""
    if resources.links is not None:
        return s.LinkResources(link_ids=resources.links)
    return s.HostResources(host_ids=str(resources.hosts))


def resources_in(found: s.Resources, where: str) -> v.ProbeResources:
    """Hosts or links."""
    if isinstance(found, s.LinkResources):
        return v.ProbeResources(links=found.link_ids)
    return v.ProbeResources(hosts_in(found.host_ids, f"{where}.host_ids"))


def progress_out(progress: v.KillProgress) -> s.KillProgressWrapper:
    """How far a killed job had come."""
    made: s.KillProgress
    if isinstance(progress, v.AtomicProgress):
        made = s.KillProgressAtomicProfile(profile_id=progress.profile_id, progress=max(0.0, progress.progress))
    elif isinstance(progress, v.SequentialProgress):
        made = s.KillProgressSequentialProfile(
            profile_id=progress.profile_id,
            current_repetition=progress.current_repetition,
            current_task_index=progress.current_task_index,
            current_task_progress=progress_out(progress.current_task_progress),
        )
    else:
        tasks = tuple(progress_out(task) for task in progress.tasks_progress)
        made = s.KillProgressForkJoinProfile(profile_id=progress.profile_id, tasks_progress=tasks)
    return s.KillProgressWrapper(kill_progress=made)


def progress_in(found: s.KillProgressWrapper) -> v.KillProgress:
    """How far a killed job had come."""
    progress = found.kill_progress
    if isinstance(progress, s.KillProgressAtomicProfile):
        return v.AtomicProgress(progress.profile_id, progress.progress)
    if isinstance(progress, s.KillProgressSequentialProfile):
        return v.SequentialProgress(
            progress.profile_id,
            progress.current_repetition,
            progress.current_task_index,
            progress_in(progress.current_task_progress),
        )
    return v.ForkJoinProgress(progress.profile_id, tuple(progress_in(task) for task in progress.tasks_progress))
