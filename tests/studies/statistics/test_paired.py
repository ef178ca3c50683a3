"""Paired differences, effect sizes and several tests at once."""

import pytest

from mathematics import needs_scipy
from windtunnel.diagnostics import UsageError
from windtunnel.studies.statistics.paired import holm, paired_difference


@pytest.fixture(autouse=True)
def _scipy():
    needs_scipy()


ONE = [8.3, 9.1, 7.7, 10.2, 8.8, 9.9]
TWO = [9.0, 9.95, 7.9, 11.8, 8.9, 11.0]


def test_p_values_are_scipys():
    from scipy import stats

    found = paired_difference(ONE, TWO)
    assert found.p_t == pytest.approx(stats.ttest_rel(ONE, TWO).pvalue)
    assert found.p_wilcoxon == pytest.approx(stats.wilcoxon(ONE, TWO).pvalue)
    expected = stats.ttest_rel(ONE, TWO).confidence_interval(0.95)
    assert (found.difference.low, found.difference.high) == pytest.approx((expected.low, expected.high))
    assert (found.below, found.equal, found.above) == (6, 0, 0)
    assert found.relative == pytest.approx(-4.55 / 58.55)


def test_effect_sizes_by_their_definitions():
    found = paired_difference(ONE, TWO)
    pairs = [(one > two) + (one == two) / 2 for one in ONE for two in TWO]
    assert found.a == pytest.approx(sum(pairs) / 36)
    differences = [one - two for one, two in zip(ONE, TWO, strict=True)]
    mean = sum(differences) / 6
    deviation = (sum((one - mean) ** 2 for one in differences) / 5) ** 0.5
    assert found.d == pytest.approx(mean / deviation)


def test_ties_and_zeros_are_by_the_normal_distribution():
    from scipy import stats

    values = [1.0, 2.0, 3.0, 0.0, 5.0, -1.0, 3.0, 4.0]
    expected = stats.wilcoxon([one for one in values if one], method="approx").pvalue
    assert paired_difference(values, [0.0] * 8).p_wilcoxon == pytest.approx(expected)


def test_pairs_see_what_means_do_not():
    """Inputs differ by far more than policies: paired, the difference is certain all the same."""
    baseline = [10.0, 1000.0, 50.0, 7.0, 300.0]
    values = [one + 1 + 0.1 * rank for rank, one in enumerate(baseline)]
    found = paired_difference(values, baseline)
    assert found.difference.low > 1.0
    assert found.p_t < 0.001


def test_equal_values_have_no_p_value():
    found = paired_difference([1.0, 2.0], [1.0, 2.0])
    assert (found.p_t, found.p_wilcoxon, found.d, found.a, found.equal) == (None, None, None, 0.5, 2)
    with pytest.raises(UsageError):
        paired_difference([1.0], [1.0, 2.0])


def test_holm():
    """The smallest of m is multiplied by m, the next by m - 1...; none comes below the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02]
    assert holm([None, 0.6, 0.9]) == [None, 1.0, 1.0]
