"""What a calibration found, as one HTML page: the verdict, charts, tables of all groups, nodes that were away."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from windtunnel.diagnostics import show_duration
from windtunnel.report.charts import histogram
from windtunnel.report.markup import Cell, card, definitions, number, table
from windtunnel.results.files import save_page
from windtunnel.twin.change import in_whole_seconds
from windtunnel.twin.drawing import DRAWN, HEADS, count, document, paired_bars, paired_histogram, seconds

if TYPE_CHECKING:
    from windtunnel.twin.calibrate import Calibration, Compared
    from windtunnel.twin.replay import Outcome

    Pairs = Sequence[tuple[Outcome, Outcome]]

__all__ = ["page", "write_page"]

_STATES: Final = ("recorded", "simulated")


def write_page(found: "Calibration", pairs: "Pairs", path: str | Path, *, title: str = "Calibration") -> Path:
    """Write the page; ``pairs`` are the jobs as they were and as they became.

    Raises:
        UsageError: nothing can be written there.
    """
    return save_page(path, page(found, pairs, title=title))


def page(found: "Calibration", pairs: "Pairs", *, title: str = "Calibration") -> str:
    """The page as text; everything is in it, so that it opens without network."""
    parts = [
        f"<p>{escape(found.verdict)}</p>",
        f'<section class="facts" aria-label="Figures">{_cards(found)}</section>',
        f"<h2>Distributions</h2>{_charts(pairs)}",
    ]
    for by, name in HEADS.items():
        some = [one for one in found.groups if one.by == by]
        if some:
            parts.append(f"<h2>{name}</h2>{_bars(some)}{_table(name, some)}")
    if found.drains:
        parts.append(f"<h2>Unavailable nodes</h2>{_drains(found)}")
    return document(title, parts)


def _share(value: float) -> Cell:
    return number(value, f"{value:.1%}")


def _difference(value: float) -> Cell:
    return number(value, f"{in_whole_seconds(value)} s")


def _cards(found: "Calibration") -> str:
    if not found.jobs:
        return card("Jobs compared", number(0, "0"))
    whole = found.groups[0]
    return "".join(
        (
            card("Jobs compared", number(found.jobs, f"{found.jobs:,}"), [("never start", count(found.missing))]),
            card("Mean wait recorded", seconds(whole.recorded_mean), [("median", seconds(whole.recorded_median))]),
            card(
                "Mean wait simulated", seconds(whole.simulated_mean), [("median", seconds(whole.simulated_median))]
            ),
            card("Start within a minute", _share(found.same_start), [("half within", seconds(found.error))]),
            card("Utilisation recorded", _share(found.recorded_use), [("simulated", _share(found.simulated_use))]),
            card(
                "Waited an hour longer than simulated",
                count(found.odd.overtaken + found.odd.unseen),
                [("overtaken", count(found.odd.overtaken))],
            ),
            card("Held after submission", count(found.odd.held)),
        )
    )


def _charts(pairs: "Pairs") -> str:
    off = [abs(new.waited - old.waited) for old, new in pairs]
    chart = histogram("Absolute difference of waits", [("", off)], show=show_duration)
    waits = [old.waited for old, _ in pairs], [new.waited for _, new in pairs]
    return paired_histogram("Waiting time", _STATES, waits, chart)


def _bars(groups: Sequence["Compared"]) -> str:
    """Mean waits, recorded above simulated, of the groups with most jobs."""
    drawn = groups if groups[0].by == "hour" else sorted(groups, key=lambda one: -one.jobs)[:DRAWN]
    waits = [(one.name, one.recorded_mean, one.simulated_mean) for one in drawn]
    return paired_bars(f"Mean waits by {groups[0].by}: {' and '.join(_STATES)}", _STATES, waits)


def _table(name: str, groups: Sequence["Compared"]) -> str:
    waits = (name, "Jobs", "Mean recorded", "Mean simulated", "Difference", "Median recorded", "Median simulated")
    head = (*waits, "Start within a minute", "Use recorded", "Use simulated")
    rows = [
        (
            Cell(one.name),
            count(one.jobs),
            seconds(one.recorded_mean),
            seconds(one.simulated_mean),
            _difference(one.simulated_mean - one.recorded_mean),
            seconds(one.recorded_median),
            seconds(one.simulated_median),
            _share(one.same_start),
            _share(one.recorded_use),
            _share(one.simulated_use),
        )
        for one in groups
    ]
    return table(f"Waits, starts and use by {groups[0].by}", head, rows)


def _drains(found: "Calibration") -> str:
    rows = [
        (Cell(one.node), seconds(one.start), seconds(one.end), seconds(one.end - one.start))
        for one in found.drains
    ]
    hours = sum(one.end - one.start for one in found.drains) / 3600
    facts = definitions([("node-hours", f"{hours:,.1f}"), ("nodes", f"{len({one.node for one in found.drains}):,}")])
    return facts + table("Removed from the replay", ("Node", "From (since the first job)", "To", "For"), rows)
