"""The operation that makes another workload of the same users, week by week.

After N. Zakay, D. G. Feitelson: Workload resampling for performance evaluation of parallel job schedulers.
Concurrency and Computation: Practice and Experience 26(12), 2014: a log is divided into those of its users, which are
put together anew. Our rule in short: a user who was there for several weeks is there in each new week with the
probability with which they were in a week of the log, and then does what they did in one of their weeks, drawn at
random among all from their first to their last (empty weeks too); of the users who came for less, so many come in
each new week as came on average, with all that they did. So the mean load stays. Weeks begin where the log begins, so
that the cycles of day and week stay.
"""

from array import array
from collections import defaultdict
from random import Random
from typing import Annotated, Final

from msgspec import Meta

from windtunnel.workloads.columns import Columns
from windtunnel.workloads.random_sources import Seed

__all__ = ["keep_drawn", "resample"]

_WEEK: Final = 7 * 24 * 3600.0


def resample(
    columns: Columns,
    seed: Seed,
    weeks: Annotated[int, Meta(ge=0, le=10_000)] = 0,
    regular_weeks: Annotated[int, Meta(ge=1)] = 6,
) -> str:
    """Weeks of users drawn at random; ``weeks``: how many (0: as many as there are).

    Users whose first and last job lie ``regular_weeks`` or more apart are regular ones.
    """
    if not len(columns):
        return "no jobs"
    source = Random(seed)
    users = _weeks_of_users(columns)
    length = 1 + int(columns.submits[-1] // _WEEK)
    regular = {user: by_week for user, by_week in users.items() if max(by_week) - min(by_week) >= regular_weeks}
    passing = [by_week for user, by_week in users.items() if user not in regular]
    new = weeks or length
    drawn: list[tuple[float, int]] = []
    for week in range(new):
        for by_week in regular.values():
            if source.random() * length >= 1 + max(by_week) - min(by_week):
                continue
            drawn += _moved(columns, by_week.get(source.randint(min(by_week), max(by_week)), []), week, 0)
    for week in range(-regular_weeks, new):  # who came before the first week may still be there
        for _ in range(_number(source, len(passing) / length)):
            visit = source.choice(passing)
            for there, jobs in visit.items():
                drawn += _moved(columns, jobs, week, there - min(visit))
    drawn = [(submit, index) for submit, index in sorted(drawn) if 0 <= submit < new * _WEEK]
    keep_drawn(columns, drawn)
    return (
        f"{len(columns):,} jobs in {new:,} weeks of {len(regular):,} regular users; "
        f"{len(passing) / length:.3g} other users come in a week"
    )


def _weeks_of_users(columns: Columns) -> dict[str, dict[int, list[int]]]:
    """User -> week -> ranks of the jobs."""
    users: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, job in enumerate(columns.sources()):
        users[job.user][int(columns.submits[index] // _WEEK)].append(index)
    return users


def _number(source: Random, mean: float) -> int:
    """A whole number with this mean."""
    return int(mean) + (source.random() < mean - int(mean))


def _moved(columns: Columns, jobs: list[int], week: int, later: int) -> list[tuple[float, int]]:
    """Jobs at the same time of another week."""
    return [(columns.submits[index] % _WEEK + (week + later) * _WEEK, index) for index in jobs]


def keep_drawn(columns: Columns, drawn: list[tuple[float, int]]) -> None:
    """The jobs that were drawn, at their new times; those that were drawn before are told apart as copies."""
    columns.keep([index for _, index in drawn])
    columns.submits = array("d", (submit for submit, _ in drawn))
    seen: dict[tuple[int, int], int] = defaultdict(int)
    copies = array("q")
    for source in zip(columns.origins, columns.ranks, strict=True):
        copies.append(seen[source])
        seen[source] += 1
    columns.copies = copies
