"""Rows from columns, and columns of fields."""

from typing import Any

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


@given(st.data())
def test_rows_are_what_their_formats_say(data: st.DataObject) -> None:
    forms = data.draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6))
    count = data.draw(st.integers(1, 5))
    columns = []
    for form in forms:
        values = data.draw(st.lists(KINDS[form], min_size=count, max_size=count))
        if data.draw(st.booleans()):  # often the same in all rows
            values = [values[0]] * count
        columns.append((form, values))
    rows = [",".join([form % values[row] for form, values in columns]) for row in range(count)]
    assert formatted(columns) == "\n".join(rows) + "\n"


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
