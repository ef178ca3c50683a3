"""The operation that makes a workload of any length like a given one: its users' sessions, drawn anew.

What a log is fitted by are its sessions and the hours of the week at which they begin. A session is a run of jobs of
one user in which no gap between submissions is long: N. Zakay, D. G. Feitelson: On identifying user session
boundaries in parallel workload logs. JSSPP 2012 say why submissions tell sessions better than ends of jobs; 20
minutes is the traditional length of a gap, which they name. Sessions begin as a Poisson process whose rate in each
hour of the week is that of the log; each is one of those that began in that hour there, whole, with its user, jobs
and the gaps between them. Weeks are counted from the start of the log.
"""

from collections import defaultdict
from math import ceil
from random import Random
from typing import Annotated, Final

from msgspec import Meta

from windtunnel.workloads.columns import Columns
from windtunnel.workloads.operations.resampling import keep_drawn
from windtunnel.workloads.random_sources import Seed

__all__ = ["from_sessions", "sessions_of"]

_HOUR: Final = 3600.0
_HOURS: Final = 168
_WEEK: Final = _HOURS * _HOUR


def sessions_of(columns: Columns, gap: float) -> list[list[int]]:
    """The ranks of the jobs of each session, in the order of the first; users are told apart by name."""
    present: dict[str, list[int]] = {}
    found = []
    for index, job in enumerate(columns.sources()):
        session = present.get(job.user)
        if session is None or columns.submits[index] - columns.submits[session[-1]] > gap:
            session = present[job.user] = []
            found.append(session)
        session.append(index)
    return found


def from_sessions(
    columns: Columns,
    seed: Seed,
    weeks: Annotated[int, Meta(ge=0, le=10_000)] = 0,
    gap: Annotated[float, Meta(gt=0)] = 1200.0,
) -> str:
    """Sessions of users drawn at random, at the hours of the week at which they begin in the log.

    ``weeks``: how many (0: as many as there are); ``gap``: a longer one between submissions ends a session (s).
    """
    if not len(columns):
        return "no jobs"
    source = Random(seed)
    sessions = sessions_of(columns, gap)
    span = columns.submits[-1] - columns.submits[0] + _HOUR
    beginning: dict[int, list[list[int]]] = defaultdict(list)
    for session in sessions:
        beginning[int(columns.submits[session[0]] // _HOUR) % _HOURS].append(session)
    new = weeks or max(1, ceil(columns.submits[-1] / _WEEK))
    times = max(span / _WEEK, 1.0)  # so often each hour of the week is in the log
    drawn: list[tuple[float, int]] = []
    number = 0
    for hour in range(new * _HOURS):
        known = beginning[hour % _HOURS]
        for begin in _poisson(source, len(known) / times):
            session = source.choice(known)
            shift = (hour + begin) * _HOUR - columns.submits[session[0]]
            drawn += [(columns.submits[index] + shift, index) for index in session]
            number += 1
    keep_drawn(columns, sorted(one for one in drawn if one[0] < new * _WEEK))
    return (
        f"{len(columns):,} jobs in {number:,} sessions of {new:,} weeks; the workload had {len(sessions):,} sessions"
    )


def _poisson(source: Random, mean: float) -> list[float]:
    """When events of a Poisson process fall between 0 and 1."""
    found, at = [], 0.0
    while mean > 0 and (at := at + source.expovariate(mean)) < 1:
        found.append(at)
    return found
