"""What a probe measures when it is triggered, step by step (batprotocol; decisions.md 12)."""

from math import ceil, fsum
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.engine.probes.gauges import Extreme, Gauge, level_of
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import (
    BooleanComparisonOperator,
    CreateProbe,
    CumulativeFunction,
    ExponentialMovingAverage,
    Metric,
    ProbeDataEmitted,
    SlidingWindowOperation,
)

__all__ = ["Probe", "integrals", "is_energy", "let_loads_follow", "measure", "reset"]

_COMPARE: Final = {
    BooleanComparisonOperator.GreaterThan: float.__gt__,
    BooleanComparisonOperator.GreaterThanOrEqual: float.__ge__,
    BooleanComparisonOperator.LessThan: float.__lt__,
    BooleanComparisonOperator.LessThanOrEqual: float.__le__,
}


@mypyc_attr(allow_interpreted_subclasses=True)
class Probe:
    """A probe that is alive."""

    def __init__(
        self, rank: int, name: str, wanted: CreateProbe, numbers: list[int], gauges: list[Gauge], since: float
    ) -> None:
        self.rank = rank
        self.name = name
        self.wanted = wanted
        self.numbers = numbers
        """Of its hosts, or of its links in the network."""
        self.gauges = gauges
        """Of its resources; none for levels of now and for joules, which meters tell."""
        self.since = since
        """The date of the last reset."""
        self.base: list[float] = []
        """The integrals at the last reset."""
        self.carry = 0.0
        """The value that the last reset set."""
        self.extremes: list[Extreme] = []
        self.recent: list[list[float]] = []
        """The values that a moving average still needs."""
        self.begun = False
        self.tick = 0
        self.done = 0
        self.version = 0
        self.pending = False
        """Whether it is in the calendar, which keeps the run from ending."""
        self.kept: list[float] = []
        """What was measured last and kept by the filter."""
        self.nb_kept_alike = 0
        """How many times in a row the filter has kept the same."""
        self.nb_triggered = 0
        self.nb_emitted = 0

    @property
    def key(self) -> tuple[Metric, bool]:
        """What its gauges are filed under."""
        return self.wanted.metrics, self.wanted.resources.links is not None


def let_loads_follow(world: World) -> None:
    """Let loads follow what happened at this instant."""
    if world.sharing.changed:
        world.sharing.settle()


def measure(world: World, probe: Probe, *, manually: bool, forced: bool) -> None:
    """One measure of a probe; it is emitted unless its filter keeps it (or when forced)."""
    wanted = probe.wanted
    data = _averaged(probe, _aggregated(wanted, _values(world, probe)))
    probe.nb_triggered += 1
    if wanted.accumulation is not None and wanted.accumulation.reset_to is not None:
        reset(world, probe, wanted.accumulation.reset_to)
    if not forced and wanted.filtering is not None:
        passes, threshold = _COMPARE[wanted.filtering.operator], float(wanted.filtering.threshold)
        if not any(passes(value, threshold) for value in data):
            probe.nb_kept_alike = probe.nb_kept_alike + 1 if data == probe.kept else 0
            probe.kept = data
            return
    probe.nb_kept_alike = 0
    probe.nb_emitted += 1
    notice = ProbeDataEmitted(
        world.now,
        probe.name,
        wanted.resources,
        wanted.metrics,
        tuple(data) if wanted.resources_aggregation.function == "none" else data[0],
        manually,
        probe.nb_emitted,
        probe.nb_triggered,
    )
    world.sessions[probe.rank].outbox.append(notice)
    for hook in world.hooks.probe:
        hook(world.now, notice)


def is_energy(wanted: CreateProbe) -> bool:
    """Whether a probe sums power over time, which makes joules."""
    accumulation = wanted.accumulation
    return (
        wanted.metrics is Metric.Power
        and accumulation is not None
        and accumulation.cumulative_function is CumulativeFunction.Sum
    )


def integrals(world: World, probe: Probe) -> list[float]:
    """The integrals so far: joules are those of the meters."""
    if is_energy(probe.wanted):
        return [world.energy.host_joules(number) for number in probe.numbers]
    for gauge in probe.gauges:
        gauge.settle(world.now)
    return [gauge.integral for gauge in probe.gauges]


def _values(world: World, probe: Probe) -> list[float]:
    """One value for each resource."""
    accumulation = probe.wanted.accumulation
    if accumulation is None:
        return [level_of(world, probe.key, number) for number in probe.numbers]
    totals = integrals(world, probe)
    if probe.extremes:
        return [
            gauge.level if extreme.value is None else extreme.value
            for gauge, extreme in zip(probe.gauges, probe.extremes, strict=True)
        ]
    values = [probe.carry + total - base for total, base in zip(totals, probe.base, strict=True)]
    if not accumulation.temporal_normalization:
        return values
    elapsed = world.now - probe.since
    if elapsed <= 0.0:
        return [level_of(world, probe.key, number) for number in probe.numbers]
    return [value / elapsed for value in values]


def reset(world: World, probe: Probe, value: float) -> None:
    """Set the accumulated value of a probe, counted from now."""
    probe.base = integrals(world, probe)
    probe.carry = value
    probe.since = world.now
    for extreme in probe.extremes:
        extreme.value = value


def _aggregated(wanted: CreateProbe, values: list[float]) -> list[float]:
    """One value, or one for each resource."""
    function = wanted.resources_aggregation.function
    if function == "sum":
        return [fsum(values)]
    if function == "mean":
        return [fsum(values) / len(values)]
    if function == "quantile":  # the smallest value that a share of at least `threshold` does not exceed
        rank = ceil(wanted.resources_aggregation.threshold * len(values) - 1e-9)
        return [sorted(values)[max(1, rank) - 1]]
    return values


def _averaged(probe: Probe, values: list[float]) -> list[float]:
    """The moving average of what was measured so far."""
    average = probe.wanted.temporal_aggregation
    recent = probe.recent
    if isinstance(average, ExponentialMovingAverage):
        if recent:
            before = recent.pop()
            values = [old + average.alpha * (new - old) for old, new in zip(before, values, strict=True)]
        recent.append(values)
    elif isinstance(average, SlidingWindowOperation):
        recent.append(values)
        if len(recent) > average.length:
            del recent[0]
        values = [fsum(column) / len(recent) for column in zip(*recent, strict=True)]
    return values
