"""How the profiles of a workload refer to each other: existence, cycles, what is used, what can be merged."""

from collections.abc import Iterable, Iterator, Mapping

from windtunnel.diagnostics import Findings, did_you_mean
from windtunnel.diagnostics.json_positions import json_pointer
from windtunnel.model import (
    ForkJoinCompositionProfile,
    Job,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskProfile,
    Profile,
    ReceiveProfile,
    SequentialCompositionProfile,
)
from windtunnel.model.profiles import MOST_LEVELS, executors

__all__ = ["check_references", "used_profiles"]

_COMPOSED = (SequentialCompositionProfile, ForkJoinCompositionProfile, ParallelTaskMergeCompositionProfile)


def _references(profile: Profile) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """The ids a profile refers to, with the member that does."""
    if isinstance(profile, _COMPOSED):
        for index, sub in enumerate(profile.profile_ids):
            yield sub, ("seq", index)
    elif isinstance(profile, ReceiveProfile):
        for key in ("success", "failure", "timeout"):
            if sub := getattr(profile, key):
                yield sub, (key,)


def check_references(profiles: Mapping[str, Profile], findings: Findings) -> None:
    """Note what refers to a profile that does not exist, to itself, or merges what cannot be merged."""
    for profile in profiles.values():
        for sub, where in _references(profile):
            if sub not in profiles:
                pointer = json_pointer(("profiles", profile.name, *where))
                name = sub.partition("!")[2]
                hint = did_you_mean(name, [known.name for known in profiles.values()])
                message = f"profile {profile.name!r}: the profile {name!r} does not exist"
                findings.add(message, code="reference", pointer=pointer, hint=hint)
    _check_cycles(profiles, findings)
    if not findings.has_errors:
        for profile in profiles.values():
            if isinstance(profile, ParallelTaskMergeCompositionProfile):
                _check_merge(profile, profiles, findings)


def _check_cycles(profiles: Mapping[str, Profile], findings: Findings) -> None:
    """Depth-first, without recursion: nesting may be too deep. A recv may well lead back to itself later on."""
    done: dict[str, int] = {}
    """How deep compositions nest below each profile."""
    for root in profiles:
        if root in done:
            continue
        path: dict[str, Iterator[str]] = {root: _composed(profiles[root])}
        while path:
            current, rest = next(reversed(path.items()))
            sub = next(rest, None)
            if sub is None:
                del path[current]
                done[current] = 1 + max((done.get(sub, 0) for sub in _composed(profiles[current])), default=-1)
                if done[current] == MOST_LEVELS + 1:
                    pointer = json_pointer(("profiles", profiles[current].name))
                    message = f"profile {profiles[current].name!r}: compositions nest more than {MOST_LEVELS} deep"
                    findings.add(message, code="depth", pointer=pointer)
            elif sub in path:
                around = [*list(path)[list(path).index(sub) :], sub]
                names = " -> ".join(repr(one.partition("!")[2]) for one in around)
                pointer = json_pointer(("profiles", profiles[current].name))
                findings.add(
                    f"profile {profiles[current].name!r} contains itself: {names}", code="cycle", pointer=pointer
                )
            elif sub in profiles and sub not in done:
                path[sub] = _composed(profiles[sub])


def _composed(profile: Profile) -> Iterator[str]:
    return iter(profile.profile_ids if isinstance(profile, _COMPOSED) else ())


def _check_merge(
    profile: ParallelTaskMergeCompositionProfile, profiles: Mapping[str, Profile], findings: Findings
) -> None:
    """Decisions.md 11: parallel tasks with the same number of executors."""
    counts: set[int] = set()
    for index, sub in enumerate(profile.profile_ids):
        task = profiles[sub]
        pointer = json_pointer(("profiles", profile.name, "seq", index))
        mergeable = ParallelTaskProfile | ParallelTaskHomogeneousProfile | ParallelTaskMergeCompositionProfile
        if not isinstance(task, mergeable):
            message = f"profile {profile.name!r}: {task.name!r} is not a parallel task, it cannot be merged"
            findings.add(message, code="merge", pointer=pointer)
            continue
        count = executors(task, profiles)
        if count is not None and counts and count not in counts:
            message = (
                f"profile {profile.name!r}: {task.name!r} has {count} executors, those before have {counts.pop()}"
            )
            findings.add(message, code="merge", pointer=pointer)
        if count is not None:
            counts = {count}


def used_profiles(
    profiles: Mapping[str, Profile], jobs: Iterable[Job], also: Iterable[str] = ()
) -> dict[str, Profile]:
    """The profiles that a job refers to (and ``also``), directly or through others, in the order of ``profiles``."""
    waiting = {job.profile.id for job in jobs}.union(also)
    used: set[str] = set()
    while waiting:
        profile_id = waiting.pop()
        if profile_id not in used and profile_id in profiles:
            used.add(profile_id)
            waiting.update(sub for sub, _ in _references(profiles[profile_id]))
    return {key: profile for key, profile in profiles.items() if key in used}
