"""Jobs of one workload that run profiles of another, as Batsim 5's may: looked up when all of them are there."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from windtunnel.diagnostics import Findings, did_you_mean
from windtunnel.diagnostics.json_positions import locate
from windtunnel.formats.batsim.workload import BatsimWorkload
from windtunnel.formats.files import read_bytes
from windtunnel.model import Profile, Workload
from windtunnel.model.abilities import unused_profiles
from windtunnel.model.profiles import executors

__all__ = ["settled"]


def settled(workloads: Sequence[Workload]) -> list[Workload]:
    """The workloads, their jobs with the profiles that they name; what was taken as given is not changed.

    Raises:
        InputError: a job names a profile that no workload has, or is not of its size.
    """
    known = {one.name: {**one.profiles, **unused_profiles(one)} for one in workloads}
    wanted: set[str] = set()
    made = [_settled(one, known, wanted) if isinstance(one, BatsimWorkload) else one for one in workloads]
    return [one.using(wanted) if isinstance(one, BatsimWorkload) else one for one in made]


def _settled(
    workload: BatsimWorkload, known: Mapping[str, Mapping[str, Profile]], wanted: set[str]
) -> BatsimWorkload:
    if not workload.elsewhere:
        return workload
    findings = Findings(workload.path)
    jobs = list(workload)
    for rank, job in enumerate(jobs):
        pointer = workload.elsewhere.get(job.id)
        if pointer is None:
            continue
        name = job.profile.id
        there = known.get(name.partition("!")[0])
        profile = None if there is None else there.get(name)
        if there is None:
            workload_names = ", ".join(known)
            message = f"job {job.name!r}: there is no workload of the profile {name!r} (there are {workload_names})"
            findings.add(message, code="reference", pointer=pointer)
        elif profile is None:
            hint = did_you_mean(name, there)
            findings.add(
                f"job {job.name!r}: the profile {name!r} does not exist", code="reference", pointer=pointer, hint=hint
            )
        elif (size := executors(profile, there)) not in (None, job.request.hosts):
            message = f"job {job.name!r} requests {job.request.hosts} hosts, but its profile {name!r} is for {size}"
            findings.add(message, code="size", pointer=pointer)
        else:
            jobs[rank] = msgspec.structs.replace(job, profile=profile)
            wanted.add(name)
    if findings.has_errors:
        _raise(workload.path, findings)
    return workload.settled(jobs)


def _raise(path: str, findings: Findings) -> None:
    """With line and column, which are looked for only now."""
    located = Findings(path)
    data = read_bytes(Path(path), located)
    located.extend(locate(data.decode("utf-8", "replace"), msgspec.json.decode(data), findings))
    located.raise_if_errors()
