"""Rows written digit by digit, as in the compiled build, are the text that pure Python makes at once."""

from math import inf

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from windtunnel.model import HostSet
from windtunnel.results.job_columns import rows_by_column
from windtunnel.results.job_rows import STATE_WIDTH
from windtunnel.results.machine_states import rows_of, states_at_once
from windtunnel.results.written_rows import job_rows, state_rows

SECONDS = st.integers(0, 10**9).map(float) | st.floats(0.0, 1e9) | st.just(0.0)
JOB = st.tuples(SECONDS, SECONDS, SECONDS, SECONDS | st.just(inf), st.booleans())
"""Submission, wait, execution, walltime; whether it ran."""


def columns(jobs):
    count = len(jobs)
    known = [[f"j{rank}" for rank in range(count)], ["w"] * count, ["p"] * count, ["4"] * count, ["1,DONE"] * count]
    submitted = [job[0] for job in jobs]
    start = [job[0] + job[1] if job[4] else -1.0 for job in jobs]
    finish = [begin + job[2] if job[4] else -1.0 for begin, job in zip(start, jobs, strict=True)]
    rest = [["0-3 5"] * count, ["0.000000"] * count, [f"m{rank}" for rank in range(count)]]
    return known, ([job[3] for job in jobs], submitted, start, finish), rest


def digit_by_digit(known, times, rest, omit_rejected):
    return job_rows(known, times, [HostSet.parse(text) for text in rest[0]], rest[1:], omit_rejected)


@given(st.lists(JOB, min_size=1, max_size=8), st.booleans())
def test_both_ways_give_the_same_text(jobs, omit_rejected) -> None:
    given = columns(jobs)
    assert digit_by_digit(*given, omit_rejected) == rows_by_column(*given, omit_rejected)


def test_a_row_is_what_its_columns_say() -> None:
    given = columns([(10.0, 5.0, 20.5, 60.0, True), (1.0, 0.0, 0.0, inf, True), (3.0, 0.0, 0.0, 7.0, False)])
    rows = [
        "j0,w,p,10.000000,4,60.000000,1,DONE,15.000000,20.500000,35.500000,5.000000,25.500000,1.243902,0-3 5,0.000000,m0",
        "j1,w,p,1.000000,4,-1.000000,1,DONE,1.000000,0.000010,1.000010,0.000000,0.000010,1.000000,0-3 5,0.000000,m1",
        "j2,w,p,3.000000,4,7.000000,1,DONE,,,,,,,,,m2",
    ]
    for way in (digit_by_digit, rows_by_column):
        assert way(*given, False) == "".join(f"{row}\n" for row in rows)
        assert way(*given, True) == "".join(f"{row}\n" for row in rows[:2])


def test_dates_may_be_numbers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    known, (limits, *dates), rest = columns([(10.0, 5.0, 20.0, 60.0, True)])
    odd = (limits, *([numpy.float32(column[0])] for column in dates))
    assert digit_by_digit(known, odd, rest, False) == rows_by_column(known, (limits, *dates), rest, False)


DATES = st.floats(0.0, 1e12) | st.integers(0, 10**10).map(float)
COUNTS = st.integers(0, 3) | st.integers(0, 10**7)
ROWS = st.lists(st.tuples(DATES, *[COUNTS] * (STATE_WIDTH - 1)).map(list), min_size=1, max_size=8)


@given(ROWS)
@example([[0.0, 0, 0, 0, 4, 0], [-0.0, 0, 0, 0, 3, 1], [0.0, 0, 0, 0, 4, 0]])
@example([[1234567.0, 1, 0, 0, 3, 0], [1234567.0, 0, 1, 0, 3, 0], [1234568.5, 0, 1, 0, 3, 1000]])
def test_both_ways_write_the_same(rows):
    values = [value for row in rows for value in row]
    expected = "".join(f"{date:g},{','.join(map(str, counts))}\n" for date, *counts in rows)
    assert state_rows(values) == states_at_once(values) == rows_of(values) == expected


def test_numbers_that_are_not_pythons_own_are_written_too():
    class Count:
        """As numpy's: not an int, but it can stand for one."""

        def __init__(self, value):
            self.value = value

        def __index__(self):
            return self.value

        __int__ = __index__

    assert rows_of([2.5, 0, 0, 0, Count(3), Count(1)]) == "2.5,0,0,0,3,1\n"
