"""The dates at which waiting jobs may be better off though nothing happens."""

from math import inf
from typing import Final

from windtunnel.schedulers.slurm.loops.cancelling import last_start
from windtunnel.schedulers.slurm.loops.clocks import Clocks
from windtunnel.schedulers.slurm.state import State

__all__ = ["look_ahead"]

_ALL_PERIODS: Final = 8 * 86400
"""Seconds within which daily and weekly reservations begin and end."""
_TRIED_AGAIN: Final = 86400
"""Seconds without any change within which components of heterogeneous jobs are started, and given up, again."""


def look_ahead(state: State, clocks: Clocks, now: float, start_date: int, changed: int) -> None:
    """Ask for the full run after the next date at which jobs may be better off, and for cycles at reservations.

    ``start_date`` is Slurm's time at the start of the simulation, ``changed`` when a job last came or ended.
    """
    dates = [float(date - start_date) for date in _dates_ahead(state, changed) if date - start_date > now]
    for booked in _booked_dates(state, changed):
        dates.append(float(booked - start_date))
        clocks.expect_cycle(booked - start_date)
    if state.site.priority.multifactor and state.running and clocks.next_tick > now:
        dates.append(float(clocks.next_tick))
    clocks.expect(min(dates, default=inf))


def _dates_ahead(state: State, changed: int) -> list[int]:
    """Begin times, minutes after a start, and what follows the last start before a deadline (Slurm's time).

    Slurm puts off a heterogeneous job of which only some components have started, again and again; what has come to
    nothing for long, although nobody ran and nobody came (``changed``), is not waited for.
    """
    now = state.now
    found: list[int] = []
    put_off: list[int] = []
    for job in state.pending.values():
        if job.begin > now:
            (found if job.begin == job.ask.begin else put_off).append(job.begin)
        if job.dependent:
            found += state.dependencies.dates(job)
    for key in state.watched:
        latest = last_start(state.pending[key]) if key in state.pending else None
        if latest is not None and latest >= now:
            found.append(latest + 1)
    if put_off:
        last = _last_change(state, changed) + _TRIED_AGAIN
        found += [begin for begin in put_off if begin <= last]
    return found


def _last_change(state: State, changed: int) -> int:
    """When a job last came or ended, or one that still waits might begin as it asks."""
    asked = [job.ask.begin for job in state.pending.values() if job.ask.begin]
    return max([changed, *(begin for begin in asked if begin <= state.now)])


def _booked_dates(state: State, changed: int) -> list[int]:
    """The next begin and end of each reservation (Slurm's time), those that come again included.

    These come indefinitely. Once they have all come without any change since the last one (``changed``: a job came or
    ended, or might begin), nothing more is to be expected of them.
    """
    if not state.bookings:
        return []
    ends = [one.end for one in state.bookings.reservations.values()]
    latest = max([_last_change(state, changed), *ends]) + _ALL_PERIODS
    return [when for dates in state.bookings.ahead(state.now) for when in dates if when <= latest]
