"""Flatbuffers JSON: agreement with the C++ library on every table, all the writings that may be met, clear errors."""

import json
import random

import pytest
from hypothesis import given, settings
from tests.wires.batprotocol.oracles import EVENTS, SHORT_FLOAT, messages, sample

from windtunnel.diagnostics import ProtocolError
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s


@pytest.mark.parametrize("event", EVENTS)
def test_the_cpp_library_agrees(event, cpp):
    @settings(max_examples=20, database=None)
    @given(messages(event, SHORT_FLOAT))
    def agree(message):
        ours = text.encode(message)
        assert text.decode(ours) == message
        assert text.decode(cpp.to_json(binary.encode(message))) == message
        assert binary.decode(cpp.from_json(ours)) == message

    agree()


def one(event: object, **members: object) -> bytes:
    """A message as text: an event of a type (the first word) with members."""
    return json.dumps({"now": 1, "events": [{"timestamp": 1, "event_type": event, "event": members}]}).encode()


def read(found: bytes):
    return text.decode(found).events[0].event


def said(found: bytes) -> str:
    with pytest.raises(ProtocolError) as caught:
        text.decode(found)
    return str(caught.value)


def test_upstreams_writing_is_ours():
    message = s.Message(
        now=1.5,
        events=(s.EventAndTimestamp(timestamp=1.0, event=s.JobCompletedEvent(job_id="w0!1", return_code=-1)),),
    )
    assert text.encode(message) == (
        b'{"now":1.5,"events":[{"timestamp":1.0,"event_type":"JobCompletedEvent",'
        b'"event":{"job_id":"w0!1","state":"COMPLETED_SUCCESSFULLY","return_code":-1}}]}'
    )


def test_defaults_may_be_printed_or_left_out():
    bare = read(one("JobSubmittedEvent", job_id="a", job={"profile_id": "p"}))
    full = read(
        one(
            "JobSubmittedEvent",
            job_id="a",
            job={"resource_request": 0, "walltime": None, "extra_data": None, "profile_id": "p"},
            submission_time=0.0,
            profile=None,
        )
    )
    assert bare == full == s.JobSubmittedEvent(job_id="a", job=s.Job(profile_id="p"))
    assert read(one("TriggerProbeEvent", probe_id="p")).force_data_emission is True


def test_nul_at_the_end_numbers_for_names_and_any_order():
    expected = s.JobCompletedEvent(job_id="a", state=s.FinalJobState.REJECTED)
    assert read(one("JobCompletedEvent", job_id="a", state="REJECTED") + b"\0") == expected
    assert read(one("JobCompletedEvent", job_id="a", state=4)) == expected
    assert read(one(2, job_id="a", state=4)) == expected
    backwards = b'{"events":[{"event":{"state":4,"job_id":"a"},"event_type":"JobCompletedEvent"}]}'
    assert text.decode(backwards).events[0].event == expected
    quoted = read(one("ResetProbeEvent", probe_id="a", new_value="1.5"))  # flatbuffers reads quoted numbers too
    assert quoted.new_value == 1.5


@pytest.mark.parametrize(
    "found, expected",
    [
        (b"", "JSON text"),
        (b"{", "JSON text"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"now": 1}', "missing required field `events`"),
        (b'{"now": nan, "events": []}', "malformed"),
        (b'{"now": 1, "events": []} {}', "trailing"),
        (b'{"now": 1, "events": [{"timestamp": 0}]}', "missing required field `event` - at `$.events[0]`"),
        (b'{"events": [{"event": {}}]}', "missing required field `..._type` - at `$.events[0].event`"),
        (one("Nonsense"), "Invalid value 'Nonsense' - at `$.events[0].event_type`"),
        (one("NONE"), "Invalid value 'NONE' - at `$.events[0].event_type`"),
        (one(99), "`$.events[0].event_type`"),
        (one([1]), "`$.events[0].event_type`"),
        (one("RejectJobEvent"), "missing required field `job_id` - at `$.events[0].event`"),
        (one("RejectJobEvent", job_id=3), "Expected `str`, got `int` - at `$.events[0].event.job_id`"),
        (one("RejectJobEvent", job_id="a", job="b"), "unknown field `job`"),
        (one("JobCompletedEvent", job_id="a", state="ASLEEP"), "`$.events[0].event.state`"),
        (one("JobCompletedEvent", job_id="a", state="REJECTD"), "unknown state 'REJECTD'; did you mean 'REJECTED'"),
        (one("JobCompletedEvent", job_id="a", state=5), "Invalid enum value 5 - at `$.events[0].event.state`"),
        (one("JobCompletedEvent", job_id="a", return_code=2**31), "`$.events[0].event.return_code`"),
        (one("ChangeHostsPStateEvent", host_ids="1", pstate=-1), "`int` >= 0 - at `$.events[0].event.pstate`"),
        (one("KillJobsEvent", job_ids=[1]), "`$.events[0].event.job_ids[0]`"),
        (one("CallMeLaterEvent", call_me_later_id="a", when={}), "`..._type` - at `$.events[0].event.when`"),
        (b'{"now": 1, "events": [], "events": []}', "`$` has the member 'events' twice"),
        (
            b'{"now": 1, "events": [{"event_type": "RejectJobEvent", "event": {"job_id": "1", "job_id": "2"}}]}',
            "`$` has the member 'job_id' twice, in events[0].event",
        ),
        (b'{"events":' + b"[" * 100_000, "nested too deep"),
        (b'{"now": 1, "events": [{"event_type": "RejectJobEvent", "event": {"job_id": "\xff"}}]}', "utf-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_path(found, expected):
    assert expected.lower() in said(found).lower()  # msgspec 0.22 says utf-8, 0.23 UTF-8


def test_numbers_that_json_cannot_write_are_refused():
    event = s.ResetProbeEvent(probe_id="null", new_value=float("inf"))
    message = s.Message(now=1.0, events=(s.EventAndTimestamp(timestamp=1.0, event=event),))
    with pytest.raises(ProtocolError, match=r"JSON has no inf - at `\$.events\[0\].event.new_value`"):
        text.encode(message)
    fine = s.Message(now=1.0, events=(s.EventAndTimestamp(timestamp=1.0, event=s.RejectJobEvent(job_id="null")),))
    assert text.decode(text.encode(fine)) == fine


@pytest.mark.parametrize(
    "event", [s.RejectJobEvent(job_id=object()), s.RejectJobEvent(job_id=3), s.HostProperty(key="a", value="b"), None]
)
def test_values_that_do_not_fit_are_refused(event):
    with pytest.raises(ProtocolError, match="cannot encode batprotocol message"):
        text.encode(s.Message(now=1.0, events=(s.EventAndTimestamp(timestamp=1.0, event=event),)))


def test_mutated_texts_give_only_clear_errors():
    chance = random.Random(5)
    refused = 0
    for event in EVENTS:
        good = text.encode(sample(event, chance))
        for _ in range(40):
            broken = bytearray(good)
            for _ in range(chance.choice((1, 2, 4))):
                broken[chance.randrange(len(broken))] = chance.choice(b'{}[]",:0e-.nul \\x\xff')
            try:
                text.decode(bytes(broken))
            except ProtocolError:
                refused += 1
    assert refused > 500
