"""Rows of jobs: one by one, as the compiled build writes them, and by column are the same text."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.results.job_columns import rows_by_column
from windtunnel.results.job_rows import rows_one_by_one

SECONDS = st.integers(0, 10**9).map(float) | st.floats(0.0, 1e9) | st.just(0.0)
JOB = st.tuples(SECONDS, SECONDS, SECONDS, SECONDS | st.just(inf), st.booleans())
"""Submission, wait, execution, walltime; whether it ran."""


def columns(jobs):
    count = len(jobs)
    known = [[f"j{rank}" for rank in range(count)], ["w"] * count, ["p"] * count, ["4"] * count, ["1,DONE"] * count]
    submitted = [job[0] for job in jobs]
    start = [job[0] + job[1] if job[4] else -1.0 for job in jobs]
    finish = [begin + job[2] if job[4] else -1.0 for begin, job in zip(start, jobs, strict=True)]
    rest = [["0-3"] * count, ["0.000000"] * count, [f"m{rank}" for rank in range(count)]]
    return known, ([job[3] for job in jobs], submitted, start, finish), rest


@given(st.lists(JOB, min_size=1, max_size=8), st.booleans())
def test_both_ways_give_the_same_text(jobs, omit_rejected) -> None:
    given = columns(jobs)
    assert rows_one_by_one(*given, omit_rejected) == rows_by_column(*given, omit_rejected)


def test_a_row_is_what_its_columns_say() -> None:
    given = columns([(10.0, 5.0, 20.5, 60.0, True), (1.0, 0.0, 0.0, inf, True), (3.0, 0.0, 0.0, 7.0, False)])
    rows = [
        "j0,w,p,10.000000,4,60.000000,1,DONE,15.000000,20.500000,35.500000,5.000000,25.500000,1.243902,0-3,0.000000,m0",
        "j1,w,p,1.000000,4,-1.000000,1,DONE,1.000000,0.000010,1.000010,0.000000,0.000010,1.000000,0-3,0.000000,m1",
        "j2,w,p,3.000000,4,7.000000,1,DONE,,,,,,,,,m2",
    ]
    for way in (rows_one_by_one, rows_by_column):
        assert way(*given, False) == "".join(f"{row}\n" for row in rows)
        assert way(*given, True) == "".join(f"{row}\n" for row in rows[:2])


def test_dates_may_be_numbers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    known, (limits, *dates), rest = columns([(10.0, 5.0, 20.0, 60.0, True)])
    odd = (limits, *([numpy.float32(column[0])] for column in dates))
    assert rows_one_by_one(known, odd, rest, False) == rows_by_column(known, (limits, *dates), rest, False)
