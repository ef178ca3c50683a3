"""Probes and time triggers: what a decision component may have measured, and when (batprotocol, seed 001)."""

from enum import IntEnum
from typing import Final

import msgspec

from windtunnel.model import HostSet

__all__ = [
    "Accumulation",
    "BooleanComparisonOperator",
    "CumulativeFunction",
    "ExponentialMovingAverage",
    "Metric",
    "OneShot",
    "Periodic",
    "ProbeResources",
    "ResourcesAggregation",
    "SlidingWindowOperation",
    "TemporalAggregation",
    "TemporalTrigger",
    "ThresholdFiltering",
    "TimeUnit",
]


class TimeUnit(IntEnum):
    """The unit of a trigger's times."""

    Second = 0
    Millisecond = 1


class OneShot(msgspec.Struct, frozen=True):
    """Once, at ``time`` from the start of the simulation.

    ``time`` is a whole number of units in batprotocol; the JSON protocol allows any time in seconds.
    """

    time: float
    time_unit: TimeUnit = TimeUnit.Second


class Periodic(msgspec.Struct, frozen=True):
    """At ``offset + k * period`` from the start of the simulation; ``nb_periods`` times, indefinitely if None."""

    period: int
    offset: int = 0
    time_unit: TimeUnit = TimeUnit.Second
    nb_periods: int | None = None


TemporalTrigger = OneShot | Periodic


class Metric(IntEnum):
    """What a probe measures."""

    Power = 0
    """W"""
    NetworkLoad = 1
    """bytes/s"""
    ComputationLoad = 2
    """flop/s"""
    NormalizedNetworkLoad = 3
    NormalizedComputationLoad = 4


class ProbeResources(msgspec.Struct, frozen=True):
    """Hosts (``links`` is None) or links by name."""

    hosts: HostSet = HostSet()
    links: tuple[str, ...] | None = None


class CumulativeFunction(IntEnum):
    """How a metric is accumulated over time."""

    Sum = 0
    Minimum = 1
    Maximum = 2


class Accumulation(msgspec.Struct, frozen=True):
    """Accumulate since the last reset; ``reset_to`` is the value set after each measurement, None for no reset."""

    cumulative_function: CumulativeFunction = CumulativeFunction.Sum
    temporal_normalization: bool = False
    reset_to: float | None = None


class ResourcesAggregation(msgspec.Struct, frozen=True):
    """How values of resources become one value: ``none``, ``sum``, ``mean`` or ``quantile`` (of ``threshold``)."""

    function: str = "none"
    threshold: float = 0.5


class ExponentialMovingAverage(msgspec.Struct, frozen=True):
    """Empty in the schema; ours: weight ``alpha`` of the newest value (decisions.md 12)."""

    alpha: float = 0.5


class SlidingWindowOperation(msgspec.Struct, frozen=True):
    """Empty in the schema; ours: the mean of the last ``length`` values (decisions.md 12)."""

    length: int = 10


TemporalAggregation = ExponentialMovingAverage | SlidingWindowOperation | None


class BooleanComparisonOperator(IntEnum):
    """How a value is compared with a threshold."""

    GreaterThan = 0
    GreaterThanOrEqual = 1
    LessThan = 2
    LessThanOrEqual = 3


class ThresholdFiltering(msgspec.Struct, frozen=True):
    """Emit only if the comparison of the aggregated value with the threshold is true."""

    threshold: float
    operator: BooleanComparisonOperator = BooleanComparisonOperator.GreaterThan


NO_AGGREGATION: Final = ResourcesAggregation()
