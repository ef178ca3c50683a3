"""What is wrong with a profile or job that a component registers: the same as in files, which are read elsewhere."""

import re
from collections.abc import Mapping
from math import isfinite, isinf, isqrt

from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    Job,
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
)
from windtunnel.model.profiles import MOST_LEVELS, executors, too_deep

__all__ = ["job_fault", "profile_fault"]

_COMPOSED = (SequentialCompositionProfile, ForkJoinCompositionProfile, ParallelTaskMergeCompositionProfile)
_MERGEABLE = (ParallelTaskProfile, ParallelTaskHomogeneousProfile, ParallelTaskMergeCompositionProfile)


def profile_fault(profile: Profile, known: Mapping[str, Profile]) -> str:
    """Why a profile cannot be registered beside those that are known; "" if it can."""
    if isinstance(profile, DelayProfile):
        return (
            "" if profile.delay > 0 and isfinite(profile.delay) else f"its delay is {profile.delay!r}, not positive"
        )
    if isinstance(profile, _COMPOSED):
        return _composition_fault(profile, known)
    if isinstance(profile, ParallelTaskProfile):
        return _task_fault(profile)
    if isinstance(profile, ParallelTaskHomogeneousProfile):
        return _negative(profile.computation_amount, profile.communication_amount)
    if isinstance(profile, ParallelTaskOnStorageHomogeneousProfile):
        return _negative(profile.bytes_to_read, profile.bytes_to_write)
    if isinstance(profile, ParallelTaskDataStagingBetweenStoragesProfile):
        return _negative(profile.bytes_to_transfer)
    if isinstance(profile, SendProfile):
        return _positive("sleeptime", profile.sleeptime)
    if isinstance(profile, ReceiveProfile):
        return _positive("polltime", profile.polltime) or _pattern_fault(profile.regex)
    if isinstance(profile, TraceReplayProfile) and not profile.traces:
        return f"its traces ({profile.filename!r}) were not read"
    return ""


def _negative(*amounts: float) -> str:
    for amount in amounts:
        if not (amount >= 0.0 and isfinite(amount)):
            return f"the amount {amount!r} is not a number of at least 0"
    return ""


def _positive(name: str, seconds: float) -> str:
    return "" if seconds > 0.0 and isfinite(seconds) else f"its {name} is {seconds!r}, not positive"


def _pattern_fault(regex: str) -> str:
    try:
        re.compile(regex)
    except re.error as fault:
        return f"its regex {regex!r} is not a valid regular expression: {fault}"
    return ""


def _task_fault(profile: ParallelTaskProfile) -> str:
    cpu, com = profile.computation_vector, profile.communication_matrix
    if cpu is not None and not cpu:
        return "its computation vector is empty"
    if com is not None and cpu is not None and len(com) != len(cpu) ** 2:
        return f"{len(cpu)} executors exchange {len(cpu) ** 2} amounts, its matrix has {len(com)}"
    if com is not None and isqrt(len(com)) ** 2 != len(com):
        return f"a communication-only parallel task has an invalid number of communications ({len(com)})"
    return _negative(*(cpu or ()), *(com or ()))


def _composition_fault(
    profile: SequentialCompositionProfile | ForkJoinCompositionProfile | ParallelTaskMergeCompositionProfile,
    known: Mapping[str, Profile],
) -> str:
    if not profile.profile_ids:
        return "it contains no profile"
    for name in profile.profile_ids:
        if name not in known:
            return f"the used profile {name!r} does not exist"
    if too_deep(profile, known):
        return f"its compositions nest more than {MOST_LEVELS} deep"
    if isinstance(profile, SequentialCompositionProfile) and profile.repetition_count < 1:
        return f"it is repeated {profile.repetition_count} times"
    if isinstance(profile, ParallelTaskMergeCompositionProfile):
        counts = set()
        for name in profile.profile_ids:
            if not isinstance(known[name], _MERGEABLE):
                return f"{name!r} is not a parallel task, it cannot be merged"
            counts.add(executors(known[name], known))
        if len(counts - {None}) > 1:
            return f"its tasks have different numbers of executors ({', '.join(map(str, counts - {None}))})"
    return ""


def job_fault(job: Job, known: Mapping[str, Profile]) -> str:
    """Why a job cannot be registered; "" if it can."""
    if not job.walltime > 0:
        return (
            f"it has an invalid walltime value ({job.walltime:g}): either it is strictly positive, or there is none"
        )
    if job.request.hosts < 0 or job.request.processors < 0:
        return f"it requests {min(job.request.hosts, job.request.processors)} resources"
    if isinf(job.submission_time):
        return f"its submission time is {job.submission_time!r}"
    wanted = executors(job.profile, known)
    if wanted is not None and wanted != job.request.hosts:
        return (
            f"the requested number of resources ({job.request.hosts}) do NOT match the number of resources of the "
            f"associated profile {job.profile.id!r} ({wanted})"
        )
    return ""
