"""Kinds of external events of one's own."""

import msgspec
import pytest

from windtunnel import api
from windtunnel.diagnostics import InputError, UsageError
from windtunnel.formats.batsim.events import read_events, write_events
from windtunnel.model import EventList, ExternalEvent, HostSet
from windtunnel.model.event_kinds import EventKind, event_kind, event_kind_of, external_event
from windtunnel.testing import job, workload
from windtunnel.vocabulary import ExternalEventOccurred


@external_event("test_capacity")
class Capacity(msgspec.Struct, rename="kebab"):
    """How much power there is."""

    power_limit: float
    resources: HostSet = HostSet()


def test_an_event_of_a_kind_and_back():
    said = Capacity(5e3, HostSet([0, 1, 4]))
    event = ExternalEvent.of(3.0, said, id="e!0")
    whole = {"type": "test_capacity", "timestamp": 3.0, "power-limit": 5e3, "resources": "0-1 4"}
    assert (event.kind, event.id, event.hosts, event.attributes) == ("test_capacity", "e!0", said.resources, whole)
    assert ExternalEventOccurred(3.0, "e!0", "", event.kind, event.attributes).value == said
    assert event_kind_of(said) == event_kind("test_capacity") == EventKind("test_capacity", Capacity)


def test_files_of_events(tmp_path):
    events = EventList(name="ee0", events=(ExternalEvent.of(3.0, Capacity(5e3, HostSet([2]))),))
    write_events(events, tmp_path / "e.txt")
    (read,) = read_events(tmp_path / "e.txt").events
    assert (read.kind, read.hosts, read.attributes) == ("test_capacity", HostSet([2]), events.events[0].attributes)
    for generation in (4, 5):  # files for Batsim have Batsim's kinds only
        with pytest.raises(InputError, match="unknown type 'test_capacity'"):
            read_events(tmp_path / "e.txt", generation=generation)
    assert read_events(tmp_path / "e.txt", generation=4, forward_unknown=True).events[0].hosts == HostSet([2])


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ('"power-limit": "much"', "Expected `float`, got `str`"),
        ("", "missing required field `power-limit`"),
        ('"power-limit": 1, "colour": 2', "unknown member 'colour'"),
        ('"power-limit": 1, "resources": "5-2"', "5-2"),
        ('"power-limit": 1, "resources": 7', "HostSet"),
    ],
)
def test_faults_are_those_of_a_line(tmp_path, members, said):
    line = ", ".join(filter(None, ('"type": "test_capacity", "timestamp": 1', members)))
    (tmp_path / "e.txt").write_text(f"\n{{{line}}}\n")
    with pytest.raises(InputError, match=r"e\.txt:2") as raised:
        read_events(tmp_path / "e.txt")
    assert said in str(raised.value)


def test_events_made_in_python_are_checked_before_the_run():
    bad = ExternalEvent(timestamp=3.0, kind="test_capacity", attributes={"power-limit": "much"})
    with pytest.raises(UsageError, match=r"e: external event 'test_capacity' at t=3\.0 s: Expected `float`"):
        api.simulate("hosts:2", workload(job("a")), events=EventList(name="e", events=(bad,)))
    injected = api.Simulation("hosts:2", workload(job("a", 1, 9.0)))
    with pytest.raises(UsageError, match=r"put into the run: .* 'test_capacity' at t=3\.0 s: Expected `float`"):
        injected.inject(bad, at=3.0)
    injected.inject(msgspec.structs.replace(bad, attributes={"power-limit": 5.0}), at=3.0)
    rows = injected.run().frame("events.csv").rows()
    assert rows == [(3.0, "test_capacity", None, None, '{"power-limit":5.0}')]


def test_what_cannot_be_a_kind():
    with pytest.raises(UsageError, match="'generic' cannot be the name"):
        external_event("generic")
    with pytest.raises(UsageError, match=r"described by a msgspec\.Struct"):
        external_event("test_number")(int)
    with pytest.raises(UsageError, match=f"'test_capacity' already: {__name__}"):
        external_event("test_capacity")(msgspec.defstruct("Other", [], module="elsewhere"))
    with pytest.raises(UsageError, match="int is not a registered kind"):
        ExternalEvent.of(1.0, 3)
    assert event_kind("test_unheard_of") is None
    assert external_event("test_capacity")(Capacity) is Capacity  # a module that is loaded again
