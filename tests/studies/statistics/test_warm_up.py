"""MSER-5, against the rule as it is written, and on series whose warm-up is known."""

import random

import pytest

from windtunnel.diagnostics import UsageError
from windtunnel.studies.statistics.warm_up import FEWEST, mser


def plain(series, batch):
    """The rule as it is written, without shortcuts."""
    means = [sum(series[n : n + batch]) / batch for n in range(0, len(series) - batch + 1, batch)]
    best = None
    for left_out in range(len(means) - FEWEST // 2 + 1):
        rest = means[left_out:]
        mean = sum(rest) / len(rest)
        statistic = sum((one - mean) ** 2 for one in rest) / len(rest) ** 2
        if best is None or statistic < best[0]:
            best = (statistic, left_out * batch)
    return best


@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_rule(seed, batch):
    stream = random.Random(seed)
    series = [1e6 + 300 * 0.97**n + stream.gauss(0, 10) for n in range(403)]
    found = mser(series, batch)
    statistic, values = plain(series, batch)
    assert found.values == values
    assert found.statistic == pytest.approx(statistic, rel=1e-6)


def test_a_known_warm_up_is_found():
    stream = random.Random(3)
    found = mser([stream.gauss(0 if n < 100 else 50, 1) for n in range(1000)])
    assert found == (100, 1000, found.statistic, True) or 100 <= found.values <= 110
    assert found.steady


def test_a_series_without_end_of_warm_up_is_not_called_steady():
    assert not mser([float(n * n) for n in range(500)]).steady
    assert mser([7.0] * 100).values == 0


def test_what_is_refused():
    for series in ([1.0] * 49, [1.0] * 60 + [float("inf")]):
        with pytest.raises(UsageError):
            mser(series)
