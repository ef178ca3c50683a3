"""Probes: measuring hosts and links when a decision component wants it (batprotocol; decisions.md 12).

A measure goes through: level or accumulation of each resource, aggregation over resources, moving average, filter.
Periods count from the start of the simulation, as those of calls; the first only begins the measuring.
"""

from math import ceil, fsum
from typing import Final

import msgspec

from windtunnel.engine.events import PROBE
from windtunnel.engine.fluid import settle
from windtunnel.engine.gauges import Extreme, Gauge, Gauges, level_of
from windtunnel.engine.probe_rules import check_probe
from windtunnel.engine.refusal import refuse
from windtunnel.engine.triggers import due_together, first_tick, seconds, unit_date
from windtunnel.engine.world import Priority, World
from windtunnel.vocabulary import (
    BooleanComparisonOperator,
    CreateProbe,
    CumulativeFunction,
    Decision,
    ExponentialMovingAverage,
    Metric,
    OneShot,
    Periodic,
    ProbeDataEmitted,
    ResetProbe,
    SlidingWindowOperation,
    StopProbe,
    TriggerProbe,
)

__all__ = ["Probe", "create_probe", "probe_due", "reset_probe", "stop_probe", "trigger_probe"]

_COMPARE: Final = {
    BooleanComparisonOperator.GreaterThan: float.__gt__,
    BooleanComparisonOperator.GreaterThanOrEqual: float.__ge__,
    BooleanComparisonOperator.LessThan: float.__lt__,
    BooleanComparisonOperator.LessThanOrEqual: float.__le__,
}


class Probe(msgspec.Struct, eq=False):
    """A probe that is alive."""

    rank: int
    name: str
    wanted: CreateProbe
    numbers: list[int]
    """Of its hosts, or of its links in the network."""
    gauges: list[Gauge]
    """Of its resources; none for levels of now and for joules, which meters tell."""
    since: float
    """The date of the last reset."""
    base: list[float]
    """The integrals at the last reset."""
    carry: float = 0.0
    """The value that the last reset set."""
    extremes: list[Extreme] = []
    recent: list[list[float]] = []
    """The values that a moving average still needs."""
    begun: bool = False
    tick: int = 0
    done: int = 0
    version: int = 0
    pending: bool = False
    """Whether it is in the calendar, which keeps the run open."""
    nb_triggered: int = 0
    nb_emitted: int = 0

    @property
    def key(self) -> tuple[Metric, bool]:
        """What its gauges are filed under."""
        return self.wanted.metrics, self.wanted.resources.links is not None


# -- decisions ----------------------------------------------------------------------------------------------------


def create_probe(world: World, rank: int, decision: CreateProbe) -> None:
    """Begin to measure."""
    probes = world.seats[rank].probes
    if decision.probe_id in probes:
        refuse(world, decision, "duplicate-probe", f"a probe {decision.probe_id!r} is alive already")
    numbers = check_probe(world, decision)
    tick = first_tick(world, decision, decision.when) if isinstance(decision.when, Periodic) else 0
    _settle(world)
    if world.gauges is None:
        world.gauges = Gauges()
    accumulation = decision.accumulation
    key = (decision.metrics, decision.resources.links is not None)
    # Joules are counted from the start of the run, as upstream does; anything else from now on.
    joules = _is_energy(decision)
    gauges = [] if accumulation is None or joules else [world.gauges.get(world, key, n) for n in numbers]
    probe = Probe(rank, decision.probe_id, decision, numbers, gauges, 0.0 if joules else world.now, [], tick=tick)
    probe.base = [0.0] * len(numbers) if joules else _totals(world, probe)
    if accumulation is not None and accumulation.cumulative_function is not CumulativeFunction.Sum:
        probe.extremes = [
            Extreme(accumulation.cumulative_function is CumulativeFunction.Minimum) for _ in probe.gauges
        ]
        for gauge, extreme in zip(probe.gauges, probe.extremes, strict=True):
            gauge.extremes.append(extreme)
    probes[probe.name] = probe
    _plan(world, probe)


def _plan(world: World, probe: Probe) -> None:
    when = probe.wanted.when
    if when is None:
        return
    if isinstance(when, OneShot):
        date = max(unit_date(when), world.now)
        probe.begun = True
    else:
        date = seconds(when, probe.tick)
    probe.pending = True
    world.open += 1
    world.push(date, Priority.PROBE, PROBE, probe, probe.version)


def _retire(world: World, probe: Probe) -> None:
    """It is not in the calendar any more."""
    if probe.pending:
        probe.pending = False
        probe.version += 1
        world.open -= 1


def _drop(world: World, probe: Probe) -> None:
    _retire(world, probe)
    del world.seats[probe.rank].probes[probe.name]
    for gauge, extreme in zip(probe.gauges, probe.extremes, strict=False):
        gauge.extremes.remove(extreme)
    if probe.gauges:
        world.gauges.drop(probe.key, probe.numbers)


def stop_probe(world: World, rank: int, decision: StopProbe) -> None:
    """Measure no more; an unknown probe is no fault (it may have come to its end)."""
    probe = world.seats[rank].probes.get(decision.probe_id)
    if probe is not None:
        _drop(world, probe)


def _known(world: World, rank: int, decision: Decision, name: str) -> Probe:
    probe = world.seats[rank].probes.get(name)
    if probe is None:
        refuse(world, decision, "unknown-probe", f"there is no probe {name!r} (never created, or over)")
    known: Probe = probe
    return known


def trigger_probe(world: World, rank: int, decision: TriggerProbe) -> None:
    """Measure now, and emit whatever the filter says if that is wanted."""
    probe = _known(world, rank, decision, decision.probe_id)
    _settle(world)
    _measure(world, probe, manually=True, forced=decision.force_data_emission)


def reset_probe(world: World, rank: int, decision: ResetProbe) -> None:
    """Let an accumulation begin anew, at a value."""
    probe = _known(world, rank, decision, decision.probe_id)
    if probe.wanted.accumulation is None:
        refuse(world, decision, "no-accumulation", f"the probe {probe.name!r} accumulates nothing to be reset")
    _settle(world)
    _reset(world, probe, decision.new_value)


# -- triggers -----------------------------------------------------------------------------------------------------


def probe_due(world: World, probe: Probe) -> None:
    """Probes are due: all of this instant, by id."""
    _settle(world)
    for one in sorted(due_together(world, PROBE, probe), key=lambda p: (p.rank, p.name)):
        _due(world, one)


def _due(world: World, probe: Probe) -> None:
    when = probe.wanted.when
    if not isinstance(when, Periodic):
        _retire(world, probe)  # it stays to be triggered by hand
        _measure(world, probe, manually=False, forced=False)
        return
    if probe.begun:
        probe.done += 1
        _measure(world, probe, manually=False, forced=False)
        if probe.done == when.nb_periods:
            _drop(world, probe)
            return
    else:
        probe.begun = True
        accumulation = probe.wanted.accumulation
        if accumulation is not None and accumulation.reset_to is not None:
            _reset(world, probe, accumulation.reset_to)
    probe.tick += 1
    world.push(seconds(when, probe.tick), Priority.PROBE, PROBE, probe, probe.version)


def _settle(world: World) -> None:
    """Let loads follow what happened at this instant."""
    if world.fluid is not None and world.fluid.changed:
        settle(world)


# -- measures -----------------------------------------------------------------------------------------------------


def _measure(world: World, probe: Probe, *, manually: bool, forced: bool) -> None:
    wanted = probe.wanted
    data = _averaged(probe, _aggregated(wanted, _values(world, probe)))
    probe.nb_triggered += 1
    if wanted.accumulation is not None and wanted.accumulation.reset_to is not None:
        _reset(world, probe, wanted.accumulation.reset_to)
    if not forced and wanted.filtering is not None:
        passes, threshold = _COMPARE[wanted.filtering.operator], float(wanted.filtering.threshold)
        if not any(passes(value, threshold) for value in data):
            return
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
    world.seats[probe.rank].outbox.append(notice)
    for hook in world.hooks.probe:
        hook(world.now, notice)


def _is_energy(wanted: CreateProbe) -> bool:
    accumulation = wanted.accumulation
    return (
        wanted.metrics is Metric.Power
        and accumulation is not None
        and accumulation.cumulative_function is CumulativeFunction.Sum
    )


def _totals(world: World, probe: Probe) -> list[float]:
    """The integrals so far: joules are those of the meters."""
    if _is_energy(probe.wanted):
        return [world.energy.meters.read(world.now, number) for number in probe.numbers]
    for gauge in probe.gauges:
        gauge.settle(world.now)
    return [gauge.integral for gauge in probe.gauges]


def _values(world: World, probe: Probe) -> list[float]:
    """One value for each resource."""
    accumulation = probe.wanted.accumulation
    if accumulation is None:
        return [level_of(world, probe.key, number) for number in probe.numbers]
    totals = _totals(world, probe)
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


def _reset(world: World, probe: Probe, value: float) -> None:
    probe.base = _totals(world, probe)
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
