"""Numbers as text: what is done in integers is what Python's formats say."""

from math import inf, nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from windtunnel.results.texts import fixed, significant

WHOLE = st.integers(0, 2**60).map(float)
NEAR = st.integers(0, 10**13).map(lambda number: (number + 0.5) / 1e6)
"""Near the middle between two decimals, or right there."""
HALVES = st.builds(lambda number, power: (2 * number + 1) / 2**power, st.integers(0, 10**6), st.integers(1, 30))
NUMBERS = WHOLE | NEAR | HALVES | st.floats(0.0, 1e7) | st.floats(allow_nan=False)
AROUND = NUMBERS | st.builds(lambda value, way: nextafter(value, way), NUMBERS, st.sampled_from([inf, -inf]))


@given(AROUND)
@example(0.9999995)
@example(999.9999996)
@example(0.0000005)
@example(9e15)
def test_six_decimals(value: float) -> None:
    assert fixed(value) == f"{value + 0.0:f}"


@given(AROUND | st.integers(10**6, 10**16).map(float))
@example(-0.0)
@example(999999.5)
@example(1000005.0)
@example(1000015.0)
@example(9999995.0)
@example(9999985.0)
@example(1200000.0)
def test_six_significant_digits(value: float) -> None:
    assert significant(value) == f"{value:g}"


@pytest.mark.parametrize("power", range(1, 16))
def test_each_power_of_ten_and_its_neighbours(power: int) -> None:
    for number in (10**power - 1, 10**power, 10**power + 1, 5 * 10**power, 10**power + 5 * 10 ** max(power - 6, 0)):
        assert fixed(float(number)) == f"{number}.000000"
        assert significant(float(number)) == f"{float(number):g}"
