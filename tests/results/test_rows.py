"""Rows from columns, and columns of fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.results.fields import behind, names_of, plain
from windtunnel.results.rows import integers, joined
from windtunnel.results.state_rows import rows_of

NUMBERS = st.integers(-(2**70), 2**70)
COLUMN = st.lists(st.text(max_size=5), min_size=4, max_size=4) | st.text(max_size=5).map(lambda one: [one] * 4)
"""Four texts, which are often the same."""


@given(st.lists(COLUMN, min_size=1, max_size=5), st.integers(1, 4))
def test_rows_are_their_columns_side_by_side(drawn: list[list[str]], count: int) -> None:
    columns = [texts[:count] for texts in drawn]
    assert joined(columns) == "".join(",".join(row) + "\n" for row in zip(*columns, strict=True))


@given(st.lists(NUMBERS, min_size=1))
def test_integers_of_any_size_are_written(values: list[int]) -> None:
    assert integers(values) == list(map(str, values))


def test_integers_of_any_kind_are_written() -> None:
    numpy = pytest.importorskip("numpy")
    assert integers([numpy.int64(7), 10**30]) == ["7", str(10**30)]


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.lists(NUMBERS, min_size=5, max_size=5)), min_size=1))
def test_machine_states_are_what_their_formats_say(rows: list[tuple[float, list[int]]]) -> None:
    values = [value for date, counts in rows for value in (date, *counts)]
    assert rows_of(values) == "".join(f"{date:g},{','.join(map(str, counts))}\n" for date, counts in rows).encode()


def test_machine_states_may_be_numbers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    assert rows_of([numpy.float64(1.5e6), 0, 0, 0, numpy.int64(3), 1]) == b"1.5e+06,0,0,0,3,1\n"


IDS = st.tuples(st.sampled_from(["w0", "w1", "", "w\n"]), st.text("a!,\n0", max_size=4)).map("!".join)


@given(st.lists(IDS, min_size=1, max_size=5))
def test_names_are_the_parts_around_the_first_mark(ids: list[str]) -> None:
    names, workloads = names_of(ids)
    parts = [text.partition("!") for text in ids]
    assert list(names) == [plain(name) for _, _, name in parts]
    assert list(workloads) == [plain(workload) for workload, _, _ in parts]


def test_what_stands_behind_a_prefix() -> None:
    assert behind(["w0!1", "w0!2", "w0!"], "w0!") == ["1", "2", ""]
    assert behind(["w0!1", "w0!w0!2"], "w0!") is None
    assert behind(["w0!1", 'w0!"'], "w0!") is None
    assert behind(["w0!1", "w1!2"], "w0!") is None
    assert behind(["w0!1", "w0!a\nw0!b"], "w0!") is None
