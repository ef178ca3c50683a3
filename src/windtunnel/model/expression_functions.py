"""The functions that performance models may call (elastic jobs), with C's answers where Python raises.

A division by zero, a root of a negative number or a result that overflows is not an error here but an infinity or
not-a-number, as in C; whoever uses the value decides what becomes of that.
"""

import math
from collections.abc import Callable
from typing import Final

__all__ = ["ANY", "FUNCTIONS", "divide", "power", "remainder"]

_NEAR: Final = 1e-10
"""Relative difference up to which ``equal`` takes two numbers for equal."""
_POWERS: Final = 60
"""Whole exponents up to here are multiplied out."""


def divide(a: float, b: float) -> float:
    """``a / b``, infinite or not a number where there is none."""
    if b:
        return a / b
    return math.nan if not a or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)


def remainder(a: float, b: float) -> float:
    """What C's fmod gives: it has the sign of ``a``."""
    return math.nan if not b or math.isinf(a) else math.fmod(a, b)


def power(a: float, b: float) -> float:
    """``a`` to the ``b``; small whole exponents are multiplied out by squaring."""
    if b == int(b) if math.isfinite(b) else False:
        whole = abs(int(b))
        if whole <= _POWERS:
            result, square = 1.0, a
            while whole:
                if whole & 1:
                    result *= square
                square *= square
                whole >>= 1
            return result if b >= 0 else divide(1.0, result)
    return _safe(math.pow)(a, b)


def _safe(function: Callable[..., float]) -> Callable[..., float]:
    """A function of the mathematical library that gives what C's does where Python raises."""

    def safe(*values: float) -> float:
        try:
            return float(function(*values))
        except OverflowError:
            return math.inf
        except (ValueError, ZeroDivisionError):
            return math.nan

    return safe


def _round(x: float) -> float:
    """Half away from zero."""
    return x if not math.isfinite(x) else math.copysign(math.floor(abs(x) + 0.5), x)


def _round_to(x: float, digits: float) -> float:
    scale = power(10.0, digits)
    return divide(_round(x * scale), scale)


def _whole(function: Callable[[float], int]) -> Callable[..., float]:
    return lambda x: x if not math.isfinite(x) else float(function(x))


def _log(x: float) -> float:
    return -math.inf if x == 0.0 else _safe(math.log)(x)


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def _equal(a: float, b: float) -> float:
    return float(abs(a - b) <= max(1.0, abs(a), abs(b)) * _NEAR)


def _root(x: float, degree: float) -> float:
    if degree % 2 == 1 and x < 0:
        return -power(-x, divide(1.0, degree))
    return power(x, divide(1.0, degree))


def _product(*values: float) -> float:
    product = 1.0
    for value in values:
        product *= value
    return product


def _sum(*values: float) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


def _clamp(low: float, x: float, high: float) -> float:
    return low if x < low else min(x, high)


ANY: Final = -1
"""Takes one or more arguments."""

FUNCTIONS: Final[dict[str, tuple[int, Callable[..., float]]]] = {
    "min": (ANY, lambda *values: min(values)),
    "max": (ANY, lambda *values: max(values)),
    "sum": (ANY, _sum),
    "avg": (ANY, lambda *values: _sum(*values) / len(values)),
    "mul": (ANY, _product),
    "if": (3, lambda c, a, b: a if c else b),
    "not": (1, lambda x: float(not x)),
    "abs": (1, abs),
    "ceil": (1, _whole(math.ceil)),
    "floor": (1, _whole(math.floor)),
    "round": (1, _round),
    "roundn": (2, _round_to),
    "trunc": (1, _whole(math.trunc)),
    "frac": (1, lambda x: x - math.trunc(x) if math.isfinite(x) else math.nan),
    "sgn": (1, _sign),
    "sqrt": (1, _safe(math.sqrt)),
    "root": (2, _root),
    "pow": (2, power),
    "exp": (1, _safe(math.exp)),
    "expm1": (1, _safe(math.expm1)),
    "log": (1, _log),
    "log10": (1, lambda x: -math.inf if x == 0.0 else _safe(math.log10)(x)),
    "log1p": (1, lambda x: -math.inf if x == -1.0 else _safe(math.log1p)(x)),
    "log2": (1, lambda x: _log(x) / math.log(2.0)),
    "logn": (2, lambda x, base: divide(_log(x), _log(base))),
    "hypot": (2, math.hypot),
    "erf": (1, math.erf),
    "erfc": (1, math.erfc),
    "sin": (1, _safe(math.sin)),
    "cos": (1, _safe(math.cos)),
    "tan": (1, _safe(math.tan)),
    "asin": (1, _safe(math.asin)),
    "acos": (1, _safe(math.acos)),
    "atan": (1, math.atan),
    "atan2": (2, math.atan2),
    "sinh": (1, _safe(math.sinh)),
    "cosh": (1, _safe(math.cosh)),
    "tanh": (1, math.tanh),
    "clamp": (3, _clamp),
    "inrange": (3, lambda low, x, high: float(low <= x <= high)),
    "mod": (2, remainder),
    "equal": (2, _equal),
}
"""By name in small letters: how many arguments, and what it computes."""
