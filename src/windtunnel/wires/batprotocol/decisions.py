"""Decisions of the vocabulary as batprotocol's events, and back."""

from collections.abc import Callable, Mapping
from math import nan
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from windtunnel import vocabulary as v
from windtunnel.diagnostics import Findings, ProtocolError, UsageError
from windtunnel.entities.trace_files import load_traces
from windtunnel.model import TraceReplayProfile
from windtunnel.vocabulary.coverage import Wire, unsaid
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.forms import (
    hosts_in,
    job_in,
    job_out,
    placement_in,
    placement_out,
    profile_in,
    profile_out,
    qualified,
    resources_in,
    resources_out,
    trigger_in,
    trigger_out,
)

__all__ = ["DECISIONS_IN", "DECISIONS_OUT", "decision_in", "decision_out"]


def decision_in(event: s.Event, timestamp: float | None) -> v.Decision:
    """The decision that a component sent; ``timestamp`` None means at once.

    Raises:
        ProtocolError: components do not send such events, or a member of it is invalid.
    """
    translate = DECISIONS_IN.get(type(event))
    if translate is None:
        name = type(event).__name__
        if isinstance(event, s.EDCHelloEvent):
            raise ProtocolError("External decision component said hello twice!")
        raise ProtocolError(f"Unhandled event type received ({name}): decision components do not send it")
    decision = translate(event)
    if timestamp is not None:
        decision.timestamp = timestamp
    return decision


def decision_out(decision: v.Decision) -> s.Event | None:
    """The event of a decision; None for what is not said on purpose.

    Raises:
        UsageError: batprotocol has no form for it.
    """
    translate = DECISIONS_OUT.get(type(decision))
    if translate is None:
        unsaid(decision, Wire.BATPROTOCOL)
        return None
    return translate(decision)


def _execute_in(event: s.ExecuteJobEvent) -> v.ExecuteJob:
    allocation = event.allocation
    decision = v.ExecuteJob(
        job_id=event.job_id,
        hosts=hosts_in(allocation.host_allocation, "ExecuteJobEvent", event.job_id),
        placement=placement_in(allocation.executor_placement),
    )
    if event.profile_allocation_override:
        where = f"ExecuteJobEvent of {event.job_id!r}: profile_allocation_override"
        decision.profile_placements = {
            qualified(override.profile_id, event.job_id): v.ProfilePlacement(
                hosts_in(override.host_allocation, where), placement_in(override.executor_placement)
            )
            for override in event.profile_allocation_override
        }
        if len(decision.profile_placements) < len(event.profile_allocation_override):
            raise ProtocolError(f"{where} places a profile twice")
    if event.storage_placement:
        decision.storages = {storage.storage_name: storage.host_id for storage in event.storage_placement}
        if len(decision.storages) < len(event.storage_placement):
            raise ProtocolError(f"ExecuteJobEvent of {event.job_id!r}: storage_placement places a storage twice")
    return decision


def _execute_out(decision: v.ExecuteJob) -> s.ExecuteJobEvent:
    for member in ("amounts", "additional_io"):
        if getattr(decision, member) is not None:
            raise UsageError(f"job {decision.job_id!r}: batprotocol has no form for the {member} of an execution")
    overrides = tuple(
        s.ProfileAllocationPlacement(
            profile_id=profile_id,
            host_allocation=str(placed.hosts),
            executor_placement=placement_out(placed.placement),
        )
        for profile_id, placed in decision.profile_placements.items()
    )
    storages = tuple(s.StorageHost(storage_name=name, host_id=host) for name, host in decision.storages.items())
    return s.ExecuteJobEvent(
        job_id=decision.job_id,
        allocation=s.AllocationPlacement(
            host_allocation=str(decision.hosts), executor_placement=placement_out(decision.placement)
        ),
        profile_allocation_override=overrides,  # empty rather than absent, as upstream's library writes them
        storage_placement=storages,
    )


def _check_full(what: str, name: str) -> None:
    workload, _, rest = name.partition("!")
    if not workload or not rest or "!" in rest:
        raise ProtocolError(
            f"invalid {what} identifier {name!r}: it should be two parts separated by '!', workload!name"
        )


def _register_profile_in(event: s.RegisterProfileEvent) -> v.RegisterProfile:
    """Traces are read now: the file's name is taken as it is (relative to the working directory)."""
    _check_full("profile", event.profile.id)
    profile = profile_in(event.profile)
    if isinstance(profile, TraceReplayProfile):
        findings = Findings(profile.filename)
        traces = load_traces(Path(profile.filename), profile.trace_type, findings)
        profile = replace(profile, traces=traces)
        if findings.has_errors:
            raise ProtocolError(f"invalid registration of profile {profile.id!r}: {next(iter(findings)).message}")
    return v.RegisterProfile(profile=profile)


def _register_job_in(event: s.RegisterJobEvent) -> v.RegisterJob:
    _check_full("job", event.job_id)
    # Not a number stands for "now": batprotocol leaves the date of submission to the simulator.
    return v.RegisterJob(
        job=job_in(event.job_id, event.job, nan), profile_id=qualified(event.job.profile_id, event.job_id)
    )


def _register_job_out(decision: v.RegisterJob) -> s.RegisterJobEvent:
    return s.RegisterJobEvent(job_id=decision.job.id, job=job_out(decision.job, decision.profile_id))


_AGGREGATIONS_OUT: Final[Mapping[str, Callable[[float], s.ResourcesAggregationFunction]]] = {
    "none": lambda _: s.NoResourcesAggregation(),
    "sum": lambda _: s.Sum(),
    "mean": lambda _: s.ArithmeticMean(),
    "quantile": lambda threshold: s.QuantileFunction(threshold=threshold),
}
_AGGREGATIONS_IN: Final = {s.NoResourcesAggregation: "none", s.Sum: "sum", s.ArithmeticMean: "mean"}


def _probe_in(event: s.CreateProbeEvent) -> v.CreateProbe:
    where = f"CreateProbeEvent of {event.probe_id!r}"
    accumulation, aggregation = event.data_accumulation_strategy, event.resources_aggregation_function
    temporal, filtering = event.temporal_aggregation_function, event.emission_filtering_policy
    decision = v.CreateProbe(
        probe_id=event.probe_id,
        metrics=v.Metric(event.metrics),
        resources=resources_in(event.resources, f"{where}: resources"),
        when=trigger_in(event.measurement_triggering_policy.temporal_trigger),
    )
    if isinstance(accumulation, s.ProbeDataAccumulation):
        reset = accumulation.reset_mode
        decision.accumulation = v.Accumulation(
            v.CumulativeFunction(accumulation.cumulative_function),
            accumulation.temporal_normalization,
            reset.new_value if isinstance(reset, s.ProbeAccumulationReset) else None,
        )
    if isinstance(aggregation, s.QuantileFunction):
        decision.resources_aggregation = v.ResourcesAggregation("quantile", aggregation.threshold)
    else:
        decision.resources_aggregation = v.ResourcesAggregation(_AGGREGATIONS_IN[type(aggregation)])
    if isinstance(temporal, s.ExponentialMovingAverage):
        decision.temporal_aggregation = v.ExponentialMovingAverage()
    elif isinstance(temporal, s.SlidingWindowOperation):
        decision.temporal_aggregation = v.SlidingWindowOperation()
    if isinstance(filtering, s.ThresholdFilteringFunction):
        operator = v.BooleanComparisonOperator(filtering.operator)
        decision.filtering = v.ThresholdFiltering(filtering.threshold, operator)
    return decision


def _probe_out(decision: v.CreateProbe) -> s.CreateProbeEvent:
    if decision.when is None:
        raise UsageError(f"probe {decision.probe_id!r}: batprotocol wants a temporal trigger for every probe")
    accumulation: s.ProbeDataAccumulationStrategy = s.NoProbeDataAccumulation()
    if (wanted := decision.accumulation) is not None:
        reset: s.ResetMode = s.NoReset()
        if wanted.reset_to is not None:
            reset = s.ProbeAccumulationReset(new_value=wanted.reset_to)
        accumulation = s.ProbeDataAccumulation(
            reset_mode=reset,
            cumulative_function=s.CumulativeFunction(wanted.cumulative_function),
            temporal_normalization=wanted.temporal_normalization,
        )
    temporal: s.TemporalAggregationFunction = s.NoTemporalAggregation()
    if isinstance(decision.temporal_aggregation, v.ExponentialMovingAverage):
        temporal = s.ExponentialMovingAverage()
    elif decision.temporal_aggregation is not None:
        temporal = s.SlidingWindowOperation()
    filtering: s.ProbeEmissionFilteringPolicy = s.NoFiltering()
    if decision.filtering is not None:
        filtering = s.ThresholdFilteringFunction(
            threshold=decision.filtering.threshold,
            operator=s.BooleanComparisonOperator(decision.filtering.operator),
        )
    aggregation = decision.resources_aggregation
    return s.CreateProbeEvent(
        probe_id=decision.probe_id,
        metrics=s.Metrics(decision.metrics),
        resources=resources_out(decision.resources),
        data_accumulation_strategy=accumulation,
        measurement_triggering_policy=s.TemporalTriggerWrapper(temporal_trigger=trigger_out(decision.when)),
        resources_aggregation_function=_AGGREGATIONS_OUT[aggregation.function](aggregation.threshold),
        temporal_aggregation_function=temporal,
        emission_filtering_policy=filtering,
    )


DECISIONS_IN: Final[Mapping[type[s.Table], Callable[[Any], v.Decision]]] = {
    s.RejectJobEvent: lambda e: v.RejectJob(job_id=e.job_id),
    s.ExecuteJobEvent: _execute_in,
    s.KillJobsEvent: lambda e: v.KillJobs(job_ids=e.job_ids),
    s.RegisterProfileEvent: _register_profile_in,
    s.RegisterJobEvent: _register_job_in,
    s.FinishRegistrationEvent: lambda _: v.FinishRegistration(),
    s.CallMeLaterEvent: lambda e: v.CallMeLater(call_me_later_id=e.call_me_later_id, when=trigger_in(e.when)),
    s.StopCallMeLaterEvent: lambda e: v.StopCallMeLater(call_me_later_id=e.call_me_later_id),
    s.CreateProbeEvent: _probe_in,
    s.StopProbeEvent: lambda e: v.StopProbe(probe_id=e.probe_id),
    s.TriggerProbeEvent: lambda e: v.TriggerProbe(probe_id=e.probe_id, force_data_emission=e.force_data_emission),
    s.ResetProbeEvent: lambda e: v.ResetProbe(probe_id=e.probe_id, new_value=e.new_value),
    s.ChangeHostsPStateEvent: lambda e: v.ChangeHostsPState(
        hosts=hosts_in(e.host_ids, "ChangeHostsPStateEvent.host_ids"), pstate=e.pstate
    ),
    s.TurnOnOffHostsEvent: lambda e: v.TurnOnOffHosts(
        hosts=hosts_in(e.host_ids, "TurnOnOffHostsEvent.host_ids"), state=e.state
    ),
    s.ForceSimulationStopEvent: lambda _: v.ForceSimulationStop(),
}
"""By event, how it is read. An event that is not here is not for components to send."""

DECISIONS_OUT: Final[Mapping[type[v.Decision], Callable[[Any], s.Event]]] = {
    v.RejectJob: lambda d: s.RejectJobEvent(job_id=d.job_id),
    v.ExecuteJob: _execute_out,
    v.KillJobs: lambda d: s.KillJobsEvent(job_ids=d.job_ids),
    v.RegisterProfile: lambda d: s.RegisterProfileEvent(profile=profile_out(d.profile)),
    v.RegisterJob: _register_job_out,
    v.FinishRegistration: lambda _: s.FinishRegistrationEvent(),
    v.CallMeLater: lambda d: s.CallMeLaterEvent(call_me_later_id=d.call_me_later_id, when=trigger_out(d.when)),
    v.StopCallMeLater: lambda d: s.StopCallMeLaterEvent(call_me_later_id=d.call_me_later_id),
    v.CreateProbe: _probe_out,
    v.StopProbe: lambda d: s.StopProbeEvent(probe_id=d.probe_id),
    v.TriggerProbe: lambda d: s.TriggerProbeEvent(probe_id=d.probe_id, force_data_emission=d.force_data_emission),
    v.ResetProbe: lambda d: s.ResetProbeEvent(probe_id=d.probe_id, new_value=d.new_value),
    v.ChangeHostsPState: lambda d: s.ChangeHostsPStateEvent(host_ids=str(d.hosts), pstate=d.pstate),
    v.TurnOnOffHosts: lambda d: s.TurnOnOffHostsEvent(host_ids=str(d.hosts), state=d.state),
    v.ForceSimulationStop: lambda _: s.ForceSimulationStopEvent(),
}
"""By decision, how it is written. A decision that is not here has no form in batprotocol."""
