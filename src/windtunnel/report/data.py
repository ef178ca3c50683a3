"""What the page of a run shows, as compact columns."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from windtunnel.report.series import binned, busy_hosts, power, queue_length
from windtunnel.results.run import Run
from windtunnel.results.stretch import Stretch

__all__ = ["BINS", "MOST_BARS", "page_data"]

BINS: Final = 2000
"""Points of each curve over time."""


MOST_BARS: Final = 250_000
"""Beyond that many bars the smallest, which cannot be seen anyway, are left out of the picture (and said to be)."""


def _short(values: Iterable[float | None]) -> list[float | int | None]:
    """Milliseconds are enough for a picture, and whole seconds need no point."""
    return [None if value is None else int(value) if value == int(value) else round(value, 3) for value in values]


def _coded(values: Iterable[str | None]) -> tuple[list[str], list[int]]:
    """Texts as a list of distinct ones, and the index of each."""
    codes: dict[str, int] = {}
    indices = [codes.setdefault(value or "", len(codes)) for value in values]
    return list(codes), indices


def page_data(run: Run) -> dict[str, Any]:
    """Columns of jobs and bars, curves over time, and the extent of both axes. Times in s."""
    jobs = run.jobs
    first = min(jobs["submission_time"], default=0.0)
    last = max(
        (stretch.finish for stretch in run.stretches()),
        default=max([run.state.simulated_time, *jobs["submission_time"]]),
    )
    shown, left_out = _largest(run)
    if left_out:
        jobs = jobs.filter(jobs["id"].is_in({stretch.job for stretch, _, _ in shown}))
    rank = {job: i for i, job in enumerate(jobs["id"])}
    states, state_codes = _coded(jobs["final_state"])
    data: dict[str, Any] = {
        "hosts": run.hosts,
        "from": first,
        "to": last,
        "zero": run.state.start_date,
        "jobs": {
            "id": jobs["id"].to_list(),
            "submitted": _short(jobs["submission_time"]),
            "start": _short(jobs["starting_time"]),
            "finish": _short(jobs["finish_time"]),
            "requested": jobs["requested_number_of_resources"].to_list(),
            "walltime": _short(jobs["requested_time"]),
            "state": state_codes,
        },
        "states": states,
        "bars": {
            "start": _short(stretch.start for stretch, _, _ in shown),
            "run": _short(stretch.finish - stretch.start for stretch, _, _ in shown),
            "host": [low for _, low, _ in shown],
            "count": [high - low + 1 for _, low, high in shown],
            "job": [rank[stretch.job] for stretch, _, _ in shown],
        },
        "left_out": left_out,
        "away": _away(run, last),
        "curves": _curves(run, first, last),
    }
    for name in ("user", "queue"):
        if name in jobs.columns:
            data[f"{name}s"], data["jobs"][name] = _coded(jobs[name])
    return data


def _largest(run: Run) -> tuple[list[tuple[Stretch, int, int]], int]:
    """The bars (stretch, first host, last host) to draw, and how many small ones are left out of a very long run."""
    bars = [(stretch, low, high) for stretch in run.stretches() for low, high in stretch.hosts.runs]
    if len(bars) <= MOST_BARS:
        return bars, 0
    areas = [(high - low + 1) * (stretch.finish - stretch.start) for stretch, low, high in bars]
    chosen = sorted(sorted(range(len(bars)), key=areas.__getitem__, reverse=True)[:MOST_BARS])
    return [bars[i] for i in chosen], len(bars) - MOST_BARS


def _away(run: Run, last: float) -> list[Sequence[float]]:
    """Intervals (from, until, first host, number) in which hosts were not available."""
    steps = run.unavailable()
    made: list[Sequence[float]] = []
    for i, (since, hosts) in enumerate(steps):
        until = steps[i + 1][0] if i + 1 < len(steps) else last
        made += [(since, until, low, high - low + 1) for low, high in hosts.runs if until > since]
    return made


def _curves(run: Run, first: float, last: float) -> list[dict[str, Any]]:
    """Named curves; ``top`` is where the axis ends, where that is known."""
    curves: list[dict[str, Any]] = []
    for name, unit, steps, top in (
        ("busy hosts", "", busy_hosts(run), run.hosts),
        ("waiting jobs", "", queue_length(run), None),
        ("power", "W", power(run), None),
    ):
        if steps:
            values = [float(f"{value:.5g}") for value in binned(steps, first, last, BINS)]
            curves.append({"name": name, "unit": unit, "values": values, "top": top})
    return curves
