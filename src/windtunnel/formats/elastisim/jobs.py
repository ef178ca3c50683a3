"""ElastiSim's jobs: who may change their size, their limits, arguments, and the application each runs."""

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, Final

from windtunnel.diagnostics import Finding, Findings, read_input
from windtunnel.formats.elastisim.application import ApplicationReader, as_text
from windtunnel.formats.elastisim.members import Members, load_object, shown
from windtunnel.formats.files import reason
from windtunnel.model import Job, JobList, Request
from windtunnel.model.application import Application, Elasticity, ElasticProfile

__all__ = ["ElasticJobs", "read_jobs"]

_SIZES: Final = tuple(f"{what}{end}" for what in ("num_nodes", "num_gpus_per_node") for end in ("", "_min", "_max"))
_LAST_DATE: Final = 1e300
_TYPES: Final = {kind.name.lower(): kind for kind in Elasticity}


class ElasticJobs(JobList):
    """Jobs in the order of ElastiSim's numbers: by date of submission, then as in the file."""

    def __init__(self, name: str, jobs: Sequence[Job], *, path: str = "") -> None:
        super().__init__(name, (), path=path)
        self._jobs = [*jobs]


def read_jobs(
    path: Path, name: str = "w0", *, folder: str = "", grace: float = 0.0, clip_requests: bool = True
) -> ElasticJobs:
    """Read a file of jobs, and the application models that it names.

    Args:
        path: The file.
        name: Of the workload.
        folder: Where application models lie; empty: beside the file.
        grace: Seconds that each job may run beyond its walltime.
        clip_requests: Whether requests of jobs beyond their range ask for its end; otherwise they end the run.

    Raises:
        InputError: With everything that is wrong in any of the files.
    """
    findings = Findings(str(path))
    reader = _Reader(findings, path, Path(folder) if folder else path.parent, grace, clip=clip_requests)
    jobs = reader.read(name)
    findings.raise_if_errors()
    made = ElasticJobs(name, jobs, path=str(path.resolve()))
    made.warnings = tuple(findings)
    return made


def _but_date(value: Any) -> tuple[object, ...]:
    """All that is said of a job but when it is submitted; nothing if that has inner members."""
    if not isinstance(value, dict):
        return ()
    rest = [(key, type(one), one) for key, one in value.items() if key != "submit_time"]
    return () if any(type(one) in (dict, list) for one in value.values()) else tuple(rest)


class _Reader:
    def __init__(self, findings: Findings, path: Path, folder: Path, grace: float, *, clip: bool) -> None:
        self.findings = findings
        self.path = path
        self.folder = folder
        self.grace = grace
        self.clip = clip
        self.loaded: dict[str, Any] = {}
        self.applications: dict[tuple[object, ...], Application] = {}
        self.told: set[Finding] = set()
        """What is wrong with application models."""
        self.alike: dict[tuple[object, ...], tuple[float, ElasticProfile]] = {}
        """Walltimes and profiles of jobs, by all that is said of them but their dates."""

    def load(self, file: str, place: Members, key: str) -> Any:
        """The content of an application model; None if there is none."""
        if file not in self.loaded:
            where = self.folder / file
            try:
                self.loaded[file] = load_object(str(where), read_input(where), self.findings)
            except (OSError, ValueError) as error:
                why = reason(error) if isinstance(error, OSError) else str(error)
                beside = self.path.parent / where.name
                hint = f"there is one of that name beside the jobs: {beside}" if beside.is_file() else ""
                place.fault(key, f"the application model {file!r} cannot be read: {why}", hint, code="no-file")
                self.loaded[file] = None
        return self.loaded[file]

    def read(self, name: str) -> list[Job]:
        try:
            data = read_input(self.path)
        except OSError as error:
            self.findings.add(f"cannot be read: {reason(error)}", code="unreadable")
            self.findings.raise_all()
        loaded = load_object(str(self.path), data, self.findings)
        self.findings.raise_if_errors()
        whole = Members(self.findings, str(self.path), loaded)
        drafts = []
        for rank, value in enumerate(whole.items("jobs", needed=True)):
            rest = _but_date(value)
            draft = self._like_another(value, rest)
            if draft is None:
                members = Members(self.findings, str(self.path), value, f"/jobs/{rank}")
                before = len(self.findings)
                draft = self._job(members)
                members.rest()
                if draft is not None and rest and len(self.findings) == before:
                    self.alike[rest] = draft[1:]
            if draft is not None:
                drafts.append(draft)
        whole.rest()
        drafts.sort(key=lambda draft: draft[0])
        return [self._made(name, number, *draft) for number, draft in enumerate(drafts)]

    def _like_another(self, value: Any, rest: tuple[object, ...]) -> tuple[float, float, ElasticProfile] | None:
        """A job that is, but for its date, one with which nothing was wrong."""
        known = self.alike.get(rest)
        if known is None:
            return None
        date = value.get("submit_time")
        return (float(date), *known) if type(date) in (int, float) and 0.0 <= date < _LAST_DATE else None

    def _made(self, name: str, number: int, date: float, walltime: float, profile: ElasticProfile) -> Job:
        return Job(
            id=f"{name}!{number}",
            request=Request(profile.least),
            profile=profile,
            submission_time=date,
            walltime=walltime,
        )

    def _job(self, members: Members) -> tuple[float, float, ElasticProfile] | None:
        before = len(self.findings)
        word = members.word("type", _TYPES)
        date = members.number("submit_time", least=0.0)
        walltime = members.get("walltime")
        if isinstance(walltime, float) and walltime == int(walltime) and walltime >= 0:
            walltime = int(walltime)
        if members.has("walltime") and (not isinstance(walltime, int) or isinstance(walltime, bool) or walltime < 0):
            hint = "ElastiSim silently takes it for no walltime"
            members.fault("walltime", f"a whole number of seconds is expected, not {shown(walltime)}", hint)
            walltime = 0
        arguments, attributes = self._texts(members, "arguments"), self._texts(members, "attributes")
        file = members.text("application_model")
        if not word:
            members.asked.update(dict.fromkeys(_SIZES))
            return None
        kind = _TYPES[word]
        least, most, gpus_least, gpus_most = self._sizes(members, kind)
        content = self.load(file, members, "application_model") if file else None
        if content is None:
            return None
        rigid = kind is Elasticity.RIGID
        key = (file, rigid, least if rigid else 0, gpus_most if rigid else gpus_most > 1, tuple(arguments.items()))
        application = self.applications.get(key)
        if application is None:
            where = str(self.folder / file)
            own = Findings(where)
            reader = ApplicationReader(own, where, arguments, rigid=rigid, nodes=least, gpus=gpus_most)
            application = self.applications[key] = reader.read(content)
            self._tell_once(own)
            if own.has_errors:
                return None
        if len(self.findings) > before and self.findings.has_errors:
            return None
        profile = ElasticProfile(
            id=f"{file}",
            application=application,
            elasticity=kind,
            least=least,
            most=most,
            gpus_least=gpus_least,
            gpus_most=gpus_most,
            arguments=arguments,
            attributes=attributes,
            clip_requests=self.clip,
        )
        return date, (walltime + self.grace if walltime else inf), profile

    def _tell_once(self, findings: Findings) -> None:
        """Tell what is wrong with a model, but for what was said when it was read for another job."""
        for finding in findings:
            if finding not in self.told:
                self.told.add(finding)
                self.findings.extend([finding])

    def _sizes(self, members: Members, kind: Elasticity) -> tuple[int, int, int, int]:
        if kind is Elasticity.RIGID:
            count = members.whole("num_nodes", least=1)
            gpus = members.whole("num_gpus_per_node", 0)
            return count, count, gpus, gpus
        least, most = members.whole("num_nodes_min", least=1), members.whole("num_nodes_max", least=1)
        if least > most:
            members.fault("num_nodes_min", f"{least} nodes at least are more than {most} at most")
        gpus_least, gpus_most = members.whole("num_gpus_per_node_min", 0), members.whole("num_gpus_per_node_max", 0)
        if gpus_least > gpus_most:
            members.fault("num_gpus_per_node_min", f"{gpus_least} GPUs at least are more than {gpus_most} at most")
        return least, most, gpus_least, gpus_most

    def _texts(self, members: Members, key: str) -> dict[str, str]:
        """A map of texts and numbers, kept as text."""
        value = members.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            members.fault(key, f"an object is expected, not {shown(value)}")
            return {}
        found = {}
        inner = Members(self.findings, members.file, value, members.at(key))
        for name, one in value.items():
            if isinstance(one, bool) or not isinstance(one, int | float | str):
                inner.fault(name, f"a string or a number is expected, not {shown(one)}")
                continue
            found[name] = as_text(one)
            if isinstance(one, float) and float(found[name]) != one:
                message = f"the argument {name!r} is kept with six decimals, as by ElastiSim"
                self.findings.tally(message, code="rounded", pointer=inner.at(name))
        return found
