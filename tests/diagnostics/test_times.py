"""Times as people write and read them."""

from math import inf, isclose, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import UsageError
from windtunnel.diagnostics.times import read_duration, read_time, show_duration, show_seconds, show_time

START = 843_436_800.0  # 1996-09-23, UTC


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("90", 90.0),
        ("1e3", 1000.0),
        ("5h", 18_000.0),
        ("2d", 172_800.0),
        ("1d12h", 129_600.0),
        ("1 d 12 h", 129_600.0),
        ("90 min", 5400.0),
        ("90m", 5400.0),
        ("1.5H", 5400.0),
        ("1w", 604_800.0),
        ("2 hours", 7200.0),
        ("1 day 30 minutes", 88_200.0),
        ("1week 5 sec", 604_805.0),
    ],
)
def test_durations_are_seconds_or_parts_with_a_unit(text, seconds):
    assert read_duration(text) == seconds
    assert read_time(text, START) == seconds


@pytest.mark.parametrize("text", ["", "h", "5 parsecs", "5hh", "-5h", "5h -3min", "1.2.3", "5h" * 100, "tomorrow"])
def test_what_is_no_duration_is_refused_with_examples(text):
    with pytest.raises(UsageError, match="is not a duration\n  hint: expected seconds"):
        read_duration(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1996-09-23", 0.0),
        ("1996-09-23 01:00", 3600.0),
        ("1996-09-23T01:00:05", 3605.0),
        ("1996-10", 8 * 86400.0),
        ("1997", 100 * 86400.0),
        ("5000", 5000.0),  # no log is of that year
        (12, 12.0),
    ],
)
def test_dates_are_those_of_the_calendar_of_the_log(text, seconds):
    assert read_time(text, START) == seconds


def test_a_date_needs_a_calendar_and_four_digits_are_seconds_without_one():
    assert read_time("1997", None) == 1997.0
    with pytest.raises(UsageError, match="the workload has no start date"):
        read_time("1997-01", None)
    with pytest.raises(UsageError, match="'1997-13' is not a valid time"):
        read_time("1997-13", START)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (0.004, "0 s"),
        (42.5, "42.5 s"),
        (59.99, "59.99 s"),
        (59.999, "1 min"),
        (725.2, "12 min 5 s"),
        (3599.9, "1 h"),
        (11_520.0, "3 h 12 min"),
        (86_399.0, "1 d"),
        (187_200.0, "2 d 4 h"),
        (-90.0, "-1 min 30 s"),
        (29_363_626.0, "339 d 21 h"),
        (86_400_000_000.0, "1,000,000 d"),
        (1e300, "1e+300 s"),
        (inf, "inf s"),
        (nan, "-"),
    ],
)
def test_durations_are_shown_in_their_two_largest_units(seconds, text):
    assert show_duration(seconds) == text


@given(st.floats(min_value=0.0, max_value=1e12))
def test_a_shown_duration_is_read_as_about_the_same(seconds):
    read = read_duration(show_duration(seconds).replace(",", ""))
    assert isclose(read, seconds, rel_tol=0.03, abs_tol=0.0051)  # 0.125 s is shown as 0.12


def test_an_instant_is_a_date_where_there_is_a_calendar():
    assert show_time(3600.0 * 14 + 300, START) == "1996-09-23 14:05"
    assert show_time(3600.0, None) == "1 h"
    assert show_time(1e14, START) == "1,157,407,407 d 10 h"


def test_seconds_beside_what_they_are():
    shown = (0.0, "0 s"), (59.9, "59.90 s"), (90.0, "90 s (1 min 30 s)"), (26643.954, "26,643.95 s (7 h 24 min)")
    for seconds, text in (*shown, (inf, "inf s"), (nan, "nan s"), (1e300, "1e+300 s")):
        assert show_seconds(seconds) == text
