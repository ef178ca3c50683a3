"""How a quantity is distributed over jobs."""

from collections.abc import Iterable
from math import ceil, floor, fsum
from typing import Protocol

import msgspec

__all__ = ["Distribution", "Ranked", "distribution", "distribution_of_sorted", "percentile"]


class Ranked(Protocol):
    """Numbers by their rank: a sorted sequence, or what finds them otherwise."""

    def __len__(self) -> int:
        """How many."""

    def __getitem__(self, index: int, /) -> float:
        """The number of a rank, counted from 0; of a negative one, counted from the end."""


class Distribution(msgspec.Struct, frozen=True):
    """Mean, extremes and percentiles; all zero when there is no value."""

    mean: float = 0.0
    min: float = 0.0
    p50: float = 0.0
    p75: float = 0.0
    p90: float = 0.0
    p95: float = 0.0
    p99: float = 0.0
    max: float = 0.0


def percentile(ordered: Ranked, share: float) -> float:
    """The percentile of sorted values, linear between ranks: rank ``share * (n - 1)``, ranks from 0."""
    rank = share * (len(ordered) - 1)
    low, high = ordered[floor(rank)], ordered[ceil(rank)]
    return low + (high - low) * (rank - floor(rank))


def distribution(values: Iterable[float], total: float | None = None) -> Distribution:
    """The distribution of some values; ``total`` is their sum, where it is known."""
    ordered = sorted(values)
    return distribution_of_sorted(ordered, fsum(ordered) if total is None else total)


def distribution_of_sorted(ordered: Ranked, total: float) -> Distribution:
    """The distribution of sorted values with this sum."""
    if not len(ordered):
        return Distribution()
    p50, p75, p90, p95, p99 = (percentile(ordered, share) for share in (0.5, 0.75, 0.9, 0.95, 0.99))
    return Distribution(
        mean=total / len(ordered),
        min=ordered[0],
        p50=p50,
        p75=p75,
        p90=p90,
        p95=p95,
        p99=p99,
        max=ordered[-1],
    )
