"""The jobs of a log held as columns of numbers, from which jobs are made on demand."""

import copy
from array import array
from collections.abc import Iterator, Mapping
from math import inf, nextafter
from typing import Final

from windtunnel.diagnostics import UsageError
from windtunnel.formats.ingestion import IngestionReport
from windtunnel.model import DelayProfile, Job, Profile, Request

__all__ = ["SwfWorkload"]

_NO_PROFILES: Final[Mapping[str, Profile]] = {}


class _Names(dict[int, str]):
    """Numbers as text; "" for -1, which means unknown."""

    def __missing__(self, number: int) -> str:
        text = self[number] = str(number) if number >= 0 else ""
        return text


class _Requests(dict[int, Request]):
    """Processors -> the request for them, shared by all jobs that want as many."""

    def __init__(self, cores_per_host: int) -> None:
        self._cores = cores_per_host

    def __missing__(self, processors: int) -> Request:
        request = self[processors] = Request(hosts=-(-processors // self._cores), processors=processors)
        return request


class _Profiles(dict[float, DelayProfile]):
    """Run time -> the profile of that length."""

    def __init__(self, workload: str) -> None:
        self._workload = workload

    def __missing__(self, run: float) -> DelayProfile:
        text = str(int(run)) if run.is_integer() else repr(run)
        profile = self[run] = DelayProfile(id=f"{self._workload}!{text}", delay=run)
        return profile


class SwfWorkload:
    """The jobs of an SWF log in order of submission: columns of numbers, from which jobs are made on demand."""

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self.path = path
        self.header: dict[str, list[str]] = {}
        """Header key -> its values, in order."""
        self.report = IngestionReport(file=path)
        self.start_date: float | None = None
        """Seconds since 1970 at simulated time 0; None when the log does not tell."""
        self.extend = True
        """Whether a job whose run time reaches its walltime still ends by itself."""
        self.cores_per_host = 1
        self.numbers = array("q")
        self.submits = array("d")
        self.waits = array("d")
        """The waiting times of the log (s, -1 unknown), for comparison; they are not simulated."""
        self.runs = array("d")
        self.processors = array("q")
        self.walltimes = array("d")
        self.users = array("q")
        self.groups = array("q")
        self.queues = array("q")
        self.preceding: array[int] | None = None
        """Numbers of the jobs to wait for (-1: none), when dependencies are honoured."""
        self.think_times = array("d")
        self._forget()

    def _forget(self) -> None:
        self._names = _Names()
        self._requests = _Requests(self.cores_per_host)
        self._profiles = _Profiles(self.name)

    def __getstate__(self) -> dict[str, object]:
        caches = {"_names", "_requests", "_profiles"}
        return {key: value for key, value in self.__dict__.items() if key not in caches}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """Empty: each job of a log stands for itself."""
        return _NO_PROFILES

    @property
    def has_dependencies(self) -> bool:
        """Whether jobs may wait for others (read with ``dependencies=True``)."""
        return self.preceding is not None

    @property
    def hosts(self) -> int:
        """MaxProcs (or MaxNodes) of the header, in hosts of ``cores_per_host`` cores; 0 when it has neither."""
        for key in ("MaxProcs", "MaxNodes"):
            for value in self.header.get(key, ()):
                digits = value.split()[0] if value else ""
                if digits.isdigit():
                    return -(-int(digits) // self.cores_per_host)
        return 0

    def with_cores(self, cores_per_host: int) -> "SwfWorkload":
        """The same log for hosts of so many cores: n processors become ceil(n / cores) hosts (decisions.md 16)."""
        if cores_per_host < 1:
            raise UsageError(f"a host has at least one core, not {cores_per_host}")
        new = copy.copy(self)
        new.cores_per_host = cores_per_host
        new._forget()
        return new

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Job]:
        return map(self.__getitem__, range(len(self.numbers)))

    def __getitem__(self, index: int, /) -> Job:
        """The job at this rank of submission."""
        run = self.runs[index]
        walltime = self.walltimes[index]
        if walltime <= run and self.extend:
            # A job that lasts exactly as long as its walltime counts as killed: put the limit just behind its end.
            walltime = nextafter(run, inf)
        before: tuple[str, ...] = ()
        think = 0.0
        if self.preceding is not None and (number := self.preceding[index]) >= 0:
            before, think = (f"{self.name}!{number}",), self.think_times[index]
        names = self._names
        return Job(
            id=f"{self.name}!{self.numbers[index]}",
            request=self._requests[self.processors[index]],
            profile=self._profiles[run],
            submission_time=self.submits[index],
            walltime=walltime,
            user=names[self.users[index]],
            group=names[self.groups[index]],
            queue=names[self.queues[index]],
            dependencies=before,
            think_time=think,
        )
