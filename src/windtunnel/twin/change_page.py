"""What a change of a site does, as one HTML page: who gains and loses, charts, tables of all groups, the change."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

from windtunnel.diagnostics import show_duration
from windtunnel.report.charts import histogram
from windtunnel.report.markup import Cell, card, number, table
from windtunnel.results.files import save_page
from windtunnel.twin.change import Change, Shift, in_whole_seconds
from windtunnel.twin.drawing import DRAWN, HEADS, count, document, paired_bars, paired_histogram, seconds
from windtunnel.twin.replay import Outcome

__all__ = ["page", "write_page"]

_STATES: Final = ("before", "after")


def write_page(
    found: Change, pairs: Sequence[tuple[Outcome, Outcome]], path: str | Path, *, title: str = "What if"
) -> Path:
    """Write the page; ``pairs`` are the jobs before and after the change.

    Raises:
        UsageError: nothing can be written there.
    """
    return save_page(path, page(found, pairs, title=title))


def page(found: Change, pairs: Sequence[tuple[Outcome, Outcome]], *, title: str = "What if") -> str:
    """The page as text; everything is in it, so that it opens without network."""
    parts = [f"<p>{escape(line)}</p>" for line in found.in_words()]
    parts.append(f'<section class="facts" aria-label="Figures">{_cards(found)}</section>')
    changes = "\n\n".join(filter(None, (found.diff, "\n".join(found.commands))))
    parts.append(f"<h2>Change</h2><pre>{escape(changes)}</pre>")
    if pairs:
        parts.append(f"<h2>Distributions</h2>{_charts(pairs)}")
    for by, head in HEADS.items():
        some = [one for one in found.shifts if one.by == by]
        if some:
            parts.append(f"<h2>{head}</h2>{_bars(some)}{_table(head, some)}")
    if found.told:
        told = "".join(f"<li>{escape(line)}</li>" for line in found.told)
        parts.append(f'<h2>Without effect</h2><ul class="account">{told}</ul>')
    return document(title, parts)


def _difference(value: float) -> Cell:
    return number(value, f"{in_whole_seconds(value)} s")


def _between(one: Shift) -> Cell:
    """The interval of the change; it sorts by its nearer end to zero, surer changes first."""
    if one.low is None or one.high is None:
        return Cell("")
    return Cell(f"{in_whole_seconds(one.low)} to {in_whole_seconds(one.high)} s", max(one.low, -one.high, 0.0))


def _cards(found: Change) -> str:
    whole = found.shifts[0]
    return "".join(
        (
            card("Jobs compared", count(whole.jobs)),
            card("Mean wait before", seconds(whole.before)),
            card("Mean wait after", seconds(whole.after)),
            card("Change", _difference(whole.after - whole.before), [("95 %", _between(whole))]),
            card("Never start", count(found.never_after), [("before", count(found.never_before))]),
        )
    )


def _charts(pairs: Sequence[tuple[Outcome, Outcome]]) -> str:
    moved = [new.waited - old.waited for old, new in pairs]
    longer = histogram("Longer waits, by how much", [("", [one for one in moved if one > 0])], show=show_duration)
    shorter = histogram("Shorter waits, by how much", [("", [-one for one in moved if one < 0])], show=show_duration)
    waits = [old.waited for old, _ in pairs], [new.waited for _, new in pairs]
    return paired_histogram("Waiting time", _STATES, waits, longer, shorter)


def _bars(some: Sequence[Shift]) -> str:
    """Mean waits, before above after, of the groups that change most in all."""
    order = some if some[0].by == "hour" else sorted(some, key=lambda one: -abs(one.after - one.before) * one.jobs)
    waits = [(one.name, one.before, one.after) for one in order[:DRAWN]]
    return paired_bars(f"Mean waits by {some[0].by}: {' and '.join(_STATES)}", _STATES, waits)


def _table(head: str, some: Sequence[Shift]) -> str:
    rows = [
        (
            Cell(one.name),
            count(one.jobs),
            seconds(one.before),
            seconds(one.after),
            _difference(one.after - one.before),
            _between(one),
        )
        for one in some
    ]
    columns = (head, "Jobs", "Mean before", "Mean after", "Change", "95 % of resampled weeks")
    return table(f"Waits by {some[0].by}", columns, rows)
