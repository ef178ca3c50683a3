"""A Batsim job as JSON, of either generation, both directions."""

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, Final

from windtunnel.diagnostics import Findings, counted, did_you_mean
from windtunnel.entities.batsim_ids import Generation, full_id, of_another
from windtunnel.entities.batsim_profiles_v4 import plain
from windtunnel.entities.batsim_profiles_v5 import extra_data_text
from windtunnel.entities.json_members import LARGEST, Members, kind_of
from windtunnel.entities.unheard import names
from windtunnel.model import Job, Profile, Request

__all__ = ["job_from_json", "job_to_json", "unknown_members", "without_unknown_members"]


def job_from_json(
    value: Any,
    generation: Generation,
    *,
    workload: str,
    findings: Findings,
    profiles: Mapping[str, Profile] | None = None,
    now: float | None = None,
    pointer: str = "",
) -> Job | None:
    """The job that a JSON object describes; its ``source`` is that object.

    ``profiles`` (by full id) must hold the job's profile; without it, the job's profile is a bare
    :class:`~windtunnel.model.Profile` that has only the id. So is one of another workload, which Batsim 5's jobs may
    have. ``now`` is the submission time of a job that has none
    (decisions.md 5); without it ``subtime`` is required.

    Faults are noted in ``findings``, with pointers that start with ``pointer``; None when the object is at fault.
    """
    if profiles is not None and (job := _plain_job(value, generation, workload, profiles)) is not None:
        return job
    if not isinstance(value, dict):
        findings.add(f"a job is {kind_of(value)}, an object is expected", code="type", pointer=pointer)
        return None
    members = Members(value, findings, pointer, f"job {value.get('id', '?')!s}")
    _KNOWN[generation].tell(value, findings, pointer=pointer)
    before = len(findings)
    job_id = _id(members, workload)
    wanted = members.number("subtime") if now is None else members.number("subtime", now)
    hosts = members.integer("res", least=0)
    profile = _profile(members, workload, profiles, generation)
    walltime = _walltime(members, generation)
    _check_mapping(members, generation, hosts)
    extra = _extra_data(members, generation)
    amounts = _amounts(members)
    if len(findings) != before or profile is None:
        return None
    if wanted < 0 and now is None:  # as both Batsims do
        message = "'subtime' of a job is below 0: it is submitted at 0"
        findings.tally(message, code="repaired", pointer=f"{pointer}/subtime")
    return Job(
        id=job_id,
        request=Request(hosts, amounts=amounts),
        profile=profile,
        submission_time=max(wanted, 0.0),
        walltime=walltime,
        user=_label(value, "user"),
        group=_label(value, "group"),
        queue=_label(value, "queue"),
        extra_data=extra,
        source=value,
    )


_HEARD: Final = "id subtime res profile walltime user group queue amounts_per_host extra_data"
_KNOWN: Final = {
    4: names("a job", f"{_HEARD} smpi_ranks_to_hosts_mapping", handed_on=True),
    5: names("a job", _HEARD),
}
"""Batsim 4 hands all members on to schedulers, whatever they are called."""
_SHORTEST: Final = 1e-6
"""The shortest walltime (s) that Batsim 4's six decimals can tell from none."""

_PLAIN_MEMBERS: Final = frozenset({"id", "subtime", "res", "profile", "walltime"})
_NUMBERS: Final = frozenset({int, float})


def _plain_job(value: Any, generation: Generation, workload: str, profiles: Mapping[str, Profile]) -> Job | None:
    """The job of a faultless object with the ordinary members only, at a third of the cost; else None."""
    try:
        if not value.keys() <= _PLAIN_MEMBERS:
            return None
        name, submitted, hosts = value["id"], value["subtime"], value["res"]
        profile = profiles[f"{workload}!{value['profile']}"]
        walltime = value.get("walltime", inf)
    except (AttributeError, KeyError, TypeError):
        return None
    if type(name) is not int and (type(name) is not str or not name or "!" in name):
        return None
    if type(hosts) is not int or type(submitted) not in _NUMBERS or type(walltime) not in _NUMBERS:
        return None
    if walltime == -1 and generation == 4:
        walltime = inf
    if not (0 <= submitted < inf and 0 <= hosts < 1 << 63 and walltime > 0):
        return None
    if walltime == inf and value.get("walltime", -1) != -1:
        return None
    return Job(
        id=f"{workload}!{name}",
        request=Request(hosts),
        profile=profile,
        submission_time=float(submitted),
        walltime=float(walltime),
        source=value,
    )


def _id(members: Members, workload: str) -> str:
    value = members.members.get("id")
    if "id" not in members.members:
        members.fault("'id' is missing, a string or an integer is expected", code="missing")
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        members.fault(f"'id' is {kind_of(value)}, a string or an integer is expected", "id", code="type")
        return ""
    try:
        return full_id(str(value), workload)
    except ValueError as error:
        members.fault(f"'id' is {str(value)!r}: {error}", "id", code="id")
        return ""


def _profile(
    members: Members, workload: str, profiles: Mapping[str, Profile] | None, generation: Generation
) -> Profile | None:
    name = members.members.get("profile")
    if not isinstance(name, str):
        members.text("profile")
        return None
    if generation == 5 and of_another(name, workload):
        return Profile(id=name)
    try:
        profile_id = full_id(name, workload)
    except ValueError as error:
        members.fault(f"'profile' is {name!r}: {error}", "profile", code="id")
        return None
    if profiles is None:
        return Profile(id=profile_id)
    profile = profiles.get(profile_id)
    if profile is None:
        known = [known.partition("!")[2] for known in profiles]
        members.fault(
            f"the profile {name!r} does not exist", "profile", code="reference", hint=did_you_mean(name, known)
        )
    return profile


def _walltime(members: Members, generation: Generation) -> float:
    if "walltime" not in members.members:
        return inf
    value = members.members["walltime"]
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        if value <= LARGEST:
            return float(value)
        members.fault("'walltime' is too large a number", "walltime")
        return inf
    if generation == 4:
        if value == -1 and not isinstance(value, bool):
            return inf
        wanted, hint = "a number > 0, or -1 for none,", ""
    else:
        wanted, hint = "a number > 0", "for no walltime, leave it out"
    shown = value if isinstance(value, int | float) and not isinstance(value, bool) else kind_of(value)
    members.fault(f"'walltime' is {shown}, {wanted} is expected", "walltime", hint=hint)
    return inf


def _check_mapping(members: Members, generation: Generation, hosts: int) -> None:
    """``smpi_ranks_to_hosts_mapping`` (Batsim 4) stays in ``source``, for whoever runs the job."""
    key = "smpi_ranks_to_hosts_mapping"
    if generation != 4 or key not in members.members:
        return
    for index, rank in enumerate(members.array(key, f"an array of integers in 0..{hosts - 1}")):
        if isinstance(rank, bool) or not isinstance(rank, int):
            members.element_fault(key, index, f"is {kind_of(rank)}, an integer is expected", "type")
        elif not 0 <= rank < hosts:
            members.element_fault(key, index, f"is {rank}, but the job has {hosts} hosts")


def _amounts(members: Members) -> tuple[tuple[str, float], ...]:
    """``amounts_per_host``, which is ours: what the job takes of each host when it does not take whole ones."""
    value = members.members.get("amounts_per_host", {})
    if not isinstance(value, dict):
        members.fault(
            f"'amounts_per_host' is {kind_of(value)}, an object is expected", "amounts_per_host", code="type"
        )
        return ()
    for name, amount in value.items():
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount <= LARGEST:
            message = f"'amounts_per_host': {name!r} is {amount!r:.60}, a number >= 0 is expected"
            members.fault(message, "amounts_per_host")
            return ()
    return tuple((name, float(amount)) for name, amount in value.items())


def _extra_data(members: Members, generation: Generation) -> str | None:
    if generation == 4 and not isinstance(members.members.get("extra_data"), str | dict | list):
        return None  # any other unknown member is forwarded as it is, and this is one for Batsim 4
    return extra_data_text(members)


def _label(value: dict[str, Any], key: str) -> str:
    """A text or number that tells whose job it is; Batsim itself does not know these members."""
    label = value.get(key, "")
    return str(label) if isinstance(label, str | int) and not isinstance(label, bool) else ""


def unknown_members(job: Job) -> dict[str, Any]:
    """What the object that a job was read from says in members that no Batsim knows; schedulers may."""
    source = job.source
    if source is None or source.keys() <= _PLAIN_MEMBERS:
        return {}
    return {name: value for name, value in source.items() if name not in _KNOWN[4].heard}


def without_unknown_members(jobs: Iterable[Job]) -> list[str]:
    """What a format that has no such members says that it has lost, if there are any."""
    count = sum(bool(unknown_members(job)) for job in jobs)
    return [f"{counted(count, 'job')}: members that Batsim does not know are left out"] if count else []


def job_to_json(job: Job, generation: Generation, *, full: bool = True) -> dict[str, Any]:
    """The JSON object of a job; its ``id`` in full, or without its workload.

    For Batsim 4 it is the object the job was read from, where there is one, with ``id`` rewritten in its place.
    """
    job_id = job.id if full else job.name
    if generation == 4 and job.source is not None:
        same = {**job.source, "id": job_id} if "id" in job.source else {"id": job_id, **job.source}
        return same if job.walltime >= _SHORTEST else same | {"walltime": _SHORTEST}
    made: dict[str, Any] = {
        "id": job_id,
        "subtime": plain(job.submission_time),
        "res": job.request.hosts,
        "profile": job.profile.name,
    }
    if job.walltime < inf:
        made["walltime"] = plain(max(job.walltime, _SHORTEST) if generation == 4 else job.walltime)
    elif generation == 4:
        made["walltime"] = -1
    if job.request.amounts:
        made["amounts_per_host"] = {name: plain(amount) for name, amount in job.request.amounts}
    for key in ("user", "group", "queue"):
        if label := getattr(job, key):
            made[key] = label
    if job.extra_data is not None:
        made["extra_data"] = job.extra_data
    return made
