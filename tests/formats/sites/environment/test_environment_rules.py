"""The numbered cases of the grammar (S1 to S19) and of meaning (M)."""

import json
from typing import Any

import pytest

from documents import json_blocks
from environments import MACHINE, codes, document, findings, machine
from shared import shared
from windtunnel.diagnostics import InputError
from windtunnel.formats.sites.environment import check, read, read_text


def with_machine(**changes: Any) -> dict[str, Any]:
    return document({**MACHINE, **changes})


def with_cpu(**changes: Any) -> dict[str, Any]:
    return with_machine(cpus=[{"clock-rate": 2e9, "cores": 1, **changes}])


def with_event(**event: Any) -> dict[str, Any]:
    return document(machine(1), events=[event])


STATE = {"type": "MACHINE_STATE_CHANGE", "machine": 1, "state": "FAILURE", "time": 5}
SCHEDULER = {
    "type": "DATACENTER_SCHEDULER_CHANGE",
    "datacenter": 1,
    "scheduler": {"name": "stage-scheduler"},
    "time": 5,
}


def without(item: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in names}


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        pytest.param({"environment": {"datacenters": []}}, [], id="S1"),
        pytest.param({}, ["ENV020"], id="S2"),
        pytest.param([], ["ENV002"], id="S3 array"),
        pytest.param(None, ["ENV002"], id="S3 null"),
        pytest.param(document({"type": "EMPTY"}), [], id="S4"),
        pytest.param(document({"type": "EMPTY", "id": 1}), ["ENV025"], id="S4 with id"),
        pytest.param(with_machine(cpus=[]), ["env023"], id="S5 no cpu"),
        pytest.param(document({"type": "MACHINE"}), ["ENV020"], id="S5 cpus missing"),
        pytest.param(with_cpu(cores=8.0), [], id="S6 8.0"),
        pytest.param(with_cpu(cores=1.5), ["ENV021"], id="S6 1.5"),
        pytest.param(with_cpu(cores=0), ["ENV023"], id="S6 0"),
        pytest.param(with_cpu(cores="8"), ["ENV021"], id="S6 text"),
        pytest.param(with_cpu(**{"clock-rate": 0}), ["ENV023"], id="S6 clock"),
        pytest.param(with_machine(state="RUNNING"), ["ENV022"], id="S7 RUNNING"),
        pytest.param(with_machine(state=None), ["ENV022"], id="S7 null"),
        pytest.param(with_machine(state="active"), ["ENV022"], id="S7 active"),
        *(pytest.param(with_machine(id=i), [], id=f"S8 {i!r}") for i in (0, "", "a", 1.0)),
        pytest.param(with_machine(id=-1), ["ENV023"], id="S8 -1"),
        *(pytest.param(with_machine(id=i), ["ENV021"], id=f"S8 {i!r}") for i in (1.5, True, None)),
        pytest.param(document(capacity=-1), ["ENV023"], id="S9 capacity"),
        pytest.param(with_machine(storage=[{"capacity": 0}]), ["ENV023"], id="S11 0"),
        pytest.param(with_machine(storage=[{"capacity": 1.5}]), ["ENV021"], id="S11 1.5"),
        pytest.param(with_machine(storage=[{}]), ["ENV020"], id="S11 missing"),
        pytest.param(with_event(type="FOO", time=1), ["ENV022"], id="S13 FOO"),
        pytest.param(with_event(**without(STATE, "machine")), ["ENV020"], id="S13 no machine"),
        pytest.param(with_event(**without(STATE, "state")), ["ENV020"], id="S13 no state"),
        pytest.param(with_event(**without(SCHEDULER, "scheduler")), ["ENV020"], id="S13 no scheduler"),
        pytest.param(with_event(**{**STATE, "time": -1}), ["ENV023"], id="S13 time -1"),
        pytest.param(with_event(**without(STATE, "time")), ["env032"], id="S13 no time"),
        pytest.param(with_event(**STATE, cause=4), ["ENV021"], id="S13 cause"),
        pytest.param(with_event(**STATE, attributes=[]), ["ENV021"], id="S13 attributes"),
        pytest.param({"environment": {"datacenters": []}, "events": {"a": 1}}, ["ENV024"], id="S14 events"),
        pytest.param(document(definitions=[]), ["ENV021"], id="S14 definitions"),
        pytest.param(with_machine(clockrate=1), ["env040"], id="S15"),
        pytest.param(with_event(**STATE), [], id="a state change"),
        pytest.param(with_event(**SCHEDULER), [], id="a scheduler change"),
    ],
)
def test_grammar(doc: Any, expected: list[str]) -> None:
    assert codes(doc) == expected


def test_s9_a_negative_power_capacity_is_a_warning() -> None:
    doc = document()
    doc["environment"]["datacenters"][0]["rooms"][0]["objects"][0]["power-capacity"] = -1
    assert codes(doc) == ["env023"]


def room(**more: Any) -> dict[str, Any]:
    return {"environment": {"datacenters": [{"rooms": [{"type": "SERVER", **more}]}]}}


def test_s10_a_size_needs_both_sides() -> None:
    assert codes(room(size={"width": 3})) == ["ENV020"]
    assert codes(room(size={"width": 3, "height": -1})) == ["ENV023"]
    assert codes(room(location={"x": -3, "y": -1})) == []


@pytest.mark.parametrize(
    ("scheduler", "expected"),
    [
        ({"url": "http://a.example/x"}, ["ENV020"]),
        ({"name": "stage-scheduler", "options": []}, ["ENV021"]),
        ({"name": "stage-scheduler", "url": "not a url"}, ["env049"]),
        ({"name": "stage-schedular"}, ["env048"]),
        ({"name": "stage-scheduler", "options": {"selection": "FIFO", "placement": "best_fit"}}, []),
        ({"name": "stage-scheduler", "options": {"selection": "FILO"}}, ["env048"]),
        ({"name": "stage-scheduler", "options": {"selektion": "FIFO"}}, ["env048"]),
    ],
)
def test_s12_schedulers(scheduler: Any, expected: list[str]) -> None:
    assert (
        codes({"environment": {"datacenters": [{"rooms": [], "operational": {"scheduler": scheduler}}]}}) == expected
    )


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_s16_words_that_json_does_not_have(word: str) -> None:
    text = json.dumps(with_cpu(cores=77)).replace("77", word)
    found = findings(text)
    assert [(f.code, f.line) for f in found] == [("ENV001", 1)]
    assert text[found[0].column - 1 :].startswith(word)


def test_s17_required_properties_beside_a_base() -> None:
    assert codes(document({"type": "MACHINE", "$base": "#/definitions/m"}, definitions={"m": MACHINE})) == []


def test_s18_the_shipped_example() -> None:
    checked = check(shared("traces/jsspp-osp/environment.json").read_bytes())
    assert checked.ok
    assert [f.code for f in checked.findings] == ["ENV047", "ENV047", "ENV040", "ENV040"]
    site, _ = read(shared("traces/jsspp-osp/environment.json"))
    machines = [m for *_, m in site.machines()]
    assert [m.cores for m in machines] == [13, 8, 8]
    assert [c.cores for c in machines[0].cpus] == [5, 8]
    assert [type(e).__name__ for e in site.events] == ["MachineStateChange"] * 2 + ["SchedulerChange"]


# What is wrong with each block, as printed, by line. 309, 516 and 538 (and those of inheritance) are parts of a document.
# 78: the misspelt reference; 146: the definition is called machines; 315: a machine without CPUs; 471: dots.
SEED_BLOCKS = {
    26: [],
    49: ["ENV020", "env040", "env040"],
    62: ["ENV020", "env040", "env040"],
    78: ["ENV020", "env040", "env040", "env040", "ENV010"],
    95: ["ENV020", "env040", "env040", "env040"],
    116: ["ENV020", "env040", "env040"],
    131: ["ENV020", "env040", "env040"],
    146: ["ENV010"],
    219: [],
    278: [],
    309: ["ENV020", "env040"],
    315: ["env023"],
    362: [],
    471: ["ENV001"],
    516: ["ENV020", "env040", "env040", "env040"],
    538: ["ENV020", "env040", "env040", "env040"],
}


def test_s19_every_block_of_the_seed_document() -> None:
    found = json_blocks()
    assert {number - 1 for number in found} <= {number - 1 for number in SEED_BLOCKS}, sorted(found)
    for number, text in found.items():
        assert sorted(codes(text)) == sorted(SEED_BLOCKS[number]), number


# -- meaning ---------------------------------------------------------------------------------------------------


def test_m_a_machine_id_stands_once_in_all_datacenters() -> None:
    doc = document(machine(1))
    other = document(machine(1))["environment"]["datacenters"][0]
    doc["environment"]["datacenters"].append({**other, "id": 2})
    assert codes(doc) == ["ENV030"]
    text = json.dumps(doc, indent=1)
    finding = findings(text)[0]
    first = finding.message.partition("(see e.json:")[2].partition(":")[0]
    assert '"id": 1' in text.splitlines()[int(first) - 1]
    assert '"id": 1' in text.splitlines()[finding.line - 1]


def test_m_ids_of_different_kinds_do_not_clash() -> None:
    doc = document(machine(1))
    rack = doc["environment"]["datacenters"][0]["rooms"][0]["objects"][0]
    rack["id"] = 1
    assert codes(doc) == []
    assert codes(document(machine(1), machine("1"))) == []
    assert codes(document(machine(1), machine(1.0))) == ["ENV030"]


def test_m_events_about_things_that_do_not_exist() -> None:
    assert codes(with_event(**{**STATE, "machine": 99})) == ["ENV031"]
    assert codes(with_event(**{**SCHEDULER, "datacenter": 99})) == ["ENV031"]
    finding = findings(with_event(**{**STATE, "machine": "1"}))[0]
    assert (finding.code, "something else" in finding.hint) == ("ENV031", True)


def test_m_a_machine_meant_by_name() -> None:
    assert codes(document({**MACHINE, "name": "n1"}, events=[{**STATE, "machine": "n1"}])) == ["ENV036"]
    assert "id 7" in findings(document(machine(7, name="n1"), events=[{**STATE, "machine": "n1"}]))[0].hint


def test_m_too_many_units() -> None:
    units = [{"type": "EMPTY"}] * 42 + [MACHINE]
    assert codes(document(*units, capacity=42)) == ["ENV041"]
    assert codes(document(*units, capacity=43)) == []


def test_m_too_much_power() -> None:
    cpu = {"clock-rate": 2e9, "cores": 1, "energy-consumption": 60}
    doc = document({**MACHINE, "cpus": [cpu, cpu]})
    rack = doc["environment"]["datacenters"][0]["rooms"][0]["objects"][0]
    rack["power-capacity"] = 100
    assert codes(doc) == ["env042"]
    rack["power-capacity"] = 120
    assert codes(doc) == []


@pytest.mark.parametrize(("written", "meant"), [("7", 7), (7, "7"), ("07", 7), (8, "7"), ("x" * 5000, 7)])
def test_m_ids_of_another_type_are_hinted_at(written: object, meant: object) -> None:
    doc = document(machine(meant), events=[{**STATE, "machine": written}])
    (finding,) = findings(doc)
    assert finding.code == "ENV031"
    assert ("something else" in finding.hint) == (str(written) == str(meant))


def test_m_order_of_events() -> None:
    late = {**STATE, "time": 1, "state": "HALT"}
    doc = document(machine(1), events=[STATE, late])
    assert codes(doc) == ["env033"]


def test_m_changes_without_effect_and_in_conflict() -> None:
    assert codes(with_event(**{**STATE, "state": "ACTIVE"})) == ["env034"]
    both = [STATE, {**STATE, "state": "HALT"}]
    assert codes(document(machine(1), events=both)) == ["env035"]


def test_m_rooms() -> None:
    one = {"type": "SERVER", "size": {"width": 4, "height": 4}, "location": {"x": 0, "y": 0}}
    rack = {"type": "RACK"}
    other = {**one, "type": "OFFICE", "location": {"x": 3, "y": 3}, "objects": [rack]}
    doc = {"environment": {"datacenters": [{"rooms": [one, other]}]}}
    assert sorted(codes(doc)) == ["env043", "env044"]
    other["location"] = {"x": 4, "y": 0}
    assert codes(doc) == ["env043"]


def test_each_room_that_overlaps_is_told_once() -> None:
    def room(x: float, y: float, width: float = 4) -> dict[str, Any]:
        return {"type": "SERVER", "size": {"width": width, "height": 4}, "location": {"x": x, "y": y}}

    rooms = [room(0, 0, 100), room(2, 8), room(4, 3), room(6, 2), room(50, 3), room(99, 4), room(100, 0)]
    doc = {"environment": {"datacenters": [{"rooms": rooms}]}}
    told = [found.pointer for found in findings(doc) if found.code == "ENV044"]
    assert told == [f"/environment/datacenters/0/rooms/{rank}" for rank in (2, 3, 4)]
    rooms[:] = [room(0, 0)] * 3000  # every room overlaps with every other
    assert len([found for found in findings(doc) if found.code == "ENV044"]) == 1000  # with how many there are further


def test_m_implausible_units() -> None:
    assert codes(with_cpu(**{"clock-rate": 2400})) == ["env047"]
    assert codes(with_machine(memory=[{"capacity": 64_000_000_000}])) == ["env047"]


def test_m_unused_definitions() -> None:
    doc = document(
        {"$base": "#/definitions/machines/a"}, definitions={"machines": {"a": MACHINE, "b": MACHINE}, "c": 1}
    )
    notes = [f.pointer for f in findings(doc) if f.code == "ENV045"]
    assert notes == ["/definitions/machines/b", "/definitions/c"]


def test_severities_by_option() -> None:
    duplicate = document(machine(1), machine(1))
    assert codes(duplicate, schema_only=True) == ["env030"]
    assert codes(with_machine(cpus=[]), schema_only=True) == ["ENV023"]
    assert codes(with_machine(clockrate=1), strict=True) == ["ENV040"]
    untimed = with_event(**without(STATE, "time"))
    assert codes(untimed, simulate=True) == ["ENV032"]
    unknown = {"environment": {"datacenters": [{"rooms": [], "operational": {"scheduler": {"name": "x"}}}]}}
    assert codes(unknown, simulate=True) == ["ENV048"]
    assert codes(unknown, schedulers={"x"}) == []


def test_an_input_error_carries_all_findings() -> None:
    with pytest.raises(InputError) as error:
        read_text(json.dumps(document(machine(1), machine(1, state="x"), {"type": "EMPTY", "id": 1})))
    assert sorted(f.code for f in error.value.errors) == ["ENV022", "ENV025", "ENV030"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", (1, 1)),
        ('{"a": 1,}', (1, 9)),
        ('{\n "a": [1, 2\n}', (3, 1)),
        ("[" * 100_000, (1, 1)),
        ('{"a": "\\ud800"}', (1, 1)),
        ("1" * 5000, (1, 1)),
    ],
)
def test_text_that_is_no_json(text: str, place: tuple[int, int]) -> None:
    (finding,) = findings(text)
    assert finding.code == "ENV001"
    assert abs(finding.column - place[1]) <= 1
    assert finding.line == place[0]


def test_bytes_that_are_no_text() -> None:
    (finding,) = findings(b'{\n "a": "\xff"}')
    assert (finding.code, finding.line) == ("ENV001", 2)


def test_duplicate_keys() -> None:
    text = '{"environment": {"datacenters": [],\n "x": [{"a": 1,\n "b": 1, "a": 2}],\n "datacenters": []}}'
    found = findings(text)
    assert [(f.code, f.pointer, f.line, f.column) for f in found] == [
        ("ENV001", "/environment/x/0/a", 3, 10),
        ("ENV001", "/environment/datacenters", 4, 2),
    ]
    assert codes(text, strict=True) == ["ENV001", "ENV001"]


def test_a_byte_order_mark_and_whole_floats_are_taken() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(with_cpu(cores=8.0)).encode()
    site, found = read_text(data)
    assert not found
    assert next(site.machines())[3].cores == 8


def test_the_schema_holds_before_resolution_too() -> None:
    """In an editor nothing is resolved: what inherits may lack what it inherits, and repeat it."""
    import jsonschema

    from windtunnel.formats.sites.environment import schema_text

    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    example = json.loads(shared("traces/jsspp-osp/environment.json").read_text())
    assert validator.is_valid(example)
    both = document({**MACHINE, "$base": "#/definitions/m"}, {"$base": "#/definitions/m"}, definitions={"m": MACHINE})
    assert validator.is_valid(both)
    assert not validator.is_valid(document({"type": "MACHINE"}))


@pytest.mark.parametrize("kind", ["doc", "machine", "event"])
def test_both_implementations_of_json_schema_agree(kind: str) -> None:
    """The fast validator and the reference one give the same verdict on many small documents."""
    import itertools

    import jsonschema

    from windtunnel.formats.sites.environment import schema_text

    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    values = [None, True, -1, 0, 1, 1.0, 1.5, "", "ACTIVE", "EMPTY", [], {}, [{}]]
    names = {
        "doc": ["environment", "events", "definitions", "name"],
        "machine": ["id", "type", "cpus", "state", "memory", "gpus"],
        "event": ["type", "time", "machine", "state", "cause", "attributes"],
    }[kind]
    for name, value in itertools.product(names, values):
        if kind == "doc":
            doc: Any = {**document(), name: value}
        elif kind == "machine":
            doc = document({**MACHINE, name: value})
        else:
            doc = document(machine(1), events=[{**STATE, name: value}])
        grammar = [f for f in findings(doc, schema_only=True) if f.code in {f"ENV02{n}" for n in range(6)}]
        ours = not [f for f in grammar if f.severity.name == "ERROR"]
        assert ours == validator.is_valid(doc), (name, value)
