"""Named profiles of several workloads in one: those of equal names are told apart."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from windtunnel.model import Profile, ReceiveProfile
from windtunnel.model.profiles import CompositionProfile

__all__ = ["told_apart"]


def told_apart(workload: str, merged: Sequence[Mapping[str, Profile]]) -> list[dict[str, Profile]]:
    """The profiles of each as those of one workload, by the ids that they had.

    Where another profile has its name already, all names of a workload get its rank before them.
    """
    taken: dict[str, Profile] = {}
    found: list[dict[str, Profile]] = []
    for rank, profiles in enumerate(merged):
        mark = ""
        own = _named(workload, mark, profiles)
        while any(taken.get(one.id, one) != one for one in own.values()):
            mark += f"{rank}:"  # more than once where names begin so by themselves
            own = _named(workload, mark, profiles)
        taken |= {one.id: one for one in own.values()}
        found.append(own)
    return found


def _named(workload: str, mark: str, profiles: Mapping[str, Profile]) -> dict[str, Profile]:
    """The profiles with ids of the workload, names that begin with the mark, and references by these."""
    ids = {old: f"{workload}!{mark}{profile.name}" for old, profile in profiles.items()}
    if all(old == new for old, new in ids.items()):
        return dict(profiles)
    return {old: _renamed(profile, ids[old], ids) for old, profile in profiles.items()}


def _renamed(profile: Profile, new: str, ids: Mapping[str, str]) -> Profile:
    """The profile under a new id; so do its references, and the object that it was read from, if there is one."""
    if isinstance(profile, CompositionProfile):
        parts = tuple(ids.get(one, one) for one in profile.profile_ids)
        source = _said(profile, {"seq": [_name(one) for one in parts]})
        return replace(profile, id=new, profile_ids=parts, source=source)
    if isinstance(profile, ReceiveProfile):
        then = {key: getattr(profile, key) for key in ("success", "failure", "timeout") if getattr(profile, key)}
        then = {key: ids.get(one, one) for key, one in then.items()}
        source = _said(profile, {key: _name(one) for key, one in then.items()})
        return replace(profile, id=new, **then, source=source)
    return replace(profile, id=new)


def _said(profile: Profile, members: dict[str, Any]) -> dict[str, Any] | None:
    return None if profile.source is None else {**profile.source, **members}


def _name(profile_id: str) -> str:
    return profile_id.rpartition("!")[2]
