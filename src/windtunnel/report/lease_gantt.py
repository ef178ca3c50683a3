"""A picture of a run of leases: which node ran what, when; saving, restoring and moving of memory; image transfers.

An SVG of its own, from ``reservations.csv``: a row per node, a bar per reservation, coloured by lease; what is not
machines running is a thinner bar of its own colour.
"""

import csv
from collections.abc import Iterator
from math import ceil, floor
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from windtunnel.diagnostics import UsageError, open_lines
from windtunnel.report.axes import step_of
from windtunnel.results.files import save_page

__all__ = ["write_lease_gantt"]

MOST_BARS: Final = 200_000
"""More make a picture no browser likes."""
WIDTH: Final = 1200
MARGIN: Final = 70
RIGHT: Final = 40
"""So wide that half a label of the axis fits beside the last bars."""
COLOURS: Final = {
    "Suspension": "#c0392b",
    "Resumption": "#27ae60",
    "Shutdown": "#7f8c8d",
    "MemImageMigration": "#8e44ad",
    "DiskImageMigration": "#d35400",
    "FileTransfer": "#2980b9",
}


class _Bar(NamedTuple):
    lease: int
    kind: str
    start: float
    end: float
    first: int
    last: int


def write_lease_gantt(run: str | Path, target: str | Path, *, start: float = 0.0, end: float | None = None) -> Path:
    """Draw a run recorded by ``windtunnel lease run --out``, between two dates (s).

    Raises:
        UsageError: it is not such a run, nothing happened between the dates, there are too many bars, or the picture
            cannot be written there.
        SimulationError: the disk is full.
    """
    if end is not None and end <= start:
        raise UsageError(f"a picture from {start:g} s until {end:g} s shows nothing", "let --until be after --from")
    bars = [bar for bar in _bars(Path(run)) if bar.end > start and (end is None or bar.start < end)]
    if not bars:
        raise UsageError(f"{run}: nothing happened between these times")
    if len(bars) > MOST_BARS:
        raise UsageError(
            f"{run}: {len(bars)} bars are too many for a picture", "draw a part of it: --from and --until"
        )
    first, last = max(start, min(bar.start for bar in bars)), max(bar.end for bar in bars)
    text = "\n".join(_svg(bars, first, last if end is None else min(end, last)))
    return save_page(target, text + "\n")


def _bars(run: Path) -> Iterator[_Bar]:
    path = run / "reservations.csv"
    try:
        with open_lines(path, errors="strict") as file:
            for row in csv.DictReader(file):
                start, end = float(row["start"]), float(row["end"])
                if end <= start:
                    continue
                for part in row["hosts"].split():
                    low, _, high = part.partition("-")
                    yield _Bar(int(row["lease_id"]), row["kind"], start, end, int(low), int(high or low))
    except FileNotFoundError as error:
        table = run / "leases.csv"
        if table.is_file():
            hint = f"the reasons are in {table}"
            raise UsageError(f"{run}: no lease had machines, so there is nothing to draw", hint) from error
        if (run / "jobs.csv").is_file():
            from shlex import quote

            raise UsageError(
                f"{run} is a run without leases: there is nothing of leases to draw",
                f"windtunnel report {quote(str(run))} shows the schedule of its jobs; "
                f"windtunnel plot {quote(str(run))} gantt FILE.svg draws it",
            ) from error
        raise UsageError(f"there is no run of leases in {run}", "give a directory of lease run --out") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "give a directory of lease run --out") from error
    except (KeyError, ValueError) as error:
        raise UsageError(f"{path} is not a file of reservations: {error}") from error


def _svg(bars: list[_Bar], first: float, last: float) -> Iterator[str]:
    nodes = max(bar.last for bar in bars)
    row = max(2.0, min(18.0, 900 / nodes))
    scale = (WIDTH - MARGIN - RIGHT) / max(last - first, 1e-9)
    bottom = 10 + nodes * row
    height = bottom + 60
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" font-family="sans-serif">'
    yield f'<rect width="{WIDTH}" height="{height:g}" fill="white"/>'
    yield from _axes(nodes, row, first, last, scale)
    for bar in sorted(bars, key=lambda bar: bar.kind != "VM"):
        left, right = max(bar.start, first), min(bar.end, last)
        wide = (right - left) * scale
        thin = 0.0 if bar.kind == "VM" else row / 4
        yield (
            f'<rect x="{MARGIN + (left - first) * scale:.2f}" y="{10 + (bar.first - 1) * row + thin:.2f}" '
            f'width="{max(wide, 0.4):.2f}" '
            f'height="{(bar.last - bar.first + 1) * row - 2 * thin:.2f}" fill={quoteattr(_colour(bar))} '
            f'stroke="white" stroke-width="0.3"><title>{escape(_title(bar))}</title></rect>'
        )
        if bar.kind == "VM" and wide >= 8 * len(str(bar.lease)) + 4 and row >= 10.0:
            x, y = MARGIN + (left - first) * scale + 3, 10 + (bar.first - 0.5) * row + 3.5
            yield f'<text x="{x:.1f}" y="{y:.1f}" font-size="10" pointer-events="none">{bar.lease}</text>'
    yield from _legend({bar.kind for bar in bars}, bottom + 38)
    yield "</svg>"


def _legend(kinds: set[str], y: float) -> Iterator[str]:
    """What is drawn: the colours of kinds, of those that there are."""
    said = "numbers: leases, whose machines have a colour each; time since the start"
    yield f'<text x="{MARGIN}" y="{y + 10:g}" font-size="11">{said}</text>'
    x = MARGIN + 40.0 + 5.5 * len(said)
    for kind, colour in COLOURS.items():
        if kind in kinds:
            yield f'<rect x="{x:g}" y="{y:g}" width="12" height="12" fill="{colour}"/>'
            yield f'<text x="{x + 16:g}" y="{y + 10:g}" font-size="11">{kind}</text>'
            x += 40 + 7 * len(kind)


def _axes(nodes: int, row: float, first: float, last: float, scale: float) -> Iterator[str]:
    bottom = 10 + nodes * row
    step = max(1, round(nodes / 20))
    for node in range(1, nodes + 1, step):
        y = 10 + (node - 0.5) * row + 4
        yield f'<text x="{MARGIN - 6}" y="{y:.1f}" font-size="10" text-anchor="end">node {node}</text>'
    tick = step_of(last - first, 8)
    for rank in range(ceil(first / tick - 1e-9), floor(last / tick + 1e-9) + 1):
        time = rank * tick
        x = MARGIN + (time - first) * scale
        yield f'<line x1="{x:.1f}" y1="10" x2="{x:.1f}" y2="{bottom:.1f}" stroke="#dddddd"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 16:.1f}" font-size="10" text-anchor="middle">{_clock(time)}</text>'


def _clock(time: float) -> str:
    minutes, seconds = divmod(round(time), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return (f"{days}d " if days else "") + f"{hours:02d}:{minutes:02d}:{seconds:02d}"


def _colour(bar: _Bar) -> str:
    """Machines: a hue per lease, neighbours far apart; everything else by its kind."""
    return COLOURS.get(bar.kind) or f"hsl({bar.lease * 137 % 360} 55% 65%)"


def _title(bar: _Bar) -> str:
    where = f"node {bar.first}" if bar.first == bar.last else f"nodes {bar.first}-{bar.last}"
    return f"lease {bar.lease}: {bar.kind}, {_clock(bar.start)} to {_clock(bar.end)}, {where}"
