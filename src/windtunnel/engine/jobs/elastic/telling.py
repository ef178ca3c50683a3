"""What is told of elastic jobs at once, before what else is still to be told at the instant."""

from typing import Final

from windtunnel.engine.state.sessions import Session
from windtunnel.engine.state.world import World
from windtunnel.vocabulary import HostGpusChanged, JobGoesOn, JobProgressed, JobReconfigured, Notice

__all__ = ["tell_change", "tell_followers"]

_FIRST: Final = (HostGpusChanged, JobGoesOn, JobProgressed, JobReconfigured)


def tell_followers(world: World, notice: Notice) -> None:
    """Tell those who follow the phases of jobs."""
    for session in world.sessions:
        if session.follows_phases:
            _insert(session, notice)


def tell_change(world: World, notice: JobReconfigured) -> None:
    """Tell everybody that a job has changed its hosts; where notices are told alone, before all other kinds."""
    if not world.options.one_by_one:
        world.tell(notice)
        return
    for session in world.sessions:
        _insert(session, notice)


def _insert(session: Session, notice: Notice) -> None:
    """Behind what has been told like this already."""
    place = 0
    while place < len(session.outbox) and isinstance(session.outbox[place], _FIRST):
        place += 1
    session.outbox.insert(place, notice)
