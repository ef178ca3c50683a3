"""Replies that are read straight into decisions are read as the general way reads them, or are left to it."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wires.batprotocol.oracles import messages, official_write

from windtunnel.diagnostics import ProtocolError
from windtunnel.wires.batprotocol import binary, text
from windtunnel.wires.batprotocol import schema as s
from windtunnel.wires.batprotocol.plain_replies import plain_reply
from windtunnel.wires.batprotocol.session import BatprotocolComponent
from windtunnel.wires.batprotocol.swift_replies import swift_reply
from windtunnel.wires.transport import FORMAT_BINARY, FORMAT_JSON

HOSTS = ["0", "0-3", "1 5-7", "1,2", "", "x", "3-1", " ".join(str(2 * host) for host in range(900))]


class Silent:
    """A transport of nothing."""

    name = "peer"


def general(answer: bytes, now: float, form: int):
    component = BatprotocolComponent(Silent())
    component._json = form == FORMAT_JSON
    return component._reply(answer, now)


placements = st.builds(
    s.PredefinedExecutorPlacementStrategyWrapper, strategy=st.sampled_from(s.PredefinedExecutorPlacementStrategy)
)
allocations = st.builds(
    s.AllocationPlacement,
    host_allocation=st.sampled_from(HOSTS),
    executor_placement=placements | st.just(s.CustomExecutorToHostMapping(mapping=(0, 1))),
)
storages = st.none() | st.just(()) | st.just((s.StorageHost(storage_name="disk", host_id=3),))
events = (
    st.builds(
        s.ExecuteJobEvent,
        job_id=st.text(max_size=5),
        allocation=allocations,
        profile_allocation_override=st.none() | st.just(()),
        storage_placement=storages,
    )
    | st.builds(s.RejectJobEvent, job_id=st.text(max_size=5))
    | st.just(s.ForceSimulationStopEvent())
)
dates = st.sampled_from([0.0, 5.0, 5.5, 6.0, 7.0, float("inf")])
replies = st.builds(
    s.Message,
    now=dates,
    events=st.lists(st.builds(s.EventAndTimestamp, timestamp=dates, event=events), max_size=3).map(tuple),
)


def compare(read, answer: bytes, form: int) -> bool:
    """Whether it was read the short way; then it was read in the same way."""
    found = read(answer, 5.0)
    if found is None:
        return False
    expected = general(answer, 5.0, form)
    assert found == expected
    assert [type(one.placement) for one in found.decisions if hasattr(one, "placement")] == [
        type(one.placement) for one in expected.decisions if hasattr(one, "placement")
    ]
    return True


@settings(max_examples=300)
@given(replies)
def test_replies_of_both_writers(message):
    for answer in (binary.encode(message), official_write(message)):
        compare(swift_reply, answer, FORMAT_BINARY)
    if float("inf") not in (message.now, *(stamped.timestamp for stamped in message.events)):
        compare(plain_reply, text.encode(message) + b"\0", FORMAT_JSON)


def execution(hosts: str = "0-3", **more) -> s.Message:
    placement = s.PredefinedExecutorPlacementStrategyWrapper()
    allocation = s.AllocationPlacement(host_allocation=hosts, executor_placement=placement)
    event = s.ExecuteJobEvent(job_id="w0!1", allocation=allocation, **more)
    stamped = (s.EventAndTimestamp(timestamp=5.0, event=event), s.EventAndTimestamp(timestamp=5.5, event=event))
    return s.Message(now=6.0, events=stamped)


@pytest.mark.parametrize("more", [{}, {"profile_allocation_override": (), "storage_placement": ()}])
def test_executions_take_the_short_way(more):
    message = execution(**more)
    assert compare(swift_reply, binary.encode(message), FORMAT_BINARY)
    assert compare(swift_reply, official_write(message), FORMAT_BINARY)
    assert compare(plain_reply, text.encode(message), FORMAT_JSON)


@given(messages("ExecuteJobEvent"))
def test_any_execution_is_read_in_the_same_way_or_not_at_all(message):
    for answer in (binary.encode(message), official_write(message)):
        try:
            compare(swift_reply, answer, FORMAT_BINARY)
        except ProtocolError:
            pytest.fail("the general way refuses what the short way reads")


def test_damaged_bytes_are_read_in_the_same_way_or_not_at_all():
    chance = random.Random(7)
    whole = [binary.encode(execution()), official_write(execution(storage_placement=()))]
    read = 0
    for _ in range(20_000):
        answer = bytearray(chance.choice(whole))
        for _ in range(chance.choice((1, 1, 2, 4))):
            answer[chance.randrange(len(answer))] = chance.choice((0, 1, 2, 4, 8, 12, 255, chance.randrange(256)))
        if chance.random() < 0.1:
            del answer[chance.randrange(len(answer)) :]
        try:
            read += compare(swift_reply, bytes(answer), FORMAT_BINARY)
        except ProtocolError as fault:
            pytest.fail(f"the general way refuses {bytes(answer)!r}: {fault}")
    assert read > 1_000


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.pop("now"),
        lambda m: m.update(more=1),
        lambda m: m.update(now="6"),
        lambda m: m.update(now=10**400),
        lambda m: m.update(events={}),
        lambda m: m["events"][0].update(event_type="RejectJobEvent"),
        lambda m: m["events"][0].update(event_type=4),
        lambda m: m["events"][0].update(more=1),
        lambda m: m["events"][0].update(timestamp=7.0),
        lambda m: m["events"][0].update(timestamp=True),
        lambda m: m["events"][0]["event"].update(job_id=1),
        lambda m: m["events"][0]["event"].update(storage_placement=None),
        lambda m: m["events"][0]["event"].update(storage_placement={}),
        lambda m: m["events"][0]["event"].update(more=[]),
        lambda m: m["events"][0]["event"]["allocation"].update(host_allocation="x"),
        lambda m: m["events"][0]["event"]["allocation"].update(executor_placement=[]),
        lambda m: m["events"][0]["event"]["allocation"].update(executor_placement={"strategy": "None"}),
        lambda m: m["events"][0]["event"]["allocation"].update(executor_placement={"strategy": 1}),
        lambda m: m["events"][0]["event"]["allocation"].update(
            executor_placement={"strategy": "FillOneHostCoresFirst"}
        ),
    ],
)
def test_other_texts_are_read_in_the_same_way_or_not_at_all(change):
    message = msgspec.json.decode(text.encode(execution()))
    change(message)
    try:
        compare(plain_reply, msgspec.json.encode(message), FORMAT_JSON)
    except (ProtocolError, OverflowError):
        pytest.fail("the general way refuses what the short way reads")


def test_a_second_list_of_events_is_refused():
    """The last one counted, in silence."""
    answer = b'{"now":5.0,"events":[],"events":[]}'
    with pytest.raises(ProtocolError, match="the member 'events' twice"):
        general(answer, 5.0, FORMAT_JSON)
    assert plain_reply(answer, 5.0) is None


@pytest.mark.parametrize("again", ['"job_id":"w!2"', '"allocation":{}', '"storage_placement":[],"storage_placement":[]'])
def test_a_member_of_a_decision_that_stands_twice_is_refused(again):
    answer = text.encode(execution()).decode().replace('"job_id"', f'{again},"job_id"').encode()
    with pytest.raises(ProtocolError, match=r"the member '[a-z_]*' twice, in events\[0\].event"):
        general(answer, 5.0, FORMAT_JSON)
    assert plain_reply(answer, 5.0) is None
