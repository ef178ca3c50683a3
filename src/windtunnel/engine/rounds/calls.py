"""Calls that decision components ask for (batsim-protocol.md 9)."""

import msgspec

from windtunnel.engine.state.calendar import CALL, PERIODIC
from windtunnel.engine.state.refusal import refuse
from windtunnel.engine.state.triggers import check_date, due_together, first_tick, seconds, unit_date
from windtunnel.engine.state.world import Priority, World
from windtunnel.vocabulary import CallMeLater, OneShot, Periodic, RequestedCall, StopCallMeLater

__all__ = [
    "PeriodicCall",
    "call_due",
    "call_me_later",
    "periodic_due",
    "stop_call_me_later",
]


class PeriodicCall(msgspec.Struct, eq=False):
    """A periodic call that is alive; ``tick`` is the rank of its next trigger counted from date 0."""

    rank: int
    call_id: str
    when: Periodic
    tick: int
    done: int = 0
    version: int = 0


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
