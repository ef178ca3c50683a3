"""Writing Batsim workload files of either generation."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from windtunnel.diagnostics import counted, replacing
from windtunnel.entities.batsim_ids import Generation
from windtunnel.entities.batsim_jobs import job_to_json, unknown_members
from windtunnel.entities.batsim_profiles import profile_to_json
from windtunnel.model import DelayProfile, Job, ParallelTaskHomogeneousProfile, Profile, TraceReplayProfile, Workload
from windtunnel.model.abilities import start_date_of, unused_profiles

__all__ = ["write_batsim", "write_batsim4", "write_batsim5"]


def write_batsim(workload: Workload, path: str | Path, *, generation: Generation = 5) -> list[str]:
    """Write a workload, one job or profile a line; answers what the format could not keep, in words.

    Raises:
        UsageError: a profile has no form in that generation, or nothing can be written there.
    """
    path = Path(path).absolute()
    jobs = list(workload)
    profiles = {profile.name: profile for profile in workload.profiles.values()}
    for profile in unused_profiles(workload).values():  # registered jobs may use them
        profiles.setdefault(profile.name, profile)
    names = [_name(job, profiles) for job in jobs]
    lost: list[str] = []
    folder = Path(workload.path).parent if workload.path else path.parent
    made = {
        name: _object(profile, generation, lost, folder, path.parent)  # made before the file is opened
        for name, profile in profiles.items()
    }
    hosts = workload.hosts or max((job.request.hosts for job in jobs), default=0) or 1
    with replacing(path) as beside, beside.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f'{{"nb_res": {hosts},\n "jobs": [\n')
        named = (
            job_to_json(job, generation, full=False) | {"profile": name} | unknown_members(job)
            for job, name in zip(jobs, names, strict=True)
        )
        file.writelines(_joined(map(_text, named)))
        file.write('],\n "profiles": {\n')
        file.writelines(_joined(f"{_text(name)}: {_text(value)}" for name, value in made.items()))
        file.write("}}\n")
    if waiting := sum(bool(job.dependencies) for job in jobs):
        lost.append(f"{counted(waiting, 'job')}: Batsim has no dependencies, they are left out")
    if moved := _moved(jobs):
        order = "in another order: Batsim takes those of one submission time by their ids"
        lost.append(f"{counted(moved, 'job')} {order}")
    if start_date_of(workload) is not None:
        lost.append("the calendar date of the start is left out")
    return lost


def write_batsim4(workload: Workload, path: str | Path) -> list[str]:
    """Write for Batsim 4 (and 3); see :func:`write_batsim`."""
    return write_batsim(workload, path, generation=4)


def write_batsim5(workload: Workload, path: str | Path) -> list[str]:
    """Write for Batsim 5; see :func:`write_batsim`."""
    return write_batsim(workload, path, generation=5)


def _moved(jobs: Sequence[Job]) -> int:
    """How many jobs have another place where they are read: ids are texts there, and 10 comes before 2."""
    read = sorted(jobs, key=lambda job: (job.submission_time, job.id))
    return sum(job.id != other.id for job, other in zip(jobs, read, strict=True))


def _name(job: Job, profiles: dict[str, Profile]) -> str:
    """The name of a job's profile, which is added; one without, or of another's name, gets its job's."""
    name = job.profile.name or f"of {job.name}"
    known = profiles.setdefault(name, job.profile)
    if known == job.profile or replace(known, id=job.profile.id) == job.profile:
        return name
    own = f"{job.profile.name} of {job.name}"
    profiles[own] = job.profile
    return own


def _object(profile: Profile, generation: Generation, lost: list[str], folder: Path, target: Path) -> dict[str, Any]:
    """The JSON object of a profile, fit for a file in the folder ``target``."""
    if isinstance(profile, DelayProfile) and not profile.delay:
        # Batsim refuses a delay of 0; a parallel task without any work ends at once.
        nothing = ParallelTaskHomogeneousProfile(id=profile.id, return_code=profile.return_code)
        return profile_to_json(nothing, generation, lost)
    made = profile_to_json(profile, generation, lost)
    if isinstance(profile, TraceReplayProfile) and folder != target:
        key = "filename" if generation == 5 else "trace"
        made = {**made, key: os.path.relpath(folder / profile.filename, target)}
    return made


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _joined(items: Iterator[str]) -> Iterator[str]:
    """The items as lines with commas between them."""
    before = ""
    for item in items:
        yield f"{before}  {item}"
        before = ",\n"
