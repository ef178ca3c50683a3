"""A log replayed on a site: what became of each job, and figures of groups of jobs."""

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from statistics import fmean, median
from typing import Any, Final

import msgspec

from windtunnel.api import simulate
from windtunnel.diagnostics import AccountWarning, UsageError
from windtunnel.formats.traces.workload import TraceWorkload
from windtunnel.model import Job, Platform, Workload
from windtunnel.model.abilities import start_date_of
from windtunnel.model.slurm import JobAsk
from windtunnel.workloads.arranged import Arranged

__all__ = [
    "CHOOSING",
    "COLUMNS",
    "GROUPS",
    "REJECTED",
    "Outcome",
    "check_jobs",
    "groups_of",
    "log_of",
    "mean_wait",
    "median_wait",
    "outcomes_in",
    "replay",
]

CHOOSING: Final = ("filter", "first", "slice")
"""Operations after which jobs are still those of the log."""

REJECTED: Final = "rejected"
"""What a line about jobs that never start begins with."""
COLUMNS: Final = ("id", "submission_time", "waiting_time", "execution_time", "starting_time")
"""What is needed of a table of jobs."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one job; seconds."""

    id: str
    user: str
    account: str
    partition: str
    processors: int
    submitted: float
    waited: float
    ran: float
    nodes: str = ""
    qos: str = ""
    limit: float = inf
    """What it asked for."""
    held: float = 0.0
    """How long after its submission it could start at the earliest, as far as that is not for other jobs."""
    ready: float = 0.0
    """The same, whatever it was for."""
    ask: JobAsk | None = None
    """What the log says it asked for."""


def _size(one: Outcome) -> str:
    """Classes of powers of four."""
    low = 1
    while one.processors >= low * 4:
        low *= 4
    return f"{low}-{low * 4 - 1} CPUs"


GROUPS: dict[str, Callable[[Outcome], str]] = {
    "partition": lambda one: one.partition,
    "account": lambda one: one.account,
    "size": _size,
    "user": lambda one: one.user,
    "hour": lambda one: f"{int(one.submitted // 3600) % 24:02}h",
}
"""By what jobs are put together; hours are those of submission, since the first one."""


def log_of(workload: Workload) -> list[Outcome]:
    """How it was, of the jobs of which the log tells it.

    Raises:
        UsageError: the log tells of no job when it started, or has none.
    """
    recorded = _recorded(workload)
    check_jobs(workload)
    zero = start_date_of(workload) or 0.0
    found = []
    for job in workload:
        was = recorded.get(job.id)
        if was is not None and was.waited >= 0:
            found.append(
                Outcome(
                    id=job.id,
                    user=job.user,
                    account=job.group,
                    partition=job.queue,
                    processors=job.request.processors or job.request.hosts,
                    submitted=job.submission_time,
                    waited=was.waited,
                    ran=was.ran,
                    nodes=was.nodes,
                    qos=job.ask.qos if job.ask is not None else "",
                    limit=job.walltime,
                    held=_held(job, zero),
                    ready=_ready(job, zero),
                    ask=job.ask,
                )
            )
    if not found:
        raise UsageError(
            "the log does not tell when jobs started", "extract it with the columns Submit and Start (sacct -P)"
        )
    return found


def check_jobs(workload: Workload) -> None:
    """Whether there is anything to look at.

    Raises:
        UsageError: there is not.
    """
    if len(workload):
        return
    if isinstance(workload, Arranged) and workload.operations:
        raise UsageError("no job of the log is left", f"after {', '.join(map(str, workload.operations))}")
    raise UsageError("the log has no job")


def _recorded(workload: Workload) -> Mapping[str, Any]:
    """What the log tells of each job, also of a part of the log.

    Raises:
        UsageError: the jobs are no longer those of the log.
    """
    if not isinstance(workload, Arranged):
        return workload.recorded if isinstance(workload, TraceWorkload) else {}
    for one in workload.operations:
        if one.name not in CHOOSING:
            raise UsageError(
                f"{one.name} changes the jobs of the log: what was recorded of them says nothing about those",
                f"{', '.join(CHOOSING)} choose jobs and leave them as they are",
            )
    return _recorded(workload.base)


def _held(job: Job, zero: float) -> float:
    return 0.0 if job.ask is None or job.ask.dependencies else _ready(job, zero)


def _ready(job: Job, zero: float) -> float:
    """How long after its submission a job could start, by the log."""
    if job.ask is None or job.ask.begin is None:
        return 0.0
    return max(0.0, job.ask.begin - zero - job.submission_time)


def replay(
    platform: Platform, workload: Workload, scheduler: str = "", **options: Any
) -> tuple[list[Outcome], tuple[str, ...]]:
    """What becomes of the jobs on a site, but for those that never start, and what did not take effect as written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccountWarning)  # it stands in the second
        run = simulate(platform, workload, scheduler or None, **options)
    found = outcomes_in(run.jobs.select(COLUMNS).iter_rows(), {job.id: job for job in workload})
    told = [str(line) for line in run.account if not line.note]
    for one in run.state.rejections:
        often = "once, at" if one.jobs == 1 else f"{one.jobs:,} times, first"
        told.append(f"{REJECTED} ({often} {one.first}): {one.reason}")
    return found, tuple(told)


def outcomes_in(rows: Iterable[tuple[Any, ...]], known: Mapping[str, Job]) -> list[Outcome]:
    """The same of rows of these columns, of known jobs."""
    found = []
    for name, submitted, waited, ran, started in rows:
        job = known.get(name)
        if job is not None and waited is not None and started is not None and started >= 0:
            found.append(
                Outcome(
                    id=name,
                    user=job.user,
                    account=job.group,
                    partition=job.queue,
                    processors=job.request.processors or job.request.hosts,
                    submitted=submitted,
                    waited=waited,
                    ran=ran,
                )
            )
    return found


def groups_of(jobs: Iterable[Outcome], by: str) -> dict[str, list[Outcome]]:
    """Jobs by partition, account, size, user or hour; numbers in names count as such, so 4-15 comes before 16-63."""
    found: dict[str, list[Outcome]] = {}
    for one in jobs:
        found.setdefault(GROUPS[by](one) or "-", []).append(one)
    return dict(sorted(found.items(), key=lambda item: _in_order(item[0])))


def _in_order(name: str) -> tuple[tuple[str, int, str], ...]:
    """What the name of a group is sorted by: texts and the numbers behind them, in turn."""
    return tuple((text, int(digits or -1), digits) for text, digits in re.findall("([^0-9]*)([0-9]*)", name))


def mean_wait(jobs: Sequence[Outcome]) -> float:
    """Seconds; 0 of no job."""
    return fmean(one.waited for one in jobs) if jobs else 0.0


def median_wait(jobs: Sequence[Outcome]) -> float:
    """Seconds; 0 of no job."""
    return median(one.waited for one in jobs) if jobs else 0.0
