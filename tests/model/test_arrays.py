"""Columns of numbers against what arrays do themselves."""

import struct
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.model import arrays


@given(st.sampled_from("dqI"), st.lists(st.integers(0, 2**32 - 1), max_size=40), st.integers(1, 9))
def test_a_column_is_what_an_array_makes_of_the_numbers(typecode, numbers, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_CHUNK", chunk)
        made = array(typecode)
        arrays.extend(made, iter(numbers))
        assert made == array(typecode, numbers)
        arrays.extend(made, numbers)
        assert made == array(typecode, numbers + numbers)


@pytest.mark.parametrize(("typecode", "value"), [("d", "1"), ("q", 2**63), ("I", -1), ("q", 1.5)])
def test_what_is_no_such_number_is_refused(typecode, value):
    with pytest.raises(struct.error):
        arrays.extend(array(typecode), [value])
