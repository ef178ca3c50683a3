"""What a calibration found, as one HTML page: the verdict, charts, tables of all groups, nodes that were away."""

from collections.abc import Sequence
from html import escape
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

from windtunnel.diagnostics import show_duration
from windtunnel.report.charts import histogram
from windtunnel.report.markup import Cell, card, definitions, number, table
from windtunnel.report.page import script, style
from windtunnel.results.files import save_page

if TYPE_CHECKING:
    from windtunnel.twin.calibrate import Calibration, Compared
    from windtunnel.twin.replay import Outcome

    Pairs = Sequence[tuple[Outcome, Outcome]]

__all__ = ["page", "write_page"]

_HEADS: Final = {
    "partition": "Partitions",
    "account": "Accounts",
    "size": "Sizes",
    "user": "Users",
    "hour": "Hours of submission",
}
_WIDTH, _LEFT, _ROW = 640, 150, 30
_DRAWN: Final = 24
"""Groups with a bar of their own; the table has all."""


def write_page(found: "Calibration", pairs: "Pairs", path: str | Path, *, title: str = "Calibration") -> Path:
    """Write the page; ``pairs`` are the jobs as they were and as they became.

    Raises:
        UsageError: nothing can be written there.
    """
    return save_page(path, page(found, pairs, title=title))


def page(found: "Calibration", pairs: "Pairs", *, title: str = "Calibration") -> str:
    """The page as text; everything is in it, so that it opens without network."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{style()}</style>"
    )
    parts = [
        f"<h1>{escape(title)}</h1><p>{escape(found.verdict)}</p>",
        f'<section class="facts" aria-label="Figures">{_cards(found)}</section>',
        f"<h2>Distributions</h2>{_charts(pairs)}",
    ]
    for by, name in _HEADS.items():
        some = [one for one in found.groups if one.by == by]
        if some:
            parts.append(f"<h2>{name}</h2>{_bars(some)}{_table(name, some)}")
    if found.drains:
        parts.append(f"<h2>Unavailable nodes</h2>{_drains(found)}")
    body = "".join(parts)
    sorts = f"<script>{script(('tables', 'sorts'))}</script>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body><main>{body}</main>{sorts}</body></html>\n'


def _seconds(value: float) -> Cell:
    return number(value, show_duration(value))


def _share(value: float) -> Cell:
    return number(value, f"{value:.1%}")


def _cards(found: "Calibration") -> str:
    if not found.jobs:
        return card("Jobs compared", number(0, "0"))
    whole = found.groups[0]
    return "".join(
        (
            card("Jobs compared", number(found.jobs, f"{found.jobs:,}"), [("never start", _count(found.missing))]),
            card("Mean wait recorded", _seconds(whole.recorded_mean), [("median", _seconds(whole.recorded_median))]),
            card(
                "Mean wait simulated", _seconds(whole.simulated_mean), [("median", _seconds(whole.simulated_median))]
            ),
            card("Start within a minute", _share(found.same_start), [("half within", _seconds(found.error))]),
            card("Utilisation recorded", _share(found.recorded_use), [("simulated", _share(found.simulated_use))]),
            card(
                "Waited an hour longer than simulated",
                _count(found.odd.overtaken + found.odd.unseen),
                [("overtaken", _count(found.odd.overtaken))],
            ),
            card("Held after submission", _count(found.odd.held)),
        )
    )


def _count(value: int) -> Cell:
    return number(value, f"{value:,}")


def _charts(pairs: "Pairs") -> str:
    recorded, simulated = [old.waited for old, _ in pairs], [new.waited for _, new in pairs]
    off = [abs(new.waited - old.waited) for old, new in pairs]
    waits = [("recorded", recorded), ("simulated", simulated)]
    legend = '<ul class="legend"><li class="run0">recorded</li><li class="run1">simulated</li></ul>'
    return (
        f'{legend}<div class="charts">{histogram("Waiting time", waits, show=show_duration)}'
        f"{histogram('Absolute difference of waits', [('', off)], show=show_duration)}</div>"
    )


def _bars(groups: Sequence["Compared"]) -> str:
    """Mean waits, recorded above simulated, of the groups with most jobs."""
    drawn = groups if groups[0].by == "hour" else sorted(groups, key=lambda one: -one.jobs)[:_DRAWN]
    most = max(max(one.recorded_mean, one.simulated_mean) for one in drawn)
    if not most or not isfinite(most):
        return ""
    scale = (_WIDTH - _LEFT - 90) / most
    rows = []
    for rank, one in enumerate(drawn):
        y = rank * _ROW
        rows.append(f'<text x="{_LEFT - 8}" y="{y + 17}" text-anchor="end">{escape(one.name[:22])}</text>')
        for place, (name, value) in enumerate((("recorded", one.recorded_mean), ("simulated", one.simulated_mean))):
            shown = escape(show_duration(value))
            low = y + 3 + place * 11
            rows.append(
                f'<rect class="run{place}" style="fill:currentColor" x="{_LEFT}" y="{low}" height="10" '
                f'width="{value * scale:.1f}"><title>{escape(one.name)}, {name}: {shown}</title></rect>'
                f'<text x="{_LEFT + value * scale + 4:.1f}" y="{low + 9}">{shown}</text>'
            )
    label = escape(f"Mean waits by {groups[0].by}: recorded and simulated")
    height = len(drawn) * _ROW + 4
    return (
        f'<figure style="max-width: 720px"><figcaption>{label}</figcaption>'
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}">{"".join(rows)}</svg></figure>'
    )


def _table(name: str, groups: Sequence["Compared"]) -> str:
    waits = (name, "Jobs", "Mean recorded", "Mean simulated", "Difference", "Median recorded", "Median simulated")
    head = (*waits, "Start within a minute", "Use recorded", "Use simulated")
    rows = [
        (
            Cell(one.name),
            _count(one.jobs),
            _seconds(one.recorded_mean),
            _seconds(one.simulated_mean),
            number(one.simulated_mean - one.recorded_mean, f"{one.simulated_mean - one.recorded_mean:+,.0f} s"),
            _seconds(one.recorded_median),
            _seconds(one.simulated_median),
            _share(one.same_start),
            _share(one.recorded_use),
            _share(one.simulated_use),
        )
        for one in groups
    ]
    return table(f"Waits, starts and use by {groups[0].by}", head, rows)


def _drains(found: "Calibration") -> str:
    rows = [
        (Cell(one.node), _seconds(one.start), _seconds(one.end), _seconds(one.end - one.start))
        for one in found.drains
    ]
    hours = sum(one.end - one.start for one in found.drains) / 3600
    facts = definitions([("node-hours", f"{hours:,.1f}"), ("nodes", f"{len({one.node for one in found.drains}):,}")])
    return facts + table("Removed from the replay", ("Node", "From (since the first job)", "To", "For"), rows)
