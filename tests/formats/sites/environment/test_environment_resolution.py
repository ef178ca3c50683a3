"""The numbered cases of inheritance: R1 to R25."""

import json
from typing import Any

import pytest

from environments import MACHINE, codes, document, findings, machine, resolved
from windtunnel.formats.sites.environment import Options, check
from work import calls


def at(doc: Any, **options: Any) -> Any:
    return resolved(doc, **options)["test"]


def one(doc: Any, code: str, **options: Any) -> Any:
    """The only finding of that code; and that there is one."""
    found = [f for f in findings(doc, **options) if f.code == code]
    assert len(found) == 1, found
    return found[0]


def test_r1_local_properties_win() -> None:
    assert at({"test": {"a": 2, "$base": "#/d"}, "d": {"a": 1, "b": 2}}) == {"a": 2, "b": 2}


def test_r2_later_bases_win() -> None:
    doc = {"test": {"a": 2, "$base": ["#/x", "#/y"]}, "x": {"a": 1, "b": 2, "c": 3}, "y": {"b": 3}}
    assert at(doc) == {"a": 2, "b": 3, "c": 3}


def test_r3_a_misspelt_base_is_named_with_a_hint() -> None:
    doc = {"test": {"$base": ["#/definition-a", "#/defintion-b"]}, "definition-a": {}, "definition-b": {}}
    finding = one(doc, "ENV010")
    assert finding.pointer == "/test/$base/1"
    assert "#/definition-b" in finding.hint


MERGE = {
    "test": {"array": [1, 2], "object": {"a": 1}, "$base": "#/d", "$merge": ["array", "object"]},
    "d": {"array": [2, 3, 4], "object": {"a": 2, "b": 2}},
}


def test_r4_merged_arrays_own_elements_first() -> None:
    assert at(MERGE) == {"array": [1, 2, 2, 3, 4], "object": {"a": 1, "b": 2}}
    assert at(MERGE, reference_order=True) == {"array": [2, 3, 4, 1, 2], "object": {"a": 1, "b": 2}}


def test_r5_merged_arrays_of_several_bases() -> None:
    doc = {"test": {"x": [1], "$base": ["#/a", "#/b"], "$merge": ["x"]}, "a": {"x": [2]}, "b": {"x": [3]}}
    assert at(doc)["x"] == [1, 3, 2]
    assert at(doc, reference_order=True)["x"] == [2, 3, 1]


def test_r6_chains() -> None:
    doc = {"test": {"x": 1, "$base": "#/a"}, "a": {"y": 2, "$base": "#/b"}, "b": {"y": 9, "z": 3}}
    assert at(doc) == {"x": 1, "y": 2, "z": 3}


@pytest.mark.parametrize(
    ("merge", "document_order", "reference_order"), [(False, [1, 2], [2, 1]), (True, [1, 2, 3], [3, 2, 1])]
)
def test_r7_merge_is_not_inherited(merge: bool, document_order: list[int], reference_order: list[int]) -> None:
    a: dict[str, Any] = {"l": [2], "$base": "#/b"} | ({"$merge": ["l"]} if merge else {})
    doc = {"test": {"l": [1], "$base": "#/a", "$merge": ["l"]}, "a": a, "b": {"l": [3]}}
    assert at(doc)["l"] == document_order
    assert at(doc, reference_order=True)["l"] == reference_order


def test_r8_objects_merge_one_level_deep() -> None:
    doc = {"test": {"o": {"k": {"p": 1}}, "$base": "#/a", "$merge": ["o"]}, "a": {"o": {"k": {"q": 1}, "z": 2}}}
    assert at(doc)["o"] == {"k": {"p": 1}, "z": 2}


def test_r9_different_kinds_do_not_merge() -> None:
    assert at({"test": {"o": [1], "$base": "#/a", "$merge": ["o"]}, "a": {"o": {"k": 1}}}) == {"o": [1]}


def test_r10_null_overrides() -> None:
    assert at({"test": {"o": None, "$base": "#/a"}, "a": {"o": 1, "p": 2}}) == {"o": None, "p": 2}


@pytest.mark.parametrize(
    ("doc", "path"),
    [
        ({"test": {"$base": "#/test"}}, "#/test -> #/test"),
        ({"a": {"$base": "#/b"}, "b": {"$base": "#/a"}}, "#/b -> #/a -> #/b"),
        ({"test": {"inner": {"$base": "#/test"}}}, "#/test -> #/test"),
        ({"a": {"x": {"$base": "#/b"}}, "b": {"y": {"$base": "#/a/x"}}}, "#/a/x -> #/b -> #/a/x"),
    ],
)
def test_r11_cycles_are_shown_once_with_their_path(doc: Any, path: str) -> None:
    finding = one(doc, "ENV011")
    ring = finding.message.removeprefix("circular inheritance: ").split(" -> ")
    assert ring[0] == ring[-1]
    assert sorted(ring[1:]) == sorted(path.split(" -> ")[1:])


@pytest.mark.parametrize("reference", ["#", ""])
def test_r12_the_whole_document_is_an_ancestor(reference: str) -> None:
    one({"test": {"$base": reference}}, "ENV011")


def test_r13_an_object_may_inherit_from_its_own_child() -> None:
    assert at({"test": {"$base": "#/test/u", "u": {"a": 1}}}) == {"a": 1, "u": {"a": 1}}


@pytest.mark.parametrize(
    ("key", "reference"), [("a/b", "#/a~1b"), ("a~b", "#/a~0b"), ("a b", "#/a%20b"), ("a/b", "#/a%7E1b")]
)
def test_r14_escapes(key: str, reference: str) -> None:
    assert at({"test": {"$base": reference}, key: {"v": 1}}) == {"v": 1}


def test_r14_carets_are_accepted_with_a_warning() -> None:
    doc = {"test": {"$base": "#/a^/b"}, "a/b": {"v": 1}}
    assert at(doc) == {"v": 1}
    assert "#/a~1b" in one(doc, "ENV017").hint
    assert "env017" in codes(doc)


@pytest.mark.parametrize(
    ("reference", "code"),
    [("#/l/1", ""), ("#/l/-1", "ENV017"), ("#/l/01", "ENV017"), ("#/l/9", "ENV010"), ("#/l/-", "ENV010")],
)
def test_r15_indices(reference: str, code: str) -> None:
    doc = {"test": {"$base": reference}, "l": [{}, {"v": 1}]}
    if code:
        one(doc, code)
    else:
        assert at(doc) == {"v": 1}


@pytest.mark.parametrize("base", [3, [], None, "x"])
def test_r16_a_base_must_be_an_object(base: Any) -> None:
    one({"test": {"$base": "#/d"}, "d": base}, "ENV012")


@pytest.mark.parametrize("base", [5, None, [5], {}])
def test_r17_base_must_be_text_or_texts(base: Any) -> None:
    assert one({"test": {"$base": base}}, "ENV013").pointer == "/test/$base"


def test_r17_no_bases_is_a_warning() -> None:
    doc = {"test": {"$base": [], "a": 1}}
    assert at(doc) == {"a": 1}
    assert "env013" in codes(doc)


@pytest.mark.parametrize("merge", ["cpus", 5, [5], None])
def test_r18_merge_must_be_an_array_of_names(merge: Any) -> None:
    one({"test": {"$base": "#/d", "$merge": merge}, "d": {}}, "ENV014")


@pytest.mark.parametrize("reference", ["other.json#/x", "https://example.org/e.json#/x", "/d"])
def test_r19_other_files_are_refused(reference: str) -> None:
    one({"test": {"$base": reference}, "d": {}}, "ENV015")


def test_r20_pointers_do_not_see_what_is_inherited() -> None:
    doc = {"test": {"$base": "#/a/gift"}, "a": {"$base": "#/b"}, "b": {"gift": {"v": 1}}}
    assert "$base" in one(doc, "ENV010").hint


def test_r21_a_doubling_chain_is_stopped_quickly() -> None:
    definitions: dict[str, Any] = {"d0": {"x": 1}}
    for i in range(1, 41):
        definitions[f"d{i}"] = {"a": {"$base": f"#/definitions/d{i - 1}"}, "b": {"$base": f"#/definitions/d{i - 1}"}}
    doc = {"test": {"$base": "#/definitions/d40"}, "definitions": definitions}
    assert calls(lambda: one(doc, "ENV016")) < 100_000


def test_long_chains_are_stopped() -> None:
    definitions: dict[str, Any] = {f"d{i}": {"$base": f"#/definitions/d{i + 1}"} for i in range(5000)}
    doc = {"test": {"$base": "#/definitions/d0"}, "definitions": {**definitions, "d5000": {}}}
    assert "ENV016" in codes(doc)


def test_r22_an_id_in_a_definition_is_shared_by_all_who_use_it() -> None:
    use = {"$base": "#/definitions/m"}
    doc = document(use, use, definitions={"m": machine(7)})
    finding = one(doc, "ENV030")
    assert finding.pointer == "/definitions/m/id"
    assert finding.resolved == "/environment/datacenters/0/rooms/0/objects/0/units/1/id"
    assert "definition" in finding.hint
    assert len(finding.chain) == 1


def test_r23_definitions_are_resolved_too() -> None:
    doc = {"definitions": {"a": {"$base": "#/definitions/b"}, "b": {"v": 1}}}
    assert resolved(doc)["definitions"]["a"] == {"v": 1}


def test_r24_elements_are_resolved_before_arrays_are_merged() -> None:
    doc = {
        "test": {"l": [{"$base": "#/x"}], "$base": "#/a", "$merge": ["l"]},
        "a": {"l": [{"$base": "#/x", "v": 2}]},
        "x": {"v": 1},
    }
    assert at(doc)["l"] == [{"v": 1}, {"v": 2}]


@pytest.mark.parametrize(("level", "path"), [("rooms", "rooms"), ("objects", "objects"), ("units", "units")])
def test_r25_objects_where_arrays_are_expected(level: str, path: str) -> None:
    doc = document(MACHINE)
    datacenter = doc["environment"]["datacenters"][0]
    holder = {
        "rooms": datacenter,
        "objects": datacenter["rooms"][0],
        "units": datacenter["rooms"][0]["objects"][0],
    }[level]
    holder[level] = {"a": 1}
    assert one(doc, "ENV024").pointer.endswith(path)


def test_a_merge_without_effect_is_a_warning_and_stays() -> None:
    doc = {"test": {"$merge": ["a"], "a": 1}}
    assert at(doc) == {"$merge": ["a"], "a": 1}
    assert "env046" in codes(doc)
    assert "env046" in codes({"test": {"$base": "#/d", "$merge": ["nowhere"]}, "d": {}})


def test_faults_of_unused_definitions_are_warnings() -> None:
    doc = document(definitions={"a": {"$base": "#/missing"}})
    assert codes(doc) == ["env010"]
    doc = document({"$base": "#/definitions/a"}, definitions={"a": {**MACHINE, "$base": "#/missing"}})
    assert codes(doc) == ["ENV010"]


def test_a_missing_slash_is_a_warning() -> None:
    doc = {"test": {"$base": "#d"}, "d": {"v": 1}}
    assert at(doc) == {"v": 1}
    assert one(doc, "ENV017").severity.name == "WARNING"


def test_other_files_when_allowed(tmp_path: Any) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/m.json").write_text(json.dumps({"m": {"$base": "#/n"}, "n": {**MACHINE, "id": 3, "sped": 1}}))
    (tmp_path.parent / "outside.json").write_text("{}")
    doc = document({"$base": "lib/m.json#/m"}, {"$base": "../outside.json#"})
    options = Options(files=tmp_path)
    checked = check(json.dumps(doc, indent=1), "e.json", options, folder=tmp_path)
    assert checked.tree["environment"]["datacenters"][0]["rooms"][0]["objects"][0]["units"][0]["id"] == 3
    outside, unknown = sorted((f for f in checked.findings if f.code in {"ENV015", "ENV040"}), key=lambda f: f.code)
    assert "outside" in outside.message
    assert (unknown.file, unknown.pointer) == ("lib/m.json", "/n/sped")
    assert [step.partition(":")[0] for step in unknown.chain] == ["lib/m.json", "e.json"]


def test_cycles_across_files(tmp_path: Any) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"x": {"$base": "b.json#/y"}}))
    (tmp_path / "b.json").write_text(json.dumps({"y": {"$base": "a.json#/x"}}))
    checked = check((tmp_path / "a.json").read_bytes(), "a.json", Options(files=tmp_path), folder=tmp_path)
    assert "ENV011" in [f.code for f in checked.findings]


def test_results_are_right_for_merged_elements() -> None:
    """A finding inside a merged array names the place where the element was written."""
    bad = {"clock-rate": "fast", "cores": 1}
    unit = {"id": 1, "$base": "#/definitions/m", "$merge": ["cpus"], "cpus": [{"clock-rate": 2e9, "cores": 0}]}
    doc = document(unit, definitions={"m": {"type": "MACHINE", "cpus": [MACHINE["cpus"][0], bad]}})
    found = {f.code: f for f in findings(doc)}
    assert found["ENV023"].pointer.endswith("/units/0/cpus/0/cores")
    assert found["ENV021"].pointer == "/definitions/m/cpus/1/clock-rate"
    assert found["ENV021"].resolved.endswith("/units/0/cpus/2/clock-rate")
