"""Histograms as inline SVG, of one run or of several laid over each other; the axis says of what kind it is."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from html import escape
from math import floor, log10
from typing import Final

from windtunnel.diagnostics import show_duration

__all__ = ["histogram"]

_WIDTH, _HEIGHT, _FOOT, _HEAD, _LEFT, _RIGHT = 340, 190, 34, 10, 44, 8

Series = Sequence[tuple[str, Sequence[float]]]
"""The runs by name, and their values."""


def _edges(values: Sequence[float], bins: int) -> tuple[list[float], bool]:
    """Equal bins from 0, or logarithmic ones (five a decade) where values span three decades or more."""
    top = max(values)
    positive = [value for value in values if value > 0.0]
    low = min(positive, default=top)
    if not positive or top / low < 1000:
        least = min(0.0, *values)
        return [least + (top - least or 1.0) * i / bins for i in range(bins + 1)], False
    decades = range(max(floor(log10(low)), floor(log10(top)) - 6) * 5, floor(log10(top) * 5) + 2)
    return [0.0, *(10 ** (i / 5) for i in decades)], True


def _counts(values: Sequence[float], edges: Sequence[float]) -> list[int]:
    counts = [0] * (len(edges) - 1)
    for value in values:
        counts[min(max(bisect_right(edges, value) - 1, 0), len(counts) - 1)] += 1
    return counts


def histogram(
    title: str, runs: Series, unit: str = "", show: Callable[[float], str] | None = None, bins: int = 24
) -> str:
    """A figure of how values are distributed; empty text without values.

    Args:
        title: what is counted.
        runs: the values of each run.
        unit: of the values, where ``show`` does not tell it.
        show: writes a value for people.
        bins: of a linear axis.
    """
    together = [value for _, values in runs for value in values]
    if not together:
        return ""
    edges, logarithmic = _edges(together, bins)
    show = show or _label
    counted = [_counts(values, edges) for _, values in runs]
    most = max(map(max, counted))
    step = (_WIDTH - _LEFT - _RIGHT) / (len(edges) - 1)
    tall = _HEIGHT - _FOOT - _HEAD
    shapes = []
    if len(runs) == 1:
        shapes.append(_bars(counted[0], edges, step, tall / most, show, unit))
    else:
        for rank, ((name, _), counts) in enumerate(zip(runs, counted, strict=True)):
            shapes.append(_outline(rank, name, counts, step, tall / most))
    axis = f"{unit + ', ' if unit else ''}{'logarithmic' if logarithmic else 'linear'} axis"
    caption = escape(title)
    said = escape(f"{title}: {len(together):,} jobs, {show(min(together))} to {show(max(together))} {unit}".strip())
    marks = _marks(edges, step, show, logarithmic=logarithmic) + _levels(most, tall)
    foot = f'<text x="{(_LEFT + _WIDTH) / 2:.0f}" y="{_HEIGHT - 4}" text-anchor="middle">{escape(axis)}</text>'
    return (
        f'<figure><figcaption>{caption}</figcaption><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{said}">{marks}{"".join(shapes)}{foot}</svg></figure>'
    )


def _bars(
    counts: Sequence[int],
    edges: Sequence[float],
    step: float,
    scale: float,
    show: Callable[[float], str],
    unit: str,
) -> str:
    shapes = []
    for i, count in enumerate(counts):
        if count:
            hint = escape(f"{show(edges[i])} to {show(edges[i + 1])} {unit}".strip() + f": {count:,} jobs")
            shapes.append(
                f'<rect x="{_LEFT + i * step:.1f}" y="{_base() - scale * count:.1f}" '
                f'width="{max(step - 1, 0.5):.1f}" height="{scale * count:.1f}"><title>{hint}</title></rect>'
            )
    return "".join(shapes)


def _outline(rank: int, name: str, counts: Sequence[int], step: float, scale: float) -> str:
    """The steps of one run among several."""
    path = [f"M{_LEFT} {_base()}"]
    for i, count in enumerate(counts):
        path.append(f"V{_base() - scale * count:.1f}H{_LEFT + (i + 1) * step:.1f}")
    path.append(f"V{_base()}")
    told = "; ".join(f"{count:,}" for count in counts)
    hint = escape(f"{name}: {told} jobs")
    return f'<path class="run{rank % 8}" d="{"".join(path)}"><title>{hint}</title></path>'


def _base() -> int:
    return _HEIGHT - _FOOT


_ROUND: Final = (0.001, 1.0, 60.0, 3600.0, 86400.0, 864000.0, 8640000.0)
"""Times (s) that people know, for logarithmic axes."""


def _marks(edges: Sequence[float], step: float, show: Callable[[float], str], *, logarithmic: bool) -> str:
    """Values below the axis, as many as have room: on a logarithmic one powers of ten, or times that people know."""
    if logarithmic:
        known = _ROUND if show is show_duration else [10.0**power for power in range(-6, 16)]
        least = log10(edges[1])
        chosen = [(0.0, 0.0)] + [(5 * (log10(v) - least) + 1, v) for v in known if edges[1] <= v <= edges[-1]]
    else:
        chosen = [(rank, edges[rank]) for rank in sorted({round(i * (len(edges) - 1) / 4) for i in range(5)})]
    made = []
    end = -1e9
    for rank, value in chosen:
        text, x = show(value), _LEFT + rank * step
        half = 3.1 * len(text)
        x = min(max(x, half), _WIDTH - half)
        if x - half > end:
            made.append(f'<text x="{x:.1f}" y="{_base() + 14}" text-anchor="middle">{escape(text)}</text>')
            end = x + half + 4
    return "".join(made)


def _levels(most: int, tall: int) -> str:
    """Counts beside the axis."""
    power = 10 ** floor(log10(most))
    step = max(1, next(power * part for part in (0.5, 1, 2, 5) if most / (power * part) <= 4))
    levels = range(0, most + 1, int(step))
    lines = []
    for level in levels:
        y = _base() - tall * level / most
        lines.append(
            f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>'
            f'<text x="{_LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{level:,}</text>'
        )
    return "".join(lines)


def _label(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
