"""Columns of numbers against what arrays do themselves."""

import struct
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model import arrays
from windtunnel.model.packed import packed


@given(st.sampled_from("dqI"), st.lists(st.integers(0, 2**32 - 1), max_size=40), st.integers(1, 9))
def test_a_column_is_what_an_array_makes_of_the_numbers(typecode, numbers, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_CHUNK", chunk)
        made = array(typecode)
        arrays.extend(made, iter(numbers))
        assert made == array(typecode, numbers)
        arrays.extend(made, numbers)
        assert made == array(typecode, numbers + numbers)


@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-200, 200), max_size=5), max_size=5))
def test_a_column_gets_as_wide_as_its_numbers(chunks):
    made = array("b")
    for chunk in chunks:
        made = arrays.extended(made, chunk)
    numbers = [number for chunk in chunks for number in chunk]
    assert made.tolist() == numbers
    narrower = {"b": None, "h": "b", "i": "h", "q": "i"}[made.typecode]
    if narrower is not None:
        with pytest.raises(OverflowError):
            array(narrower, numbers)


def test_a_column_of_integers_takes_fractions_and_nothing_else():
    column = arrays.extended(array("b", [1, -1]), [0.5, 300])
    assert column == array("d", [1, -1, 0.5, 300])
    with pytest.raises(struct.error):
        arrays.extended(column, [1, "2"])
    assert len(column) == 4


@pytest.mark.parametrize(("typecode", "value"), [("d", "1"), ("q", 2**63), ("I", -1), ("q", 1.5)])
def test_what_is_no_such_number_is_refused(typecode, value):
    with pytest.raises(struct.error):
        arrays.extend(array(typecode), [value])


@given(
    st.sampled_from("bhiqd"),
    st.lists(st.integers(-(2**65), 2**65) | st.integers(-200, 200) | st.integers(-(2**31), 2**31), max_size=6),
)
def test_bytes_of_a_column_are_those_of_struct_or_none(typecode, numbers):
    data = packed(typecode, numbers)
    if data is None:
        assert max(map(abs, numbers)) >= {"b": 2**7, "h": 2**15, "i": 2**31, "q": 2**60, "d": 2**60}[typecode] - 1
    else:
        assert data == struct.pack(f"<{len(numbers)}{typecode}", *numbers)


@given(st.lists(st.floats() | st.integers(-(2**59), 2**59), max_size=6))
def test_bytes_of_a_column_of_floats_are_those_of_struct(numbers):
    assert packed("d", numbers) == struct.pack(f"<{len(numbers)}d", *numbers)


@pytest.mark.parametrize(("typecode", "value"), [("d", "1"), ("q", 2.0), ("b", None), ("I", 1), ("i", True)])
def test_what_has_no_bytes_of_a_column_is_left_to_struct(typecode, value):
    assert packed(typecode, [value]) is None
