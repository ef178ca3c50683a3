"""JSON text as Batsim writes it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.wires.json.text import date_text, quoted, to_text

SCALARS = st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    SCALARS, lambda x: st.lists(x) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), x)
)


@given(VALUES)
def test_values_are_read_back(value):
    assert json.loads(to_text(value)) == value


@given(st.floats(-1e15, 1e15))
def test_floats_have_six_decimals(number):
    text = to_text({"x": [number, 1]})
    assert text == f'{{"x":[{number:.6f},1]}}'
    assert json.loads(text)["x"][0] == pytest.approx(number, abs=5.1e-7 + math.ulp(number))


def test_forms():
    assert to_text({"a": 1, "b": [1.5, "x"], "c": {}, "d": 10**30}) == (
        '{"a":1,"b":[1.500000,"x"],"c":{},"d":1000000000000000000000000000000}'
    )
    assert to_text({"d": 10**30}) == '{"d":1000000000000000000000000000000}'
    assert quoted('say "é"\n') == '"say \\"é\\"\\n"'
    assert date_text(1 / 3) == "0.333333"
    for wrong in (float("inf"), float("nan")):
        with pytest.raises(ValueError, match="cannot be written"):
            to_text([wrong])
