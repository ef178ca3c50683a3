"""Whether jobs that were made in Python make sense; those of files are checked when they are read."""

import sys
from collections.abc import Mapping
from math import inf
from numbers import Integral
from typing import Final

from windtunnel.diagnostics import UsageError
from windtunnel.engine.jobs.registration_checks import job_fault as registration_fault
from windtunnel.engine.jobs.registration_checks import profile_fault
from windtunnel.model import DelayProfile, Job, JobList, Profile, Request, SequentialCompositionProfile
from windtunnel.model.profiles import parts_of

__all__ = ["check_jobs", "job_fault"]

_MOST: Final = sys.float_info.max
_MOST_HOSTS: Final = 10**18
"""Tables of jobs hold whole numbers of 64 bits."""
_LONGEST: Final = 30
"""Longer numbers are not shown."""


def check_jobs(workload: JobList, known: set[str]) -> None:
    """Check the jobs of a workload; ``known`` are the ids of the jobs before these, which are added.

    Raises:
        UsageError: one of them is not valid.
    """
    sound: dict[int, Profile] = {}  # most jobs share theirs with others
    for job in workload:
        fault = "is there twice: ids are names of jobs" if job.id in known else job_fault(job)
        if not fault and not isinstance(job.profile, DelayProfile):
            if id(job.profile) not in sound:
                fault = _profile_fault(job.profile, workload.profiles)
                sound[id(job.profile)] = job.profile
            fault = fault or _unfit(job, workload.profiles)
        if fault:
            raise UsageError(f"workload {workload.name!r}: job {job.id!r} {fault}")
        known.add(job.id)


def job_fault(job: Job) -> str:
    """Why a job is not valid, its profile left aside if that is no delay; "" if it is."""
    if not isinstance(job.id, str) or not all(job.id.partition("!")):
        return "has no id such as 'w0!1': a workload and a name"
    return (
        _time_fault("is submitted at", job.submission_time, least=-inf)
        or _time_fault("has a walltime of", job.walltime, least=5e-324, most=inf)
        or _time_fault("has a think time of", job.think_time)
        or _request_fault(job.request)
        or _text_fault(job)
        or _length_fault(job.profile)
    )


def _time_fault(what: str, value: object, *, least: float = 0.0, most: float = _MOST) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return f"{what} {value!r}: an int or a float is expected"
    if value == -inf or not least <= value <= most or (isinstance(value, int) and value > _MOST):
        shown = repr(value)
        return f"{what} {shown} s" if len(shown) <= _LONGEST else f"{what} a number of {len(shown)} digits"
    return ""


def _request_fault(request: Request) -> str:
    for name, value in (("hosts", request.hosts), ("processors", request.processors)):
        if not isinstance(value, int) or value < 0:
            return f"requests {value!r} {name}: an int is expected, 0 or more"
        if value >= _MOST_HOSTS:
            return f"requests {name} in a number of {len(str(value))} digits"
    for resource, amount in request.amounts:
        if not isinstance(amount, int | float) or not 0 <= amount < inf:
            return f"requests {amount!r} of {resource!r}: a number of at least 0 is expected"
    return ""


def _text_fault(job: Job) -> str:
    for name in ("user", "group", "queue"):
        if not isinstance(value := getattr(job, name), str):
            return f"has the {name} {value!r}: a string is expected"
    if not isinstance(job.dependencies, tuple | list) or not all(isinstance(one, str) for one in job.dependencies):
        return f"waits for {job.dependencies!r}: a tuple of ids of jobs is expected"
    return ""


def _length_fault(profile: object) -> str:
    if not isinstance(profile, Profile):
        return f"has a profile of {profile!r}: a DelayProfile or another Profile is expected"
    if not isinstance(profile, DelayProfile):
        return ""
    return _time_fault("lasts", profile.delay)


def _profile_fault(profile: Profile, known: Mapping[str, Profile]) -> str:
    """Why a job cannot have a profile; those that it is composed of may still be registered in the run."""
    parts = parts_of(profile)
    if parts and not known.keys() >= {*parts}:
        return ""
    if isinstance(profile, SequentialCompositionProfile) and not isinstance(profile.repetition_count, Integral):
        return f"cannot have the profile {profile.id!r}: it is repeated {profile.repetition_count!r} times"
    try:
        fault = profile_fault(profile, known)
    except TypeError:
        fault = "one of its amounts is not a number"
    except KeyError:  # a part of a part that may be registered
        fault = ""
    return fault and f"cannot have the profile {profile.id!r}: {fault}"


def _unfit(job: Job, known: Mapping[str, Profile]) -> str:
    fault = registration_fault(job, known)
    return fault and f"is not valid: {fault}"
