"""Jobs from the columns of a log: many at a time cost less than one by one."""

from collections.abc import Sequence
from math import inf, nextafter
from typing import Any, Final

import msgspec
from mypy_extensions import mypyc_attr

from windtunnel.formats.traces.rules import length_name
from windtunnel.model import DelayProfile, Job, Request

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


class _Profiles(dict[float, DelayProfile]):
    """Run time -> the profile of that length."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def __missing__(self, run: Any) -> DelayProfile:
        if len(self) >= _MANY:
            self.clear()
        name = run if isinstance(run, int) else length_name(run)  # columns of whole seconds are of integers
        profile = self[run] = _DelayProfile(id=f"{self._prefix}{name}", delay=float(run))
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
        self._requests = _Requests(cores_per_host)
        self._profiles = _Profiles(self._prefix)

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
        numbers, processors, runs, submits, walltimes, users, groups, queues = columns
        name = self._names.__getitem__  # looked up by map: half the cost of doing so for each job
        jobs = [
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
                map(self._profiles.__getitem__, runs),
                runs,
                submits,
                walltimes,
                map(name, users),
                map(name, groups),
                map(name, queues),
                strict=True,
            )
        ]
        if preceding is not None:
            for rank, (number, think) in enumerate(zip(preceding, think_times, strict=True)):
                if number >= 0:
                    waits = {"dependencies": (f"{self._prefix}{number}",), "think_time": think}
                    jobs[rank] = msgspec.structs.replace(jobs[rank], **waits)
        return jobs

    def _ids(self, numbers: Sequence[int]) -> Sequence[str]:
        """Full ids. All at once: one by one, numbers take longer than their jobs."""
        prefix = self._prefix
        if "," in prefix:
            return [f"{prefix}{number}" for number in numbers]
        texts: str = _encode([*numbers])[1:-1].decode()
        return (prefix + texts.replace(",", f",{prefix}")).split(",") if texts else ()
