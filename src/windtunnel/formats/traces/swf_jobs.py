"""Jobs from the columns of a log: many at a time cost less than one by one."""

from collections.abc import Sequence
from math import inf, nextafter
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.formats.traces.rules import length_name
from windtunnel.model import DelayProfile, Job, Request

__all__ = ["JobColumns", "JobMaker"]

JobColumns = tuple[
    Sequence[int],  # number
    Sequence[int],  # processors
    Sequence[float],  # run time (s)
    Sequence[float],  # submission (s)
    Sequence[float],  # walltime (s)
    Sequence[int],  # user
    Sequence[int],  # group
    Sequence[int],  # queue
]
"""What makes a job, as columns of equal length; numbers of users, groups and queues are -1 where unknown."""

# Bound once: compiled code looks up what comes from other modules each time.
_Job: Final = Job
_DelayProfile: Final = DelayProfile
_nextafter: Final = nextafter


@mypyc_attr(allow_interpreted_subclasses=True)
class JobMaker:
    """Makes the jobs of one log; requests, profiles and names are shared by jobs that have the same.

    Args:
        workload: what stands before ``!`` in the ids.
        cores_per_host: n processors become ceil(n / cores) hosts (decisions.md 16).
    """

    def __init__(self, workload: str, cores_per_host: int) -> None:
        self._prefix = f"{workload}!"
        self._cores = cores_per_host
        self._names: dict[int, str] = {}
        self._requests: dict[int, Request] = {}
        self._profiles: dict[float, DelayProfile] = {}

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
        prefix, profiles, requests = self._prefix, self._profiles, self._requests
        jobs = []
        rank = 0
        for number, processors, run, submit, walltime, user, group, queue in zip(*columns, strict=True):
            profile = profiles.get(run)
            if profile is None:
                profile = profiles[run] = _DelayProfile(id=prefix + length_name(run), delay=run)
            request = requests.get(processors)
            if request is None:
                request = requests[processors] = Request(hosts=-(-processors // self._cores), processors=processors)
            dependencies: tuple[str, ...] = ()
            think = 0.0
            if preceding is not None:
                if preceding[rank] >= 0:
                    dependencies = (f"{prefix}{preceding[rank]}",)
                    think = think_times[rank]
                rank += 1
            jobs.append(
                _Job(
                    id=f"{prefix}{number}",
                    request=request,
                    profile=profile,
                    submission_time=submit,
                    walltime=_nextafter(run, inf) if walltime <= run and extend else walltime,  # see rules.behind_end
                    user=self._name(user),
                    group=self._name(group),
                    queue=self._name(queue),
                    dependencies=dependencies,
                    think_time=think,
                )
            )
        return jobs

    def _name(self, number: int) -> str:
        """A number as text; "" for -1, which means unknown."""
        name = self._names.get(number)
        if name is None:
            name = self._names[number] = str(number) if number >= 0 else ""
        return name
