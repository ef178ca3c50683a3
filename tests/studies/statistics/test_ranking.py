"""Rankings, against scipy and published examples."""

from math import inf

import pytest

from mathematics import needs_scipy
from windtunnel.diagnostics import UsageError
from windtunnel.studies.statistics.ranking import rank


@pytest.fixture(autouse=True)
def _scipy():
    needs_scipy()


SPEEDS = {"a": [1, 2, 2, 9, 1.5], "b": [2, 1, 3, 12, 1.5], "c": [4, 4, 4, 11, 4]}


def test_friedman_is_scipys_ties_included():
    from scipy import stats

    found = rank(SPEEDS)
    expected = stats.friedmanchisquare(*SPEEDS.values())
    assert found.chi_square == pytest.approx(expected.statistic)
    assert found.p_friedman == pytest.approx(expected.pvalue)
    assert list(found.mean_ranks.values()) == pytest.approx([1.3, 1.9, 2.8])


def test_a_published_example_with_iman_and_davenports_f():
    """Nine algorithms on two data sets (scmamp, R): chi2 = 11.733, p = 0.1635; F = 2.75, p = 0.08697."""
    rows = [[1, 8, 6, 4, 7, 2, 5, 3, 9], [1, 6, 3, 9, 7, 2, 8, 4, 5]]
    found = rank({f"X{column}": [row[column] for row in rows] for column in range(9)})
    assert found.chi_square == pytest.approx(11.733, abs=5e-4)
    assert found.p_friedman == pytest.approx(0.1635, abs=5e-5)
    assert found.f == pytest.approx(2.75, abs=5e-3)
    assert found.p_f == pytest.approx(0.08697, abs=5e-6)


def test_demsars_critical_values():
    """JMLR 2006: q at 5 % for 2 to 10 policies; with 4 policies on 14 data sets the critical difference is 1.25."""
    published = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for count, q in enumerate(published, 2):
        found = rank({f"p{n}": [float(n), float(n + 1)] for n in range(count)})
        assert found.critical_difference == pytest.approx(q * (count * (count + 1) / 12) ** 0.5, abs=2e-3)
    four = rank({f"p{n}": [float((n * 7 + row * 3) % 5) for row in range(14)] for n in range(4)})
    assert four.critical_difference == pytest.approx(1.25, abs=5e-3)


def test_pairs_agree_with_the_critical_difference():
    values = {f"p{n}": [float((n * (3 + row % 3) + row * n % 4) % 7) for row in range(20)] for n in range(4)}
    found = rank(values)
    names = list(found.mean_ranks)
    for (one, other), p in found.pairs().items():
        apart = found.mean_ranks[other] - found.mean_ranks[one] > found.critical_difference
        assert (p < 0.05) == apart
    assert names == sorted(names, key=found.mean_ranks.__getitem__)


def test_groups_and_direction():
    clear = {"bad": [3.0] * 20, "good": [1.0] * 20, "middle": [2.0] * 20}
    assert rank(clear).groups() == [["good"], ["middle"], ["bad"]]
    assert list(rank(clear, higher_is_better=True).mean_ranks) == ["bad", "middle", "good"]
    assert rank({"a": [1, 2], "b": [2, 1]}).groups() == [["a", "b"]]
    assert rank({"a": [1, 1], "b": [1, 1]}).p_friedman == 1.0
    for values in ({"a": [1, 2]}, {"a": [1, 2], "b": [1]}, {"a": [1], "b": [2]}):
        with pytest.raises(UsageError):
            rank(values)


@pytest.mark.parametrize(
    "values, orders",
    [({"a": [1, 5], "b": [2, 9]}, 2), ({"a": [1, 5], "b": [2, 9], "c": [3, 10]}, 6), ({"a": [1, 1], "b": [2, 2], "c": [2, 2]}, 3)],
)
def test_inputs_that_all_rank_alike_prove_no_more_than_they_are(values, orders):
    """The distribution of an infinite F says that it is impossible: here two inputs agree, as one in ``orders`` does."""
    made = rank(values)
    assert made.f == inf
    assert made.p_f == pytest.approx(1 / orders)
    assert f"all inputs rank alike, p = {1 / orders:.3g}" in str(made)
    assert rank({name: row * 3 for name, row in values.items()}).p_f == pytest.approx(orders**-5)
