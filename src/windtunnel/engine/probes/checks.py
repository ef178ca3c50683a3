"""What a probe may measure: refusals with their reasons, and the numbers of the resources it names."""

from typing import Final

from windtunnel.diagnostics import did_you_mean
from windtunnel.engine.state.refusal import refuse
from windtunnel.engine.state.world import World
from windtunnel.model import HostSet
from windtunnel.vocabulary import (
    CreateProbe,
    CumulativeFunction,
    ExponentialMovingAverage,
    Metric,
    SlidingWindowOperation,
)

__all__ = ["check_probe"]

_NETWORK: Final = (Metric.NetworkLoad, Metric.NormalizedNetworkLoad)
_NORMALIZED: Final = (Metric.NormalizedNetworkLoad, Metric.NormalizedComputationLoad)
_AGGREGATIONS: Final = ("none", "sum", "mean", "quantile")


def check_probe(world: World, decision: CreateProbe) -> list[int]:
    """The numbers of the resources of a probe that makes sense; anything else is refused."""
    if decision.metrics is Metric.Power and not world.metered:
        refuse(
            world,
            decision,
            "energy",
            f"the probe {decision.probe_id!r} measures Power, but energy is not simulated (--energy-host)",
        )
    _check_accumulation(world, decision)
    _check_aggregation(world, decision)
    return _hosts(world, decision) if decision.resources.links is None else _links(world, decision)


def _check_accumulation(world: World, decision: CreateProbe) -> None:
    wanted = decision.accumulation
    if wanted is None:
        return
    if wanted.cumulative_function is CumulativeFunction.Sum:
        if decision.metrics in _NORMALIZED:
            reason = f"{decision.metrics.name} is not defined per unit of time, it cannot be accumulated by Sum"
            refuse(world, decision, "normalised-sum", f"the probe {decision.probe_id!r}: {reason}")
    elif wanted.temporal_normalization:
        reason = f"a {wanted.cumulative_function.name} is a level: only a Sum can be divided by the elapsed time"
        refuse(world, decision, "normalised-extreme", f"the probe {decision.probe_id!r}: {reason}")


def _check_aggregation(world: World, decision: CreateProbe) -> None:
    over_resources, over_time = decision.resources_aggregation, decision.temporal_aggregation
    reason = ""
    if over_resources.function not in _AGGREGATIONS:
        reason = f"values are aggregated by {', '.join(_AGGREGATIONS)}, not by {over_resources.function!r}"
    elif not 0.0 <= over_resources.threshold <= 1.0:
        reason = f"a quantile lies in [0, 1], not at {over_resources.threshold:g}"
    elif isinstance(over_time, ExponentialMovingAverage) and not 0.0 < over_time.alpha <= 1.0:
        reason = f"the weight of the newest value lies in ]0, 1], not at {over_time.alpha:g}"
    elif isinstance(over_time, SlidingWindowOperation) and over_time.length < 1:
        reason = f"a window holds at least 1 value, not {over_time.length}"
    if reason:
        refuse(world, decision, "aggregation", f"the probe {decision.probe_id!r}: {reason}")


def _hosts(world: World, decision: CreateProbe) -> list[int]:
    hosts = decision.resources.hosts
    known = world.hosts.size + world.hosts.storages
    beyond = hosts - HostSet.span(known)
    if beyond or not hosts:
        reason = f"there are no hosts {beyond} (0-{known - 1} exist)" if beyond else "it names no host"
        refuse(world, decision, "unknown-host", f"the probe {decision.probe_id!r}: {reason}")
    return list(hosts)


def _links(world: World, decision: CreateProbe) -> list[int]:
    names = decision.resources.links or ()
    if decision.metrics not in _NETWORK:
        reason = f"links have no {decision.metrics.name}, only {' and '.join(m.name for m in _NETWORK)}"
        refuse(world, decision, "metric", f"the probe {decision.probe_id!r}: {reason}")
    network = world.platform.network
    known = {} if network is None else {link.id: number for number, link in enumerate(network.links)}
    for name in names:
        if name not in known:
            reason = f"there is no link {name!r} ({did_you_mean(name, known) or 'the platform has none'})"
            refuse(world, decision, "unknown-link", f"the probe {decision.probe_id!r}: {reason}")
    if not names:
        refuse(world, decision, "unknown-link", f"the probe {decision.probe_id!r} names no link")
    return [known[name] for name in names]
