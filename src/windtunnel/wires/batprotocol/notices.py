"""Notices of the vocabulary as batprotocol's events, and back.

Reading them needs a :class:`~windtunnel.wires.batprotocol.memory.Memory`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.diagnostics import ProtocolError
from windtunnel.vocabulary.coverage import Wire, unsaid
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.external_events import availability_out, external_in, external_out, refused_out
from windtunnel.wires.batprotocol.forms import (
    hosts_in,
    job_in,
    job_out,
    profile_in,
    profile_out,
    progress_in,
    progress_out,
    resources_in,
    resources_out,
)
from windtunnel.wires.batprotocol.memory import Memory

__all__ = ["BATPROTOCOL_VERSION", "NOTICES_IN", "NOTICES_OUT", "notice_in", "notice_out"]

BATPROTOCOL_VERSION: Final = "1.0.0"
"""What we say we speak: the version of the schema in this package."""

_FINAL_OUT: Final = {m.JobState[state.name]: state for state in s.FinalJobState}
_FINAL_IN: Final = {state: m.JobState[state.name] for state in s.FinalJobState}


def notice_in(stamped: s.EventAndTimestamp, memory: Memory) -> v.Notice:
    """The notice that a simulator sent.

    Raises:
        ProtocolError: simulators do not send such events, or a member of it is invalid.
    """
    translate = NOTICES_IN.get(type(stamped.event))
    if translate is None:
        raise ProtocolError(f"simulators do not send {type(stamped.event).__name__}")
    return translate(stamped.timestamp, stamped.event, memory)


def notice_out(notice: v.Notice) -> s.EventAndTimestamp | None:
    """The event of a notice; None for one that is not said on purpose.

    Raises:
        UsageError: batprotocol has no form for it.
    """
    translate = NOTICES_OUT.get(type(notice))
    if translate is None:
        unsaid(notice, Wire.BATPROTOCOL)
        return None
    return s.EventAndTimestamp(timestamp=notice.timestamp, event=translate(notice))


# ---- the start ---------------------------------------------------------------------------------------------------


def _host_out(host: m.Host) -> s.Host:
    def pairs(properties: Mapping[str, str]) -> tuple[s.HostProperty, ...]:
        return tuple(s.HostProperty(key=key, value=value) for key, value in properties.items())

    return s.Host(
        id=host.id,
        name=host.name,
        pstate=host.pstate,
        pstate_count=len(host.pstates),
        state=s.HostState.SLEEPING if host.pstate in host.sleep_pstates else s.HostState.IDLE,
        properties=pairs(host.properties),
        zone_properties=pairs(host.zone_properties),
        core_count=host.cores,
        computation_speed=tuple(state.speed for state in host.pstates),
    )


def _host_in(found: s.Host, *, storage: bool) -> m.Host:
    if found.pstate >= max(1, len(found.computation_speed)):
        raise ProtocolError(f"host {found.name!r}: there is no power state {found.pstate}")
    if len(found.computation_speed) not in (0, found.pstate_count):
        told = len(found.computation_speed)
        raise ProtocolError(f"host {found.name!r}: pstate_count is {found.pstate_count}, but {told} speeds are told")
    properties = {pair.key: pair.value for pair in found.properties or ()}
    sleeps = found.state in (s.HostState.SLEEPING, s.HostState.SWITCHING_OFF) and "sleep_pstates" not in properties
    return m.Host(
        id=found.id,
        name=found.name,
        cores=found.core_count,
        pstates=tuple(m.PowerState(speed) for speed in found.computation_speed) or (m.PowerState(0.0),),
        # How it sleeps is told by a property, if at all; that it does is told by its state.
        sleep_pstates={found.pstate: (found.pstate, found.pstate)} if sleeps else {},
        pstate=found.pstate,
        storage=storage,
        properties=properties,
        zone_properties={pair.key: pair.value for pair in found.zone_properties or ()},
    )


def _begins_out(notice: v.SimulationBegins) -> s.SimulationBeginsEvent:
    hosts, storages = notice.platform.hosts, notice.platform.storages
    options, profiles = notice.options, notice.profiles
    return s.SimulationBeginsEvent(
        batprotocol_version=BATPROTOCOL_VERSION,
        batsim_version=options.get("batsim_version", "windtunnel"),
        batsim_commit=options.get("batsim_commit", ""),
        host_number=len(hosts) + len(storages),
        computation_host_number=len(hosts),
        computation_hosts=tuple(map(_host_out, hosts)),
        storage_host_number=len(storages),
        storage_hosts=tuple(map(_host_out, storages)),
        batsim_arguments=tuple(options.get("batsim_arguments", ())),
        batsim_execution_context_json=options.get("batsim_execution_context_json", "{}"),
        workloads=tuple(s.WorkloadAndFilename(name=w.name, filename=w.path) for w in notice.workloads),
        external_event_lists=tuple(
            s.ExternalEventListAndFilename(name=e.name, filename=e.path) for e in notice.event_lists
        ),
        profiles=None if profiles is None else _profiles_out(profiles),
    )


def _begins_in(timestamp: float, event: s.SimulationBeginsEvent, memory: Memory) -> v.SimulationBegins:
    for found in event.profiles or ():
        memory.profile(found, found.id)
    return v.SimulationBegins(
        timestamp,
        platform=m.Platform(
            name="batprotocol",
            hosts=tuple(_host_in(host, storage=False) for host in event.computation_hosts),
            storages=tuple(_host_in(host, storage=True) for host in event.storage_hosts),
        ),
        workloads=[m.JobList(found.name, [], path=found.filename) for found in event.workloads],
        event_lists=[
            m.EventList(name=found.name, events=(), path=found.filename) for found in event.external_event_lists
        ],
        allow_compute_sharing=True,  # Batsim 5 leaves it to the component
        options={
            "batprotocol_version": event.batprotocol_version,
            "batsim_version": event.batsim_version,
            "batsim_commit": event.batsim_commit or "",
            "batsim_arguments": list(event.batsim_arguments),
            "batsim_execution_context_json": event.batsim_execution_context_json,
        },
        profiles=None if event.profiles is None else {p.id: memory.profiles[p.id] for p in event.profiles},
        keeps_metadata=False,  # there is no event for them
    )


def _profiles_out(profiles: Mapping[str, m.Profile]) -> tuple[s.ProfileAndId, ...]:
    return tuple(profile_out(profile, profile_id) for profile_id, profile in profiles.items())


# ---- jobs --------------------------------------------------------------------------------------------------------


def _submitted_out(notice: v.JobSubmitted) -> s.JobSubmittedEvent:
    job, profile = notice.job, notice.profile
    return s.JobSubmittedEvent(
        job_id=job.id,
        job=job_out(job),
        submission_time=notice.submission_time,
        profile=None if profile is None else profile_out(profile, job.id),
    )


def _submitted_in(timestamp: float, event: s.JobSubmittedEvent, memory: Memory) -> v.JobSubmitted:
    profile = memory.profile(event.profile, event.job.profile_id)
    job = memory.jobs[event.job_id] = job_in(event.job_id, event.job, event.submission_time, profile)
    return v.JobSubmitted(timestamp, job, event.submission_time, profile if event.profile is not None else None)


def _completed_out(notice: v.JobCompleted) -> s.JobCompletedEvent:
    return s.JobCompletedEvent(job_id=notice.job.id, state=_FINAL_OUT[notice.state], return_code=notice.return_code)


def _completed_in(timestamp: float, event: s.JobCompletedEvent, memory: Memory) -> v.JobCompleted:
    job, hosts, start = memory.ended(event.job_id)
    return v.JobCompleted(timestamp, job, _FINAL_IN[event.state], event.return_code, hosts, start)


def _killed_out(notice: v.JobsKilled) -> s.JobsKilledEvent:
    progresses = tuple(
        s.JobAndProgress(job_id=job_id, wrapper=progress_out(progress))
        for job_id, progress in notice.progresses.items()
    )
    profiles = None if notice.profiles is None else _profiles_out(notice.profiles)
    return s.JobsKilledEvent(job_ids=notice.job_ids, progresses=progresses, profiles=profiles)


def _killed_in(timestamp: float, event: s.JobsKilledEvent, memory: Memory) -> v.JobsKilled:
    del memory
    return v.JobsKilled(
        timestamp,
        event.job_ids,
        {found.job_id: progress_in(found.wrapper) for found in event.progresses},
        None if event.profiles is None else {found.id: profile_in(found) for found in event.profiles},
    )


# ---- the site ----------------------------------------------------------------------------------------------------


def _probe_out(notice: v.ProbeDataEmitted) -> s.ProbeDataEmittedEvent:
    several = isinstance(notice.data, tuple)
    data: Any = s.VectorialProbeData if several else s.AggregatedProbeData
    return s.ProbeDataEmittedEvent(
        probe_id=notice.probe_id,
        resources=resources_out(notice.resources),
        metrics=s.Metrics(notice.metrics),
        data=data(data=notice.data),
        manually_triggered=notice.manually_triggered,
        nb_emitted=notice.nb_emitted,
        nb_triggered=notice.nb_triggered,
    )


def _probe_in(timestamp: float, event: s.ProbeDataEmittedEvent, memory: Memory) -> v.ProbeDataEmitted:
    del memory
    return v.ProbeDataEmitted(
        timestamp,
        event.probe_id,
        resources_in(event.resources, f"ProbeDataEmittedEvent of {event.probe_id!r}: resources"),
        v.Metric(event.metrics),
        event.data.data,
        event.manually_triggered,
        event.nb_emitted,
        event.nb_triggered,
    )


NOTICES_OUT: Final[Mapping[type[v.Notice], Callable[[Any], s.Event]]] = {
    v.SimulationBegins: _begins_out,
    v.SimulationEnds: lambda _: s.SimulationEndsEvent(),
    v.SimulationErrorOccurred: lambda n: s.SimulationErrorEvent(error=n.error),
    v.JobSubmitted: _submitted_out,
    v.JobCompleted: _completed_out,
    v.JobsKilled: _killed_out,
    v.RequestedCall: lambda n: s.RequestedCallEvent(
        call_me_later_id=n.call_me_later_id, last_periodic_call=n.last_periodic_call
    ),
    v.ProbeDataEmitted: _probe_out,
    v.AllStaticJobsHaveBeenSubmitted: lambda _: s.AllStaticJobsHaveBeenSubmittedEvent(),
    v.AllStaticExternalEventsHaveBeenInjected: lambda _: s.AllStaticExternalEventsHaveBeenInjectedEvent(),
    v.HostsPStateChanged: lambda n: s.HostsPStateChangedEvent(host_ids=str(n.hosts), pstate=n.pstate),
    v.ResourceStateChanged: lambda n: s.HostsPStateChangedEvent(host_ids=str(n.hosts), pstate=n.state),
    v.HostsTurnedOnOff: lambda n: s.HostsTurnedOnOffEvent(host_ids=str(n.hosts), state=n.state),
    v.ExternalEventOccurred: external_out,
    v.HostsBecameAvailable: availability_out,
    v.HostsBecameUnavailable: availability_out,
    v.DecisionRefused: refused_out,
}
"""By notice, how it is written. A notice that is not here has no form in batprotocol."""

NOTICES_IN: Final[Mapping[type[s.Table], Callable[[float, Any, Memory], v.Notice]]] = {
    s.SimulationBeginsEvent: _begins_in,
    s.SimulationEndsEvent: lambda t, _, __: v.SimulationEnds(t),
    s.SimulationErrorEvent: lambda t, e, _: v.SimulationErrorOccurred(t, e.error),
    s.JobSubmittedEvent: _submitted_in,
    s.JobCompletedEvent: _completed_in,
    s.JobsKilledEvent: _killed_in,
    s.RequestedCallEvent: lambda t, e, _: v.RequestedCall(t, e.call_me_later_id, e.last_periodic_call),
    s.ProbeDataEmittedEvent: _probe_in,
    s.AllStaticJobsHaveBeenSubmittedEvent: lambda t, _, __: v.AllStaticJobsHaveBeenSubmitted(t),
    s.AllStaticExternalEventsHaveBeenInjectedEvent: (lambda t, _, __: v.AllStaticExternalEventsHaveBeenInjected(t)),
    s.HostsPStateChangedEvent: lambda t, e, _: v.HostsPStateChanged(
        t, hosts_in(e.host_ids, "HostsPStateChangedEvent.host_ids"), e.pstate
    ),
    s.HostsTurnedOnOffEvent: lambda t, e, _: v.HostsTurnedOnOff(
        t, hosts_in(e.host_ids, "HostsTurnedOnOffEvent.host_ids"), e.state
    ),
    s.ExternalEventOccurredEvent: external_in,
}
"""By event, how it is read. An event that is not here is not for simulators to send."""
