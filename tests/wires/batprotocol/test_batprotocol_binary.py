"""Flatbuffers binary: agreement with both official implementations on every table; clear errors for the rest."""

import random
import struct

import flatbuffers
import pytest
from benchmarks import codec as benchmark
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wires.batprotocol.oracles import EVENTS, messages, official_read, official_write, sample

from windtunnel.diagnostics import ProtocolError
from windtunnel.wires.batprotocol import binary
from windtunnel.wires.batprotocol import schema as s


@pytest.mark.parametrize("event", EVENTS)
def test_both_official_implementations_agree(event, cpp):
    @settings(max_examples=25, database=None)
    @given(messages(event))
    def agree(message):
        ours = binary.encode(message)
        assert binary.decode(ours) == message
        assert official_read(ours) == message
        assert cpp.accepts(ours)
        theirs = official_write(message)
        assert binary.decode(theirs) == message

    agree()


def one(event) -> s.Message:
    return s.Message(now=1.0, events=(s.EventAndTimestamp(timestamp=1.0, event=event),))


def test_equal_vtables_are_shared():
    def size(hosts: int) -> int:
        return len(binary.encode(benchmark.begins(hosts)))

    assert abs((size(9) - size(8)) - (size(6) - size(5))) <= 8
    assert size(9) - size(8) <= 200


def test_tables_that_share_a_vtable_object_decode():
    """The same layout serves tables of different kinds; each keeps its own reading of it."""
    message = s.Message(
        now=0.0,
        events=tuple(
            s.EventAndTimestamp(timestamp=0.0, event=event)
            for event in (
                s.RejectJobEvent(job_id="a"),
                s.StopProbeEvent(probe_id="b"),
                s.SimulationErrorEvent(error="c"),
            )
        ),
    )
    assert binary.decode(binary.encode(message)) == message


@pytest.mark.parametrize(
    "event, said",
    [
        (s.RejectJobEvent(job_id=None), "Expected `str`, got `null`"),
        (s.RejectJobEvent(job_id="\udc80"), "surrogates"),
        (s.KillJobsEvent(job_ids=(1,)), "got `int`"),
        (
            s.ChangeHostsPStateEvent(host_ids="0", pstate=-1),
            r"Expected `int` >= 0 - at `\$.events\[0\].event.pstate`",
        ),
        (s.ResetProbeEvent(probe_id="p", new_value="high"), r"event.new_value"),
        (
            s.CallMeLaterEvent(call_me_later_id="c", when=s.OneShot(time=2**64)),
            "int too large|argument|range|requires 0 <= number",
        ),
        (s.HostProperty(key="a", value="b"), r"not a table that may stand here - at `\$.events\[0\].event`"),
    ],
)
def test_values_that_do_not_fit_are_named(event, said):
    with pytest.raises(ProtocolError, match=said):
        binary.encode(one(event))


def refused(buffer: bytes) -> str:
    with pytest.raises(ProtocolError) as caught:
        binary.decode(buffer)
    return str(caught.value)


GOOD = binary.encode(one(s.RejectJobEvent(job_id="w0!unmistakable")))


def test_the_empty_buffer_and_every_truncation_are_refused():
    assert "0 bytes are too few" in refused(b"")
    for size in range(len(GOOD) - 8):
        assert "malformed batprotocol message" in refused(GOOD[:size])


def test_faults_say_what_and_where():
    at = GOOD.index(b"w0!unmistakable")
    assert "RejectJobEvent.job_id: the text at byte" in refused(GOOD[:at] + b"\xff" + GOOD[at + 1 :])
    assert "is not UTF-8" in refused(GOOD[:at] + b"\xff" + GOOD[at + 1 :])
    assert "does not end with NUL" in refused(GOOD[: at + 15] + b"!" + GOOD[at + 16 :])
    long = GOOD[: at - 4] + struct.pack("<I", 2**31) + GOOD[at:]
    assert "reaches beyond the end" in refused(long)
    root = struct.unpack_from("<I", GOOD)[0]
    before = GOOD[:root] + struct.pack("<i", 2**30) + GOOD[root + 4 :]
    assert "before the start of the message" in refused(before)
    assert "Message: the table at byte 4294967280" in refused(struct.pack("<I", 2**32 - 16) + GOOD[4:])


def field_of_root(slot: int) -> int:
    """Where a member of the root table stands."""
    root = struct.unpack_from("<I", GOOD)[0]
    vtable = root - struct.unpack_from("<i", GOOD, root)[0]
    return vtable + 4 + 2 * slot


def test_missing_and_misplaced_members_are_refused():
    at = field_of_root(1)
    assert "Message.events: a required member is missing" in refused(GOOD[:at] + bytes(2) + GOOD[at + 2 :])
    assert "reaches beyond the end" in refused(GOOD[:at] + struct.pack("<H", 4000) + GOOD[at + 2 :])
    assert "overlaps another member" in refused(GOOD[:at] + struct.pack("<H", 2) + GOOD[at + 2 :])


def built(event_type: int, make=None) -> bytes:
    """One event with any type number, made with the official builder; ``make`` builds its table (default: empty)."""
    builder = flatbuffers.Builder(64)
    if make is None:
        builder.StartObject(0)
        event = builder.EndObject()
    else:
        event = make(builder)
    builder.StartObject(3)
    builder.PrependUint8Slot(1, event_type, 0)
    builder.PrependUOffsetTRelativeSlot(2, event, 0)
    stamped = builder.EndObject()
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(stamped)
    events = builder.EndVector()
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(1, events, 0)
    builder.Finish(builder.EndObject())
    return bytes(builder.Output())


def test_types_beyond_the_schema_are_refused():
    assert binary.decode(built(19)) == s.Message(
        now=0.0, events=(s.EventAndTimestamp(timestamp=0.0, event=s.SimulationEndsEvent()),)
    )
    for number in (0, 30, 255):
        assert f"EventAndTimestamp.event: {number} is not one of its values" in refused(built(number))
    good = binary.encode(one(s.JobCompletedEvent(job_id="a", state=s.FinalJobState.REJECTED, return_code=0x0A0B0C0D)))
    at = good.index(b"\x0d\x0c\x0b\x0a") + 4
    assert good[at] == s.FinalJobState.REJECTED
    assert "JobCompletedEvent.state: 9 is not one of its values" in refused(good[:at] + b"\x09" + good[at + 1 :])


def test_members_of_a_later_schema_are_ignored_and_told_once(caplog):
    def later(builder):
        builder.StartObject(4)
        builder.PrependUint32Slot(3, 77, 0)
        return builder.EndObject()

    for _ in range(3):
        assert isinstance(binary.decode(built(19, later)).events[0].event, s.SimulationEndsEvent)
    assert caplog.messages == ["SimulationEndsEvent has member 4, of a later batprotocol than ours: no effect"]


def nested(depth: int) -> s.Message:
    progress = s.KillProgressWrapper(kill_progress=s.KillProgressAtomicProfile(profile_id="p", progress=0.5))
    for _ in range(depth):
        inner = s.KillProgressSequentialProfile(profile_id="p", current_task_progress=progress)
        progress = s.KillProgressWrapper(kill_progress=inner)
    killed = s.JobsKilledEvent(job_ids=("a",), progresses=(s.JobAndProgress(job_id="a", wrapper=progress),))
    return one(killed)


def test_nesting_has_the_limit_of_the_official_verifier(cpp):
    assert binary.decode(binary.encode(nested(29))) == nested(29)
    assert cpp.accepts(binary.encode(nested(29)))
    assert not cpp.accepts(binary.encode(nested(30)))
    assert "nested too deep" in refused(binary.encode(nested(30)))


def test_a_small_buffer_cannot_stand_for_an_enormous_message():
    def references(builder, count: int, size: int) -> int:
        shared = builder.CreateString("x" * size)
        builder.StartVector(4, count, 4)
        for _ in range(count):
            builder.PrependUOffsetTRelative(shared)
        job_ids = builder.EndVector()
        builder.StartObject(1)
        builder.PrependUOffsetTRelativeSlot(0, job_ids, 0)
        return builder.EndObject()

    assert "again and again" in refused(built(5, lambda builder: references(builder, 5_000, 5_000)))
    fair = binary.decode(built(5, lambda builder: references(builder, 20_000, 5)))
    assert fair.events[0].event.job_ids == ("xxxxx",) * 20_000


@given(st.binary(max_size=200))
@settings(max_examples=300, database=None)
def test_arbitrary_bytes_give_only_clear_errors(buffer):
    complaint(buffer)  # anything but a ProtocolError comes through


def test_mutated_buffers_give_only_clear_errors():
    assert benchmark.survive(5_000, seed=7) > 2_500


def complaint(buffer: bytes) -> str:
    """Why a buffer is refused; empty when it is not."""
    try:
        binary.decode(buffer)
    except ProtocolError as error:
        return str(error)
    return ""


def test_mutated_recordings_of_every_event_are_judged_as_the_verifier_does(cpp):
    """What the C++ verifier accepts, ours accepts too, save what is checked beyond it (it ignores sizes of tables, and by reflection what is required)."""
    chance = random.Random(11)
    values = ("is not one of its values", "is not UTF-8", "again and again")
    sizes = (
        "overlaps",
        "impossible size",
        "or its vtable reaches beyond",
        "required member",
        "an empty element",
        "too few",
    )
    judged = 0
    for event in EVENTS:
        good = binary.encode(sample(event, chance))
        for _ in range(100):
            buffer = benchmark.mutate(good, chance)
            said = complaint(buffer)
            if said and cpp.accepts(buffer):
                assert any(text in said for text in values + sizes), (event, said, buffer.hex())
                judged += 1
    assert judged > 10
