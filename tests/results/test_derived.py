"""What follows from dates, against the plain formulas: to the last digit."""

from array import array
from math import fsum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.model.disk_columns import DiskColumn
from windtunnel.results import derived, figures_by_column, ranked
from windtunnel.results.columns import Columns
from windtunnel.results.computing import compute
from windtunnel.results.derived import Derived
from windtunnel.results.distribution import distribution
from windtunnel.results.job_rows import SHORTEST
from windtunnel.results.quantity import BOUND

Job = tuple[float, float, float, int]
"""Submission, waiting time, execution time (s), hosts; a negative execution time: never ran."""

TIMES = st.integers(0, 30).map(float) | st.floats(0, 1e12)
JOBS = st.lists(st.tuples(TIMES, TIMES, TIMES | st.just(-1.0), st.integers(1, 9)), max_size=20)


def columns_of(jobs: list[Job], column: Any = array) -> Columns:
    made = Columns(10, column)
    for rank, (submitted, wait, seconds, hosts) in enumerate(jobs):
        start = submitted + wait if seconds >= 0.0 else -1.0
        made.submitted.append(submitted)
        made.start.append(start)
        made.finish.append(start + max(seconds, 0.0))
        made.used.append(hosts if seconds >= 0.0 else 0)
        made.codes.append(3 + 16 * (rank % 3))
    made.owners = [("", ""), ("ann", "q"), ("bob", "q")]
    return made


def check(jobs: list[Job], column: Any = array) -> None:
    columns = columns_of(jobs, column)
    found = Derived(columns)
    dates = zip(columns.submitted, columns.start, columns.finish, columns.used, columns.codes, strict=True)
    ran = [(s - q, f - s or SHORTEST, n, f - s, code // 16) for q, s, f, n, code in dates if s >= 0.0]
    assert found.jobs == len(jobs)
    assert found.instant == any(held == 0.0 for *_, held, _ in ran)
    assert found.area == fsum(e * n for _, e, n, *_ in ran)
    assert found.latest == max(
        (f for f, s in zip(columns.finish, columns.start, strict=True) if s >= 0.0), default=0.0
    )
    assert found.earliest == min(
        (q for q, s in zip(columns.submitted, columns.start, strict=True) if s >= 0.0), default=0.0
    )
    few = Derived(columns, distributed=False)
    for name, values in {
        "waiting": [w for w, *_ in ran],
        "turnaround": [w + e for w, e, *_ in ran],
        "slowdown": [(w + e) / e for w, e, *_ in ran],
    }.items():
        whole, part = getattr(found, name), getattr(few, name)
        assert whole.distribution == distribution(values)
        assert whole.total == part.total == fsum(values)
        assert whole.largest == part.largest == max(values, default=0.0)
    metrics = compute(columns)
    assert metrics == compute(columns, derived=found)
    assert metrics.allocated_host_seconds == fsum(n * held for *_, n, held, _ in ran)
    bounded = [max(1.0, (w + e) / max(e, BOUND)) for w, e, *_ in ran]
    assert metrics.bounded_slowdown == distribution(bounded)
    for owner, user in enumerate(["", "ann", "bob"]):
        mine = [(w, e, n) for w, e, n, _, whose in ran if whose == owner]
        if mine and metrics.users:
            group = metrics.users[user]
            assert group.jobs == len(mine)
            assert group.max_waiting_time == max(w for w, *_ in mine)
            assert group.mean_turnaround_time == fsum(w + e for w, e, _ in mine) / len(mine)
            assert group.mean_waiting_time == fsum(w for w, *_ in mine) / len(mine)
            slow = [max(1.0, (w + e) / max(e, BOUND)) for w, e, _ in mine]
            assert group.mean_bounded_slowdown == fsum(slow) / len(mine)
            assert group.host_seconds == fsum(e * n for _, e, n in mine)


@pytest.mark.parametrize("compiled", [False, True])
@given(jobs=JOBS)
def test_the_plain_formulas(compiled: bool, jobs: list[Job]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derived, "_COMPILED", compiled)
        check(jobs)


@settings(max_examples=30)
@given(JOBS, st.sampled_from([array, DiskColumn]), st.integers(1, 5))
def test_of_many_jobs_there_are_arrays_in_memory_or_on_disk(jobs: list[Job], column: Any, many: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures_by_column, "_FEW", many)
        patch.setattr(figures_by_column, "_MANY", many)
        patch.setattr(ranked, "STRETCH", many)
        patch.setattr(ranked, "_FEW", many)
        check(jobs, column)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("count", [4096, 15_000])
def test_many_jobs_are_taken_in_parts(count: int, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "_COMPILED", compiled)
    check([(7.25 * rank, rank % 11 / 3, float(rank % 301 - 1), rank % 8 + 1) for rank in range(count)])
