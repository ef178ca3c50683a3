"""Calls that decision components ask for (batsim-protocol.md 9).

Periods are counted from the start of the simulation in whole units, so they do not drift; unlike upstream, periods
need not be multiples of each other and offsets are allowed.
"""

from heapq import heappop
from typing import Any, Final

import msgspec

from windtunnel.engine.events import CALL, PERIODIC
from windtunnel.engine.refusal import refuse
from windtunnel.engine.world import Priority, World
from windtunnel.vocabulary import CallMeLater, Decision, OneShot, Periodic, RequestedCall, StopCallMeLater, TimeUnit

__all__ = [
    "PeriodicCall",
    "call_due",
    "call_me_later",
    "check_date",
    "due_together",
    "first_tick",
    "periodic_due",
    "seconds",
    "stop_call_me_later",
    "unit_date",
]

_UNITS: Final = {TimeUnit.Second: 1, TimeUnit.Millisecond: 1000}
_FAR: Final = 1e300
"""Dates beyond this are none: whole numbers have no end, dates have."""


class PeriodicCall(msgspec.Struct, eq=False):
    """A periodic call that is alive; ``tick`` is the rank of its next trigger counted from date 0."""

    rank: int
    call_id: str
    when: Periodic
    tick: int
    done: int = 0
    version: int = 0


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
    if not -_FAR <= when.time <= _FAR:
        refuse(world, decision, "date", f"{when.time!r:.50} is no date")


def first_tick(world: World, decision: Decision, when: Periodic) -> int:
    """The first trigger strictly after now."""
    if not 1 <= when.period <= _FAR:
        refuse(world, decision, "period", f"a period must be at least 1, not {when.period!r:.50}")
    if not -_FAR <= when.offset <= _FAR:
        refuse(world, decision, "period", f"{when.offset!r:.50} is no offset of a period")
    if when.nb_periods is not None and when.nb_periods < 1:
        refuse(world, decision, "period", f"the number of periods must be at least 1, not {when.nb_periods}")
    elapsed = world.now * _UNITS[when.time_unit] - when.offset
    tick = max(0, int(elapsed // when.period))
    while seconds(when, tick) <= world.now:
        tick += 1
    return tick


def call_me_later(world: World, rank: int, decision: CallMeLater) -> None:
    """Plan one call, or a series."""
    when = decision.when
    if isinstance(when, OneShot):
        check_date(world, decision, when)
        world.push(max(unit_date(when), world.now), Priority.CALL, CALL, (rank, decision.call_me_later_id))
        world.open += 1
        return
    calls = world.seats[rank].calls
    if decision.call_me_later_id in calls:
        refuse(world, decision, "duplicate-call", f"a periodic call {decision.call_me_later_id!r} is alive already")
    call = PeriodicCall(rank, decision.call_me_later_id, when, first_tick(world, decision, when))
    calls[call.call_id] = call
    world.open += 1
    world.push(seconds(when, call.tick), Priority.PERIODIC, PERIODIC, call, call.version)


def call_due(world: World, payload: tuple[int, str]) -> None:
    """A one-shot call."""
    rank, call_id = payload
    world.open -= 1
    world.seats[rank].outbox.append(RequestedCall(world.now, call_id, last_periodic_call=False))


def periodic_due(world: World, call: PeriodicCall) -> None:
    """Periodic calls are due: all of this instant, by id."""
    for one in sorted(due_together(world, PERIODIC, call), key=lambda c: (c.rank, c.call_id)):
        _trigger(world, one)


def _trigger(world: World, call: PeriodicCall) -> None:
    """One trigger of a periodic call."""
    call.done += 1
    call.tick += 1
    last = call.when.nb_periods == call.done
    seat = world.seats[call.rank]
    seat.outbox.append(RequestedCall(world.now, call.call_id, last_periodic_call=last))
    if last:
        _drop(world, call)
    else:
        world.push(seconds(call.when, call.tick), Priority.PERIODIC, PERIODIC, call, call.version)


def _drop(world: World, call: PeriodicCall) -> None:
    call.version += 1
    del world.seats[call.rank].calls[call.call_id]
    world.open -= 1


def stop_call_me_later(world: World, rank: int, decision: StopCallMeLater) -> None:
    """Stop a periodic call; an unknown one is no fault (upstream warns)."""
    call = world.seats[rank].calls.get(decision.call_me_later_id)
    if call is not None:
        _drop(world, call)
