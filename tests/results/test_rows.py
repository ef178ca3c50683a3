"""Rows from columns, and columns of fields."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.results.fields import behind, names_of, plain
from windtunnel.results.rows import INTEGER, INTEGERS, WHOLE, formatted

NUMBERS = st.integers(-(2**62), 2**62)
KINDS: dict[str, st.SearchStrategy[Any]] = {
    "%s": st.text(max_size=5),
    INTEGER: NUMBERS,
    WHOLE: NUMBERS,
    INTEGERS: st.tuples(*[NUMBERS] * 5),
    "%f": st.floats(-1e12, 1e12),
    "%g": st.floats(allow_nan=False),
}


def _column(form: str) -> st.SearchStrategy[tuple[str, list[Any]]]:
    """A column of four values, which are often the same in all rows."""
    kind = KINDS[form]
    return st.tuples(st.just(form), st.lists(kind, min_size=4, max_size=4) | kind.map(lambda one: [one] * 4))


@given(st.lists(st.one_of([_column(form) for form in KINDS]), min_size=1, max_size=5), st.integers(1, 4))
def test_rows_are_what_their_formats_say(drawn: list[tuple[str, list[Any]]], count: int) -> None:
    columns = [(form, values[:count]) for form, values in drawn]
    rows = [",".join([form % values[row] for form, values in columns]) for row in range(count)]
    assert formatted(columns) == "\n".join(rows) + "\n"


@pytest.mark.parametrize("form", [INTEGER, WHOLE])
def test_integers_of_any_kind_are_written(form: str) -> None:
    numpy = pytest.importorskip("numpy")
    assert formatted([(form, [numpy.int64(7), 10**30])]) == f"{form % 7}\n{form % 10**30}\n"


IDS = st.tuples(st.sampled_from(["w0", "w1", "", "w\n"]), st.text("a!,\n0", max_size=4)).map("!".join)


@given(st.lists(IDS, min_size=1, max_size=5))
def test_names_are_the_parts_around_the_first_mark(ids: list[str]) -> None:
    names, workloads = names_of(ids)
    parts = [text.partition("!") for text in ids]
    assert list(names) == [plain(name) for _, _, name in parts]
    assert list(workloads) == [plain(workload) for workload, _, _ in parts]


def test_what_stands_behind_a_prefix() -> None:
    assert behind(["w0!1", "w0!w0!2", "w0!"], "w0!") == ["1", "w0!2", ""]
    assert behind(["w0!1", "w1!2"], "w0!") is None
    assert behind(["w0!1", "w0!a\nw0!b"], "w0!") is None
