"""Line and column of what a JSON pointer names."""

import json

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics import Findings
from windtunnel.diagnostics.json_positions import duplicate_keys, json_pointer, literal_constants, locate, positions

TEXT = """{
  "jobs": [
    {"id": 1},
    {"id": 2, "a/b": {"~": [10,
       20]}}
  ]
}
"""


def located(pointer):
    findings = Findings("x.json")
    findings.add("?", pointer=pointer)
    [found] = locate(TEXT, json.loads(TEXT), findings)
    return found.line, found.column


def test_values_are_found_by_pointer():
    assert located("") == (1, 1)
    assert located("/jobs/1") == (4, 5)
    assert located("/jobs/0/id") == (3, 12)
    assert located("/jobs/1/a~1b/~0/1") == (5, 8)


def test_what_is_missing_is_placed_at_the_object_around_it():
    assert located("/jobs/0/res") == (3, 5)
    assert located("/jobs/7/res") == (2, 11)
    assert located("/jobs/x") == (2, 11)
    assert located("/nothing/at/all") == (1, 1)


def test_a_known_line_is_kept():
    findings = Findings("x.json")
    findings.add("?", pointer="/jobs", line=77)
    assert [f.line for f in locate(TEXT, json.loads(TEXT), findings)] == [77]


def test_duplicate_keys_and_constants():
    text = '{"a": 1,\n "b": [{"c": 1, "c": NaN}],\n "a": "NaN"}'
    assert sorted(duplicate_keys(text)) == [((), "a", (3, 2), (1, 2)), (("b", 0), "c", (2, 17), (2, 9))]
    assert list(literal_constants(text)) == [("NaN", (2, 22))]


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def paths(document, path=()):
    yield path, document
    if isinstance(document, dict):
        for key, value in document.items():
            yield from paths(value, (*path, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from paths(value, (*path, index))


@given(documents, st.sampled_from([None, 1, "\t"]))
def test_every_value_stands_where_it_is_said_to(document, indent):
    text = json.dumps(document, indent=indent)
    lines = text.split("\n")
    decode = json.JSONDecoder().raw_decode
    every = dict(paths(document))
    found = positions(text, every)
    assert set(found) == set(every)
    for path, (_, (line, column)) in found.items():
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        assert decode(rest)[0] == every[path]
        findings = Findings()
        findings.add("?", pointer=json_pointer(path))
        assert [(f.line, f.column) for f in locate(text, document, findings)] == [(line, column)]
