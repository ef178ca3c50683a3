"""Operations that choose jobs: the first ones, those of a time, of a user or queue, those of two workloads."""

from array import array
from contextlib import suppress
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from math import isfinite
from typing import Annotated, Any, Final

from msgspec import Meta

from windtunnel.diagnostics import UsageError, show_time
from windtunnel.model import Job
from windtunnel.workloads.columns import Columns

__all__ = ["filter_jobs", "first", "merge", "slice_jobs"]

_DATES: Final = ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")
_HOUR: Final = 3600.0
_LENGTH: Final = Meta(ge=0)


def first(columns: Columns, number: Annotated[int, Meta(ge=0)], after: Annotated[int, Meta(ge=0)] = 0) -> str:
    """The first so many jobs; ``after``: of those that follow so many others. They keep their times."""
    had = len(columns)
    columns.keep(range(min(after, had), min(after + number, had)))
    return f"{len(columns):,} of {had:,} jobs"


def filter_jobs(
    columns: Columns, user: str = "", group: str = "", queue: str = "", name: str = "", status: str = ""
) -> str:
    """The jobs that match all that is given; ``*`` and ``?`` stand for any text and any character.

    ``status``: what became of them in the log, as its account tells it (``completed``, ``failed``, ``cancelled``...).
    """
    patterns = {"user": user, "group": group, "queue": queue, "name": name}
    wanted = {key: pattern for key, pattern in patterns.items() if pattern}
    if not wanted and not status:
        raise UsageError("filter: say which jobs", "by user, group, queue, name or status, as in filter(user='ann')")

    def matches(job: Job) -> bool:
        return all(fnmatchcase(getattr(job, key), pattern) for key, pattern in wanted.items())

    had = len(columns)
    if status:
        ended = columns.outcomes("filter")
        columns.keep([index for index, word in enumerate(ended) if fnmatchcase(word, status)])
    columns.keep_where(matches)
    return f"{len(columns):,} of {had:,} jobs"


def slice_jobs(
    columns: Columns,
    start: str | float = 0.0,
    weeks: Annotated[float, _LENGTH] = 0.0,
    days: Annotated[float, _LENGTH] = 0.0,
    hours: Annotated[float, _LENGTH] = 0.0,
) -> str:
    """The jobs submitted from ``start`` on (s, or a date, UTC), for so long; time 0 is the start."""
    begin = _seconds(columns, start)
    length = _HOUR * (hours + 24 * (days + 7 * weeks))
    had = len(columns)
    end = begin + length if length else float("inf")
    columns.keep([index for index, submit in enumerate(columns.submits) if begin <= submit < end])
    for index, submit in enumerate(columns.submits):
        columns.submits[index] = submit - begin
    told = f"{len(columns):,} of {had:,} jobs"
    if columns.start_date is None:
        return told
    columns.start_date += begin
    return f"{told}, from {show_time(0.0, columns.start_date)} UTC"


def _seconds(columns: Columns, start: str | float) -> float:
    """A time of the workload (s)."""
    if not isinstance(start, str):
        return float(start)
    with suppress(ValueError):
        if len(start) != len("2014") and isfinite(seconds := float(start)):
            return seconds
    return _of_date(columns, start)


def _of_date(columns: Columns, text: str) -> float:
    for pattern in _DATES:
        try:
            moment = datetime.strptime(text, pattern).replace(tzinfo=UTC)
        except ValueError:
            continue
        if columns.start_date is None:
            raise UsageError(f"slice: {text!r} is a date, and the workload does not say when it starts")
        return moment.timestamp() - columns.start_date
    raise UsageError(
        f"slice: {text!r} is not a valid time", "expected seconds, or a date such as 2014-06 or 2014-06-30"
    )


def merge(columns: Columns, other: Any, by_date: bool = False) -> str:
    """The jobs of another workload too, each at its own time; ``by_date``: at its own date."""
    added = Columns.of(other)
    told = _by_date(columns, added) if by_date else ""
    origin = len(columns.bases)
    columns.bases.append(other)
    for name, kept in (("walltimes", lambda job: job.walltime), ("copies", lambda _: 0)):
        column = getattr(columns, name)
        if column is not None:
            column.extend(kept(job) for job in other)
    if columns.elastic is not None:
        columns.elastic.extend([0] * len(added))
    if columns.processors is not None:
        columns.processors.extend(added.sizes())
    columns.origins.extend([origin] * len(added))
    columns.ranks.extend(added.ranks)
    columns.submits.extend(added.submits)
    columns.hosts = max(columns.hosts, added.hosts)
    columns.sort()
    return f"{len(added):,} jobs added{told}"


def _by_date(columns: Columns, added: Columns) -> str:
    """Let the times of two workloads count from the earlier of the dates at which they start."""
    starts = []
    for one in (columns, added):
        if one.start_date is None:
            name = one.bases[0].path or one.bases[0].name
            hint = "merge(...) without by_date lets both begin at time 0"
            raise UsageError(f"merge by date: the workload {name} does not say when it starts", hint)
        starts.append(one.start_date)
    zero = min(starts)
    for one, start in zip((columns, added), starts, strict=True):
        if start > zero:
            one.submits = array("d", (submit + (start - zero) for submit in one.submits))
    columns.start_date = zero
    later = f"{abs(starts[1] - starts[0]):g} s {'later' if starts[1] > starts[0] else 'earlier'}"
    return f" by date: the other begins {later}, and time 0 is {show_time(0.0, zero)} UTC"
