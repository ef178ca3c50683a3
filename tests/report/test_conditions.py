"""What hosts were besides busy, as spans."""

from types import SimpleNamespace

import polars as pl
from tests.results.small_runs import outage, record

from windtunnel.model import EventList, ExternalEvent, HostSet
from windtunnel.report import conditions as module
from windtunnel.report.conditions import conditions, markers
from windtunnel.results.run import Run
from windtunnel.results.state import PlatformFacts, ReservedHosts, RunState


def with_files(hosts: int = 8, **frames) -> SimpleNamespace:
    tables = {f"{name}.csv": pl.DataFrame(rows, orient="row", schema=head) for name, (head, rows) in frames.items()}
    return SimpleNamespace(hosts=hosts, frame=tables.get, state=RunState())


def named(run, last: float) -> list[tuple]:
    found = conditions(run, last)
    return sorted((*span[:4], found["kinds"][span[4]]) for span in found["spans"])


def machine_state(date: float, state: str, hosts: str) -> ExternalEvent:
    return ExternalEvent(
        timestamp=date, kind="machine_state", hosts=HostSet.parse(hosts), attributes={"state": state}
    )


def test_outages_by_what_they_are():
    events = EventList(
        name="e0",
        events=(
            machine_state(50.0, "FAILURE", "1"),
            machine_state(60.0, "MAINTENANCE", "2-3"),
            machine_state(90.0, "ACTIVE", "1-3"),
        ),
    )
    run = Run.of(record(events=[events]))
    assert named(run, 1000.0) == [(50.0, 90.0, 1, 1, "failure"), (60.0, 90.0, 2, 2, "maintenance")]


def test_an_outage_that_does_not_end():
    head = ["time", "event", "hosts", "id", "data"]
    run = with_files(
        events=(head, [(5.0, "unavailable", "0-1 7", None, "FAILURE: power"), (9.0, "available", "1", None, "")])
    )
    assert named(run, 20.0) == [
        (5.0, 9.0, 1, 1, "failure"),
        (5.0, 20.0, 0, 1, "failure"),
        (5.0, 20.0, 7, 1, "failure"),
    ]


def test_power_states_other_than_the_usual_one():
    head = ["time", "machine_id", "new_pstate"]
    rows = [(0.0, "0-6", 0), (0.0, "7", 2), (10.0, "3-4", -2), (12.0, "3-4", 13), (30.0, "3", -1), (33.0, "3", 0)]
    assert named(with_files(pstate_changes=(head, rows)), 40.0) == [
        (0.0, 40.0, 7, 1, "power state 2"),
        (10.0, 12.0, 3, 2, "switching off"),
        (12.0, 30.0, 3, 1, "asleep (power state 13)"),
        (12.0, 40.0, 4, 1, "asleep (power state 13)"),
        (30.0, 33.0, 3, 1, "switching on"),
    ]


def test_what_leases_do_besides_running():
    head = ["lease_id", "kind", "start", "end", "hosts"]
    rows = [(1, "VM", 0.0, 9.0, "1-2"), (1, "FileTransfer", 9.0, 12.0, "1-2 4")]
    assert named(with_files(reservations=(head, rows)), 40.0) == [
        (9.0, 12.0, 0, 2, "FileTransfer"),
        (9.0, 12.0, 3, 1, "FileTransfer"),
    ]


def test_reservations_of_a_slurm_site_with_their_repetitions():
    run = with_files()
    lesson = ReservedHosts(name="lesson", start=10.0, end=30.0, hosts="2-3 6")
    begun = ReservedHosts(name="begun", start=-50.0, end=5.0, hosts="0")
    over = ReservedHosts(name="over", start=-50.0, end=0.0, hosts="0")
    hourly = ReservedHosts(name="hourly", start=-10_000.0, end=-9_900.0, hosts="7", every=3600.0)
    run.state.platform = PlatformFacts(reservations=[lesson, begun, over, hourly])
    assert named(run, 5_000.0) == [
        (0.0, 5.0, 0, 1, "reservation begun"),
        (10.0, 30.0, 2, 2, "reservation lesson"),
        (10.0, 30.0, 6, 1, "reservation lesson"),
        (800.0, 900.0, 7, 1, "reservation hourly"),
        (4400.0, 4500.0, 7, 1, "reservation hourly"),
    ]


def test_the_shortest_of_very_many_are_left_out_and_counted(monkeypatch):
    monkeypatch.setattr(module, "MOST_SPANS", 1)
    head = ["time", "event", "hosts", "id", "data"]
    rows = [
        (float(t), name, "1", None, "FAILURE")
        for t, name in ((1, "unavailable"), (2, "available"), (4, "unavailable"))
    ]
    found = conditions(with_files(events=(head, rows)), 9.0)
    assert (found["spans"], found["left_out"]) == ([[4.0, 9.0, 1, 1, 0]], 1)


def test_forwarded_events_are_marked():
    head = ["time", "event", "hosts", "id", "data"]
    rows = [(3.0, "price", "", "p1", "0.3"), (4.0, "unavailable", "1", None, "")]
    assert markers(with_files(events=(head, rows))) == [(3.0, "price", "p1 0.3")]
    assert markers(Run.of(record(events=[outage()]))) == []
