"""Calls that decision components ask for (batsim-protocol.md 9)."""

from math import inf, nextafter

from mypy_extensions import mypyc_attr

from windtunnel.engine.state.calendar import CALL, PERIODIC, Priority
from windtunnel.engine.state.refusal import refuse
from windtunnel.engine.state.triggers import check_date, due_together, first_tick, seconds, unit_date
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import CallMeLater, OneShot, Periodic, RequestedCall, StopCallMeLater

__all__ = [
    "OneShotCalls",
    "PeriodicCall",
    "call_due",
    "call_me_later",
    "periodic_due",
    "stop_call_me_later",
]


@mypyc_attr(allow_interpreted_subclasses=True)
class OneShotCalls:
    """The calls of one id that happen once each, and are still due."""

    def __init__(self, rank: int, call_id: str) -> None:
        self.rank = rank
        self.call_id = call_id
        self.pending = 0
        self.version = 0


@mypyc_attr(allow_interpreted_subclasses=True)
class PeriodicCall:
    """A periodic call that is alive."""

    def __init__(self, rank: int, call_id: str, when: Periodic, tick: int) -> None:
        self.rank = rank
        self.call_id = call_id
        self.when = when
        self.tick = tick
        """The rank of its next trigger, counted from date 0."""
        self.done = 0
        self.version = 0


def call_me_later(world: World, rank: int, decision: CallMeLater) -> None:
    """Plan one call, or a series."""
    when = decision.when
    if isinstance(when, OneShot):
        check_date(world, decision, when)
        _plan_once(world, rank, decision.call_me_later_id, unit_date(when))
        return
    calls = world.sessions[rank].calls
    if decision.call_me_later_id in calls:
        refuse(world, decision, "duplicate-call", f"a periodic call {decision.call_me_later_id!r} is already active")
    call = PeriodicCall(rank, decision.call_me_later_id, when, first_tick(world, decision, when))
    calls[call.call_id] = call
    world.unfinished += 1
    world.push(seconds(when, call.tick), _priority(world), PERIODIC, call, call.version)


def _priority(world: World) -> int:
    """Where each notice is told alone, periodic calls come before all else at their date (ElastiSim)."""
    return Priority.FIRST if world.options.one_by_one else Priority.PERIODIC


def _plan_once(world: World, rank: int, call_id: str, date: float) -> None:
    if date <= world.now:
        date = world.now
    elif date <= world.horizon:  # whoever asks for a later date is never called before it, and again, and again
        date = nextafter(world.horizon, inf)
    session = world.sessions[rank]
    calls = session.calls_once.get(call_id)
    if calls is None:
        calls = session.calls_once[call_id] = OneShotCalls(rank, call_id)
    calls.pending += 1
    world.unfinished += 1
    world.push(date, Priority.CALL, CALL, calls, calls.version)


def call_due(world: World, calls: OneShotCalls) -> None:
    """A one-shot call."""
    world.unfinished -= 1
    calls.pending -= 1
    session = world.sessions[calls.rank]
    if not calls.pending:
        del session.calls_once[calls.call_id]
    session.outbox.append(RequestedCall(world.now, calls.call_id, last_periodic_call=False))


def periodic_due(world: World, call: PeriodicCall) -> None:
    """Periodic calls are due: all of this instant, by id."""
    for one in sorted(due_together(world, PERIODIC, call), key=lambda c: (c.rank, c.call_id)):
        _trigger(world, one)


def _trigger(world: World, call: PeriodicCall) -> None:
    """One trigger of a periodic call."""
    call.done += 1
    call.tick += 1
    last = call.when.nb_periods == call.done
    session = world.sessions[call.rank]
    session.outbox.append(RequestedCall(world.now, call.call_id, last_periodic_call=last))
    if last:
        _drop(world, call)
    else:
        world.push(seconds(call.when, call.tick), _priority(world), PERIODIC, call, call.version)


def _drop(world: World, call: PeriodicCall) -> None:
    call.version += 1
    del world.sessions[call.rank].calls[call.call_id]
    world.unfinished -= 1


def stop_call_me_later(world: World, rank: int, decision: StopCallMeLater) -> None:
    """Stop the calls of an id, periodic or not; an unknown one is not a fault: it may have come to its end."""
    session = world.sessions[rank]
    call = session.calls.get(decision.call_me_later_id)
    if call is not None:
        _drop(world, call)
    once = session.calls_once.pop(decision.call_me_later_id, None)
    if once is not None:
        once.version += 1
        world.unfinished -= once.pending
    if call is None and once is None:
        reason = "a call is stopped that does not exist: it was never requested, or has ended"
        world.ignore("unknown-call", reason, decision.call_me_later_id)
