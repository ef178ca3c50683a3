"""States of machines (JSSPP-OSP): what ACTIVE, HALT, MAINTENANCE and FAILURE do to hosts and to what runs there.

Whatever is not ACTIVE takes no new work. What runs on a failed or halted machine is lost; on one in maintenance too,
unless it is drained (``Options.on_maintenance``). A job that is lost may come back as a new one
(``Options.on_failure``), from zero or from its last checkpoint.

Each source of events (a list of them, the generated failures, a profile of the platform) gives a machine a state of
its own; the machine is in the gravest of these, and usable when no source says otherwise. So a failure that is
repaired during a maintenance does not end it. An event injected from outside replaces what all sources have said.
"""

from collections.abc import Mapping
from typing import Final

from windtunnel.diagnostics import SimulationError
from windtunnel.engine.jobs.requeueing import lose_job
from windtunnel.engine.state.world import World
from windtunnel.model import ExternalEvent, HostSet, JobState
from windtunnel.vocabulary import HostsBecameAvailable, HostsBecameUnavailable

__all__ = ["STATES", "change_availability", "change_state", "unavailable_by_events"]

STATES: Final = ("ACTIVE", "HALT", "MAINTENANCE", "FAILURE")
_GRAVITY: Final = ("ACTIVE", "UNAVAILABLE", "MAINTENANCE", "HALT", "FAILURE")
_OFF: Final = ("HALT", "FAILURE")
_AVAILABILITY: Final = "availability"
"""The source of Batsim's machine_unavailable and machine_available, whichever list they are in."""


def change_state(world: World, event: ExternalEvent, source: str | None) -> None:
    """A source gives machines a state (None: whoever speaks from outside); one they have already changes nothing."""
    state = str(event.attributes.get("state", ""))
    if state not in STATES:
        raise SimulationError(f"machine_state: unknown state {state!r}; known: {', '.join(STATES)}", now=world.now)
    cause = state + (f": {event.attributes['cause']}" if event.attributes.get("cause") else "")
    for (before, after), hosts in _given(world, event.hosts, source, state).items():
        if after == before:
            continue
        world.energy.set_off(hosts, off=after in _OFF)
        if after == "ACTIVE":
            _come_back(world, hosts, cause)
        elif after == state:
            if state != "MAINTENANCE" or world.options.on_maintenance != "drain":
                _lose_jobs(world, hosts, failed=state == "FAILURE")
            _go_away(world, hosts, cause)
        else:  # what another source says comes to light
            _go_away(world, hosts, after)


def change_availability(world: World, hosts: HostSet, *, available: bool) -> None:
    """Batsim's events: hosts take no new work, or do again; what runs there goes on."""
    state = "ACTIVE" if available else "UNAVAILABLE"
    for (_, after), changed in _given(world, hosts, _AVAILABILITY, state).items():
        if after == "ACTIVE":
            _come_back(world, changed, "")
        elif not available:
            _go_away(world, changed, "" if after == state else after)


def unavailable_by_events(world: World, hosts: HostSet) -> HostSet:
    """Those of the hosts that Batsim's events have made unavailable."""
    return HostSet(host for host in hosts if _AVAILABILITY in world.machine_states.get(host, ()))


def _given(world: World, hosts: HostSet, source: str | None, state: str) -> dict[tuple[str, str], HostSet]:
    """Note what a source says; the hosts by the states they were in and are in now."""
    moves: dict[tuple[str, str], list[int]] = {}
    for host in hosts:
        states = world.machine_states.setdefault(host, {})
        before = _gravest(states)
        if source is None:
            states.clear()
        states[source or ""] = state
        if state == "ACTIVE":
            del states[source or ""]
        moves.setdefault((before, _gravest(states)), []).append(host)
        if not states:
            del world.machine_states[host]
    return {move: HostSet(numbers) for move, numbers in moves.items()}


def _gravest(states: Mapping[str, str]) -> str:
    return max(states.values(), key=_GRAVITY.index, default="ACTIVE")


def _come_back(world: World, hosts: HostSet, cause: str) -> None:
    back = hosts & world.hosts.unavailable
    if back:
        world.hosts.make_available(back, world.now)
        _tell(world, HostsBecameAvailable(world.now, back, cause))


def _go_away(world: World, hosts: HostSet, cause: str) -> None:
    gone = hosts - world.hosts.unavailable
    if gone:
        world.hosts.make_unavailable(gone, world.now)
    _tell(world, HostsBecameUnavailable(world.now, hosts, cause))


def _tell(world: World, notice: HostsBecameAvailable | HostsBecameUnavailable) -> None:
    world.tell(notice)
    for hook in world.hooks.external:
        hook(world.now, notice)


def _lose_jobs(world: World, hosts: HostSet, *, failed: bool) -> None:
    """End what runs on hosts. A failure is rare: looking at all running jobs costs less than keeping an index."""
    lost = [
        record
        for record in world.jobs.values()
        if record.state is JobState.RUNNING and not record.hosts.isdisjoint(hosts)
    ]
    for record in lost:
        lose_job(world, record, failed=failed)
