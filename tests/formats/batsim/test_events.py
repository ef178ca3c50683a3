"""Reading and writing Batsim's external events."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import shared
from windtunnel.diagnostics import InputError
from windtunnel.formats.batsim.events import read_events, write_events
from windtunnel.model import EventList, ExternalEvent, HostSet


@pytest.fixture
def events(tmp_path):
    def write(text):
        path = tmp_path / "events.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def line(type="machine_unavailable", timestamp=5, **members):  # noqa: A002 -- the member's name
    if type in {"machine_available", "machine_unavailable"}:
        members = {"resources": "0-3", **members}
    made = {"type": type, "timestamp": timestamp, **members}
    return json.dumps({key: value for key, value in made.items() if value is not ...}) + "\n"


def test_events_are_sorted_by_date_and_kind_and_numbered_before(events):
    text = line(timestamp=7) + "\n  \n" + line("machine_available", 7, resources="1 0") + line("generic", 2, data="x")
    read = read_events(events(text), "we3")
    assert (read.name, [event.id for event in read.events]) == ("we3", ["we3!2", "we3!1", "we3!0"])
    generic, available, unavailable = read.events
    assert generic == ExternalEvent(timestamp=2, kind="generic", id="we3!2", data="x")
    assert (available.kind, available.timestamp, str(available.hosts)) == ("machine_available", 7, "0-1")
    assert str(unavailable.hosts) == "0-3"


def test_gzip(events):
    assert len(read_events(events(gzip.compress(line().encode()))).events) == 1


def test_unknown_kinds_are_forwarded_whole_when_asked(events):
    path = events(line("storm", 3, force=8, data="wet") + line(timestamp=1))
    with pytest.raises(InputError, match="unknown type 'storm'"):
        read_events(path)
    first, storm = read_events(path, forward_unknown=True).events
    assert str(first.hosts) == "0-3"
    assert (storm.kind, storm.data) == ("storm", "wet")
    assert list(storm.attributes.items()) == [("type", "storm"), ("timestamp", 3), ("force", 8), ("data", "wet")]


def test_a_generation_allows_its_own_kinds_only(events):
    both = events(line() + line("generic", data=""))
    assert len(read_events(both).events) == 2
    with pytest.raises(InputError) as caught:
        read_events(both, generation=4)
    assert [(f.line, f.message) for f in caught.value.findings] == [(2, "event: unknown type 'generic'")]
    with pytest.raises(InputError) as caught:
        read_events(both, generation=5)
    assert [(f.line, f.message) for f in caught.value.findings] == [(1, "event: unknown type 'machine_unavailable'")]


KIND = "'resources': "
FAULTS = [
    ("not JSON", "{\n", [(1, "json", "", "not valid JSON: Input data was truncated")]),
    ("text behind", line().strip() + " x\n", [(1, "json", "", "not valid JSON: trailing characters")]),
    ("an array", "[]\n", [(1, "type", "", "an event is an array, an object is expected")]),
    ("a number", line() + "7\n", [(2, "type", "", "an event is an integer, an object is expected")]),
    ("null", "null\n", [(1, "type", "", "an event is null, an object is expected")]),
    ("no type", line(...), [(1, "missing", "", "event: 'type' is missing, a string is expected")]),
    ("type is not text", line(7), [(1, "type", "/type", "event: 'type' is an integer, a string is expected")]),
    ("unknown type", line("x"), [(1, "event-type", "/type", "event: unknown type 'x'")]),
    ("empty type", line(""), [(1, "event-type", "/type", "event: unknown type ''")]),
    (
        "no date",
        line(timestamp=...),
        [(1, "missing", "", "event: 'timestamp' is missing, a number >= 0 is expected")],
    ),
    (
        "date as text",
        line(timestamp="5"),
        [(1, "type", "/timestamp", "event: 'timestamp' is a string, a number >= 0 is expected")],
    ),
    (
        "before the start",
        line(timestamp=-1),
        [(1, "value", "/timestamp", "event: 'timestamp' is -1, a number >= 0 is expected")],
    ),
    (
        "true as date",
        line(timestamp=True),
        [(1, "type", "/timestamp", "event: 'timestamp' is true, a number >= 0 is expected")],
    ),
    ("no hosts", line(resources=...), [(1, "missing", "", "event: 'resources' is missing, a string is expected")]),
    ("empty hosts", line(resources=" "), [(1, "value", "/resources", "event: 'resources' is empty")]),
    (
        "hosts as number",
        line(resources=3),
        [(1, "type", "/resources", "event: 'resources' is an integer, a string is expected")],
    ),
    (
        "hosts by name",
        line(resources="node3"),
        [(1, "value", "/resources", "event: 'resources': 'node3' is not a host number or an interval such as 0-3")],
    ),
    (
        "empty interval",
        line(resources="5-3"),
        [(1, "value", "/resources", "event: 'resources': '5-3' is an empty interval: 5 > 3")],
    ),
    ("no data", line("generic"), [(1, "missing", "", "event: 'data' is missing, a string is expected")]),
    (
        "data is not text",
        line("generic", data={}),
        [(1, "type", "/data", "event: 'data' is an object, a string is expected")],
    ),
    (
        "all faults at once",
        line() + line(timestamp=-2, resources="a") + "\n" + line("y"),
        [
            (2, "value", "/resources", "event: 'resources': 'a' is not a host number or an interval such as 0-3"),
            (2, "value", "/timestamp", "event: 'timestamp' is -2, a number >= 0 is expected"),
            (4, "event-type", "/type", "event: unknown type 'y'"),
        ],
    ),
    ("broken bytes", b'{"type": "\xff"}\n', [(1, "json", "", "not valid JSON: invalid utf-8")]),
]


@pytest.mark.parametrize(("text", "expected"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_faulty_files(events, text, expected):
    with pytest.raises(InputError) as caught:
        read_events(events(text))
    found = [(f.line, f.code, f.pointer, f.message) for f in caught.value.findings]
    if expected[0][3].endswith("utf-8"):
        assert [f[:3] for f in found] == [e[:3] for e in expected]
    else:
        assert sorted(found) == sorted(expected)


def test_members_that_nothing_comes_of_are_told(events):
    text = '{"timestamp": 1, "timestamp": 2, "type": "machine_state", "resources": "0", "state": "HALT", "casue": "x"}\n'
    read = read_events(events(text + line(colour="red")))
    assert [(f.line, f.code, f.pointer, f.hint) for f in read.warnings] == [
        (1, "repeated-member", "/timestamp", ""),
        (1, "unknown-member", "/casue", "did you mean 'cause'?"),
        (2, "unknown-member", "/colour", "known: resources, timestamp, type"),
    ]


def test_misspelt_types_get_a_hint(events):
    with pytest.raises(InputError, match="did you mean 'machine_available'"):
        read_events(events(line("machine_availabel")))


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_events(tmp_path / "none")


dates = st.floats(0, 1e9) | st.integers(0, 10**9).map(float)
hosts = st.sets(st.integers(0, 50), min_size=1).map(HostSet)
made = st.lists(
    st.one_of(
        st.builds(
            ExternalEvent,
            timestamp=dates,
            kind=st.sampled_from(["machine_available", "machine_unavailable"]),
            hosts=hosts,
        ),
        st.builds(ExternalEvent, timestamp=dates, kind=st.just("generic"), data=st.text()),
    )
)


@given(made)
def test_round_trip(tmp_path_factory, found):
    path = tmp_path_factory.mktemp("events") / "e.txt"
    found.sort(key=lambda event: (event.timestamp, event.kind))
    for rank, event in enumerate(found):
        event.id = f"ee0!{rank}"
    write_events(EventList(name="ee0", events=tuple(found)), path)
    assert list(read_events(path).events) == found


@given(st.lists(st.text(alphabet='{}[]":, \ntypesmarcov_0123-.xé', max_size=60), max_size=4))
def test_whatever_is_read_is_events_or_findings(tmp_path_factory, parts):
    path = tmp_path_factory.mktemp("events") / "e.txt"
    path.write_text("\n".join(parts))
    try:
        read = read_events(path)
    except InputError as error:
        assert all(f.line for f in error.findings)  # noqa: PT017 -- either outcome is right
    else:
        assert all(event.kind for event in read.events)


def test_files_of_batsim_itself_are_read():
    read = read_events(shared("golden/batsim4/inputs/events/test_events_4hosts.txt"))
    assert [(e.timestamp, e.kind, str(e.hosts)) for e in read.events] == [
        (0, "machine_unavailable", "0"),
        (10, "machine_available", "0"),
        (20, "machine_unavailable", "0-1 3"),
        (250, "machine_available", "0-1"),
        (300, "machine_available", "3"),
    ]
    read = read_events(shared("golden/batsim5/inputs/events/test_generic_events.txt"), generation=5)
    assert [event.data for event in read.events][:2] == ["some data 0.0", "some data 10.0"]
    path = shared("golden/batsim4/inputs/events/test_generic_event.txt")
    assert read_events(path, forward_unknown=True).events[0].attributes == {
        "type": "some_generic_event",
        "timestamp": 123,
    }


def test_a_kind_like_none_is_told_how_it_is_handed_on(tmp_path):
    file = tmp_path / "events.txt"
    hints = []
    for kind in ("lunch", "machine_availble"):
        file.write_text(line(kind))
        with pytest.raises(InputError) as caught:
            read_events(file)
        hints.append(caught.value.findings[0].hint)
    assert hints[0].endswith("; the option forward_unknown (--forward-unknown-events of batsim4) hands others on")
    assert hints[1] == "did you mean 'machine_available'?"
