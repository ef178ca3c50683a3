"""What the page of a run shows, as compact columns."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from windtunnel.report.series import binned, busy_hosts, power, queue_length
from windtunnel.results.run import Run

__all__ = ["BINS", "page_data"]

BINS: Final = 2000
"""Points of each curve over time."""


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
    rank = {job: i for i, job in enumerate(jobs["id"])}
    starts: list[float] = []
    lasts: list[float] = []
    first_hosts: list[int] = []
    counts: list[int] = []
    whose: list[int] = []
    for stretch in run.stretches():
        for low, high in stretch.hosts.runs:
            starts.append(stretch.start)
            lasts.append(stretch.finish - stretch.start)
            first_hosts.append(low)
            counts.append(high - low + 1)
            whose.append(rank[stretch.job])
    first = float(jobs["submission_time"].min() or 0.0) if jobs.height else 0.0  # type: ignore[arg-type]  # a number
    last = max((s + d for s, d in zip(starts, lasts, strict=True)), default=max(run.state.simulated_time, first))
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
            "start": _short(starts),
            "run": _short(lasts),
            "host": first_hosts,
            "count": counts,
            "job": whose,
        },
        "away": _away(run, last),
        "curves": _curves(run, first, last),
    }
    for name in ("user", "queue"):
        if name in jobs.columns:
            data[f"{name}s"], data["jobs"][name] = _coded(jobs[name])
    return data


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
