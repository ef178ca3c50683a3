"""Which policies are better over many inputs: Friedman's test, and Nemenyi's for each pair.

On each input the policies are ranked (ties share their ranks); if all were alike their mean ranks would be. As Demšar
recommends (Statistical comparisons of classifiers over multiple data sets, JMLR 2006): Iman and Davenport's F, and
two policies differ when their mean ranks are farther apart than the critical difference.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, factorial, inf, log, prod, sqrt

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.studies.statistics.intervals import check_confidence, percent
from windtunnel.studies.statistics.mathematics import scipy_stats
from windtunnel.studies.statistics.table import Table

__all__ = ["Ranking", "rank"]


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """Policies by their mean ranks, the best (1) first."""

    mean_ranks: dict[str, float]
    inputs: int
    chi_square: float
    """Friedman's statistic, corrected for ties."""
    p_friedman: float
    f: float
    """Iman and Davenport's F, with k - 1 and (k - 1)(n - 1) degrees of freedom; infinite if all inputs rank alike."""
    p_f: float
    """How likely so large an F is by chance. If all inputs rank alike: how likely that is, as counted; by the
    distribution of F it is impossible, however few inputs there are."""
    critical_difference: float
    """Nemenyi's: mean ranks that are farther apart differ significantly."""
    confidence: float
    among: str = "scheduler"
    """What is ranked: the column of the study."""
    first: str = "best"
    """What rank 1 is: best, or the least where it is not known what is better."""

    def __str__(self) -> str:
        return str(self.table())

    def table(self, metric: str = "") -> Table:
        """As a table; ``metric`` stands in its title."""
        groups = self.groups()
        letters = "abcdefghijklmnopqrstuvwxyz"
        rows = [
            (name, mean, "".join(letters[n % 26] for n, group in enumerate(groups) if name in group))
            for name, mean in self.mean_ranks.items()
        ]
        k, n = len(self.mean_ranks), self.inputs
        limit, level = self.critical_difference, percent(1 - self.confidence)
        notes = (
            f"Friedman: chi2({k - 1}) = {self.chi_square:.4g}, p = {self.p_friedman:.3g}",
            self._iman_davenport(),
            f"Nemenyi ({level}): ranks differ from {limit:.4g} on; with a letter in common not",
        )
        title = f"{metric}: mean ranks over {n:,} inputs (1 is {self.first})".removeprefix(": ")
        return Table(title, (self.among, "mean rank", "alike"), tuple(rows), notes)

    def _iman_davenport(self) -> str:
        if self.f == inf:
            return f"Iman-Davenport: all inputs rank alike, p = {self.p_f:.3g} (counted, for F is infinite)"
        k, n = len(self.mean_ranks), self.inputs
        return f"Iman-Davenport: F({k - 1}, {(k - 1) * (n - 1)}) = {self.f:.4g}, p = {self.p_f:.3g}"

    def pairs(self) -> dict[tuple[str, str], float]:
        """The p-value of each pair of policies by Nemenyi's test."""
        stats = scipy_stats()
        count = len(self.mean_ranks)
        error = sqrt(count * (count + 1) / (6 * self.inputs))
        names = list(self.mean_ranks)
        return {
            (one, other): float(
                stats.studentized_range.sf(
                    abs(self.mean_ranks[one] - self.mean_ranks[other]) / error * sqrt(2), count, inf
                )
            )
            for rank_of, one in enumerate(names)
            for other in names[rank_of + 1 :]
        }

    def groups(self) -> list[list[str]]:
        """The largest sets of policies between whose best and worst no difference is shown, best first."""
        names = list(self.mean_ranks)
        found: list[list[str]] = []
        for first, best in enumerate(names):
            limit = self.mean_ranks[best] + self.critical_difference
            alike = [name for name in names[first:] if self.mean_ranks[name] <= limit]
            if not found or alike[-1] != found[-1][-1]:
                found.append(alike)
        return found


def rank(
    values: Mapping[str, Sequence[float]], *, higher_is_better: bool = False, confidence: float = 0.95
) -> Ranking:
    """Rank policies; the n-th values of all are of the same input.

    Raises:
        UsageError: there are fewer than two policies or two inputs, or not as many values of each.
    """
    check_confidence(confidence)
    counts = {len(one) for one in values.values()}
    if len(values) < 2 or len(counts) != 1 or max(counts) < 2:
        raise UsageError("a ranking needs two policies, and the values of each on the same inputs, two or more")
    stats = scipy_stats()
    n, k = max(counts), len(values)
    sign = -1.0 if higher_is_better else 1.0
    rows = [stats.rankdata([sign * value for value in row]) for row in zip(*values.values(), strict=True)]
    means = [float(sum(column)) / n for column in zip(*rows, strict=True)]
    # Friedman's statistic for ties (Conover): the spread of rank sums over that of all ranks.
    spread = sum(float(one) ** 2 for row in rows for one in row) - n * k * (k + 1) ** 2 / 4
    between = n * n * sum((mean - (k + 1) / 2) ** 2 for mean in means)
    chi_square = (k - 1) * between / spread if spread else 0.0
    rest = n * (k - 1) - chi_square
    f = (n - 1) * chi_square / rest if rest > 1e-12 * n * k else inf
    names = list(values)
    order = sorted(range(k), key=lambda one: (means[one], names[one]))
    critical = float(stats.studentized_range.ppf(confidence, k, inf)) / sqrt(2) * sqrt(k * (k + 1) / (6 * n))
    return Ranking(
        mean_ranks={names[one]: means[one] for one in order},
        inputs=n,
        chi_square=chi_square,
        p_friedman=float(stats.chi2.sf(chi_square, k - 1)),
        f=f,
        p_f=_alike_by_chance(rows[0], n) if f == inf else float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        critical_difference=critical,
        confidence=confidence,
    )


def _alike_by_chance(ranks: Sequence[float], inputs: int) -> float:
    """The probability that all inputs have these ranks, if each has them in any order."""
    orders = factorial(len(ranks)) // prod(map(factorial, Counter(ranks).values()))
    return exp((1 - inputs) * log(orders))
