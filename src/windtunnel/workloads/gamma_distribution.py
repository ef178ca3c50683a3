"""The cumulative distribution function of the gamma distribution."""

from math import exp, lgamma, log
from typing import Final

__all__ = ["gamma_cdf"]

_PRECISION: Final = 1e-16
_TERMS: Final = 10_000
_TINY: Final = 1e-300


def gamma_cdf(value: float, shape: float, scale: float) -> float:
    """The probability that a gamma distributed number is at most ``value``.

    The regularised incomplete gamma function, by its series below shape + 1 and its continued fraction above
    (Abramowitz & Stegun 6.5.29 and 6.5.31, the latter evaluated as Lentz proposed).
    """
    x = value / scale
    if x <= 0:
        return 0.0
    factor = exp(shape * log(x) - x - lgamma(shape))
    return _series(shape, x) * factor if x < shape + 1 else 1 - _fraction(shape, x) * factor


def _series(shape: float, x: float) -> float:
    term = total = 1 / shape
    for n in range(1, _TERMS):
        term *= x / (shape + n)
        total += term
        if term < total * _PRECISION:
            break
    return total


def _fraction(shape: float, x: float) -> float:
    b = x + 1 - shape
    c = 1 / _TINY
    d = 1 / b
    value = d
    for n in range(1, _TERMS):
        a = -n * (n - shape)
        b += 2
        d = 1 / (a * d + b or _TINY)
        c = b + a / c or _TINY
        value *= d * c
        if abs(d * c - 1) < _PRECISION:
            break
    return value
