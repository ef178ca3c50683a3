"""What the page of a run shows, as compact columns."""

from collections.abc import Iterable
from typing import Any, Final

from windtunnel.report.conditions import conditions, markers
from windtunnel.report.packing import packed, packed_names
from windtunnel.report.series import binned, busy_hosts, electricity, power, queue_length
from windtunnel.results.run import Run
from windtunnel.results.stretch import Stretch

__all__ = ["BINS", "MOST_BARS", "extent", "page_data"]

BINS: Final = 2000
"""Points of each curve over time."""


MOST_BARS: Final = 250_000
"""Beyond that many bars the smallest, which cannot be seen anyway, are left out of the picture (and said to be)."""


def _coded(values: Iterable[str | None]) -> tuple[list[str], dict[str, Any]]:
    """Texts as a list of distinct ones, and the index of each."""
    codes: dict[str, int] = {}
    indices = [codes.setdefault(value or "", len(codes)) for value in values]
    return list(codes), packed([float(index) for index in indices])


def extent(run: Run) -> tuple[float, float]:
    """The first submission and the last end (s)."""
    jobs = run.jobs
    last = max(
        (stretch.finish for stretch in run.stretches()),
        default=max([run.state.simulated_time, *jobs["submission_time"]]),
    )
    return min(jobs["submission_time"], default=0.0), last


def page_data(run: Run, name: str = "", window: tuple[float, float] | None = None) -> dict[str, Any]:
    """Columns of jobs and bars, spans of conditions, curves over time, and the extent of both axes. Times in s.

    Args:
        run: the run.
        name: what the page calls it.
        window: the extent of the axis of time, where several runs share one.
    """
    jobs = run.jobs
    first, last = window or extent(run)
    stretches = list(run.stretches())
    bars, left_out = _largest(stretches)
    if left_out:
        kept = sorted({rank for rank, _, _ in bars})
        places = {rank: place for place, rank in enumerate(kept)}
        stretches = [stretches[rank] for rank in kept]
        bars = [(places[rank], low, high) for rank, low, high in bars]
        jobs = jobs.filter(jobs["id"].is_in({stretch.job for stretch in stretches}))
    ranks = {job: rank for rank, job in enumerate(jobs["id"])}
    data: dict[str, Any] = {
        "name": name,
        "hosts": run.hosts,
        "from": first,
        "to": last,
        "zero": run.state.start_date,
        "jobs": {
            "id": packed_names(jobs["id"].to_list()),
            "submitted": packed(jobs["submission_time"].to_list()),
            "start": packed(jobs["starting_time"].to_list()),
            "finish": packed(jobs["finish_time"].to_list()),
            "requested": packed(jobs["requested_number_of_resources"].cast(float).to_list()),
            "walltime": packed(jobs["requested_time"].cast(float).to_list()),
        },
        "stretches": {
            "job": packed([float(ranks[stretch.job]) for stretch in stretches]),
            "start": packed([stretch.start for stretch in stretches]),
            "finish": packed([stretch.finish for stretch in stretches]),
        },
        "bars": {
            "stretch": packed([float(rank) for rank, _, _ in bars]),
            "host": packed([float(low) for _, low, _ in bars]),
            "count": packed([float(high - low + 1) for _, low, high in bars]),
        },
        "left_out": left_out,
        "conditions": conditions(run, last),
        "events": markers(run),
        "curves": _curves(run, first, last),
    }
    for column, plural in (("final_state", "states"), ("user", "users"), ("queue", "queues")):
        if jobs[column].null_count() < jobs.height or column == "final_state":
            data[plural], data["jobs"][column.removeprefix("final_")] = _coded(jobs[column])
    return data


def _largest(stretches: list[Stretch]) -> tuple[list[tuple[int, int, int]], int]:
    """The bars (stretch, first host, last host) to draw, and how many small ones are left out of a very long run."""
    bars = [(rank, low, high) for rank, stretch in enumerate(stretches) for low, high in stretch.hosts.runs]
    if len(bars) <= MOST_BARS:
        return bars, 0
    areas = [(high - low + 1) * (stretches[rank].finish - stretches[rank].start) for rank, low, high in bars]
    chosen = sorted(sorted(range(len(bars)), key=areas.__getitem__, reverse=True)[:MOST_BARS])
    return [bars[i] for i in chosen], len(bars) - MOST_BARS


def _curves(run: Run, first: float, last: float) -> list[dict[str, Any]]:
    """Named curves; ``top`` is where the axis ends, where that is known."""
    curves: list[dict[str, Any]] = []
    for name, unit, steps, top in (
        ("busy hosts", "", busy_hosts(run), run.hosts),
        ("waiting jobs", "", queue_length(run), None),
        ("power", "W", power(run), None),
        *[(name, unit, steps, None) for name, unit, steps in electricity(run)],
    ):
        if steps:
            values = [float(f"{value:.5g}") for value in binned(steps, first, last, BINS)]
            curves.append({"name": name, "unit": unit, "values": values, "top": top})
    return curves
