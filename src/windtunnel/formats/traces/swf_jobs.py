"""Jobs from the columns of a log: many at a time cost less than one by one."""

from collections.abc import Iterable, Sequence
from itertools import repeat
from math import inf, nextafter
from types import FunctionType
from typing import Any, Final

import msgspec
from mypy_extensions import mypyc_attr

from windtunnel.formats.traces.rules import length_name
from windtunnel.model import DelayProfile, Job, JobRecord, Request
from windtunnel.model.job_record import record_of, records_of

__all__ = ["JobColumns", "JobMaker"]

JobColumns = tuple[
    Sequence[int],  # number
    Sequence[int],  # processors
    Sequence[float],  # run time (s); integers where all are whole
    Sequence[float],  # submission (s)
    Sequence[float],  # walltime (s); as the run time
    Sequence[int],  # user
    Sequence[int],  # group
    Sequence[int],  # queue
]
"""What makes a job, as columns of equal length; numbers of users, groups and queues are -1 where unknown."""

_MANY: Final = 1 << 15
"""So many profiles are remembered: long logs have more run times."""

_SMALL: Final = 1024
"""Numbers below are as good as their place in a list."""

# Bound once: compiled code looks up what comes from other modules each time.
_Job: Final = Job
_DelayProfile: Final = DelayProfile
_nextafter: Final = nextafter
_encode: Final = msgspec.json.Encoder().encode


class _Names(dict[int, str]):
    """Numbers as text; "" for -1, which means unknown."""

    def __missing__(self, number: int) -> str:
        text = self[number] = str(number) if number >= 0 else ""
        return text


class _Requests(dict[int, Request]):
    """Processors -> the request for them, shared by all jobs that want as many."""

    def __init__(self, cores_per_host: int) -> None:
        super().__init__()
        self._cores = cores_per_host

    def __missing__(self, processors: int) -> Request:
        request = self[processors] = Request(hosts=-(-processors // self._cores), processors=processors)
        return request


def _profile(known: dict[Any, DelayProfile], run: Any, prefix: str) -> DelayProfile:
    """The profile of a length that is not known yet, and is from now on."""
    if len(known) >= _MANY:
        known.clear()
    name = run if isinstance(run, int) else length_name(run)  # columns of whole seconds are of integers
    profile = known[run] = _DelayProfile(id=f"{prefix}{name}", delay=float(run))
    return profile


@mypyc_attr(allow_interpreted_subclasses=True)
class JobMaker:
    """Makes the jobs of one log; requests, profiles and names are shared by jobs that have the same.

    Args:
        workload: what stands before ``!`` in the ids.
        cores_per_host: n processors become ceil(n / cores) hosts (decisions.md 16).
    """

    def __init__(self, workload: str, cores_per_host: int) -> None:
        self._prefix = f"{workload}!"
        self._names = _Names()
        self._cores = cores_per_host
        self._requests = _Requests(cores_per_host)
        # Compiled code looks into dicts of the common kind, and lists, by itself; others it asks as Python does.
        self._profiles: dict[Any, DelayProfile] = {}
        self._small_names: list[str | None] = []
        self._small_requests: list[Request | None] = []

    def make(
        self,
        columns: JobColumns,
        preceding: Sequence[int] | None = None,
        think_times: Sequence[float] = (),
        *,
        extend: bool,
    ) -> list[Job]:
        """The jobs of these columns; ``preceding`` are numbers of jobs to wait for (-1: none), if they are honoured.

        With ``extend``, a job whose run time reaches its walltime still ends by itself.
        """
        if _COMPILED:
            jobs = [record.job for record in self._row_by_row(columns, extend)]
        else:
            jobs = self._at_once(columns, extend)
        if preceding is not None:
            for rank, (number, think) in enumerate(zip(preceding, think_times, strict=True)):
                if number >= 0:
                    waits = {"dependencies": (f"{self._prefix}{number}",), "think_time": think}
                    jobs[rank] = msgspec.structs.replace(jobs[rank], **waits)
        return jobs

    def records(self, columns: JobColumns, *, extend: bool) -> list[JobRecord]:
        """The records of these jobs, which will be submitted."""
        return self._row_by_row(columns, extend) if _COMPILED else records_of(self._at_once(columns, extend))

    def _at_once(self, columns: JobColumns, extend: bool) -> list[Job]:
        """What costs least in pure Python."""
        numbers, processors, runs, submits, walltimes, users, groups, queues = columns
        profiles = self._profiles_of(runs)
        return [
            _Job(
                id=full_id,
                request=request,
                profile=profile,
                submission_time=submit,
                walltime=_nextafter(run, inf) if walltime <= run and extend else walltime + 0.0,  # rules.behind_end
                user=user,
                group=group,
                queue=queue,
            )
            for full_id, request, profile, run, submit, walltime, user, group, queue in zip(
                self._ids(numbers),
                map(self._requests.__getitem__, processors),
                map(profiles.__getitem__, runs),
                runs,
                submits,
                walltimes,
                self._named(users),
                self._named(groups),
                self._named(queues),
                strict=True,
            )
        ]

    def _profiles_of(self, runs: Sequence[float]) -> dict[Any, DelayProfile]:
        """The profiles of some lengths, by length; those that are not known yet are made without a call for each."""
        profiles, prefix = self._profiles, self._prefix
        unknown = set(runs).difference(profiles)
        if len(profiles) + len(unknown) > _MANY:
            profiles.clear()
            profiles, unknown = {}, set(runs)
        for run in unknown:
            name = run if isinstance(run, int) else length_name(run)
            profiles[run] = _DelayProfile(id=f"{prefix}{name}", delay=float(run))
        return profiles

    def _named(self, numbers: Sequence[int]) -> Iterable[str]:
        """The names of some numbers, which are often the same; looked up by map: half the cost of one by one."""
        count = len(numbers)
        if count and numbers[0] == numbers[-1] and [*numbers].count(numbers[0]) == count:
            return repeat(self._names[numbers[0]], count)
        return map(self._names.__getitem__, numbers)

    def _row_by_row(self, columns: JobColumns, extend: bool) -> list[JobRecord]:
        """What costs least in compiled code: all is at hand that is asked of a job later."""
        profiles, prefix = self._profiles, self._prefix
        if not self._small_names:
            self._small_names = [None] * _SMALL
            self._small_requests = [None] * _SMALL
        records: list[JobRecord] = []
        row: tuple[Any, ...]
        count: int
        user: int
        group: int
        queue: int
        for row in zip(self._ids(columns[0]), *columns[1:], strict=True):
            job_id, count, run, submit, limit, user, group, queue = row
            profile = profiles.get(run)
            if profile is None:
                profile = _profile(profiles, run, prefix)
            length, walltime = _seconds(run), _seconds(limit)
            if walltime <= length and extend:
                walltime = _nextafter(length, inf)  # rules.behind_end
            request = self._request(count)
            job = _Job(
                id=job_id,
                request=request,
                profile=profile,
                submission_time=submit,
                walltime=walltime,
                user=self._name(user),
                group=self._name(group),
                queue=self._name(queue),
            )
            size = count if self._cores == 1 else request.hosts
            records.append(record_of(job, job_id, submit, size, walltime, length, 0))
        return records

    def _name(self, number: int) -> str:
        """A number as text; the names of small ones are in a list, at their place and one."""
        place = number + 1
        if place < 0 or place >= _SMALL:
            return self._names[number]
        name = self._small_names[place]
        if name is None:
            name = self._small_names[place] = self._names[number]
        return name

    def _request(self, processors: int) -> Request:
        """The request for so many processors; as names."""
        if processors < 0 or processors >= _SMALL:
            return self._requests[processors]
        request = self._small_requests[processors]
        if request is None:
            request = self._small_requests[processors] = self._requests[processors]
        return request

    def _ids(self, numbers: Sequence[int]) -> Sequence[str]:
        """Full ids. All at once: one by one, numbers take longer than their jobs."""
        prefix = self._prefix
        if "," in prefix:
            return [f"{prefix}{number}" for number in numbers]
        texts: str = _encode([*numbers])[1:-1].decode()
        return (prefix + texts.replace(",", f",{prefix}")).split(",") if texts else ()


def _seconds(value: Any) -> float:
    """A number as a float: compiled code converts ints of its own at a tenth of what Python's cost."""
    if isinstance(value, int):
        whole: int = value
        return float(whole)
    given: float = value
    return given


_COMPILED: Final = not isinstance(_profile, FunctionType)
