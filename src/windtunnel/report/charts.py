"""Histograms as inline SVG."""

from bisect import bisect_right
from collections.abc import Sequence
from html import escape
from math import floor, log10

__all__ = ["histogram"]

_WIDTH, _HEIGHT, _FOOT, _HEAD = 320, 150, 18, 14


def _edges(values: Sequence[float], bins: int) -> list[float]:
    """Equal bins from 0, or logarithmic ones (five a decade) where values span three decades or more."""
    top = max(values)
    positive = [value for value in values if value > 0.0]
    low = min(positive, default=top)
    if not positive or top / low < 1000:
        least = min(0.0, *values)
        return [least + (top - least or 1.0) * i / bins for i in range(bins + 1)]
    decades = range(max(floor(log10(low)), floor(log10(top)) - 6) * 5, floor(log10(top) * 5) + 2)
    return [0.0, *(10 ** (i / 5) for i in decades)]


def histogram(title: str, values: Sequence[float], unit: str = "", bins: int = 24) -> str:
    """A figure of how values are distributed; empty text without values."""
    if not values:
        return ""
    edges = _edges(values, bins)
    counts = [0] * (len(edges) - 1)
    for value in values:
        counts[min(max(bisect_right(edges, value) - 1, 0), len(counts) - 1)] += 1
    most = max(counts)
    step = _WIDTH / len(counts)
    tall = _HEIGHT - _FOOT - _HEAD
    shapes = []
    for i, count in enumerate(counts):
        if count:
            height = tall * count / most
            hint = escape(f"{edges[i]:,.4g} to {edges[i + 1]:,.4g} {unit}".strip() + f": {count:,} jobs")
            shapes.append(
                f'<rect x="{i * step:.1f}" y="{_HEAD + tall - height:.1f}" width="{step - 1:.1f}" '
                f'height="{height:.1f}"><title>{hint}</title></rect>'
            )
    marks = [(0, "start"), (len(edges) // 2, "middle"), (len(edges) - 1, "end")]
    labels = "".join(
        f'<text x="{i * step:.1f}" y="{_HEIGHT - 5}" text-anchor="{anchor}">{_label(edges[i])}</text>'
        for i, anchor in marks
    )
    caption = escape(f"{title} [{unit}]" if unit else title)
    return (
        f'<figure><figcaption>{caption}</figcaption><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{caption}">{"".join(shapes)}{labels}<text x="{_WIDTH}" y="10" text-anchor="end">'
        f"most: {most:,}</text></svg></figure>"
    )


def _label(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
