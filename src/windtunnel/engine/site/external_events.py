"""External events: what happens to the site from outside (batsim-protocol.md 12, environment.md 6)."""

from typing import Final

from msgspec.structs import replace

from windtunnel.diagnostics import SimulationError
from windtunnel.engine.jobs.submission import submit_job
from windtunnel.engine.site.machines import change_availability, change_state, unavailable_by_events
from windtunnel.engine.state.calendar import EXTERNAL, NO_MORE, Priority
from windtunnel.engine.state.feeds import EventFeed
from windtunnel.engine.state.world import World
from windtunnel.model import ExternalEvent, HostSet, Job
from windtunnel.vocabulary import (
    AllStaticExternalEventsHaveBeenInjected,
    ExternalEventOccurred,
    Notice,
    WaitingTimeQueried,
)

__all__ = ["events_due", "inject", "no_more_events", "occur"]


def events_due(world: World, feed: EventFeed) -> None:
    """All events of a list that are due."""
    events = feed.source.events
    while feed.next < len(events):
        event = events[feed.next]
        if event.timestamp > world.horizon:
            world.push(event.timestamp, Priority.EXTERNAL, EXTERNAL, feed)
            return
        feed.next += 1
        occur(world, event, feed.source.name)
    world.events_left -= 1
    if world.events_left == 0:
        world.push(world.now, Priority.NO_MORE, NO_MORE, "events")
    else:
        world.unfinished -= 1


def no_more_events(world: World) -> None:
    """Say that the event lists are exhausted."""
    world.unfinished -= 1
    world.tell(AllStaticExternalEventsHaveBeenInjected(world.now))


def inject(world: World, payload: tuple[str, object]) -> None:
    """Something from outside has come in while the simulation runs (law 8)."""
    what, thing = payload
    world.unfinished -= 1
    if isinstance(thing, ExternalEvent):
        occur(world, thing, None)
    elif isinstance(thing, Job):
        if what == "estimate":
            world.tell(WaitingTimeQueried(world.now, thing))
        else:
            if thing.id in world.jobs or (world.used_ids is not None and thing.id in world.used_ids):
                raise SimulationError(f"the injected job {thing.id!r} exists already", now=world.now)
            if thing.profile.id:  # by which components may name it
                world.profiles.setdefault(thing.profile.id, thing.profile)
            if world.profile_uses is not None:
                from windtunnel.engine.jobs.registration import job_counts  # few runs let jobs be registered

                job_counts(world, thing)
            submit_job(world, replace(thing, submission_time=world.now))  # it waits from now on, not from time 0


_OF_HOSTS: Final = ("machine_unavailable", "machine_available", "machine_state")


def occur(world: World, event: ExternalEvent, source: str | None) -> None:
    """One external event happens; it comes from a list of this name, or (None) from outside."""
    if event.kind in _OF_HOSTS or event.hosts:
        _hosts_exist(world, event)  # first: what follows takes time for each host
    if event.kind == "machine_unavailable":
        _check(world, event, unavailable_by_events(world, event.hosts), "already unavailable")
        change_availability(world, event.hosts, available=False)
    elif event.kind == "machine_available":
        away = unavailable_by_events(world, event.hosts)
        _check(world, event, event.hosts - away, "not unavailable")
        change_availability(world, event.hosts, available=True)
    elif event.kind == "machine_state":
        change_state(world, event, source)
    else:
        _tell(world, ExternalEventOccurred(world.now, event.id, event.data, event.kind, event.attributes))


def _hosts_exist(world: World, event: ExternalEvent) -> None:
    size = world.hosts.size
    beyond = event.hosts - HostSet.span(size)
    if beyond:
        raise SimulationError(
            f"external event {event.kind!r}: there are no hosts {beyond} (the platform has {size})", now=world.now
        )


def _check(world: World, event: ExternalEvent, wrong: HostSet, what: str) -> None:
    if wrong:
        raise SimulationError(f"external event {event.kind!r}: hosts {wrong} are {what}", now=world.now)


def _tell(world: World, notice: Notice) -> None:
    world.tell(notice)
    for hook in world.hooks.external:
        hook(world.now, notice)
