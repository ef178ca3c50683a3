"""One HTML page about a study: everything is in it, so that it opens anywhere, without network."""

from collections.abc import Sequence
from html import escape
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from windtunnel.diagnostics import UsageError, counted
from windtunnel.results.files import save_page
from windtunnel.results.layout import STUDY_FILE
from windtunnel.studies.directory import JOURNAL, POINTS
from windtunnel.studies.figures import with_unit
from windtunnel.studies.findings import check_baseline, differences, groups_of, means, ranking, ranking_table
from windtunnel.studies.statistics.table import Table, as_chosen, as_shown
from windtunnel.version import __version__

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Reported", "page", "write_page"]

_STYLE: Final = """\
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse;margin:.5rem 0}
td,th{padding:.15rem .6rem;white-space:nowrap;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child,.text{text-align:left}th{border-bottom:2px solid #888}.scroll{overflow-x:auto}
svg{display:block;height:auto}.note{color:#555}.bad{color:#a00}
@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}td,th{border-color:#444}.note{color:#aaa}.bad{color:#f88}}
"""
_COLOURS: Final = ("#3366cc", "#dc3912", "#109618", "#990099", "#ff9900", "#0099c6", "#dd4477", "#66aa00")
_WIDTH: Final = 720
_LEFT: Final = 220
"""Room for labels, if they are no longer than that."""
_LONGEST: Final = 60
"""Characters of a label."""
_PER_CHARACTER: Final = 6.6


class Reported(NamedTuple):
    """What a study has come to so far."""

    name: str
    done: "pl.DataFrame"
    """The rows of the points that have results."""
    points: int
    failed: int
    errors: dict[str, int]
    """Why points failed, with the number of points for each."""
    accounts: dict[str, int]
    """The same of what did not take effect as written."""


def write_page(study: Reported, path: Path, metrics: Sequence[str], **options: Any) -> Path:
    """Write the page; see :meth:`.StudyResults.report`."""
    if path.name in {STUDY_FILE, JOURNAL, POINTS} and path.exists():
        raise UsageError(f"{path} is a file of a study: it would be overwritten", "name another file")
    return save_page(path, page(study, metrics, **options))


def page(study: Reported, metrics: Sequence[str], *, baseline: str = "", confidence: float = 0.95) -> str:
    """The page as text.

    Raises:
        UsageError: no point has a result yet, or there is no such baseline or figure.
    """
    frame = study.done
    if not frame.height:
        raise UsageError("no point of the study has a result yet: there is nothing to report")
    policies = [str(name) for name in frame["scheduler"].unique(maintain_order=True)]
    baseline = baseline or policies[0]
    check_baseline(baseline, policies)
    parts = [f"<h1>{escape(study.name)}</h1>", _progress(study)]
    for metric in metrics:
        table = means(frame, metric, confidence=confidence)
        parts += [f"<h2>{escape(with_unit(metric))}</h2>", _chart(table, len(groups_of(frame))), _table(table)]
        if len(policies) > 1:
            parts.append(_table(differences(frame, baseline, metric, confidence=confidence)))
            if by := groups_of(frame):
                parts.append(_table(differences(frame, baseline, metric, by=by, confidence=confidence)))
            parts.append(_ranked(frame, metric, confidence))
    parts.append(f'<p class="note">Windtunnel {escape(__version__)}</p>')
    title = escape(study.name)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    head += f"<style>{_STYLE}</style>"
    return f"<!doctype html><html lang=en><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _progress(study: Reported) -> str:
    text = f"<p>{study.done.height:,} of {study.points:,} points have results."
    if study.failed:
        text += f' <b class="bad">{study.failed:,} failed.</b>'
    listed = [("failed", study.errors), ("did not take effect as written", study.accounts)]
    lines = [
        f"<li>{escape(what)} ({counted(count, 'point')}): {escape(said)}</li>"
        for what, counts in listed
        for said, count in list(counts.items())[:20]
    ]
    return f"{text}</p>{'<ul class=note>' + ''.join(lines) + '</ul>' if lines else ''}"


def _table(table: Table) -> str:
    marks = ["" if table.is_number(rank) else ' class="text"' for rank in range(len(table.columns))]

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}{mark}>{escape(cell)}</{tag}>" for mark, cell in zip(marks, row, strict=True))

    body = "".join(f"<tr>{cells('td', table.shown(row))}</tr>" for row in table.rows)
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in table.notes)
    head = f"<tr>{cells('th', table.columns)}</tr>"
    return (
        f'<h3>{escape(table.title)}</h3><div class="scroll" tabindex="0"><table><thead>{head}</thead>'
        f"<tbody>{body}</tbody></table></div>{notes}"
    )


def _ranked(frame: "pl.DataFrame", metric: str, confidence: float) -> str:
    try:
        return _table(ranking_table(ranking(frame, metric, confidence=confidence), metric))
    except UsageError as fault:
        return f'<p class="note">No ranking: {escape(str(fault))}</p>'


def _chart(table: Table, groups: int) -> str:
    """Means as points with their intervals, a line for each group of points."""
    mean = table.columns.index("mean")
    drawn = [(row[:groups], str(row[groups]), row[mean], row[mean + 1], row[mean + 2]) for row in table.rows]
    ends = [end for _, _, *values in drawn for end in values if end is not None and isfinite(end)]
    if not ends:
        return ""
    low, high = min(ends), max(ends)
    low, high = (low, high) if high > low else (low - 0.5, high + 0.5)

    labels = [_label(table.columns, group, name) for group, name, *_ in drawn]
    left = max(_LEFT, 16 + _PER_CHARACTER * max(map(len, labels)))
    width = left + _WIDTH - _LEFT

    def x(value: float) -> float:
        return left + float((value - low) / (high - low)) * (width - left - 40)

    names = list(dict.fromkeys(name for _, name, *_ in drawn))
    parts = []
    for rank, (_, name, value, least, most) in enumerate(drawn):
        y = 20 + 22 * rank
        colour = _COLOURS[names.index(name) % len(_COLOURS)]
        parts.append(_text(left - 8, y + 4, "end", escape(labels[rank])))
        if least is not None and most is not None:
            parts.append(f'<path d="M{x(least):.1f} {y}H{x(most):.1f}" stroke="{colour}" stroke-width="2"/>')
        dot = f'<circle cx="{x(value):.1f}" cy="{y}" r="4" fill="{colour}">'
        parts.append(f"{dot}<title>{as_shown(value)}</title></circle>")
    bottom = 20 + 22 * len(drawn)
    for end, anchor in ((low, "start"), (high, "end")):
        parts.append(_text(x(end), bottom + 10, anchor, as_shown(float(end))))
    picture = f'<svg viewBox="0 0 {width:.0f} {bottom + 20}" width="{width:.0f}" role="img">{"".join(parts)}</svg>'
    return f'<div class="scroll" tabindex="0">{picture}</div>'


def _label(columns: Sequence[str], group: Sequence[Any], name: str) -> str:
    """What a row of the chart is, with the end of what is too long: there stands who decided."""
    chosen = [f"{column} {as_chosen(value)}" for column, value in zip(columns, group, strict=False)]
    label = ", ".join([*chosen, name])
    return label if len(label) <= _LONGEST else f"…{label[1 - _LONGEST :]}"


def _text(x: float, y: float, anchor: str, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}" font-size="12" fill="currentColor">{text}</text>'
