"""Clauses of the JSSPP-OSP environment description that no other test shows by itself (docs/conformance/000.md)."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from environments import codes, document, findings, machine
from windtunnel import api
from windtunnel.engine import Options
from windtunnel.formats.sites.environment import read_text
from windtunnel.formats.sites.environment.platform import site_platform
from windtunnel.testing import job, workload

MINIMAL: dict[str, Any] = {"environment": {"datacenters": []}, "events": [], "definitions": {}}


def datacenter(doc: dict[str, Any]) -> Any:
    return doc["environment"]["datacenters"][0]


def room(doc: dict[str, Any]) -> Any:
    return datacenter(doc)["rooms"][0]


def rack(doc: dict[str, Any]) -> Any:
    return room(doc)["objects"][0]


def unit(doc: dict[str, Any]) -> Any:
    return rack(doc)["units"][0]


def cpu(doc: dict[str, Any]) -> Any:
    return unit(doc)["cpus"][0]


def stored(doc: dict[str, Any]) -> Any:
    return unit(doc)["memory"][0]


FULL = document(machine(1, memory=[{"capacity": 8000}], state="ACTIVE"), name="x", description="y")
PLACES = {
    "datacenter": datacenter,
    "room": room,
    "rack": rack,
    "machine": unit,
    "processing unit": cpu,
    "memory or storage": stored,
}


def changed(place: str, **members: Any) -> dict[str, Any]:
    doc = deepcopy(FULL)
    PLACES[place](doc).update(members)
    return doc


def without(place: str, member: str) -> dict[str, Any]:
    doc = deepcopy(FULL)
    del PLACES[place](doc)[member]
    return doc


def run(tmp_path: Path, doc: dict[str, Any], *jobs: tuple[float, float, int]) -> api.Run:
    """Jobs of (submission, run time, processors) on an environment under its own scheduler."""
    (tmp_path / "e.json").write_text(json.dumps(doc))
    rows = [
        f"{number} {at} -1 {length} {size} -1 -1 {size} {2 * length} -1 1 1 1 1 1 1 -1 -1"
        for number, (at, length, size) in enumerate(jobs, 1)
    ]
    (tmp_path / "w.swf").write_text("; MaxProcs: 64\n" + "\n".join(rows) + "\n")
    return api.simulate(
        tmp_path / "e.json", tmp_path / "w.swf", "stage-scheduler", options=Options(on_failure="requeue")
    )


# --- the document -----------------------------------------------------------------------------------------------------


def test_the_environment_is_required_and_the_rest_is_not() -> None:
    assert codes(MINIMAL) == []
    assert codes({"environment": {"datacenters": []}}) == []
    assert codes({"events": []}) == ["ENV020"]


@pytest.mark.parametrize("member", ["name", "description"])
def test_name_and_description_of_the_whole_are_text(member: str) -> None:
    assert codes({**MINIMAL, member: "text"}) == []
    assert codes({**MINIMAL, member: 5}) == ["ENV021"]


def test_the_schema_may_be_named() -> None:
    assert codes({**MINIMAL, "$schema": "https://example.org/environment.schema.json"}) == []


def test_a_topology_needs_its_datacenters_and_may_say_more() -> None:
    assert codes({"environment": {}}) == ["ENV020"]
    assert not any(code.isupper() for code in codes({"environment": {"datacenters": [], "owner": "us"}}))


@pytest.mark.parametrize("event", ["MACHINE_STATE_CHANGE", "DATACENTER_SCHEDULER_CHANGE"])
def test_every_kind_of_event_has_a_time(event: str) -> None:
    about = {"machine": 1, "state": "HALT"} if event.startswith("MACHINE") else {}
    about = about or {"datacenter": 1, "scheduler": {"name": "stage-scheduler"}}
    assert codes(document(machine(1), events=[{"type": event, "time": 5, **about}])) == []
    assert codes(document(machine(1), events=[{"type": event, **about}])) == ["env032"]


# --- the topology -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "member"),
    [
        ("datacenter", "name"),
        ("datacenter", "location"),
        ("datacenter", "operator"),
        ("room", "name"),
        ("rack", "name"),
        ("machine", "name"),
        *(
            (place, member)
            for place in ("processing unit", "memory or storage")
            for member in ("manufacturer", "family", "generation", "model")
        ),
    ],
)
def test_descriptions_are_text(place: str, member: str) -> None:
    assert codes(changed(place, **{member: "text"})) == []
    assert codes(changed(place, **{member: 5})) == ["ENV021"]


@pytest.mark.parametrize("place", PLACES)
def test_ids_are_text_or_whole_numbers(place: str) -> None:
    for number in (7, "seven", ""):
        assert codes(changed(place, id=number)) == []
    assert codes(changed(place, id=-1)) == ["ENV023"]
    assert codes(changed(place, id=1.5)) == ["ENV021"]


@pytest.mark.parametrize(
    ("place", "holder", "member"),
    [
        ("datacenter", lambda doc: doc["environment"], "datacenters"),
        ("room", datacenter, "rooms"),
        ("rack", room, "objects"),
        ("machine", rack, "units"),
        ("processing unit", unit, "cpus"),
        ("memory or storage", unit, "memory"),
    ],
)
def test_ids_are_unique_among_their_kind(place: str, holder: Any, member: str) -> None:
    doc = changed(place, id=77)
    twin = deepcopy(PLACES[place](doc))
    if place in {"datacenter", "room", "rack"}:  # what is inside is not to clash
        twin = {
            **twin,
            **({"rooms": []} if place == "datacenter" else {"objects": []} if place == "room" else {"units": []}),
        }
    if place == "machine":
        twin["memory"] = []
    holder(doc)[member].append(twin)
    assert "ENV030" in codes(doc)


@pytest.mark.parametrize(
    ("place", "member"),
    [
        ("datacenter", "rooms"),
        ("room", "type"),
        ("rack", "type"),
        ("machine", "type"),
        ("processing unit", "clock-rate"),
        ("processing unit", "cores"),
        ("memory or storage", "capacity"),
    ],
)
def test_what_is_required(place: str, member: str) -> None:
    assert any(code.startswith("ENV02") for code in codes(without(place, member)))


@pytest.mark.parametrize("kind", ["COOLING", "HALLWAY", "OFFICE", "POWER", "SERVER"])
def test_types_of_rooms(kind: str) -> None:
    found = codes(changed("room", type=kind))
    assert found == ([] if kind == "SERVER" else ["env043"])  # a rack elsewhere is odd
    assert "ENV022" in codes(changed("room", type="SERVR"))


def test_sizes_and_locations_of_rooms() -> None:
    assert codes(changed("room", size={"width": 5, "height": 4.5}, location={"x": 0, "y": -2})) == []
    assert codes(changed("room", size={"width": 5})) == ["ENV020"]
    assert codes(changed("room", location={"x": 5})) == ["ENV020"]


def test_a_rack_says_that_it_is_one() -> None:
    assert any(code.startswith("ENV02") for code in codes(changed("rack", type="TABLE")))
    assert any(code.startswith("ENV02") for code in codes(changed("machine", type="PRINTER")))


def test_units_are_machines_or_empty_slots_within_the_capacity() -> None:
    assert codes(document(machine(1), {"type": "EMPTY"}, capacity=2)) == []
    assert codes(document(machine(1), {"type": "EMPTY"}, capacity=1)) == ["ENV041"]


def test_the_power_capacity_of_a_rack_is_watched() -> None:
    doc = changed("processing unit", **{"energy-consumption": 500})
    rack(doc)["power-capacity"] = 400
    assert codes(doc) == ["env042"]


@pytest.mark.parametrize("state", ["ACTIVE", "HALT", "MAINTENANCE", "FAILURE"])
def test_only_active_machines_run_jobs(tmp_path: Path, state: str) -> None:
    doc = document(machine(1, state=state), machine(2))
    made = run(tmp_path, doc, (1, 10, 1), (1, 10, 1))
    together = made.jobs["starting_time"].to_list() == [0.0, 0.0]
    assert together is (state == "ACTIVE")
    assert codes(changed("machine", state="ASLEEP")) == ["ENV022"]


def test_cores_and_clock_rates_are_those_of_hosts() -> None:
    site, _ = read_text(json.dumps(changed("processing unit", cores=8, **{"clock-rate": 3e9})))
    (host,) = site_platform(site).platform.hosts
    assert (host.cores, host.speed) == (8, 3e9)


@pytest.mark.parametrize(("member", "wrong"), [("cores", 0), ("clock-rate", 0), ("energy-consumption", -5)])
def test_figures_of_processing_units(member: str, wrong: float) -> None:
    assert codes(changed("processing unit", **{member: wrong})) == ["ENV023"]


@pytest.mark.parametrize("member", ["read-speed", "write-speed", "capacity", "energy-consumption"])
def test_figures_of_memory_and_storage(member: str) -> None:
    assert codes(changed("memory or storage", **{member: 500})) == []
    assert codes(changed("memory or storage", **{member: 0})) == ["ENV023"]


def test_memory_storage_and_gpus_are_resources_of_the_host() -> None:
    gpu = {"clock-rate": 1e9, "cores": 100, "model": "1080"}
    doc = changed("machine", memory=[{"capacity": 8000}] * 2, storage=[{"capacity": 100}], gpus=[gpu, gpu])
    site, _ = read_text(json.dumps(doc))
    (host,) = site_platform(site).platform.hosts
    assert (host.resources["memory"], host.resources["disk"], host.resources["gpus"]) == (16e9, 1e8, 2.0)


def test_schedulers_need_a_name() -> None:
    assert codes(changed("datacenter", operational={"scheduler": {"name": "stage-scheduler"}})) == []
    assert codes(changed("datacenter", operational={"scheduler": {"url": "https://example.org"}})) == ["ENV020"]
    assert codes(changed("datacenter", operational={"scheduler": {"name": "stage-scheduler", "options": 5}})) == [
        "ENV021"
    ]
    assert codes(changed("datacenter", operational={"team": "night shift"})) in ([], ["env040"])


# --- events -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["HALT", "MAINTENANCE", "FAILURE"])
def test_a_machine_that_changes_state_loses_its_job_and_comes_back(tmp_path: Path, state: str) -> None:
    events = [
        {"type": "MACHINE_STATE_CHANGE", "time": 5, "machine": 1, "state": state, "cause": "a test"},
        {"type": "MACHINE_STATE_CHANGE", "time": 50, "machine": 1, "state": "ACTIVE"},
    ]
    (tmp_path / "e.json").write_text(json.dumps(document(machine(1), events=events)))
    endless = workload(job(1, 1, 20))  # nobody knows how long it may run
    made = api.simulate(tmp_path / "e.json", endless, "stage-scheduler", options=Options(on_failure="requeue"))
    assert made.jobs["starting_time"].to_list() == [0.0, 50.0]
    assert made.jobs["final_state"].to_list()[1] == "COMPLETED_SUCCESSFULLY"
    planned = run(tmp_path, document(machine(1), events=events), (0, 20, 1))  # a failure is not announced
    assert planned.jobs["starting_time"].to_list() == ([0.0, 50.0] if state == "FAILURE" else [50.0])


@pytest.mark.parametrize("member", ["machine", "state"])
def test_what_a_machine_event_needs(member: str) -> None:
    event = {"type": "MACHINE_STATE_CHANGE", "time": 5, "machine": 1, "state": "HALT"}
    del event[member]
    assert codes(document(machine(1), events=[event])) == ["ENV020"]


@pytest.mark.parametrize("member", ["datacenter", "scheduler"])
def test_what_a_datacenter_event_needs(member: str) -> None:
    event = {
        "type": "DATACENTER_SCHEDULER_CHANGE",
        "time": 5,
        "datacenter": 1,
        "scheduler": {"name": "stage-scheduler"},
    }
    del event[member]
    assert codes(document(machine(1), events=[event])) == ["ENV020"]


def test_other_kinds_of_events_are_refused_with_those_there_are() -> None:
    (found,) = [f for f in findings(document(machine(1), events=[{"type": "ROOM_FIRE", "time": 1}])) if f.severity]
    assert found.code == "ENV022"
    assert "MACHINE_STATE_CHANGE" in f"{found.message} {found.hint}"


def test_events_name_machines_and_datacenters_that_exist() -> None:
    event = {"type": "MACHINE_STATE_CHANGE", "time": 5, "machine": 9, "state": "HALT"}
    assert codes(document(machine(1), events=[event])) == ["ENV031"]


@pytest.mark.parametrize(
    ("place", "member"),
    [
        ("datacenter", "owner"),
        ("room", "colour"),
        ("rack", "vendor"),
        ("machine", "cpu"),
        ("processing unit", "speed"),
    ],
)
def test_unknown_members_stand_in_the_account_of_a_run(tmp_path: Path, place: str, member: str) -> None:
    made = run(tmp_path, changed(place, **{member: 5}), (0, 10, 1))
    (line,) = [line for line in made.account if line.kind == "ENV040"]
    assert repr(member) in line.reason


def test_more_operational_details_and_their_account(tmp_path: Path) -> None:
    made = run(tmp_path, changed("datacenter", operational={"team": "night shift"}), (0, 10, 1))
    assert made.jobs["final_state"].to_list() == ["COMPLETED_SUCCESSFULLY"]
    assert codes(changed("datacenter", operational={"team": "night shift"})) in ([], ["env040"])
