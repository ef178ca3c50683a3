"""Sources of random numbers: Python's own, and the C library's drand48, which published generators draw from."""

from collections.abc import Callable
from math import log
from random import Random
from typing import Annotated, Final, Protocol

from msgspec import Meta

from windtunnel.diagnostics import UsageError, did_you_mean

__all__ = ["SOURCES", "Drand48", "RandomSource", "Seed", "gamma", "random_source"]

Seed = Annotated[int, Meta(ge=0)]
"""A seed: from -1 Python's generator draws the same numbers as from 1."""

_MULTIPLIER: Final = 0x5DEECE66D
_INCREMENT: Final = 0xB
_MODULUS_BITS: Final = 48
_MASK: Final = (1 << _MODULUS_BITS) - 1
_LOW_BITS: Final = 0x330E


class RandomSource(Protocol):
    """Where random numbers come from."""

    def random(self) -> float:
        """The next number, from 0 to below 1."""


class Drand48:
    """``drand48`` after ``srand48(seed)``, as POSIX defines them: a linear congruential generator of 48 bits."""

    def __init__(self, seed: int) -> None:
        self._state = ((seed & 0xFFFFFFFF) << 16) + _LOW_BITS

    def random(self) -> float:
        """The next number, from 0 to below 1."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state / (1 << _MODULUS_BITS)


SOURCES: Final[dict[str, Callable[[int], RandomSource]]] = {"python": Random, "drand48": Drand48}
"""By name: ``python`` is the Mersenne Twister, ``drand48`` gives the rows of programs in C for the same seed."""


def random_source(name: str, seed: int) -> RandomSource:
    """The source of this name, started with ``seed``.

    Raises:
        UsageError: there is no such source.
    """
    if name not in SOURCES:
        raise UsageError(f"there is no source of random numbers {name!r}", did_you_mean(name, list(SOURCES)))
    return SOURCES[name](seed)


def _positive(source: RandomSource) -> float:
    """The next number that is not 0, whose logarithm there is."""
    while not (drawn := source.random()):
        pass
    return drawn


def gamma(source: RandomSource, shape: float, scale: float) -> float:
    """A number from the gamma distribution: a sum of exponentials, and Jöhnk's method for the rest of the shape.

    The order of draws is that of Lublin's program of 1999, so that equal sources give equal numbers.
    """
    whole = int(shape)
    total = -sum(log(_positive(source)) for _ in range(whole))
    part = shape - whole
    if part > 0:
        total += _beta(source, part, 1 - part) * -log(_positive(source))
    return scale * total


def _beta(source: RandomSource, first: float, second: float) -> float:
    """A number from the beta distribution of two shapes that add up to 1 (Jöhnk 1964)."""
    while True:
        x: float = source.random() ** (1 / first)
        y: float = source.random() ** (1 / second)
        if 0 < x + y <= 1:
            return x / (x + y)
