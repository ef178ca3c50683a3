"""Numbers digit by digit: what is done in integers is what Python's formats say."""

from math import inf, nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from librt.strings import BytesWriter

from windtunnel.model import HostSet
from windtunnel.results.written_numbers import put_fixed, put_hosts, put_significant, put_whole

WHOLE = st.integers(0, 2**60).map(float)
NEAR = st.integers(0, 10**13).map(lambda number: (number + 0.5) / 1e6)
"""Near the middle between two decimals, or right there."""
HALVES = st.builds(lambda number, power: (2 * number + 1) / 2**power, st.integers(0, 10**6), st.integers(1, 30))
NUMBERS = WHOLE | NEAR | HALVES | st.floats(0.0, 1e7) | st.floats(allow_nan=False)
AROUND = NUMBERS | st.builds(lambda value, way: nextafter(value, way), NUMBERS, st.sampled_from([inf, -inf]))


def written(put, value):
    out = BytesWriter()
    put(out, value)
    return out.getvalue().decode()


@given(AROUND)
@example(0.9999995)
@example(999.9999996)
@example(999999.9999996)
@example(0.0000005)
@example(-0.0)
@example(9e15)
def test_six_decimals(value: float) -> None:
    assert written(put_fixed, value) == f"{value + 0.0:f},"


@given(AROUND | st.integers(10**6, 10**16).map(float))
@example(-0.0)
@example(999999.5)
@example(1000000.0)
@example(1000005.0)
@example(1000015.0)
@example(9999995.0)
@example(9999985.0)
@example(1200000.0)
def test_six_significant_digits(value: float) -> None:
    assert written(put_significant, value) == f"{value:g}"


@pytest.mark.parametrize("power", range(1, 16))
def test_each_power_of_ten_and_its_neighbours(power: int) -> None:
    for number in (10**power - 1, 10**power, 10**power + 1, 5 * 10**power, 10**power + 5 * 10 ** max(power - 6, 0)):
        assert written(put_fixed, float(number)) == f"{number}.000000,"
        assert written(put_significant, float(number)) == f"{float(number):g}"
        assert written(put_whole, number) == f"{number}"


@given(st.integers(-(2**70), 2**70))
def test_whole_numbers_of_any_size(number: int) -> None:
    assert written(put_whole, number) == f"{number}"


@given(st.sets(st.integers(0, 3000)))
@example(set())
def test_hosts_are_written_as_their_text(hosts: set[int]) -> None:
    assert written(put_hosts, HostSet(hosts)) == f"{HostSet(hosts)}"
