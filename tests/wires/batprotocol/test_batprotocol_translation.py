"""The vocabulary and batprotocol: the same names, and each translation undone by the other."""

import gzip
import json
import math
import struct
from pathlib import Path

import msgspec
import pytest
from hypothesis import assume, given, settings
from msgspec.structs import replace
from tests.shared import cases
from tests.wires.batprotocol.oracles import SCHEMA, messages

from windtunnel import model as m
from windtunnel import vocabulary as v
from windtunnel.diagnostics import ProtocolError, UsageError
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.decisions import DECISIONS_IN, DECISIONS_OUT, decision_in, decision_out
from windtunnel.wires.batprotocol.forms import trigger_out
from windtunnel.wires.batprotocol.memory import Memory
from windtunnel.wires.batprotocol.notices import NOTICES_IN, NOTICES_OUT, notice_in, notice_out

EVENTS = SCHEMA.unions["Event"].members

RENAMED = {
    # The vocabulary carries jobs whole, host sets as sets, and unions as None or a value: what batprotocol calls ...
    "ExecuteJobEvent": {
        "allocation": {"hosts", "placement"},
        "profile_allocation_override": {"profile_placements"},
        "storage_placement": {"storages"},
    },
    "RegisterJobEvent": {"job_id": {"job"}, "job": {"job", "profile_id"}},
    "JobCompletedEvent": {"job_id": {"job"}},
    "JobSubmittedEvent": {"job_id": {"job"}},
    "CreateProbeEvent": {
        "data_accumulation_strategy": {"accumulation"},
        "measurement_triggering_policy": {"when"},
        "resources_aggregation_function": {"resources_aggregation"},
        "temporal_aggregation_function": {"temporal_aggregation"},
        "emission_filtering_policy": {"filtering"},
    },
    "ExternalEventOccurredEvent": {"external_event": {"data"}},
    "SimulationBeginsEvent": {
        "batprotocol_version": {"options"},
        "batsim_version": {"options"},
        "batsim_commit": {"options"},
        "batsim_arguments": {"options"},
        "batsim_execution_context_json": {"options"},
        "host_number": {"platform"},
        "computation_host_number": {"platform"},
        "computation_hosts": {"platform"},
        "storage_host_number": {"platform"},
        "storage_hosts": {"platform"},
        "external_event_lists": {"event_lists"},
    },
    "EDCHelloEvent": {
        "batprotocol_version": {"protocol_version"},
        "batprotocol_commit": {"protocol_version"},
        "decision_component_name": {"name"},
        "decision_component_version": {"version"},
        "decision_component_commit": {"commit"},
        "requested_simulation_features": {"features"},
    },
}
HOST_SETS = {"ChangeHostsPStateEvent", "HostsPStateChangedEvent", "TurnOnOffHostsEvent", "HostsTurnedOnOffEvent"}
CLASSES = {"EDCHelloEvent": "Hello", "SimulationErrorEvent": "SimulationErrorOccurred"}


@pytest.mark.parametrize("event", EVENTS)
def test_the_vocabulary_names_what_the_schema_names(event):
    kind = getattr(v, CLASSES.get(event, event.removesuffix("Event")))
    ours = set(kind.__struct_fields__)
    for field in SCHEMA.tables[event].fields:
        expected = RENAMED.get(event, {}).get(field.name, {field.name})
        if event in HOST_SETS and field.name == "host_ids":
            expected = {"hosts"}
        assert expected <= ours, f"{event}.{field.name} is not in {kind.__name__}"


def test_every_event_has_a_direction():
    received, sent = {t.__name__ for t in DECISIONS_IN}, {t.__name__ for t in NOTICES_IN}
    assert not received & sent
    assert received | sent | {"EDCHelloEvent"} == set(EVENTS)
    assert {t.__name__ + "Event" for t in DECISIONS_OUT} == received
    vocabulary = {CLASSES.get(name, name.removesuffix("Event")) for name in sent}
    assert vocabulary <= {t.__name__ for t in NOTICES_OUT}


@pytest.mark.parametrize(
    "enum, ours",
    [
        (s.TimeUnit, v.TimeUnit),
        (s.Metrics, v.Metric),
        (s.CumulativeFunction, v.CumulativeFunction),
        (s.BooleanComparisonOperator, v.BooleanComparisonOperator),
        (s.PredefinedExecutorPlacementStrategy, m.PlacementStrategy),
        (s.TraceType, m.TraceType),
    ],
)
def test_enums_have_the_same_names_and_numbers(enum, ours):
    assert {e.name: e.value for e in enum} == {e.name: e.value for e in ours}


def test_profiles_have_the_same_members():
    for name in SCHEMA.unions["Profile"].members:
        kind = getattr(m, name)
        assert set(getattr(s, name).__struct_fields__) <= set(kind.__struct_fields__)


# ---- there and back ----------------------------------------------------------------------------------------------

DECISION_EVENTS = sorted(t.__name__ for t in DECISIONS_IN)


def full(name):
    return "w!" + (name.replace("!", "") or "x")


def with_host_sets(event):
    """Arbitrary texts where batprotocol wants interval sets become some; other normal forms are taken likewise."""

    def tidy(found):
        if isinstance(found, list | tuple):
            return [tidy(element) for element in found]
        if not isinstance(found, dict):
            return found
        found = {name: tidy(value) for name, value in found.items()}
        for name in ("host_allocation", "host_ids"):
            if name in found:
                found[name] = str(m.HostSet(len(part) for part in found[name].split("e")))
        for name in ("profile_id", "id", "profile_ids"):
            if isinstance(found.get(name), str):
                found[name] = "w!" + found[name]
            elif name in found:
                found[name] = ["w!" + each for each in found[name]]
        if "job_id" in found and "job" in found:
            found["job_id"] = full(found["job_id"])
        if "profile" in found and "id" in found:
            found["id"] = full(found["id"].removeprefix("w!"))
        if found.get("walltime") == math.inf:
            found["walltime"] = None
        for name, key in (("profile_allocation_override", "profile_id"), ("storage_placement", "storage_name")):
            if name in found:  # the last one of a name wins
                found[name] = list({each[key]: each for each in found[name] or ()}.values())
        return found

    built = tidy(msgspec.to_builtins(event))
    return msgspec.convert(built, type(event))


@pytest.mark.parametrize("name", DECISION_EVENTS)
def test_decisions_come_back_as_they_were(name):
    @settings(max_examples=30, database=None)
    @given(messages(name))
    def agree(message):
        for stamped in message.events:
            event = with_host_sets(stamped.event)
            assume(not isinstance(getattr(getattr(event, "profile", None), "profile", None), s.TraceReplayProfile))
            decision = decision_in(event, 3.0)  # which reads the files of traces
            assert decision.timestamp == 3.0
            assert decision_out(decision) == event
            assert decision_in(decision_out(decision), 3.0) == decision or name == "RegisterJobEvent"  # holds a nan

    agree()


def opened(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def dialogue(path: Path):
    raw, at = opened(path), 0
    while at < len(raw):
        who, size = struct.unpack_from("<cI", raw, at)
        found = raw[at + 5 : at + 5 + size]
        yield who, (text if found[:1] == b"{" else binary).decode(found)
        at += 5 + size


@pytest.mark.golden
@pytest.mark.parametrize("path", cases("golden/batsim5", "*/dialogue0.bin*"), ids=lambda path: path.parent.name)
def test_recorded_conversations_survive_both_translations(path):
    memory = Memory()
    for who, message in dialogue(path):
        if who == b"B":
            for stamped in message.events:
                again = notice_out(notice_in(stamped, memory))
                if isinstance(stamped.event, s.SimulationBeginsEvent):
                    again = ignoring_versions(again, stamped)
                assert again == stamped
        elif who == b"S":
            for stamped in message.events:
                decision = decision_in(stamped.event, stamped.timestamp)
                memory.decided(decision, stamped.timestamp)
                assert decision_out(decision) == stamped.event


def ignoring_versions(again, original):
    event = msgspec.structs.replace(again.event, batprotocol_version=original.event.batprotocol_version)
    return msgspec.structs.replace(again, event=event)


# ---- what has no equal -------------------------------------------------------------------------------------------


def job(**more) -> m.Job:
    return m.Job(id="w0!1", request=m.Request(2), profile=m.DelayProfile(id="w0!d", delay=3.0), **more)


def test_what_a_component_may_not_send_is_refused():
    with pytest.raises(ProtocolError, match="Unhandled event type received \\(JobCompletedEvent\\)"):
        decision_in(s.JobCompletedEvent(job_id="a"), None)
    features = s.EDCRequestedSimulationFeatures()
    hello = s.EDCHelloEvent(
        batprotocol_version="1",
        decision_component_name="a",
        decision_component_version="1",
        requested_simulation_features=features,
    )
    with pytest.raises(ProtocolError, match="said hello twice!"):
        decision_in(hello, None)
    with pytest.raises(ProtocolError, match="simulators do not send RejectJobEvent"):
        notice_in(s.EventAndTimestamp(timestamp=0.0, event=s.RejectJobEvent(job_id="a")), Memory())


@pytest.mark.parametrize("text_of", ["x", "3-1", "1..2", "-1"])
def test_interval_sets_that_make_no_sense_are_named(text_of):
    allocation = s.AllocationPlacement(
        host_allocation=text_of, executor_placement=s.PredefinedExecutorPlacementStrategyWrapper()
    )
    with pytest.raises(ProtocolError, match=r"ExecuteJobEvent of 'w0!1': host_allocation: .*"):
        decision_in(s.ExecuteJobEvent(job_id="w0!1", allocation=allocation), None)


@pytest.mark.parametrize(
    "decision, said",
    [
        (v.SuspendJob(job_id="a"), "batprotocol has no SuspendJob"),
        (v.QueryEnergy(), "batprotocol has no QueryEnergy"),
        (v.ExecuteJob(job_id="a", hosts=m.HostSet([1]), amounts={1: {"cores": 1.0}}), "no form for the amounts"),
        (v.RegisterProfile(profile=m.SendProfile(id="w!s", message={})), "batprotocol has no SendProfile"),
        (
            v.CreateProbe(probe_id="p", metrics=v.Metric.Power, resources=v.ProbeResources(), when=None),
            "wants a temporal trigger",
        ),
    ],
)
def test_decisions_without_a_form_are_refused_by_name(decision, said):
    with pytest.raises(UsageError, match=said):
        decision_out(decision)


def test_notices_without_a_form_are_refused_by_name():
    with pytest.raises(UsageError, match="batprotocol has no EnergyAnswered"):
        notice_out(v.EnergyAnswered(1.0, 3.0))


def test_availability_and_refusals_travel_as_generic_external_events():
    def told(notice):
        event = notice_out(notice).event
        return event.id, json.loads(event.external_event.data)

    gone = v.HostsBecameUnavailable(1.0, m.HostSet([0, 1, 5]), "we0!3")
    assert told(gone) == ("we0!3", {"type": "machine_unavailable", "resources": "0-1 5"})
    refused = v.DecisionRefused(1.0, v.RejectJob(job_id="a"), "unknown-job", "there is no job 'a'")
    assert told(refused) == (
        "refused:unknown-job",
        {
            "type": "decision_refused",
            "rule": "unknown-job",
            "reason": "there is no job 'a'",
            "decision": "RejectJob",
            "message": {
                "now": 1.0,
                "events": [{"timestamp": 1.0, "event_type": "RejectJobEvent", "event": {"job_id": "a"}}],
            },
        },
    )


def test_jobs_without_walltime_or_named_profile():
    event = notice_out(v.JobSubmitted(1.0, job(), 1.0)).event
    assert event.job == s.Job(resource_request=2, walltime=None, profile_id="w0!d")
    anonymous = job(walltime=60.0)
    anonymous = replace(anonymous, profile=m.DelayProfile(delay=3.0))
    event = notice_out(v.JobSubmitted(1.0, anonymous, 1.0, anonymous.profile)).event
    assert event.job.profile_id == event.profile.id == "w0!1"
    back = notice_in(s.EventAndTimestamp(timestamp=1.0, event=event), Memory())
    assert back.job.walltime == 60.0
    assert back.profile.delay == 3.0


def test_a_memory_gives_the_ends_of_jobs_their_hosts():
    memory = Memory()
    submitted = notice_out(v.JobSubmitted(1.0, job(), 1.0))
    known = notice_in(submitted, memory).job
    assert known.walltime == math.inf
    memory.decided(v.ExecuteJob(job_id="w0!1", hosts=m.HostSet([4, 5])), 2.0)
    end = s.EventAndTimestamp(timestamp=5.0, event=s.JobCompletedEvent(job_id="w0!1"))
    done = notice_in(end, memory)
    assert (done.job, done.hosts, done.start) == (known, m.HostSet([4, 5]), 2.0)
    assert done.state is m.JobState.COMPLETED_SUCCESSFULLY
    with pytest.raises(ProtocolError, match="job 'w0!1' was never submitted, or has ended before"):
        notice_in(end, memory)


@pytest.mark.parametrize(
    "wanted, sent",
    [
        (v.OneShot(3.0), s.OneShot(time=3)),
        (v.OneShot(3.25), s.OneShot(time=3250, time_unit=s.TimeUnit.Millisecond)),
        (v.OneShot(0.0001), s.OneShot(time=1, time_unit=s.TimeUnit.Millisecond)),
        (v.OneShot(2.5, v.TimeUnit.Millisecond), s.OneShot(time=3, time_unit=s.TimeUnit.Millisecond)),
    ],
)
def test_dates_between_the_units_of_the_protocol_are_never_early(wanted, sent):
    assert trigger_out(wanted) == sent
