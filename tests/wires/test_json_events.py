"""Events of the JSON protocol: the document's own examples, every fault by name, and both roles understanding each other."""

import json
import re
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.wires.document_004 import examples
from tests.wires.faulty import Direct

from windtunnel import api
from windtunnel.diagnostics import ProtocolError
from windtunnel.engine import Options
from windtunnel.model import (
    DelayProfile,
    Host,
    HostSet,
    Job,
    JobState,
    Platform,
    ReceiveProfile,
    Request,
    SendProfile,
)
from windtunnel.testing import job, platform, workload
from windtunnel.vocabulary import Reply
from windtunnel.vocabulary import decisions as d
from windtunnel.vocabulary import notices as n
from windtunnel.vocabulary.probes import OneShot
from windtunnel.vocabulary.site_notices import HostsBecameAvailable, HostsBecameUnavailable, ResourceStateChanged
from windtunnel.wires.json.client import JsonComponent, JsonOptions
from windtunnel.wires.json.hearing import Hearing
from windtunnel.wires.json.incoming import Reader
from windtunnel.wires.json.outgoing import Writer
from windtunnel.wires.json.speaking import Speaking

# -- the document -----------------------------------------------------------------------------------------------------


class Stored:
    """What Redis has: some job under any id."""

    @staticmethod
    def get(key):
        return f'{{"id": "{key[4:]}", "res": 1, "profile": "p"}}' if key.startswith("job_") else None


def test_examples_of_the_document():
    """Each of its events is understood: by our Batsim, or by our schedulers."""
    heard, read = set(), set()
    events = []
    for example in examples():
        events += example.get("events", [example] if "type" in example else [])
    assert len(events) >= 24
    for event in events:
        message = json.dumps({"now": max(50.0, event["timestamp"]), "events": [event]}).encode()
        hearing = Hearing()
        hearing.jobs["26dceb!4"] = job("x")
        hearing.store = Stored
        reader = Reader(Stored.get)
        try:
            hearing.message(message)
            heard.add(event["type"])
        except ProtocolError:
            reader.reply(message, event["timestamp"])  # raises when it is not understood either
            read.add(event["type"])
    assert heard >= {
        "SIMULATION_BEGINS",
        "SIMULATION_ENDS",
        "JOB_SUBMITTED",
        "JOB_COMPLETED",
        "JOB_KILLED",
        "RESOURCE_STATE_CHANGED",
        "REQUESTED_CALL",
        "QUERY",
        "ANSWER",
        "NOTIFY",
    }
    assert read >= {
        "REJECT_JOB",
        "EXECUTE_JOB",
        "CALL_ME_LATER",
        "KILL_JOB",
        "REGISTER_JOB",
        "REGISTER_PROFILE",
        "SET_RESOURCE_STATE",
        "SET_JOB_METADATA",
        "CHANGE_JOB_STATE",
    }


def test_additional_io_job_inside_or_beside():
    """The document shows it beside the data, with everything else at once."""
    io = {
        "alloc": "2-3 5-6",
        "profile_name": "my_io_job",
        "profile": {"type": "parallel", "cpu": 0, "com": [0] * 16},
    }
    data = {
        "job_id": "w12!45",
        "alloc": "2-3",
        "mapping": {"0": "0", "1": "0", "2": "1", "3": "1"},
        "storage_mapping": {"pfs": 2},
    }
    for event in ({"data": data, "additional_io_job": io}, {"data": data | {"additional_io_job": io}}):
        (decision,) = read({"timestamp": 1.0, "type": "EXECUTE_JOB"} | event)
        assert decision.hosts == HostSet.parse("2-3")
        assert decision.placement == (0, 0, 1, 1)
        assert decision.storages == {"pfs": 2}
        assert decision.additional_io.profile_id == "w12!my_io_job"
        assert decision.additional_io.hosts == HostSet.parse("2-3 5-6")


def read(*events, now=1.0):
    """What our Batsim understands."""
    return Reader().reply(json.dumps({"now": now, "events": events}).encode(), now).decisions


# -- faults -----------------------------------------------------------------------------------------------------------

WRONG = [
    ("EXECUTE_JOB", {"alloc": "0"}, "data.job_id is missing, a string is expected"),
    ("EXECUTE_JOB", {"job_id": 3, "alloc": "0"}, "data.job_id is 3, a string is expected"),
    ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0-"}, "data.alloc: '0-' is not a host number"),
    ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": [0]}, "data.alloc is [0], an interval set"),
    ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "3-1"}, "is an empty interval"),
    ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0", "maping": {}}, "data.maping is unknown"),
    (
        "EXECUTE_JOB",
        {"job_id": "w0!1", "alloc": "0", "mapping": {"1": "0"}},
        "the keys of data.mapping are not 0 to 0",
    ),
    (
        "EXECUTE_JOB",
        {"job_id": "w0!1", "alloc": "0-1", "mapping": {"0": "0", "00": "1"}},
        "the keys of data.mapping are not 0 to 1",
    ),
    ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0", "mapping": {"0": "a"}}, "mapping.0 is 'a', a whole number"),
    ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0", "storage_mapping": {"p": -1}}, "storage_mapping.p is -1"),
    ("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0", "additional_io_job": {}}, "additional_io_job.profile_name"),
    ("REJECT_JOB", {"job_id": "w0!1", "why": ""}, "data.why is unknown"),
    ("KILL_JOB", {"job_ids": []}, "a non-empty array of job ids"),
    ("KILL_JOB", {"job_ids": [1]}, "a non-empty array of job ids"),
    ("CALL_ME_LATER", {"timestamp": 1.0}, "awaken in the past"),
    ("CALL_ME_LATER", {"timestamp": "2"}, "a number is expected"),
    ("CALL_ME_LATER", {"timestamp": 1e308}, "data.timestamp is 1e+308, later than any date that can be simulated"),
    ("CALL_ME_LATER", {"timestamp": 10**400}, "later than any date that can be simulated"),
    ("CALL_ME_LATER", {"timestamp": -1e308}, "a number is expected"),
    ("CALL_ME_LATER", {}, "data.timestamp is None"),
    ("REGISTER_JOB", {"job_id": "x", "job": {}}, "workload!name is expected"),
    ("REGISTER_JOB", {"job_id": "d!x"}, "data.job is None, an object is expected"),
    ("REGISTER_JOB", {"job_id": "d!x", "job": {"id": "x", "profile": "p"}}, "'res' is missing"),
    ("REGISTER_JOB", {"job_id": "d!x", "job": {"id": "y", "res": 1, "profile": "p"}}, "data.job.id is 'd!y'"),
    (
        "REGISTER_JOB",
        {
            "job_id": "d!x",
            "job": {"id": "x", "res": 1, "profile": {"type": "delay", "delay": 1}},
            "profile": {"type": "delay", "delay": 2},
        },
        "a profile is given twice, as data.profile and in data.job",
    ),
    ("REGISTER_PROFILE", {"workload_name": "d", "profile_name": "p"}, "data.profile is missing"),
    ("REGISTER_PROFILE", {"workload_name": "d", "profile_name": "p", "profile": {"type": "dealy"}}, "dealy"),
    ("SET_RESOURCE_STATE", {"resources": "0", "state": "on"}, "data.state is 'on', a whole number"),
    ("SET_JOB_METADATA", {"job_id": "w0!1", "metadata": 1}, "data.metadata is 1, a string"),
    ("CHANGE_JOB_STATE", {"job_id": "w0!1", "job_state": "DONE"}, "data.job_state 'DONE' is not a state"),
    ("TO_JOB_MSG", {"job_id": "w0!1"}, "data.msg is missing"),
    ("QUERY", {"requests": {"consumed_energy": {}, "x": {}}}, "the one request that is answered is consumed_energy"),
    ("ANSWER", {"estimate_waiting_time": {"job_id": "w0!1"}}, "needs job_id (a string) and estimated_waiting_time"),
    ("NOTIFY", {"type": "registration_finish"}, "registration_finished"),
    ("EXECUTE", {"job_id": "w0!1", "alloc": "0"}, "unknown type 'EXECUTE'"),
    ("QUERY", {"requests": {"consumed_energy": {"x": 1}}}, "consumed_energy has no arguments"),
    (
        "ANSWER",
        {"estimate_waiting_time": {"job_id": "w0!1", "estimated_waiting_time": 1, "unit": "s"}},
        "estimate_waiting_time.unit is unknown",
    ),
    (
        "EXECUTE_JOB",
        {"job_id": "w0!1", "alloc": "0", "additional_io_job": {"alloc": "0", "profile_name": "x", "profil": {}}},
        "additional_io_job.profil is unknown; did you mean 'profile'",
    ),
    (
        "REGISTER_PROFILE",
        {"workload_name": "d", "profile_name": "p", "profile": {"type": "smpi", "trace": "nowhere.txt"}},
        "the file 'nowhere.txt' cannot be read",
    ),
    ("JOB_SUBMITTED", {"job_id": "w0!1"}, "unknown type 'JOB_SUBMITTED'"),
]


@pytest.mark.parametrize(("kind", "data", "said"), WRONG, ids=lambda x: x if isinstance(x, str) else "")
def test_wrong_events(kind, data, said):
    with pytest.raises(ProtocolError) as fault:
        read(
            {"timestamp": 1.0, "type": "NOTIFY", "data": {"type": "registration_finished"}},
            {"timestamp": 1.0, "type": kind, "data": data},
        )
    assert said in str(fault.value)
    assert "event 1" in str(fault.value)
    assert "t=1.0" in str(fault.value)


VAST = 10**400
"""A whole number of JSON that is no number of the machine; it is less than infinity all the same."""


@pytest.mark.parametrize(
    ("job", "profile", "said"),
    [
        ({"walltime": VAST}, None, "'walltime' is too large a number"),
        ({"subtime": VAST}, None, "'subtime' is too large a number"),
        ({"amounts_per_host": {"cores": VAST}}, None, "'amounts_per_host': 'cores' is 1000"),
        ({}, {"type": "parallel", "cpu": [VAST], "com": [0]}, "'cpu'[0] is too large a number"),
        ({}, {"type": "delay", "delay": VAST}, "'delay' is too large a number"),
    ],
)
def test_numbers_without_measure_are_refused(job, profile, said):
    """Some ended in an internal error."""
    described = {"id": "dyn!1", "profile": "p", "res": 1, **job}
    data = {"job_id": "dyn!1", "job": described} | ({} if profile is None else {"profile": profile})
    with pytest.raises(ProtocolError) as fault:
        read({"timestamp": 1.0, "type": "REGISTER_JOB", "data": data})
    assert said in str(fault.value)


def test_members_beside_data_are_not_lost():
    """The document shows ``additional_io_job`` there, which counts; others are refused by name."""
    plain = {"timestamp": 1.0, "type": "EXECUTE_JOB", "data": {"job_id": "w0!1", "alloc": "0"}}
    io = {"alloc": "0", "profile_name": "io"}
    assert read(plain | {"additional_io_job": io})[0].additional_io.profile_id == "w0!io"
    for event, message in (
        (plain | {"mapping": {"0": "0"}}, "mapping is unknown"),
        (plain | {"additional_io_job": io, "timestmp": 1}, "timestmp is unknown; did you mean 'timestamp'"),
        (plain | {"additional_io_job": io, "data": plain["data"] | {"additional_io_job": io}}, "is given twice"),
        ({"timestamp": 1.0, "type": "REJECT_JOB", "data": {"job_id": "a!b"}, "additional_io_job": io}, "is unknown"),
    ):
        with pytest.raises(ProtocolError, match=message):
            read(event)
    with pytest.raises(
        ProtocolError, match="member 'event' of the scheduler's reply is unknown; did you mean 'events'"
    ):
        Reader().reply(b'{"now":1,"events":[],"event":[]}', 1.0)


EXECUTE = '{"timestamp":1,"type":"EXECUTE_JOB","data":{"job_id":"%s","alloc":"0"%s}}'
TWICE = ',"job_id":"3"'
ALIKE = ',"mapping":{"x":"0","x":"0"}'


@pytest.mark.parametrize(
    ("reply", "twice"),
    [
        ('{"now":1,"events":[{"timestamp":1}],"events":[]}', "events"),
        ('{"now":1,"events":[],"now" : 1}', "now"),
        ('{"now":1,"events":[],"now"\t:1}', "now"),
        (f'{{"now":1,"events":[{EXECUTE % ("1", "")},{EXECUTE % ("2", TWICE)}]}}', r"job_id' twice, in events\[1\].data"),
        (f'{{"now":1,"events":[{EXECUTE % ("1", ALIKE)}]}}', r"x' twice, in events\[0\].data.mapping"),
        (f'{{"now":1,"events":[{(EXECUTE % ("1", ""))[:-1]},"type":"REJECT_JOB"}}]}}', r"type' twice, in events\[0\]"),
    ],
)
def test_members_of_a_reply_that_stand_twice_are_refused(reply, twice):
    """The last one counted, in silence."""
    with pytest.raises(ProtocolError, match=f"the scheduler's reply has the member '{twice}"):
        Reader().reply(reply.encode(), 1.0)


def test_what_is_called_as_a_member_is_no_second_one():
    reply = b'{"now":1,"events":[{"timestamp":1,"type":"REJECT_JOB","data":{"job_id":"events"}}]}'
    assert [decision.job_id for decision in Reader().reply(reply, 1.0).decisions] == ["events"]


def test_traces_can_be_registered(tmp_path, monkeypatch):
    """Their file is named as from the working directory."""
    (tmp_path / "main.txt").write_text("rank0.txt\n")
    (tmp_path / "rank0.txt").write_text("0 init\n0 compute 1e9\n0 finalize\n")
    monkeypatch.chdir(tmp_path)
    profile = {"type": "smpi", "trace": "main.txt"}
    data = {"workload_name": "d", "profile_name": "p", "profile": profile}
    (decision,) = read({"timestamp": 1.0, "type": "REGISTER_PROFILE", "data": data})
    assert decision.profile.traces == ((("init",), ("compute", "1e9"), ("finalize",)),)


def test_nobody_is_called_sooner_than_after_10_microseconds():
    """As upstream: a date that is told with six decimals is not asked for again and again."""
    (call,) = read({"timestamp": 1.0, "type": "CALL_ME_LATER", "data": {"timestamp": 1.0000001}})
    assert call.when.time == 1.00001


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (b"", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b"[]", "an object is expected"),
        (b'{"events":[]}', "now of the scheduler's reply is None"),
        (b'{"now":1}', "events of the scheduler's reply is None"),
        (b'{"now":true,"events":[]}', "now of the scheduler's reply is True"),
        (b'{"now":1e400,"events":[]}', "is not JSON"),
        (b'{"now":1e200,"events":[]}', "a number is expected"),
        (
            b'{"now":1,"events":[{"timestamp":true,"type":"EXECUTE_JOB","data":{"job_id":"w0!1","alloc":"0"}}]}',
            "timestamp of event 0 (EXECUTE_JOB) of the scheduler's reply is True",
        ),
        (b'{"now":1,"events":[3]}', "event 0 of the scheduler's reply is 3, not an object"),
        (b'{"now":1,"events":[{"timestamp":1,"data":{}}]}', "has type None"),
        (b'{"now":1,"events":[{"timestamp":1,"type":"NOTIFY"}]}', "data is None"),
        (b'{"now":1,"events":[{"type":"QUERY","data":{"requests":{"consumed_energy":{}}}}]}', "timestamp of event 0"),
    ],
)
def test_wrong_messages(message, said):
    with pytest.raises(ProtocolError, match=re.escape(said)):
        Reader().reply(message, 1.0)


# -- both roles -------------------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters='!"'), min_size=1, max_size=8)
IDS = TEXT.map(lambda name: f"w0!{name}")
HOSTS = st.frozensets(st.integers(0, 200), min_size=1, max_size=8).map(HostSet)
DATES = st.integers(0, 10**12).map(lambda micro: micro / 1e6)
PROFILE = st.builds(
    lambda name, delay: DelayProfile(id=f"w0!{name}", delay=delay), TEXT, st.integers(1, 10**6).map(float)
)


def execute(job_id, hosts, storages, data):
    ranks = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)
    return d.ExecuteJob(job_id=job_id, hosts=hosts, placement=data.draw(st.none() | ranks), storages=storages)


DECISIONS = st.one_of(
    st.builds(execute, IDS, HOSTS, st.dictionaries(TEXT, st.integers(0, 99), max_size=2), st.data()),
    st.builds(lambda x: d.RejectJob(job_id=x), IDS),
    st.builds(lambda x: d.KillJobs(job_ids=tuple(x)), st.lists(IDS, min_size=1, max_size=3)),
    st.builds(lambda x, s: d.SetResourceState(hosts=x, state=s), HOSTS, st.integers(0, 50)),
    st.builds(lambda x, m: d.SetJobMetadata(job_id=x, metadata=m), IDS, TEXT),
    st.builds(lambda x, m: d.MessageToJob(job_id=x, message=m), IDS, TEXT),
    st.builds(
        lambda x, s, r: d.ChangeJobState(job_id=x, job_state=s, kill_reason=r),
        IDS,
        st.sampled_from([s for s in JobState if s is not JobState.SUSPENDED]),
        TEXT,
    ),
    st.builds(lambda x, w: d.AnswerWaitingTime(job_id=x, estimated_waiting_time=w), IDS, DATES),
    st.builds(lambda p: d.RegisterProfile(profile=p), PROFILE),
    st.sampled_from([d.QueryEnergy(), d.FinishRegistration(), d.ContinueRegistration()]),
)


@given(st.lists(DECISIONS, max_size=5), DATES)
def test_what_our_schedulers_say_is_understood(decisions, now):
    text = Speaking().reply(Reply(now, decisions), now)
    understood = Reader().reply(text, now)
    assert understood.now == now
    for decision in understood.decisions:
        if isinstance(decision, d.RegisterProfile):
            decision.profile = replace(decision.profile, source=None)  # the object that was read
    assert understood.decisions == decisions


def test_calls_are_understood():
    text = Speaking().reply(Reply(1.0, [d.CallMeLater(call_me_later_id="a", when=OneShot(2.5))]), 1.0)
    (call,) = Reader().reply(text, 1.0).decisions
    assert call.when == OneShot(2.5)


JOBS = st.builds(
    lambda job_id, hosts, profile, at, walltime: Job(
        id=job_id, request=Request(hosts), profile=profile, submission_time=at, walltime=walltime
    ),
    IDS,
    st.integers(1, 100),
    PROFILE,
    DATES,
    st.just(inf) | st.integers(1, 10**6).map(float),
)


@given(st.lists(JOBS, min_size=1, max_size=4, unique_by=lambda job: job.id), HOSTS, DATES)
def test_what_our_batsim_says_is_understood(jobs, hosts, now):
    """Jobs, their ends and kills, states, calls, answers and notifications."""
    site = Platform(name="x", hosts=tuple(Host(id=k, name=f"h{k}") for k in range(3)))
    notices = [n.SimulationBegins(now, site, [], (), False, True, {}, None)]
    notices += [n.JobSubmitted(now, job, job.submission_time, job.profile) for job in jobs]
    notices += [n.JobCompleted(now, job, JobState.COMPLETED_KILLED, -1, hosts, now) for job in jobs]
    notices += [
        n.JobsKilled(now, tuple(job.id for job in jobs), {}),
        ResourceStateChanged(now, hosts, 3),
        n.RequestedCall(now, ""),
        n.EnergyAnswered(now, 12.5),
        n.AllStaticJobsHaveBeenSubmitted(now),
        n.AllStaticExternalEventsHaveBeenInjected(now),
        HostsBecameAvailable(now, hosts),
        HostsBecameUnavailable(now, hosts),
        n.WaitingTimeQueried(now, jobs[0]),
        n.SimulationEnds(now),
    ]
    text = Writer(JsonOptions().config()).message(now, notices)
    date, heard = Hearing().message(text.encode())
    assert date == pytest.approx(now, abs=1e-6)
    assert [type(x) for x in heard] == [type(x) for x in notices]
    for told, understood in zip(notices, heard, strict=True):
        if isinstance(told, n.JobSubmitted):
            for name in ("id", "request", "submission_time", "walltime"):
                assert getattr(understood.job, name) == getattr(told.job, name)
            assert understood.profile.delay == told.profile.delay
        for name in (
            ()
            if isinstance(told, n.SimulationBegins)
            else ("hosts", "state", "return_code", "job_ids", "consumed_energy")
        ):
            assert getattr(understood, name, None) == getattr(told, name, None)


# -- jobs that talk ---------------------------------------------------------------------------------------------------


def test_messages_to_and_from_jobs():
    """A job sends, its scheduler answers, the job goes on by what it was told."""
    fine, bad = DelayProfile(id="w0!fine", delay=3.0), DelayProfile(id="w0!bad", delay=100.0)
    ask = SendProfile(id="w0!ask", message={"question": "go on?"}, sleeptime=1.0)
    wait = ReceiveProfile(id="w0!wait", regex="yes.*", success="fine", failure="bad", polltime=2.0)
    jobs = workload(job("asks", run=ask), job("waits", run=wait), profiles=[fine, bad, ask, wait])
    said = []

    def answer(request):
        message = json.loads(request)
        events = []
        for event in message["events"]:
            data = event["data"]
            if event["type"] == "JOB_SUBMITTED":
                host = {"w0!asks": "0", "w0!waits": "1"}[data["job_id"]]
                events.append(("EXECUTE_JOB", {"job_id": data["job_id"], "alloc": host}))
            elif event["type"] == "FROM_JOB_MSG":
                said.append(data)
                events.append(("TO_JOB_MSG", {"job_id": "w0!waits", "msg": "yes, do"}))
        done = message["now"] + (0.5 if events and events[0][0] == "TO_JOB_MSG" else 0.0)
        events = [{"timestamp": done, "type": kind, "data": data} for kind, data in events]
        return json.dumps({"now": done, "events": events}).encode()

    component = JsonComponent("tcp://127.0.0.1:1")
    component._peer = Direct(answer)
    run = api.Simulation(platform(2), jobs, component, options=Options()).run()
    assert said == [{"job_id": "w0!asks", "msg": {"question": "go on?"}}]
    # It looked at 0 and at 2, after the message of 0.5.
    ends = dict(zip(run.jobs["job_id"], run.jobs["finish_time"], strict=True))
    assert ends == {"asks": 1.0, "waits": 5.0}
