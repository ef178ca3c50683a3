"""Confidence intervals of means and quantiles.

- ``t``: Student's t, for means of values that are near a normal distribution (means of many jobs usually are);
- ``bootstrap``: Efron's bias-corrected and accelerated bootstrap (DiCiccio & Efron, Statistical Science 1996), which
  assumes no distribution. It is drawn with a fixed seed, so that the same values give the same interval;
- ``order``: for quantiles only, between two of the values (Conover, Practical Nonparametric Statistics), exact for
  any distribution; an end is missing where there are too few values.
"""

from collections.abc import Sequence
from math import isfinite, sqrt
from typing import Any, Final, Literal

import msgspec

from windtunnel.diagnostics import UsageError
from windtunnel.studies.statistics.mathematics import numpy_arrays, scipy_stats

__all__ = ["Interval", "Method", "mean_interval", "percent", "quantile_interval"]

Method = Literal["t", "bootstrap"]
_RESAMPLES: Final = 9999


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """An estimate and where the true value is; ``low`` and ``high`` are None when there are too few values."""

    estimate: float
    low: float | None
    high: float | None
    n: int
    confidence: float
    method: str
    deviation: float | None = None
    """The standard deviation of the values (n - 1); None for one value."""


def check_confidence(confidence: float) -> None:
    """Whether a confidence is one.

    Raises:
        UsageError: it is not between 0 and 1.
    """
    if not isinstance(confidence, int | float) or not 0.0 < confidence < 1.0:
        raise UsageError(f"a confidence must lie between 0 and 1, such as 0.95, not {confidence!r}")


def percent(share: float) -> str:
    """A share as people write it, with all its digits: 95%, 99.9%."""
    return f"{100 * share:.10g}%"


def mean_interval(values: Sequence[float], confidence: float = 0.95, method: Method = "t") -> Interval:
    """The mean of independent values, as those of different seeds are.

    Raises:
        UsageError: there is no value, or no such method.
    """
    check_confidence(confidence)
    if method not in ("t", "bootstrap"):
        raise UsageError(f"an interval of means is made by t or bootstrap, not by {method!r}")
    mean, deviation = moments(values)
    low = high = None
    if deviation == 0.0:
        low = high = mean
    elif deviation is not None and method == "t":
        half = deviation / sqrt(len(values)) * float(scipy_stats().t.ppf((1 + confidence) / 2, len(values) - 1))
        low, high = mean - half, mean + half
    elif deviation is not None:
        low, high = _bootstrapped(values, "mean", 0.0, confidence)
    return Interval(
        estimate=mean,
        low=low,
        high=high,
        n=len(values),
        confidence=confidence,
        method=method,
        deviation=deviation,
    )


def quantile_interval(
    values: Sequence[float],
    share: float = 0.5,
    confidence: float = 0.95,
    method: Literal["order", "bootstrap"] = "order",
) -> Interval:
    """A quantile of independent values: the median, with a share of 0.5.

    Raises:
        UsageError: there is no value, or no such method or share.
    """
    check_confidence(confidence)
    if not isinstance(share, int | float) or not 0.0 < share < 1.0:
        raise UsageError(f"a quantile must be a share between 0 and 1, not {share!r}")
    if method not in ("order", "bootstrap"):
        raise UsageError(f"an interval of quantiles is made by order or bootstrap, not by {method!r}")
    from windtunnel.results.distribution import percentile

    _, deviation = moments(values)
    low: float | None = None
    high: float | None = None
    if deviation == 0.0:
        low = high = float(values[0])
    elif deviation is not None and method == "order":
        found = scipy_stats().quantile_test(list(values), p=share).confidence_interval(confidence)
        low, high = (float(end) if isfinite(end) else None for end in found)
    elif deviation is not None:
        low, high = _bootstrapped(values, "quantile", share, confidence)
    return Interval(
        estimate=percentile(sorted(values), share),
        low=low,
        high=high,
        n=len(values),
        confidence=confidence,
        method=method,
        deviation=deviation,
    )


def moments(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and standard deviation (of n - 1), which one value does not have.

    Raises:
        UsageError: there is no value, or one that is not a number.
    """
    from statistics import fmean, stdev

    if not len(values) or not all(isfinite(value) for value in values):
        raise UsageError("there are no numbers to summarise")
    return fmean(values), stdev(values) if len(values) > 1 else None


def _bootstrapped(
    values: Sequence[float], statistic: str, share: float, confidence: float
) -> tuple[float | None, float | None]:
    np = numpy_arrays()

    def of(sample: Any, axis: int) -> Any:
        return np.mean(sample, axis=axis) if statistic == "mean" else np.quantile(sample, share, axis=axis)

    found = scipy_stats().bootstrap(
        (np.asarray(values, dtype=float),),
        of,
        vectorized=True,
        n_resamples=_RESAMPLES,
        confidence_level=confidence,
        method="BCa",
        random_state=np.random.default_rng(1),
    )
    ends = (float(found.confidence_interval.low), float(found.confidence_interval.high))
    return (ends[0] if isfinite(ends[0]) else None, ends[1] if isfinite(ends[1]) else None)
