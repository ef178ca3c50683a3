"""What happens at an instant: everything in the calendar, up to what a component hears of."""

from typing import Final

from windtunnel.engine.rounds.dialogue import apply_delayed
from windtunnel.engine.rounds.handlers import EVENTS
from windtunnel.engine.state.calendar import CALL, DECISION, on_paper, take_first
from windtunnel.engine.state.world import World

__all__ = ["HANDLERS", "happen", "to_tell"]

HANDLERS: Final = tuple(EVENTS.get(kind, apply_delayed) for kind in range(max(*EVENTS, DECISION) + 1))
"""By kind of event; delayed decisions are no event of the table."""


def to_tell(world: World) -> bool:
    """Whether a component has something to hear at this instant."""
    session = world.only_session
    if session is not None:
        return bool(session.outbox) and session.ready_at <= world.now
    return any(session.outbox and session.ready_at <= world.now for session in world.sessions)


def happen(world: World) -> None:
    """Everything in the calendar at the next instant (at this one, if something is to be told already)."""
    if world.sharing.changed:
        world.sharing.settle()
    heap = world.heap
    horizon = world.horizon
    stays = not world.going_on or to_tell(world)
    if world.options.one_by_one:
        _happen_one(world, stays=stays)
        return
    while heap and (not stays or heap[0][0] <= horizon):
        date, _, _, kind, payload, version = heap[0]
        take_first(heap)
        if version >= 0 and payload.version != version:
            continue
        if date > horizon:
            if kind != CALL:  # nobody is called before the date asked for
                date = on_paper(date)
            world.now = date
            world.horizon = horizon = date + 1e-9 + date * 1e-15
            world.rounds = 0
        stays = True
        HANDLERS[kind](world, payload)


def _happen_one(world: World, *, stays: bool) -> None:
    """The next events at this instant, up to the first of which a component hears."""
    heap = world.heap
    session = world.only_session
    while heap and (not stays or heap[0][0] <= world.horizon):
        if session is not None:
            if session.outbox and session.ready_at <= world.now:
                return
        elif to_tell(world):
            return
        date, _, _, kind, payload, version = heap[0]
        take_first(heap)
        if version >= 0 and payload.version != version:
            continue
        if date > world.horizon:
            world.now = date if kind == CALL else on_paper(date)
            world.horizon = world.now + 1e-9 + world.now * 1e-15
            world.rounds = 0
        stays = True
        HANDLERS[kind](world, payload)
        if world.sharing.changed:
            world.sharing.settle()
