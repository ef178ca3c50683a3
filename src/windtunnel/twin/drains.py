"""Nodes that a log implies were not there: nothing ran on them for long, while jobs that would have fitted waited.

A job counts from when it could start (Eligible) on nodes that have the memory, features and devices it asks for; not
if it waits for licences, a reservation, named nodes or other tasks of its array.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

import msgspec

from windtunnel.formats.slurm.values import expand_hosts
from windtunnel.model import EventList, ExternalEvent, HostSet, Platform
from windtunnel.twin.fitting import Fitting
from windtunnel.twin.replay import Outcome

__all__ = ["Drain", "as_events", "drains_in"]

SHORTEST: Final = 4 * 3600.0
"""Shorter gaps (s) say nothing."""
_WAITING: Final = 0.8
"""For this share of a gap at least one job must have waited that would have fitted."""


class Drain(msgspec.Struct, frozen=True):
    """A node, and when it was not there (seconds of the log)."""

    node: str
    start: float
    end: float


def drains_in(jobs: Sequence[Outcome], platform: Platform) -> list[Drain]:
    """The gaps of each node, by node and date. Jobs of one node that are no larger than the node count as fitting."""
    busy: dict[str, list[tuple[float, float]]] = {host.name: [] for host in platform.hosts}
    for one in jobs:
        start = one.submitted + one.waited
        for name in _nodes(one):
            if name in busy:
                busy[name].append((start, start + one.ran))
    end = max((one.submitted + one.waited + one.ran for one in jobs), default=0.0)
    found = []
    queues: dict[tuple[object, ...], list[tuple[float, float]]] = {}
    fitting = Fitting(platform)
    waiting = [one for one in jobs if one.waited > one.ready and fitting.waits(one)]
    for place, host in enumerate(platform.hosts):
        names = host.properties.get("partition", "")
        key = names, host.cores, fitting.kind(place)
        if key not in queues:
            there = [one for one in waiting if one.processors <= host.cores and fitting.holds(place, one)]
            queues[key] = _waits(there, set(names.split(",")))
        for low, high in _gaps(busy[host.name], end):
            if high - low >= SHORTEST and _covered(queues[key], low, high) >= _WAITING * (high - low):
                found.append(Drain(host.name, low, high))
    return found


def _nodes(one: Outcome) -> list[str]:
    try:
        return expand_hosts(one.nodes) if one.nodes and " " not in one.nodes else []
    except ValueError:
        return []


def _waits(jobs: Sequence[Outcome], partitions: set[str]) -> list[tuple[float, float]]:
    """When at least one job of the partitions waited though it could have started, as separate intervals."""
    spans = sorted(
        (one.submitted + one.ready, one.submitted + one.waited)
        for one in jobs
        if one.partition in partitions or partitions == {""}
    )
    joined: list[tuple[float, float]] = []
    for low, high in spans:
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return joined


def _gaps(spans: list[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    gaps, free = [], 0.0
    for low, high in sorted(spans):
        if low > free:
            gaps.append((free, low))
        free = max(free, high)
    return [*gaps, (free, end)] if end > free else gaps


def _covered(spans: list[tuple[float, float]], low: float, high: float) -> float:
    first = max(0, bisect_right(spans, (low, low)) - 1)
    total = 0.0
    for start, stop in spans[first:]:
        if start >= high:
            break
        total += max(0.0, min(stop, high) - max(start, low))
    return total


def as_events(drains: Sequence[Drain], platform: Platform) -> EventList:
    """The drains as external events: hosts become unavailable, and available again."""
    numbers = {host.name: host.id for host in platform.hosts}
    events = []
    for one in drains:
        for date, kind in ((one.start, "machine_unavailable"), (one.end, "machine_available")):
            events.append(ExternalEvent(timestamp=date, kind=kind, hosts=HostSet([numbers[one.node]])))
    return EventList(name="drains", events=tuple(sorted(events, key=lambda event: event.timestamp)))
