"""Small workloads and platforms for tests, each made in one line."""

import sys
from collections.abc import Iterable
from math import inf
from numbers import Real
from typing import Any

from windtunnel.diagnostics import UsageError
from windtunnel.model import DelayProfile, Job, JobList, Platform, Profile, Request, SequentialCompositionProfile

__all__ = ["delays", "job", "platform", "sequence", "workload"]


def platform(hosts: int = 4, cores: int = 1) -> Platform:
    """Identical hosts without network."""
    return Platform.uniform(hosts, cores)


def job(
    name: str | int,
    hosts: int = 1,
    run: float | Profile = 10.0,
    at: float = 0.0,
    walltime: float = inf,
    **fields: Any,
) -> Job:
    """A job of workload ``w0``; ``run`` is a delay (s) or a profile."""
    if not isinstance(run, Real | Profile):
        raise UsageError(f"job {name!r}: run is a number of seconds or a Profile, not {run!r}")
    profile = run if isinstance(run, Profile) else _delay(run)
    return Job(
        id=f"w0!{name}", request=Request(hosts), profile=profile, submission_time=at, walltime=walltime, **fields
    )


def _delay(duration: float) -> DelayProfile:
    named = f"{duration:g}" if abs(duration) <= sys.float_info.max else repr(duration)
    return DelayProfile(id=f"w0!delay{named}", delay=duration)


def sequence(
    name: str, parts: Iterable[Profile], repeat: int = 1, return_code: int = 0
) -> SequentialCompositionProfile:
    """A sequence of profiles, which must also be listed in the workload."""
    ids = tuple(p.id for p in parts)
    return SequentialCompositionProfile(
        id=f"w0!{name}", profile_ids=ids, repetition_count=repeat, return_code=return_code
    )


def delays(*durations: float) -> list[DelayProfile]:
    """Delay profiles named after their duration."""
    return [_delay(duration) for duration in durations]


def workload(*jobs: Job, profiles: Iterable[Profile] = ()) -> JobList:
    """A workload of these jobs; profiles used only in compositions are given separately."""
    known = {p.id: p for p in profiles} | {j.profile.id: j.profile for j in jobs}
    return JobList("w0", jobs, known)
