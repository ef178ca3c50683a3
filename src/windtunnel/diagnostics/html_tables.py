"""Small HTML tables for notebooks: everything that is shown comes from inputs, hence is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

from windtunnel.diagnostics.findings import printable

__all__ = ["html_table"]

SHOWN = 30
"""So many rows are shown."""


def html_table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), caption: str = "") -> str:
    """A table as HTML: the first cell of each row is its heading; of more than 30 rows the rest is counted."""
    lines = ["<table>"]
    if caption:
        lines.append(f"<caption>{_text(caption)}</caption>")
    if head:
        lines.append("<thead><tr>" + "".join(f'<th scope="col">{_text(one)}</th>' for one in head) + "</tr></thead>")
    lines.append("<tbody>")
    told = list(rows)
    for first, *others in told[:SHOWN]:
        cells = "".join(f"<td>{_text(one)}</td>" for one in others)
        lines.append(f'<tr><th scope="row" style="text-align:left">{_text(first)}</th>{cells}</tr>')
    if len(told) > SHOWN:
        lines.append(f'<tr><th scope="row" style="text-align:left">… and {len(told) - SHOWN:,} more</th></tr>')
    return "".join([*lines, "</tbody></table>"])


def _text(thing: object) -> str:
    return escape(printable(str(thing)))
