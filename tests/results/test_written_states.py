"""Rows written digit by digit, as in the compiled build, are the text that pure Python makes at once."""

from hypothesis import example, given
from hypothesis import strategies as st

from windtunnel.results.job_rows import COMPILED, STATE_WIDTH
from windtunnel.results.state_rows import rows_of, states_at_once
from windtunnel.results.written_states import WrittenStates

DATES = st.floats(0.0, 1e12) | st.integers(0, 10**10).map(float)
COUNTS = st.integers(0, 3) | st.integers(0, 10**7)
ROWS = st.lists(st.tuples(DATES, *[COUNTS] * (STATE_WIDTH - 1)).map(list), min_size=1, max_size=8)


@given(ROWS)
@example([[0.0, 0, 0, 0, 4, 0], [-0.0, 0, 0, 0, 3, 1], [0.0, 0, 0, 0, 4, 0]])
@example([[1234567.0, 1, 0, 0, 3, 0], [1234567.0, 0, 1, 0, 3, 0], [1234568.5, 0, 1, 0, 3, 1000]])
def test_both_ways_write_the_same(rows):
    values = [value for row in rows for value in row]
    expected = "".join(f"{date:g},{','.join(map(str, counts))}\n" for date, *counts in rows)
    written = WrittenStates()
    for date, *counts in rows:
        written.add(date, counts)
    assert states_at_once(values) == expected
    assert written.take() == rows_of(values) == expected.encode()
    assert written.take() == b""


def test_numbers_that_are_not_pythons_own_are_written_too():
    class Count:
        """As numpy's: not an int, but it can stand for one."""

        def __init__(self, value):
            self.value = value

        def __index__(self):
            return self.value

        __int__ = __index__

    assert rows_of([2.5, 0, 0, 0, Count(3), Count(1)]) == b"2.5,0,0,0,3,1\n"
    if COMPILED:
        written = WrittenStates()
        written.add(2.5, [0, 0, 0, Count(3), Count(1)])
        assert written.take() == b"2.5,0,0,0,3,1\n"
