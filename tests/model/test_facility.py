"""The overhead of a facility: a constant PUE, or watts that follow the load more or less."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import UsageError
from windtunnel.model.facility import Overhead, parse_overhead


def test_a_constant_pue():
    for given_ in ("1.2", 1.2, " 1.2 ", Overhead(linear=0.2)):
        assert parse_overhead(given_).watts(1000.0) == pytest.approx(200.0)
    assert parse_overhead(1).watts(5.0) == 0


def test_parts():
    overhead = parse_overhead("fixed=20000; linear=0.05 ;quadratic=1e-8")
    assert overhead == Overhead(fixed=20000.0, linear=0.05, quadratic=1e-8)
    assert overhead.watts(1e6) == 20000 + 50000 + 10000


@given(*[st.floats(0, 1e6)] * 3)
def test_it_is_written_as_it_is_read(fixed, linear, quadratic):
    one = Overhead(fixed=fixed, linear=linear, quadratic=quadratic)
    again = parse_overhead(str(one))
    assert (again.fixed, again.quadratic) == (fixed, quadratic)
    assert again.linear == pytest.approx(linear, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.9", "less than 1"),
        ("much", "'much' is not a number"),
        ("nan", "not a number"),
        ("inf", "not a number"),
        ("", "not a number"),
        ("1_2", "not a number"),
        (True, "not a number"),
        ("fixd=1;linear=-1;linear=2;linear=3;quadratic=x", r"no part 'fixd' \(did you mean .*; linear must be a number from 0 to .*, not '-1'; linear is given twice; quadratic must"),
    ],
)
def test_what_is_refused(text, said):
    with pytest.raises(UsageError, match=said):
        parse_overhead(text)


@pytest.mark.parametrize("value", [-1.0, float("nan"), "1", True])
def test_what_cannot_be_made(value):
    with pytest.raises(UsageError, match="fixed must be a number from 0"):
        Overhead(fixed=value)
