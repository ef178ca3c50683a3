"""When calls and probes are due (batsim-protocol.md 9).

Periods are counted from the start of the simulation in whole units, so they do not drift; unlike upstream, periods
need not be multiples of each other and offsets are allowed.
"""

from heapq import heappop
from typing import Any, Final

from windtunnel.engine.state.refusal import refuse
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import Decision, OneShot, Periodic, TimeUnit

__all__ = ["check_date", "due_together", "first_tick", "seconds", "unit_date"]

_UNITS: Final = {TimeUnit.Second: 1, TimeUnit.Millisecond: 1000}
_FAR: Final = 1e300
"""Dates beyond this are none: whole numbers have no end, dates have."""


def seconds(when: Periodic, tick: int) -> float:
    """The date of a trigger: one division of whole numbers, hence no drift."""
    return (when.offset + tick * when.period) / _UNITS[when.time_unit]


def unit_date(when: OneShot) -> float:
    """The date (s) of a trigger that happens once."""
    return when.time / _UNITS[when.time_unit]


def due_together(world: World, kind: int, first: Any) -> list[Any]:
    """What is due with ``first``: all entries of a kind at the head of the calendar, taken off it."""
    found = [first]
    heap = world.heap
    while heap and heap[0][3] == kind and heap[0][0] <= world.horizon:
        _, _, _, _, payload, version = heappop(heap)
        if payload.version == version:
            found.append(payload)
    return found


def check_date(world: World, decision: Decision, when: OneShot) -> None:
    """Whether a trigger that happens once has a date."""
    trigger: Any = when  # whole numbers that no float can hold are refused, not converted
    if trigger.time > _FAR:
        refuse(world, decision, "date", f"{trigger.time!r:.50} is later than any date that can be simulated")
    if not trigger.time >= -_FAR:  # also not a number
        refuse(world, decision, "date", f"{trigger.time!r:.50} is not a valid time")


def first_tick(world: World, decision: Decision, when: Periodic) -> int:
    """The first trigger strictly after now."""
    trigger: Any = when
    if not 1 <= trigger.period <= _FAR:
        refuse(world, decision, "period", f"a period must be at least 1, not {trigger.period!r:.50}")
    if not -_FAR <= trigger.offset <= _FAR:
        refuse(world, decision, "period", f"{trigger.offset!r:.50} is not a valid offset of a period")
    if when.nb_periods is not None and when.nb_periods < 1:
        refuse(world, decision, "period", f"the number of periods must be at least 1, not {when.nb_periods}")
    elapsed = world.now * _UNITS[when.time_unit] - when.offset
    tick = max(0, int(elapsed // when.period))
    while seconds(when, tick) <= world.now:
        tick += 1
    return tick
