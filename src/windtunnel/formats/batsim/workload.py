"""Batsim workload files (JSON) of generations 3, 4 and 5: reading.

Sources: Batsim's own behaviour (tags v3.1.0, v4.2.1, v5.0.0-rc2). What is sane here and odd there: only a ``!`` makes
an id a full one; a cycle of sequences is refused; ``recv`` keeps the profiles it names alive.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Final, Self

from msgspec.structs import replace

from windtunnel.diagnostics import Finding, Findings, Severity
from windtunnel.diagnostics.json_positions import json_pointer, locate
from windtunnel.entities.batsim_ids import Generation, full_id
from windtunnel.entities.batsim_jobs import job_from_json
from windtunnel.entities.batsim_profiles import generation_of_type, profile_from_json
from windtunnel.entities.json_members import kind_of
from windtunnel.entities.trace_files import load_traces
from windtunnel.formats.batsim.document import WorkloadDocument
from windtunnel.formats.batsim.references import check_references, used_profiles
from windtunnel.formats.files import read_bytes
from windtunnel.formats.other_programs import what_it_is
from windtunnel.formats.repeated_members import tell_repeated
from windtunnel.model import Job, JobList, Profile, TraceReplayProfile
from windtunnel.model.profiles import executors

__all__ = ["BatsimWorkload", "read_batsim", "read_batsim4", "read_batsim5"]

ELSEWHERE: Final = "elsewhere"
"""The code of the warning that a profile is one of another workload; gone when it is found there."""


class BatsimWorkload(JobList):
    """The jobs of a Batsim file. ``profiles`` holds those that jobs use; Batsim 4 and 5 drop the ``unused`` ones."""

    def __init__(
        self,
        name: str,
        jobs: Sequence[Job],
        profiles: Mapping[str, Profile],
        *,
        hosts: int,
        path: str,
        generation: Generation,
        warnings: Sequence[Finding] = (),
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        used = used_profiles(profiles, jobs)
        super().__init__(name, jobs, used, hosts=hosts, path=path)
        self.generation = generation
        self.unused = {key: profile for key, profile in profiles.items() if key not in used}
        """Profiles that no job refers to, by full id."""
        self.warnings = tuple(warnings)
        self.elsewhere: Mapping[str, str] = elsewhere or {}
        """Jobs whose profile is one of another workload, by id: where it is named (a JSON pointer)."""

    def settled(self, jobs: Sequence[Job]) -> Self:
        """The same with other jobs in their places, whose profiles are known."""
        made = copy(self)
        made._jobs = list(jobs)
        made.warnings = tuple(finding for finding in self.warnings if finding.code != ELSEWHERE)
        return made

    def using(self, profile_ids: Collection[str]) -> Self:
        """The same, whose profiles are used by jobs of other workloads, too."""
        if not any(name in self.unused for name in profile_ids):
            return self
        every = {**self.profiles, **self.unused}
        used = used_profiles(every, self, profile_ids)
        made = copy(self)
        made.profiles = used
        made.unused = {key: profile for key, profile in every.items() if key not in used}
        return made


def read_batsim(path: str | Path, name: str = "w0", *, generation: Generation | None = None) -> BatsimWorkload:
    """Read a Batsim workload, plain or gzipped.

    Args:
        path: the file; the files of traces are found relative to it.
        name: the part of the job ids before ``!``.
        generation: 4 (also for 3) or 5; by default told by the kinds of the profiles.

    Raises:
        InputError: the file cannot be read, or is at fault; all faults are named, with line and column.
    """
    path = Path(path).absolute()
    findings = Findings(str(path))
    data = read_bytes(path, findings)
    document = WorkloadDocument(data, findings)
    workload = None
    if document.valid and not document.members and (hint := what_it_is(document.read)):
        not_one = Findings(str(path))
        not_one.add("this is not a workload of Batsim", code="missing", hint=hint)
        not_one.raise_all()
    if document.valid:
        tell_repeated(data, document.read, findings, besides="/profiles")
    if not findings.has_errors:
        workload = _Reader(document, name, path, findings, generation).read()
    if len(findings):
        text = data.decode("utf-8", "replace")
        located = Findings(str(path))
        located.extend(locate(text, document.whole(), findings) if document.valid else findings)
        located.raise_if_errors()
        assert workload is not None
        workload.warnings = tuple(located)
    assert workload is not None
    return workload


def read_batsim4(path: str | Path, name: str = "w0") -> BatsimWorkload:
    """Read a workload of Batsim 3 or 4; see :func:`read_batsim`."""
    return read_batsim(path, name, generation=4)


def read_batsim5(path: str | Path, name: str = "w0") -> BatsimWorkload:
    """Read a workload of Batsim 5; see :func:`read_batsim`."""
    return read_batsim(path, name, generation=5)


class _Reader:
    def __init__(
        self, document: WorkloadDocument, name: str, path: Path, findings: Findings, generation: Generation | None
    ) -> None:
        self._members = document.members
        self._repeated = document.repeated
        self._name = name
        self._path = path
        self._findings = findings
        self._generation: Generation = next(self._generations(), 4) if generation is None else generation
        self._elsewhere: dict[str, str] = {}

    def _generations(self) -> Iterator[Generation]:
        """The generations that the kinds of the profiles belong to, one after the other."""
        profiles = self._members.get("profiles")
        for profile in profiles.values() if isinstance(profiles, dict) else ():
            if isinstance(profile, dict) and (found := generation_of_type(profile.get("type"))) is not None:
                yield found

    def _of_another_generation(self) -> bool:
        """Whether no profile is of the generation asked for, while some are of the other: one fault, not hundreds."""
        others = set(self._generations()) - {self._generation}
        if not others or self._generation in self._generations():
            return False
        message = f"this is a workload of Batsim {others.pop()}, the file is read as one of Batsim {self._generation}"
        from shlex import quote

        hint = f"windtunnel convert {quote(self._path.name)} NEW.json --to batsim{self._generation}"
        self._findings.add(message, code="generation", pointer="/profiles", hint=hint)
        return True

    def read(self) -> BatsimWorkload | None:
        if self._of_another_generation():
            return None
        hosts = self._hosts()
        profiles = self._profiles()
        jobs = self._jobs(profiles)
        if self._findings.has_errors:
            return None
        return BatsimWorkload(
            self._name,
            jobs,
            profiles,
            hosts=hosts,
            path=str(self._path),
            generation=self._generation,
            elsewhere=self._elsewhere,
        )

    def _hosts(self) -> int:
        value = self._members.get("nb_res")
        if "nb_res" not in self._members:
            self._findings.add("'nb_res' is missing, an integer > 0 is expected", code="missing")
        elif isinstance(value, bool) or not isinstance(value, int):
            message = f"'nb_res' is {kind_of(value)}, an integer > 0 is expected"
            self._findings.add(message, code="type", pointer="/nb_res")
        elif value <= 0:
            self._findings.add(f"'nb_res' is {value}, an integer > 0 is expected", code="value", pointer="/nb_res")
        else:
            return value
        return 0

    def _container(self, key: str, kind: type, wanted: str) -> Any:
        value = self._members.get(key)
        if key not in self._members:
            self._findings.add(f"{key!r} is missing, {wanted} is expected", code="missing")
        elif not isinstance(value, kind):
            message = f"{key!r} is {kind_of(value)}, {wanted} is expected"
            self._findings.add(message, code="type", pointer="/" + key)
        else:
            return value
        return kind()

    def _profiles(self) -> dict[str, Profile]:
        found: dict[str, Profile] = {}
        for name in self._repeated:
            pointer = json_pointer(("profiles", name))
            self._findings.add(f"profile {name!r} is given more than once", code="duplicate", pointer=pointer)
        broken = set()
        for key, value in self._container("profiles", dict, "an object").items():
            pointer = json_pointer(("profiles", key))
            try:
                profile_id = full_id(key, self._name)
            except ValueError as error:
                self._findings.add(f"the name {key!r} of a profile: {error}", code="id", pointer=pointer)
                continue
            profile = profile_from_json(
                profile_id.partition("!")[2],
                value,
                self._generation,
                workload=self._name,
                findings=self._findings,
                pointer=pointer,
            )
            if profile is None:
                broken.add(profile_id)
                profile = Profile(id=profile_id)
            elif isinstance(profile, TraceReplayProfile) and profile.filename:
                main = self._path.parent / profile.filename
                what = f"profile {profile.name!r}: "
                traces = load_traces(main, profile.trace_type, self._findings, pointer, what)
                profile = replace(profile, traces=traces)
            found[profile_id] = profile
        check_references(found, self._findings)
        return found

    def _jobs(self, profiles: Mapping[str, Profile]) -> list[Job]:
        jobs: list[Job] = []
        findings = self._findings
        seen: set[str] = set()
        for index, value in enumerate(self._container("jobs", list, "an array")):
            job = job_from_json(
                value,
                self._generation,
                workload=self._name,
                findings=findings,
                profiles=profiles,
                pointer=f"/jobs/{index}",
            )
            if job is None:
                continue
            if job.id in seen:
                message = f"job {job.name!r} is given more than once"
                findings.add(message, code="duplicate", pointer=f"/jobs/{index}/id")
            seen.add(job.id)
            jobs.append(job)
            if job.profile.id not in profiles:
                pointer = self._elsewhere[job.id] = f"/jobs/{index}/profile"
                message = f"job {job.name!r}: {job.profile.id!r} is looked up in another workload, which is not here"
                findings.add(message, code=ELSEWHERE, pointer=pointer, severity=Severity.WARNING)
        if not findings.has_errors:
            rigid = {key: executors(profile, profiles) for key, profile in profiles.items()}
            for index, job in enumerate(jobs):
                self._check_size(job, index, rigid.get(job.profile.id))
        return jobs

    def _check_size(self, job: Job, index: int, size: int | None) -> None:
        profile = job.profile
        if size is not None and size != job.request.hosts:
            message = (
                f"job {job.name!r} requests {job.request.hosts} hosts, but its profile {profile.name!r} is for {size}"
            )
            self._findings.add(message, code="size", pointer=f"/jobs/{index}/res")
        if isinstance(profile, TraceReplayProfile) and job.source and self._generation == 4:
            mapping = job.source.get("smpi_ranks_to_hosts_mapping")
            if mapping is not None and len(mapping) != len(profile.traces):
                message = (
                    f"job {job.name!r}: {len(mapping)} ranks are mapped, but there are {len(profile.traces)} traces"
                )
                pointer = f"/jobs/{index}/smpi_ranks_to_hosts_mapping"
                self._findings.add(message, code="size", pointer=pointer)
