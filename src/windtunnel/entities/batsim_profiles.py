"""A Batsim profile as JSON, of either generation, both directions."""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from windtunnel.diagnostics import Findings, Severity, UsageError, did_you_mean
from windtunnel.entities import batsim_profiles_v4, batsim_profiles_v5
from windtunnel.entities.batsim_ids import Generation
from windtunnel.entities.json_members import Members, kind_of
from windtunnel.entities.unheard import Names
from windtunnel.model import Profile

__all__ = ["generation_of_type", "profile_from_json", "profile_to_json"]

_READERS: Final = {4: batsim_profiles_v4.READERS, 5: batsim_profiles_v5.READERS}
_WRITERS: Final = {4: batsim_profiles_v4.WRITERS, 5: batsim_profiles_v5.WRITERS}

_HEARD: Final = frozenset({"type", "msg", "com", "extra_data", "storage", "host"})
"""Members that readers look at before they ask for them."""
_NOTED: Final = frozenset({"command", "comment", "description", "np", "runtime"})
"""Members that generators of workloads write beside what Batsim knows."""
_RENAMED: Final = {
    "msg_par": "parallel",
    "msg_par_hg": "parallel_homogeneous",
    "msg_par_hg_tot": "parallel_homogeneous_total",
    "msg_par_hg_pfs": "parallel_homogeneous_pfs",
}
"""Names of Batsim 1 and 2 -> those since Batsim 3; read as those."""
_NAMES_NOW: Final = _RENAMED | {
    "ptask": "ParallelTaskProfile",
    "ptask_homogeneous": "ParallelTaskHomogeneousProfile",
    "ptask_on_storage_homogeneous": "ParallelTaskOnStorageHomogeneousProfile",
    "ptask_data_staging_between_storages": "ParallelTaskDataStagingBetweenStoragesProfile",
    "sequential_composition": "SequentialCompositionProfile",
    "forkjoin_composition": "ForkJoinCompositionProfile",
    "trace_replay": "TraceReplayProfile",
}
"""The same, and names that Batsim 5 had before its release, which it refuses itself."""


def generation_of_type(kind: object) -> Generation | None:
    """The generation whose profiles are, or were, called so; None when neither's are."""
    if isinstance(kind, str):
        kind = _NAMES_NOW.get(kind, kind)
        if kind in _READERS[5]:
            return 5
        if kind in _READERS[4]:
            return 4
    return None


def profile_from_json(
    name: str,
    value: Any,
    generation: Generation,
    *,
    workload: str,
    findings: Findings,
    pointer: str = "",
) -> Profile | None:
    """The profile that a JSON object describes; its id is ``workload!name``.

    Faults are noted in ``findings``, with pointers that start with ``pointer``; None when the object is so wrong that
    no profile can be made of it. Sub-profiles are not looked up, files of traces are not read.
    """
    what = f"profile {name!r}"
    if not isinstance(value, dict):
        findings.add(f"{what} is {kind_of(value)}, an object is expected", code="type", pointer=pointer)
        return None
    members = Members(value, findings, pointer, what)
    kind = members.text("type")
    if not members.faultless:
        return None
    today = _RENAMED.get(kind, kind)
    reader = _READERS[generation].get(today)
    if reader is None:
        members.fault(f"unknown type {kind!r}", "type", code="profile-type", hint=_hint(kind, generation))
        return None
    if today != kind:
        _tell_renamed(f"the type {kind!r} of a profile is called {today!r} now", findings, pointer, "type")
        value = value | {"type": today}
    if today == "composed" and "nb" in value and "repeat" not in value:
        _tell_renamed("'nb' of a profile is called 'repeat' now", findings, pointer, "nb")
        value = {"repeat" if key == "nb" else key: given for key, given in value.items()}
    members = Members(value, findings, pointer, what)
    profile = reader(members, workload)
    heard = members.asked | _HEARD
    unheard = value.keys() - heard
    if unheard:
        known = Names("a profile", frozenset(heard), noted=_NOTED, handed_on=generation == 4)
        known.tell(sorted(unheard), findings, pointer=pointer)
    return replace(profile, id=f"{workload}!{name}", source=value if generation == 4 else None)


def _tell_renamed(what: str, findings: Findings, pointer: str, key: str) -> None:
    """Note that a name of an earlier version was read as that of today."""
    findings.tally(f"{what}: read as that", code="renamed", pointer=f"{pointer}/{key}", severity=Severity.NOTE)


def _hint(kind: str, generation: Generation) -> str:
    now = _NAMES_NOW.get(kind)
    if now in _READERS[generation]:
        return f"it is called {now!r} now"
    other = generation_of_type(now or kind)
    if other is not None and other != generation:
        return f"this is a profile of Batsim {other}, the file is read as one of Batsim {generation}"
    return did_you_mean(kind, _READERS[generation])


def profile_to_json(profile: Profile, generation: Generation, lost: list[str] | None = None) -> dict[str, Any]:
    """The JSON object of a profile, as a workload file of that generation has it.

    For Batsim 4 it is the object the profile was read from, where there is one. What the generation cannot express
    exactly is said in ``lost``.

    Raises:
        UsageError: the generation has no such kind of profile.
    """
    if generation == 4 and profile.source is not None:
        return profile.source
    writer = _WRITERS[generation].get(type(profile))
    if writer is None:
        raise UsageError(f"Batsim {generation} has no form for a {type(profile).__name__} ({profile.id})")
    said: list[str] = []
    made = writer(profile, said)
    if profile.return_code:
        made["ret"] = profile.return_code
    if profile.extra_data is not None:
        made["extra_data"] = _extra_data(profile.extra_data)
    if lost is not None:
        lost += [f"profile {profile.name!r}: {text}" for text in said]
    return made


def _extra_data(text: str) -> Any:
    """The text, or the object or array it is the compact JSON of."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    compact = isinstance(value, dict | list) and msgspec.json.encode(value).decode() == text
    return value if compact else text
