"""Chains of power supply as JSON: what is read, and every fault at once with its place."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.diagnostics import UNFORESEEN, InputError
from windtunnel.formats.supply import read_supply
from windtunnel.model.supply import Level, Supply

CHAIN = {
    "description": "two levels",
    "levels": [
        {"name": "node", "hosts": 1, "converter_watts": 13, "efficiency": 0.98},
        {"name": "chassis", "hosts": 16, "device_watts": 1000, "converters": 4, "converter_watts": 17.5, "efficiency": 0.96},
    ],
}


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "supply.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def faults(path):
    with pytest.raises(InputError) as caught:
        read_supply(path)
    return [(one.line, one.pointer, one.message) for one in caught.value.errors]


def test_a_chain(file):
    path = file(CHAIN)
    read = read_supply(path)
    assert read == Supply(
        levels=(
            Level(name="node", hosts=1, converter_watts=13.0, efficiency=0.98),
            Level(name="chassis", hosts=16, device_watts=1000.0, converters=4, converter_watts=17.5, efficiency=0.96),
        ),
        name=str(path),
    )
    assert read_supply(read) is read


def test_names_are_texts(file):
    path = file({"name": 5, "description": ["x"], "levels": [{"hosts": 1, "name": 7}]})
    assert [pointer for _, pointer, _ in faults(path)] == ["/name", "/description", "/levels/0/name"]


def test_a_chain_that_lets_nothing_pass(file):
    path = file({"levels": [{"hosts": 1, "efficiency": 1e-4}, {"count": 1, "efficiency": 1e-4}]})
    assert [(line, pointer) for line, pointer, _ in faults(path)] == [(1, "/levels")]


def test_all_faults_with_their_places(file):
    text = """{"levels": [
 {"hosts": 1, "efficency": 0.9},
 {"hosts": 1, "efficiency": 2},
 {"hosts": "4"},
 {"name": "x"},
 5,
 {"hosts": 1, "hosts": 2},
 {"hosts": null}
], "level": 1}"""
    found = faults(file(text))
    assert [(line, pointer) for line, pointer, _ in found] == [
        (2, "/levels/0/efficency"),
        (3, "/levels/1/efficiency"),
        (4, "/levels/2/hosts"),
        (5, "/levels/3"),
        (6, "/levels/4"),
        (7, "/levels/5/hosts"),
        (8, "/levels/6"),
        (9, "/level"),
    ]
    assert "unknown member 'efficency'" in found[0][2]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"levels": []}', '{"levels": {}}', "<a/>", "null", '{"levels": [1e400]}'])
def test_what_is_none(file, text):
    assert len(faults(file(text))) == 1


def test_no_file(tmp_path):
    assert "cannot be read" in faults(tmp_path / "none.json")[0][2]


@settings(max_examples=100)
@given(data=st.data())
def test_damaged_files(data, tmp_path_factory):
    text = json.dumps(CHAIN)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(["", "x", "1e999", "-", "\0", "null", "{", "[", '"', "9" * 400])) + text[at + data.draw(st.integers(0, 9)) :]
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_text(text)
    refusal = ""
    try:
        read_supply(path)
    except InputError as error:
        refusal = str(error)
    assert f"[{UNFORESEEN}]" not in refusal
