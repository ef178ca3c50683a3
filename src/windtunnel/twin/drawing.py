"""What the pages of a calibration and of a change share: the page itself, and bars of two means for each group."""

from collections.abc import Sequence
from html import escape
from math import isfinite
from typing import Final

from windtunnel.diagnostics import show_duration
from windtunnel.report.charts import histogram
from windtunnel.report.markup import Cell, number
from windtunnel.report.page import script, style

__all__ = ["DRAWN", "HEADS", "count", "document", "paired_bars", "paired_histogram", "seconds"]

HEADS: Final = {
    "partition": "Partitions",
    "account": "Accounts",
    "size": "Sizes",
    "user": "Users",
    "hour": "Hours of submission",
}
"""By what groups are made, and how the part of the page about them is headed."""
DRAWN: Final = 24
"""Groups with a bar of their own; the table has all."""
_WIDTH, _LEFT, _ROW = 460, 120, 30


def seconds(value: float) -> Cell:
    """A duration (s)."""
    return number(value, show_duration(value))


def count(value: int) -> Cell:
    """How many there are."""
    return number(value, f"{value:,}")


def document(title: str, parts: Sequence[str]) -> str:
    """The page as text; everything is in it, so that it opens without network."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{style()}</style>"
    )
    body = "".join((f"<h1>{escape(title)}</h1>", *parts))
    sorts = f"<script>{script(('tables', 'sorts'))}</script>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body><main>{body}</main>{sorts}</body></html>\n'


def paired_histogram(title: str, names: tuple[str, str], values: tuple[list[float], list[float]], *more: str) -> str:
    """How durations (s) of the same jobs are distributed in two states, with further charts beside it."""
    entries = "".join(f'<li class="run{place}">{escape(name)}</li>' for place, name in enumerate(names))
    chart = histogram(title, list(zip(names, values, strict=True)), show=show_duration)
    return f'<ul class="legend">{entries}</ul><div class="charts">{chart}{"".join(more)}</div>'


def paired_bars(label: str, names: tuple[str, str], groups: Sequence[tuple[str, float, float]]) -> str:
    """Two durations (s) of each group, one bar above the other; empty where all are 0."""
    most = max(max(first, second) for _, first, second in groups)
    if not most or not isfinite(most):
        return ""
    scale = (_WIDTH - _LEFT - 90) / most
    rows = []
    for rank, (group, *values) in enumerate(groups):
        y = rank * _ROW
        rows.append(f'<text x="{_LEFT - 8}" y="{y + 17}" text-anchor="end">{escape(group[:18])}</text>')
        for place, (name, value) in enumerate(zip(names, values, strict=True)):
            shown = escape(show_duration(value))
            low = y + 3 + place * 11
            rows.append(
                f'<rect class="run{place}" style="fill:currentColor" x="{_LEFT}" y="{low}" height="10" '
                f'width="{value * scale:.1f}"><title>{escape(group)}, {escape(name)}: {shown}</title></rect>'
                f'<text x="{_LEFT + value * scale + 4:.1f}" y="{low + 9}">{shown}</text>'
            )
    height = len(groups) * _ROW + 4
    said = escape(label)
    drawn = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{said}">{"".join(rows)}</svg>'
    return (
        f'<figure style="max-width: 560px"><figcaption>{said}</figcaption>'
        f'<div class="wide" tabindex="0" role="region" aria-label="{said}">{drawn}</div></figure>'
    )
