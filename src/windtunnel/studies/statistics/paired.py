"""Two policies on the same inputs: differences are paired, so that what inputs differ in cancels out.

Seeds are common to all policies of a study (common random numbers), which makes differences far less noisy than the
values themselves.
"""

from collections.abc import Sequence
from math import isfinite

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.studies.statistics.intervals import Interval, Method, mean_interval
from windtunnel.studies.statistics.mathematics import scipy_stats

__all__ = ["PairedDifference", "holm", "paired_difference"]


class PairedDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Values of one policy minus those of a baseline on the same inputs."""

    difference: Interval
    relative: float | None
    """The mean difference over the baseline's mean; None when that is 0."""
    p_t: float | None
    """Of the paired t-test that the mean difference is 0; None when it cannot be said."""
    p_wilcoxon: float | None
    """Of Wilcoxon's signed-rank test that differences lie evenly around 0; None when it cannot be said."""
    d: float | None
    """Cohen's d for paired values: the mean difference in standard deviations of the differences."""
    a: float
    """Vargha and Delaney's A (2000): how likely a value is above one of the baseline, ties half."""
    below: int
    """How often the policy's value was below the baseline's on the same input."""
    equal: int
    above: int


def paired_difference(
    values: Sequence[float], baseline: Sequence[float], confidence: float = 0.95, method: Method = "t"
) -> PairedDifference:
    """What a policy differs by from a baseline; the n-th values are of the same input.

    Raises:
        UsageError: there are not as many values of both, or none.
    """
    if len(values) != len(baseline):
        raise UsageError(f"{len(values)} values and {len(baseline)} of the baseline make no pairs")
    differences = [one - other for one, other in zip(values, baseline, strict=True)]
    interval = mean_interval(differences, confidence, method)
    mean = sum(baseline) / len(baseline)
    p_t = p_wilcoxon = d = None
    if interval.deviation:
        stats = scipy_stats()
        p_t = _finite(stats.ttest_1samp(differences, 0.0).pvalue)
        p_wilcoxon = _wilcoxon(differences)
        d = interval.estimate / interval.deviation
    return PairedDifference(
        difference=interval,
        relative=interval.estimate / mean if mean else None,
        p_t=p_t,
        p_wilcoxon=p_wilcoxon,
        d=d,
        a=_vargha_delaney(values, baseline),
        below=sum(one < 0 for one in differences),
        equal=sum(one == 0 for one in differences),
        above=sum(one > 0 for one in differences),
    )


def _wilcoxon(differences: Sequence[float]) -> float | None:
    """Exact for up to 50 differences without ties, else by the normal distribution; differences of 0 are left out."""
    sizes = [abs(one) for one in differences if one]
    method = "exact" if len(set(sizes)) == len(sizes) <= 50 else "approx"
    return _finite(scipy_stats().wilcoxon([one for one in differences if one], method=method).pvalue)


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _vargha_delaney(values: Sequence[float], baseline: Sequence[float]) -> float:
    """From ranks (Vargha & Delaney, Journal of Educational and Behavioral Statistics 2000)."""
    m, n = len(values), len(baseline)
    ranks = scipy_stats().rankdata([*values, *baseline])
    return float((sum(ranks[:m]) / m - (m + 1) / 2) / n)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values of several tests at once, adjusted so that one false alarm among all stays as rare as for one test
    (Holm, Scandinavian Journal of Statistics 1979). None stays None, and counts as no test.
    """
    ranked = sorted((p, rank) for rank, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for place, (p, rank) in enumerate(ranked):
        largest = max(largest, min(1.0, p * (len(ranked) - place)))
        adjusted[rank] = largest
    return adjusted
