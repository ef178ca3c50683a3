"""The run loop: one causal round, one message (law 2).

A round is: everything in the calendar at this instant, then one message to each component that has something to hear,
then the decisions of all, in the order of the components. What these cause at the same instant is the next round.
"""

from collections.abc import Sequence
from math import inf

from windtunnel.diagnostics import DeadlockError, LivelockError
from windtunnel.engine.energy.choice import simulate_energy
from windtunnel.engine.rounds.dialogue import Stopped, ask, forget_ended, is_brief, take
from windtunnel.engine.rounds.happening import happen, to_tell
from windtunnel.engine.rounds.in_brief import rounds_in_brief
from windtunnel.engine.rounds.one_component import rounds_of_one
from windtunnel.engine.rounds.stopping import stop_run
from windtunnel.engine.state.calendar import EXTERNAL, SUBMIT, Priority, take_first
from windtunnel.engine.state.feeds import EventFeed, Submitter
from windtunnel.engine.state.world import World
from windtunnel.model import Workflow
from windtunnel.model.abilities import has_dependencies
from windtunnel.model.platform import kinds_of
from windtunnel.vocabulary import Component, ExplainsDeadlocks, SimulationBegins, SimulationEnds

__all__ = ["begin", "next_date", "round_once", "run_to", "stuck"]


def begin(world: World, components: Sequence[Component]) -> None:
    """Say hello to the components and fill the calendar; the first round is then SimulationBegins, alone."""
    for session, component in zip(world.sessions, components, strict=True):
        hello = component.hello()
        session.name = session.name or hello.name
        for hook in world.hooks.hello:
            hook(world.now, session.name, hello)
        session.features = hello.features
        session.forwards_profiles = hello.features.forward_profiles_on_job_submission
        session.follows_others = hello.follow_others
        session.follows_phases = hello.follow_phases
        session.registering = hello.features.dynamic_registration
        world.unfinished += session.registering
    profiles = {}
    for workload in world.workloads:
        world.profiles.update(workload.profiles)
    if any(session.registering for session in world.sessions):
        from windtunnel.engine.jobs.registration import count_profile_uses

        count_profile_uses(world)
    if any(session.features.forward_profiles_on_simulation_begins for session in world.sessions):
        profiles = dict(world.profiles)
    if any(map(has_dependencies, world.workloads)):
        world.done_ids = {}
    workflows = any(isinstance(workload, Workflow) for workload in world.workloads)
    world.linked = workflows or world.done_ids is not None or len(world.sessions) > 1
    simulate_energy(world)
    for hook in world.hooks.begin:
        hook(world.now, world.platform, world.workloads)
    for session in world.sessions:
        wanted = profiles if session.features.forward_profiles_on_simulation_begins else None
        options = world.options
        session.outbox.append(
            SimulationBegins(
                world.now,
                world.platform,
                world.workloads,
                world.event_lists,
                options.compute_sharing,
                options.storage_sharing,
                options.forward,
                wanted,
                signals={} if world.billing is None else world.billing.signals,
            )
        )
    world.stage = "begun"


def _fill_calendar(world: World) -> None:
    """Static work starts after SimulationBegins was answered."""
    for workload in world.workloads:
        world.unfinished += 1
        world.static_left += 1
        if isinstance(workload, Workflow):
            from windtunnel.engine.jobs.workflows import begin_workflow

            begin_workflow(world, workload)
            continue
        submitter = Submitter(workload)
        first = max(world.options.first_submission, workload[0].submission_time) if submitter.size else 0.0
        world.push(first, Priority.SUBMISSION, SUBMIT, submitter, submitter.version)
        if world.options.end_with_workflows:
            world.submitters.append(submitter)
    for events in world.event_lists:
        first = events.events[0].timestamp if events.events else 0.0
        world.push(first, Priority.EXTERNAL, EXTERNAL, EventFeed(events))
        world.unfinished += 1
        world.events_left += 1
    site = world.platform
    kinds = (*kinds_of(site.hosts), *site.storages)
    if site.network is not None or any(kind.speed_profile or kind.state_profile for kind in kinds):
        from windtunnel.engine.site.conditions import plan_conditions

        plan_conditions(world)
    world.stage = "running"


def run_to(world: World, components: Sequence[Component], until: float, *, patient: bool = False) -> bool:
    """Hold rounds up to and including the date ``until``; False when the run is over.

    A patient run ends before a deadlock, rather than with it.
    """
    together = not world.options.one_by_one
    while world.stage != "over":
        if together and world.only_session is not None and world.stage == "running" and world.now <= until:
            rounds = rounds_in_brief if is_brief(world, components[0]) else rounds_of_one
            rounds(world, components[0], until)
            if world.stage == "over":
                break
        if until < inf and next_date(world) > until:
            return True
        if patient and stuck(world, components):
            return True
        round_once(world, components)
    return False


def next_date(world: World) -> float:
    """When the next round is; the present if something is to be told already."""
    now = world.now
    for session in world.sessions:
        if session.outbox and session.ready_at <= now:
            return now
    if world.sharing.changed:
        world.sharing.settle()
    heap = world.heap
    while heap:
        entry = heap[0]
        version = entry[5]
        if version >= 0 and entry[4].version != version:
            take_first(heap)
            continue
        return entry[0] if world.going_on else now
    return now


def round_once(world: World, components: Sequence[Component]) -> None:
    """Hold one round."""
    try:
        if world.stage == "begun":
            _ask_all(world, components)
            _fill_calendar(world)
            return
        happen(world)
        if world.unannounced:
            _offer_jobs(world)
        if _ask_all(world, components):
            return
        if not world.going_on:
            _end(world, components)
        elif not world.heap and not world.sharing.changed:
            raise DeadlockError(_diagnosed(world, components), now=world.now)
    except Stopped as stop:
        stop_run(world, components, stop)


def _diagnosed(world: World, components: Sequence[Component]) -> str:
    from windtunnel.engine.jobs.deadlock import diagnose

    told = [one.why_stuck() for one in components if isinstance(one, ExplainsDeadlocks)]
    return "\n".join((diagnose(world), *[f"  {reason}." for reason in told if reason]))


def stuck(world: World, components: Sequence[Component]) -> str:
    """Why the next round would find a deadlock, and fail; empty if it would not."""
    if world.stage != "running" or to_tell(world) or next_date(world) > world.now or world.heap:
        return ""
    return _diagnosed(world, components) if world.going_on and not world.sharing.changed else ""


def _offer_jobs(world: World) -> None:
    from windtunnel.engine.jobs.registration import offer_jobs

    offer_jobs(world)


def _ask_all(world: World, components: Sequence[Component]) -> bool:
    """One message to each component that has something to hear; whether there was any."""
    if not to_tell(world):
        return False
    now = world.now
    world.rounds += 1
    if world.rounds > world.options.max_rounds:
        raise LivelockError(
            f"the decision components kept this instant alive for {world.options.max_rounds} rounds", now=now
        )
    session = world.only_session
    if session is not None:
        notices, session.outbox, session.apart = session.outbox, session.apart, []
        if world.options.one_by_one:
            if len(notices) > 1:
                session.outbox = [*notices[1:], *session.outbox]
                del notices[1:]
            if world.to_forget and not session.outbox:
                forget_ended(world)
        elif world.to_forget:
            forget_ended(world)
        take(world, session, ask(world, session, components[0], notices), notices[0].timestamp)
        return True
    asked = [(session, session.outbox) for session in world.sessions if session.outbox and session.ready_at <= now]
    for session, _ in asked:
        session.outbox, session.apart = session.apart, []
    if world.to_forget and not any(session.outbox for session in world.sessions):
        forget_ended(world)
    replies = [
        (session, notices[0].timestamp, ask(world, session, components[session.rank], notices))
        for session, notices in asked
    ]
    for session, earliest, reply in replies:
        take(world, session, reply, earliest)
    if world.unannounced:
        _offer_jobs(world)
    return True


def _end(world: World, components: Sequence[Component]) -> None:
    """Everything is over: say so; what the answers still ask for is done before the end."""
    if world.stage == "ending":
        world.stage = "over"
        return
    world.stage = "ending"
    world.heap.clear()
    for session in world.sessions:
        session.outbox.append(SimulationEnds(world.now))
    _ask_all(world, components)
    if not world.going_on and not any(session.outbox for session in world.sessions):
        world.stage = "over"
