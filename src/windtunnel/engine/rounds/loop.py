"""The run loop: one causal round, one message (law 2).

A round is: everything in the calendar at this instant, then one message to each component that has something to hear,
then the decisions of all, in the order of the components. What these cause at the same instant is the next round.
"""

from collections import Counter
from collections.abc import Sequence
from heapq import heappop
from math import inf
from time import perf_counter
from typing import Any, Final

from msgspec.structs import astuple

from windtunnel.diagnostics import DeadlockError, LivelockError, SimulationError, UsageError
from windtunnel.engine.energy.choice import simulate_energy
from windtunnel.engine.jobs.deadlock import diagnose
from windtunnel.engine.jobs.ending import end_job
from windtunnel.engine.jobs.registration import count_profile_uses, offer_jobs
from windtunnel.engine.jobs.starting import execute_job
from windtunnel.engine.jobs.submission import submit_first
from windtunnel.engine.jobs.workflows import begin_workflow
from windtunnel.engine.rounds.dialogue import (
    FAULTS,
    Stopped,
    apply_delayed,
    ask,
    at_once,
    checked_reply,
    explain,
    forget_ended,
    raised,
    take,
)
from windtunnel.engine.rounds.handlers import EVENTS
from windtunnel.engine.site.conditions import plan_conditions
from windtunnel.engine.state.calendar import (
    CALL,
    COMPILED,
    DECISION,
    EXTERNAL,
    JOB_END,
    ROUNDING,
    SUBMIT,
    Priority,
    on_paper,
    take_first,
)
from windtunnel.engine.state.feeds import EventFeed, Submitter
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord, JobState, Workflow
from windtunnel.model.abilities import has_dependencies
from windtunnel.vocabulary import Component, ExecuteJob, Reply, SimulationBegins, SimulationEnds

__all__ = ["begin", "next_date", "round_once", "run_to"]

_HANDLERS: Final = tuple(EVENTS.get(kind, apply_delayed) for kind in range(max(*EVENTS, DECISION) + 1))
"""By kind of event; delayed decisions are no event of the table."""

# Bound once: compiled code looks up what comes from other modules each time.
_heappop: Final = heappop
_perf_counter: Final = perf_counter
_Reply: Final = Reply
_ExecuteJob: Final = ExecuteJob
_astuple: Final = astuple


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
        count_profile_uses(world)
    if any(session.features.forward_profiles_on_simulation_begins for session in world.sessions):
        profiles = dict(world.profiles)
    if any(map(has_dependencies, world.workloads)):
        world.done_ids = set()
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
            )
        )
    world.stage = "begun"


def _fill_calendar(world: World) -> None:
    """Static work starts after SimulationBegins was answered."""
    for workload in world.workloads:
        world.unfinished += 1
        world.static_left += 1
        if isinstance(workload, Workflow):
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
    plan_conditions(world)
    world.stage = "running"


def run_to(world: World, components: Sequence[Component], until: float) -> bool:
    """Hold rounds up to and including the date ``until``; False when the run is over."""
    together = not world.options.one_by_one
    while world.stage != "over":
        if together and world.only_session is not None and world.stage == "running" and world.now <= until:
            _rounds_alone(world, components[0], until)
            if world.stage == "over":
                break
        if until < inf and next_date(world) > until:
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
        _happen(world)
        if world.unannounced:
            offer_jobs(world)
        if _ask_all(world, components):
            return
        if not world.going_on:
            _end(world, components)
        elif not world.heap and not world.sharing.changed:
            raise DeadlockError(diagnose(world), now=world.now)
    except Stopped as stop:
        _stop(world, components, stop)


def _happen(world: World) -> None:
    """Everything in the calendar at the next instant (at this one, if something is to be told already)."""
    if world.sharing.changed:
        world.sharing.settle()
    heap = world.heap
    horizon = world.horizon
    stays = not world.going_on or _to_tell(world)
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
        _HANDLERS[kind](world, payload)


def _happen_one(world: World, *, stays: bool) -> None:
    """The next events at this instant, up to the first of which a component hears."""
    heap = world.heap
    session = world.only_session
    while heap and (not stays or heap[0][0] <= world.horizon):
        if session is not None:
            if session.outbox and session.ready_at <= world.now:
                return
        elif _to_tell(world):
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
        _HANDLERS[kind](world, payload)
        if world.sharing.changed:
            world.sharing.settle()


def _rounds_alone(world: World, component: Component, until: float) -> None:
    """Rounds up to a date with the one component there is, for as long as it has something to hear in each.

    The same as :func:`round_once` again and again, in one loop: long runs spend their time here. (CPython 3.11
    specialises the code of a loop that is entered once only if it ends in an unconditional jump: ``while True``.)
    That both are equal is tested on random runs.
    """
    session = world.sessions[0]
    heap: list[Any] = world.heap  # entries are looked into one by one: compiled code would read all of each
    jobs, told = world.jobs, world.to_forget
    calls = world.hooks.call
    decide: Any = at_once(component) if world.strict and not calls else None
    bare = decide is not None
    if decide is None:
        decide = component.decide
    limit = world.options.max_rounds
    strict = world.strict
    rounding = ROUNDING
    now, horizon, rounds = world.now, world.horizon, world.rounds
    spent = 0.0
    entry: tuple[Any, ...]
    date: float
    kind: int
    version: int
    record: JobRecord
    submitter: Submitter
    try:
        while True:
            if not world.unfinished and len(jobs) == len(told):
                return
            if world.sharing.changed:
                world.sharing.settle()
            notices = session.outbox
            if not notices or session.ready_at > now:
                if not heap:
                    return
                entry = heap[0]
                date, _, _, kind, payload, version = entry
                if kind == JOB_END:
                    record = payload
                    if record.version != version:
                        take_first(heap)
                        continue
                elif kind == SUBMIT:
                    submitter = payload
                    if submitter.version != version:
                        take_first(heap)
                        continue
                elif version >= 0 and payload.version != version:
                    take_first(heap)
                    continue
                if date > until:
                    return
                if date > horizon:
                    if (
                        date + rounding - rounding != date  # whole seconds are as they are, most others too
                        and date != (date * 1e6 + rounding - rounding) / 1e6
                        and kind != CALL
                    ):
                        date = on_paper(date)
                    world.now = now = date
                    world.horizon = horizon = date + 1e-9 + date * 1e-15
                    rounds = 0
                if kind == SUBMIT:  # the most frequent two are called directly
                    submit_first(world, submitter, entry)
                else:
                    if COMPILED:
                        take_first(heap)
                    else:
                        _heappop(heap)
                    if kind == JOB_END:
                        end_job(world, record)
                    else:
                        _HANDLERS[kind](world, payload)
            while heap:
                entry = heap[0]
                date = entry[0]
                if date > horizon:
                    break
                _, _, _, kind, payload, version = entry
                if kind == SUBMIT:
                    submitter = payload
                    if submitter.version == version:
                        submit_first(world, submitter, entry)
                    else:
                        take_first(heap)
                    continue
                take_first(heap)
                if kind == JOB_END:
                    record = payload
                    if record.version == version:
                        end_job(world, record)
                elif version < 0 or payload.version == version:
                    _HANDLERS[kind](world, payload)
            notices = session.outbox
            if not notices or session.ready_at > now or rounds >= limit:
                return
            rounds += 1
            session.outbox = []
            if session.apart:
                session.outbox, session.apart = session.apart, session.outbox
            if told:
                if world.profile_uses is None:
                    while told:
                        del jobs[told.pop()]
                else:
                    forget_ended(world)
            start = _perf_counter()
            try:
                answer: Any = decide(now, notices)  # no declared type is taken on trust
            except (SimulationError, UsageError):
                raise
            except (Exception, SystemExit) as fault:
                raise raised(world, session, notices, fault) from fault
            took = _perf_counter() - start
            spent += took
            if bare:
                decisions: Any = answer
            else:
                if type(answer) is not _Reply:
                    answer = checked_reply(world, session, answer)
                reply: Reply = answer
                decisions = reply.decisions
                if type(decisions) is not list:
                    reply = checked_reply(world, session, reply)
                for hook in calls:
                    hook(now, notices, reply, took)
                if reply.now != now or (decisions and not strict):
                    take(world, session, reply, notices[0].timestamp)
                    continue
            if decisions:
                for decision in decisions:  # what take does, without a call, while there is nothing but executions
                    if type(decision) is not _ExecuteJob:
                        break
                    given: tuple[Any, ...] = _astuple(decision)
                    if given[7] is not None:  # its timestamp
                        break
                    try:
                        execute_job(world, 0, decision, given)
                    except FAULTS as fault:
                        explain(world, decision, fault)
                else:
                    continue
                take(world, session, _Reply(now, decisions), notices[0].timestamp, decision)
    except Stopped as stop:
        _stop(world, (component,), stop)
    finally:
        world.rounds = rounds
        session.scheduling_time += spent


def _to_tell(world: World) -> bool:
    """Whether a component has something to hear at this instant."""
    session = world.only_session
    if session is not None:
        return bool(session.outbox) and session.ready_at <= world.now
    return any(session.outbox and session.ready_at <= world.now for session in world.sessions)


def _ask_all(world: World, components: Sequence[Component]) -> bool:
    """One message to each component that has something to hear; whether there was any."""
    if not _to_tell(world):
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
        offer_jobs(world)
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


def _stop(world: World, components: Sequence[Component], stop: Stopped) -> None:
    """A component has stopped the run: nothing more happens, only the end is told (batsim-protocol.md 16)."""
    world.stopped = _cut_short(world, stop)
    world.heap.clear()
    world.stage = "over"
    for session in world.sessions:
        session.outbox.clear()
        ask(world, session, components[session.rank], [SimulationEnds(world.now)])


def _cut_short(world: World, stop: Stopped) -> str:
    """Who has stopped the run, and what will never be."""
    states = Counter(record.state for record in world.jobs.values())
    left = sum(entry[4].left for entry in world.heap if entry[3] == SUBMIT and entry[4].version == entry[5])
    left += sum(map(len, world.waiting_for.values()))
    later = stop.dropped + sum(1 for entry in world.heap if entry[3] == DECISION)
    parts = [
        (states[JobState.RUNNING], "running"),
        (states[JobState.SUSPENDED], "suspended"),
        (states[JobState.SUBMITTED], "waiting"),
        (left, "not submitted yet"),
    ]
    jobs = ", ".join(f"{count} {what}" for count, what in parts if count) or "none left"
    decisions = f"; {later} later decisions were not carried out" if later else ""
    return f"stopped by the decision component {stop.name!r} at {world.now:g} s (jobs: {jobs}){decisions}"
