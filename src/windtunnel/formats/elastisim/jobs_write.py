"""Writing ElastiSim's jobs, and beside them a folder with the models of their applications."""

from collections.abc import Iterator
from math import ceil, inf
from pathlib import Path
from typing import Any

import msgspec

from windtunnel.diagnostics import UsageError, counted, replacing
from windtunnel.entities.batsim_jobs import without_unknown_members
from windtunnel.formats.elastisim.application_write import application_object
from windtunnel.formats.elastisim.profiles_write import LASTS, application_of
from windtunnel.model import DelayProfile, Job, Workload
from windtunnel.model.abilities import start_date_of
from windtunnel.model.application import Application, Elasticity, ElasticProfile

__all__ = ["write_jobs"]


def write_jobs(workload: Workload, path: str | Path) -> list[str]:
    """Write the jobs, and each application once in the folder ``<name>.models`` beside; answers what was lost.

    Raises:
        UsageError: what a job does has no form there, or nothing can be written there.
    """
    path = Path(path).absolute()
    models = _Models(path.with_name(f"{path.stem}.models"), workload)
    jobs = list(workload)
    rows = [models.row(job) for job in jobs]  # made before anything is written
    models.write()
    lines = b",\n".join(b"  " + msgspec.json.encode(row) for row in rows)
    with replacing(path) as beside:
        beside.write_bytes(b'{"jobs": [\n' + lines + b"\n]}\n")
    return list(_lost(workload, jobs))


class _Models:
    """Files of applications, each content once."""

    def __init__(self, folder: Path, workload: Workload) -> None:
        self.folder = folder
        self.profiles = workload.profiles
        self.contents: dict[bytes, str] = {}
        self.known: dict[tuple[int, bool], tuple[Application, str]] = {}

    def row(self, job: Job) -> dict[str, Any]:
        """The object of a job."""
        profile = job.profile
        arguments: dict[str, str] = {}
        row: dict[str, Any] = {"type": "rigid", "submit_time": job.submission_time, "num_nodes": job.request.hosts}
        if isinstance(profile, ElasticProfile):
            application, arguments = profile.application, dict(profile.arguments)
            row = {"type": profile.elasticity.name.lower(), "submit_time": job.submission_time, **_sizes(profile)}
            if profile.attributes:
                row["attributes"] = dict(profile.attributes)
        elif isinstance(profile, DelayProfile):
            application, arguments = LASTS, {"seconds": repr(float(profile.delay))}
        else:
            application = application_of(profile, self.profiles)
        if job.request.hosts < 1:
            raise UsageError(f"job {job.id!r} asks for no hosts, and ElastiSim's jobs have at least one")
        if job.walltime < inf:
            row["walltime"] = max(1, ceil(job.walltime))
        if arguments:
            row["arguments"] = arguments
        row["application_model"] = self._named(application, rigid=row["type"] == "rigid")
        return row

    def _named(self, application: Application, *, rigid: bool) -> str:
        known = self.known.get((id(application), rigid))
        if known is None:
            content = msgspec.json.format(msgspec.json.encode(application_object(application, rigid=rigid)), indent=2)
            name = self.contents.setdefault(content, f"{self.folder.name}/{len(self.contents)}.json")
            known = self.known[id(application), rigid] = application, name  # kept, so that its number stays its own
        return known[1]

    def write(self) -> None:
        """All of them."""
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as fault:
            raise UsageError(f"{self.folder} cannot be made: {fault.strerror}") from fault
        for content, name in self.contents.items():
            with replacing(self.folder / Path(name).name) as beside:
                beside.write_bytes(content + b"\n")


def _sizes(profile: ElasticProfile) -> dict[str, int]:
    if profile.elasticity is Elasticity.RIGID:
        return {"num_nodes": profile.least, "num_gpus_per_node": profile.gpus_least}
    return {
        "num_nodes_min": profile.least,
        "num_nodes_max": profile.most,
        "num_gpus_per_node_min": profile.gpus_least,
        "num_gpus_per_node_max": profile.gpus_most,
    }


def _lost(workload: Workload, jobs: list[Job]) -> Iterator[str]:
    counts = {
        "ElastiSim numbers jobs from 0 on, their names are left out": sum(
            job.name != str(rank) for rank, job in enumerate(jobs)
        ),
        "walltimes are rounded up to whole seconds": sum(
            job.walltime < inf and job.walltime != ceil(job.walltime) for job in jobs
        ),
        "ElastiSim has no dependencies, they are left out": sum(bool(job.dependencies) for job in jobs),
        "users, groups and queues are left out": sum(bool(job.user or job.group or job.queue) for job in jobs),
        "return codes are left out": sum(bool(job.profile.return_code) for job in jobs),
        "extra data are left out": sum(job.extra_data is not None for job in jobs),
        "amounts of parts of hosts are left out, ElastiSim's jobs have whole ones": sum(
            bool(job.request.amounts) for job in jobs
        ),
    }
    yield from (f"{counted(count, 'job')}: {text}" for text, count in counts.items() if count)
    yield from without_unknown_members(jobs)
    if start_date_of(workload) is not None:
        yield "the calendar date of the start is left out"
