"""Small HTML tables: their rows, and nothing of an input that a page would obey."""

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.diagnostics.html_tables import html_table


def test_a_table_has_a_caption_a_head_and_rows():
    shown = html_table([("jobs", "3")], ("", "count"), "of a run")
    assert shown.startswith("<table><caption>of a run</caption><thead>")
    assert '<tr><th scope="row" style="text-align:left">jobs</th><td>3</td></tr>' in shown


@given(st.text())
def test_whatever_the_texts_hold_they_add_no_tag(text):
    plain = html_table([("x", "y")], ("a", "b"), "c")
    odd = html_table([(text, text)], (text, text), text or "c")
    assert odd.count("<") == plain.count("<")
