"""States of machines (JSSPP-OSP): what ACTIVE, HALT, MAINTENANCE and FAILURE do to hosts and to what runs there.

Whatever is not ACTIVE takes no new work. What runs on a failed or halted machine is lost; on one in maintenance too,
unless it is drained (``Options.on_maintenance``). A job that is lost may come back as a new one
(``Options.on_failure``), from zero or from its last checkpoint.

Each source of events (a list of them, the generated failures, a profile of the platform) has its own word on a
machine; the machine is in the gravest of the states it was given, and usable when nobody says otherwise. So a failure
that is repaired during a maintenance does not end it. An event injected from outside replaces all words.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from windtunnel.diagnostics import SimulationError
from windtunnel.engine.energy import accounting
from windtunnel.engine.jobs import execution
from windtunnel.engine.jobs.ending import end_job
from windtunnel.engine.jobs.submission import submit_job
from windtunnel.engine.state.world import World
from windtunnel.model import DelayProfile, ExternalEvent, HostSet, Job, JobRecord, JobState
from windtunnel.vocabulary import HostsBecameAvailable, HostsBecameUnavailable

__all__ = ["STATES", "change_availability", "change_state", "lose_job", "requeued", "unavailable_by_events"]

STATES: Final = ("ACTIVE", "HALT", "MAINTENANCE", "FAILURE")
_GRAVITY: Final = ("ACTIVE", "UNAVAILABLE", "MAINTENANCE", "HALT", "FAILURE")
_OFF: Final = ("HALT", "FAILURE")
_AVAILABILITY: Final = "availability"
"""The source of Batsim's machine_unavailable and machine_available, whichever list they are in."""
LOST: Final = -2
"""The return code of a job whose machine went away."""


def change_state(world: World, event: ExternalEvent, source: str | None) -> None:
    """A source gives machines a state (None: whoever speaks from outside); one they have already changes nothing."""
    state = str(event.attributes.get("state", ""))
    if state not in STATES:
        raise SimulationError(f"machine_state: unknown state {state!r}; known: {', '.join(STATES)}", now=world.now)
    cause = state + (f": {event.attributes['cause']}" if event.attributes.get("cause") else "")
    for (before, after), hosts in _given(world, event.hosts, source, state).items():
        if world.energy is not None:
            world.energy.set_off(world.now, hosts, off=after in _OFF)
        if after == "ACTIVE":
            _come_back(world, hosts, cause)
        elif after == state:
            if state != "MAINTENANCE" or world.options.on_maintenance != "drain":
                _lose_jobs(world, hosts, failed=state == "FAILURE")
            _go_away(world, hosts, cause)
        elif after != before:  # what another source says comes to light
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
    return HostSet(host for host in hosts if _AVAILABILITY in world.words.get(host, ()))


def _given(world: World, hosts: HostSet, source: str | None, state: str) -> dict[tuple[str, str], HostSet]:
    """Note what a source says; the hosts by the states they were in and are in now."""
    moves: dict[tuple[str, str], list[int]] = {}
    for host in hosts:
        words = world.words.setdefault(host, {})
        before = _gravest(words)
        if source is None:
            words.clear()
        words[source or ""] = state
        if state == "ACTIVE":
            del words[source or ""]
        moves.setdefault((before, _gravest(words)), []).append(host)
        if not words:
            del world.words[host]
    return {move: HostSet(numbers) for move, numbers in moves.items()}


def _gravest(words: Mapping[str, str]) -> str:
    return max(words.values(), key=_GRAVITY.index, default="ACTIVE")


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


def lose_job(world: World, record: JobRecord, *, failed: bool) -> None:
    """A running job ends because something that it uses is gone; by option it comes back as a new one."""
    for hook in world.hooks.kill:
        hook(world.now, record)
    again = None
    if world.options.on_failure == "requeue" and not record.dynamic:
        options = world.options
        period = options.checkpoint_interval and options.checkpoint_interval + options.checkpoint_cost
        again = requeued(record, world.now, period)
    if record.execution is not None:
        execution.cancel_job(world, record)
    else:
        accounting.sleep_ended(world, record)
    ending = JobState.COMPLETED_FAILED if failed else JobState.COMPLETED_KILLED
    if again is None:
        end_job(world, record, ending, LOST)
    else:
        _end_and_succeed(world, record, ending, again)


def _end_and_succeed(world: World, record: JobRecord, ending: JobState, again: Job) -> None:
    """A lost job ends and comes back; whoever depends on it waits for the new one."""
    lost = record.job.id
    names = (lost, *world.stands_for.pop(lost, ()))
    waiters = {name: world.waiting_for.pop(name) for name in names if name in world.waiting_for}
    end_job(world, record, ending, LOST)
    if world.done_ids is not None:
        world.done_ids.difference_update(names)
        world.waiting_for |= waiters
        world.stands_for[again.id] = names
    submit_job(world, again)


def requeued(record: JobRecord, now: float, period: float) -> Job:
    """The job that takes the place of one that was lost: ``w0!7#1`` after ``w0!7``, ``w0!7#2`` after that.

    ``period`` is the time from one checkpoint to the next (work and writing); a job that only lasts begins again
    after the last one. With 0, and for all other kinds of job, everything is done again.
    """
    job = record.job
    name, mark, attempt = job.id.rpartition("#")
    job_id = f"{name}#{int(attempt) + 1}" if mark and attempt.isdecimal() else f"{job.id}#1"
    profile = job.profile
    if period > 0 and isinstance(profile, DelayProfile):
        done = min((now - record.starting_time) // period * period, profile.delay)
        profile = msgspec.structs.replace(profile, delay=profile.delay - done)
    return msgspec.structs.replace(job, id=job_id, profile=profile, submission_time=now, dependencies=())
