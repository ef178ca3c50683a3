"""Parts of the page in HTML: cards of figures, tables that sort, lists. Whatever comes from a run is escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

__all__ = ["Cell", "card", "definitions", "number", "table"]


class Cell(NamedTuple):
    """What a cell shows, and the number by which its column sorts (None: the text)."""

    text: str
    value: float | None = None


def number(value: float, shown: str) -> Cell:
    """A number, for people, that sorts by what it is."""
    return Cell(shown, value)


def card(name: str, cell: Cell, more: Sequence[tuple[str, Cell]] = ()) -> str:
    """A figure in large type, with lesser ones below it."""
    small = "".join(f"<li>{escape(label)} {_data(part)}</li>" for label, part in more)
    lesser = f"<ul>{small}</ul>" if small else ""
    return f'<div class="fact"><h3>{escape(name)}</h3><p>{_data(cell)}</p>{lesser}</div>'


def _data(cell: Cell) -> str:
    """The exact number stays with what is shown of it."""
    if cell.value is None:
        return f"<span>{escape(cell.text)}</span>"
    return f'<data value="{cell.value!r}">{escape(cell.text)}</data>'


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table whose columns sort; the first column names the rows."""
    columns = "".join(f'<th scope="col"><button type="button">{escape(name)}</button></th>' for name in head)
    body = "".join(f"<tr>{''.join(_cell(place, cell) for place, cell in enumerate(row))}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="sorts"><caption>{escape(caption)}</caption><thead><tr>{columns}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(place: int, cell: Cell) -> str:
    value = "" if cell.value is None else f' data-value="{cell.value!r}"'
    if place == 0:
        return f'<th scope="row"{value}>{escape(cell.text)}</th>'
    return f"<td{value}>{escape(cell.text)}</td>"


def definitions(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what they are."""
    return (
        "<dl>"
        + "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in rows)
        + "</dl>"
    )
