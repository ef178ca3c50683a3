"""Columns come back as they were, to the millisecond."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.test_page import unpacked

from windtunnel.report.packing import packed, packed_names


@given(st.lists(st.none() | st.floats(-1e9, 1e9) | st.integers(0, 70_000), max_size=30))
def test_columns_come_back(values):
    again = unpacked(packed(values))
    assert len(again) == len(values)
    for value, back in zip(values, again, strict=True):
        if value is None:
            assert back is None or isnan(back)
        else:
            assert back == pytest.approx(value, abs=5.1e-4)


def test_small_numbers_take_little_room():
    assert [packed(column)["t"] for column in ([3.0, 255.0], [256.0], [70_000.0], [-1.0], [0.5], [1e10])] == [
        "u1",
        "u2",
        "i4",
        "i4",
        "u2",
        "f8",
    ]


@pytest.mark.parametrize(
    "ids",
    [
        ["w0!1", "w0!22"],
        ["w0!01", "w0!1"],
        ["w0!1", "w1!1"],
        ["a", "b!7"],
        [],
        ["7"],
        ["w0!12345678901"],
        ["w!", "w!1"],
        ["w0!²"],
    ],
)
def test_ids_come_back(ids):
    assert unpacked(packed_names(ids)) == ids
