"""Sums rounded once, and ranks of numbers in no order."""

from math import fsum, inf, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.vecs import vec

from windtunnel.results.distribution import distribution, distribution_of_sorted
from windtunnel.results.exact_figures import ExactSum, Ranks

NUMBERS = st.floats(-1e300, 1e300) | st.integers(-100, 100).map(float) | st.sampled_from([1e16, 1.0, -1e16, 0.1, 0.0])


def total(values):
    made = ExactSum()
    for value in values:
        made.add(value)
    return made.value()


@given(st.lists(NUMBERS, max_size=40))
def test_sums_are_rounded_once(values):
    assert total(values) == fsum(values)


def test_infinite_numbers_and_those_that_are_none_are_kept():
    assert total([1.0, inf, 2.0]) == inf
    assert isnan(total([1.0, inf - inf, 2.0]))
    with pytest.raises(ValueError, match="inf"):
        total([inf, -inf])


def test_sums_that_overflow_are_told_as_by_fsum():
    for values in ([1.5e308, 1.5e308], [1e308, 1.0, 1.7e308, 0.1]):
        with pytest.raises(OverflowError):
            fsum(values)
        with pytest.raises(OverflowError, match="overflow"):
            total(values)


@given(st.lists(NUMBERS, min_size=1, max_size=300), st.lists(st.integers(0, 299), max_size=9))
def test_ranks_are_those_in_order(values, asked):
    ranks = Ranks(vec[float](values))
    for index in asked:
        rank = index % len(values)
        assert ranks[rank] == ranks[rank - len(values)] == sorted(values)[rank]
    assert len(ranks) == len(values)
    assert ranks[-1] == max(values)
    assert ranks[0] == min(values)


@pytest.mark.parametrize("values", [range(5000), range(5000, 0, -1), [7] * 5000, [*range(2500), *range(2500, 0, -1)]])
def test_any_order_is_fast_enough_to_be_found_in(values):
    floats = [float(value) for value in values]
    assert distribution_of_sorted(Ranks(vec[float](floats)), 0.0) == distribution(floats, 0.0)
