"""Step functions of a run over time: busy hosts, waiting jobs, power; and their means over equal bins."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from windtunnel.results.run import Run

__all__ = ["Steps", "binned", "busy_hosts", "electricity", "power", "queue_length", "steps_of"]

_ELECTRICITY: Final = (
    ("grid_watts", "power of the grid", "W"),
    ("generation_watts", "generation", "W"),
    ("battery_watts", "what the battery takes", "W"),
    ("cap_watts", "power cap of the machines", "W"),
    ("carbon_intensity", "carbon intensity", "g/kWh"),
    ("price", "price", ""),
)
"""Columns of ``power.csv`` that are drawn, with names and units."""

Steps = list[tuple[float, float]]
"""(date in s, value from then on), dates ascending."""


def steps_of(changes: Iterable[tuple[float, float]]) -> Steps:
    """The running sum of changes at dates."""
    merged: dict[float, float] = {}
    for date, change in changes:
        merged[date] = merged.get(date, 0.0) + change
    steps = []
    value = 0.0
    for date in sorted(merged):
        value += merged[date]
        steps.append((date, value))
    return steps


def busy_hosts(run: Run) -> Steps:
    """Hosts held by jobs; a host that jobs share counts for each of them."""
    changes: list[tuple[float, float]] = []
    for stretch in run.stretches():
        size = float(len(stretch.hosts))
        changes.append((stretch.start, size))
        changes.append((stretch.finish, -size))
    return steps_of(changes)


def queue_length(run: Run) -> Steps:
    """Jobs that were submitted and had not started; without rejected ones, whose end of waiting is not recorded."""
    changes: list[tuple[float, float]] = []
    for submitted, start in run.jobs.select("submission_time", "starting_time").iter_rows():
        if start is not None:
            changes.append((submitted, 1.0))
            changes.append((start, -1.0))
    return steps_of(changes)


def power(run: Run) -> Steps:
    """Mean power (W) of all hosts between the rows of ``consumed_energy.csv``; empty without that file."""
    energy = run.frame("consumed_energy.csv")
    if energy is None or energy.height < 2:
        return []
    rows = list(energy.select("time", "energy").iter_rows())
    steps = [(a, (joules - before) / (b - a)) for (a, before), (b, joules) in pairwise(rows) if b > a]
    return [*steps, (rows[-1][0], 0.0)]


def electricity(run: Run) -> list[tuple[str, str, Steps]]:
    """Name, unit and means of quarters of an hour of what ``power.csv`` has of a site, where it was asked for."""
    table = run.frame("power.csv")
    if table is None or not table.height:
        return []
    asked = {} if run.state is None else run.state.facts.get("electricity", {})
    found = []
    for column, name, unit in _ELECTRICITY:
        if column in table.columns and not table[column].null_count():
            rows = list(table.select("time", "seconds", column).iter_rows())
            steps = [(date, float(value)) for date, _, value in rows]
            steps.append((rows[-1][0] + rows[-1][1], 0.0))
            found.append((name, unit or str(asked.get("price_unit", "")), steps))
    return found


def binned(steps: Sequence[tuple[float, float]], first: float, last: float, bins: int) -> list[float]:
    """The mean of a step function over each of ``bins`` equal parts of [first, last]."""
    if last <= first or not steps:
        return [0.0] * bins
    width = (last - first) / bins
    sums = [0.0] * bins
    for (since, value), (until, _) in pairwise([*steps, (last, 0.0)]):
        start, end = max(since, first), min(until, last)
        if not value or end <= start:
            continue
        low = min(int((start - first) / width), bins - 1)
        high = min(int((end - first) / width), bins - 1)
        if low == high:
            sums[low] += value * (end - start)
            continue
        sums[low] += value * (first + (low + 1) * width - start)
        for i in range(low + 1, high):
            sums[i] += value * width
        sums[high] += value * (end - first - high * width)
    return [total / width for total in sums]
