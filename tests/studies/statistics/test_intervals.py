"""Intervals: against scipy's own tests, and against what they promise."""

import random

import pytest

from mathematics import needs_scipy
from windtunnel.diagnostics import UsageError
from windtunnel.studies.statistics.intervals import mean_interval, quantile_interval

VALUES = [4.1, 3.9, 5.2, 4.4, 6.0, 3.1, 4.9, 5.5]


@pytest.fixture(autouse=True)
def _scipy():
    needs_scipy()


def test_means_by_t_are_those_of_the_one_sample_test():
    from scipy import stats

    found = mean_interval(VALUES, 0.9)
    expected = stats.ttest_1samp(VALUES, 0.0).confidence_interval(0.9)
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert found.estimate == pytest.approx(4.6375)
    assert found.n == 8


def test_a_textbook_interval():
    """The mean of 25 values with mean 50 and deviation 10 is 50 +- 2.064 * 10 / 5 (t of 24 degrees: 2.064)."""
    base = [-1, 1] * 12 + [0]
    scale = 10 / (24 / 24) ** 0.5
    found = mean_interval([50 + scale * one for one in base])
    assert found.high - 50 == pytest.approx(2.064 * 10 / 5, abs=0.002)


def test_medians_lie_between_two_values_exactly():
    """Of n = 8 values the interval from the first to the last has 1 - 2 / 2^8 = 99.2 %, the next 93 %."""
    found = quantile_interval(VALUES)
    assert (found.low, found.high) == (min(VALUES), max(VALUES))
    assert found.estimate == pytest.approx(4.65)
    few = quantile_interval([1.0, 2.0, 3.0])
    assert None in (few.low, few.high)


def test_intervals_hold_what_they_promise():
    stream = random.Random(1)
    hits = {"t": 0, "bootstrap": 0}
    for _ in range(60):
        values = [stream.gauss(10, 2) for _ in range(15)]
        for method in hits:
            found = mean_interval(values, 0.8, method)
            hits[method] += found.low <= 10 <= found.high
    assert all(38 <= count <= 57 for count in hits.values()), hits  # 48 are expected


def test_bootstrap_of_quantiles_is_the_same_each_time():
    one, two = (quantile_interval(VALUES, 0.75, method="bootstrap") for _ in range(2))
    assert one == two
    assert one.low < one.estimate < one.high


def test_one_value_and_equal_values():
    assert mean_interval([3.0]).low is None
    assert mean_interval([3.0, 3.0]).high == 3.0
    assert quantile_interval([3.0]).low is None
    assert quantile_interval([3.0, 3.0]).low == 3.0
    for fault in (
        lambda: mean_interval([]),
        lambda: mean_interval([float("nan")]),
        lambda: mean_interval([1.0], 95),
        lambda: mean_interval([1.0], method="z"),
        lambda: quantile_interval([1.0], 50),
        lambda: quantile_interval([1.0], method="t"),
    ):
        with pytest.raises(UsageError):
            fault()
