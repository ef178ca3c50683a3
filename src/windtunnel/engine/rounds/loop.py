"""The run loop: one causal round, one message (law 2).

A round is: everything in the calendar at this instant, then one message to each component that has something to hear,
then the decisions of all, in the order of the components. What these cause at the same instant is the next round.
"""

from collections.abc import Sequence
from heapq import heappop
from math import inf
from time import perf_counter

from windtunnel.diagnostics import DeadlockError, LivelockError, SimulationError, UsageError
from windtunnel.engine.energy.accounting import make_power
from windtunnel.engine.jobs.deadlock import diagnose
from windtunnel.engine.jobs.registration import count_profile_uses, offer_jobs
from windtunnel.engine.jobs.workflows import begin_flow
from windtunnel.engine.rounds.dialogue import Stopped, apply_delayed, ask, check_reply, forget_told, raised, take
from windtunnel.engine.rounds.handlers import EVENTS
from windtunnel.engine.sharing.model import settle
from windtunnel.engine.site.conditions import plan_conditions
from windtunnel.engine.state.calendar import DECISION, EXTERNAL, SUBMIT
from windtunnel.engine.state.world import EventFeed, Priority, Submitter, World
from windtunnel.model import Workflow
from windtunnel.vocabulary import Component, Reply, SimulationBegins, SimulationEnds

__all__ = ["begin", "next_date", "round_once", "run_to"]

_HANDLERS = tuple(EVENTS.get(kind, apply_delayed) for kind in range(max(*EVENTS, DECISION) + 1))
"""By kind of event; delayed decisions are no event of the table."""


def begin(world: World, components: Sequence[Component]) -> None:
    """Say hello to the components and fill the calendar; the first round is then SimulationBegins, alone."""
    for seat, component in zip(world.seats, components, strict=True):
        hello = component.hello()
        seat.name = seat.name or hello.name
        seat.features = hello.features
        seat.registering = hello.features.dynamic_registration
        world.open += seat.registering
    profiles = {}
    for workload in world.workloads:
        world.profiles.update(workload.profiles)
    if any(seat.registering for seat in world.seats):
        count_profile_uses(world)
    if any(seat.features.forward_profiles_on_simulation_begins for seat in world.seats):
        profiles = dict(world.profiles)
    if any(getattr(workload, "has_dependencies", False) for workload in world.workloads):
        world.done_ids = set()
    make_power(world)
    for hook in world.hooks.begin:
        hook(world.now, world.platform, world.workloads)
    for seat in world.seats:
        wanted = profiles if seat.features.forward_profiles_on_simulation_begins else None
        options = world.options
        seat.outbox.append(
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
        world.open += 1
        world.static_left += 1
        if isinstance(workload, Workflow):
            begin_flow(world, workload)
            continue
        submitter = Submitter(workload)
        first = max(world.options.first_submission, workload[0].submission_time) if submitter.size else 0.0
        world.push(first, Priority.SUBMISSION, SUBMIT, submitter, submitter.version)
        if world.options.end_with_workflows:
            world.submitters.append(submitter)
    for events in world.event_lists:
        first = events.events[0].timestamp if events.events else 0.0
        world.push(first, Priority.EXTERNAL, EXTERNAL, EventFeed(events))
        world.open += 1
        world.events_left += 1
    plan_conditions(world)
    world.stage = "running"


def run_to(world: World, components: Sequence[Component], until: float) -> bool:
    """Hold rounds up to and including the date ``until``; False when the run is over."""
    if until == inf:
        while world.stage != "over":
            if world.solo is not None and world.stage == "running":
                _rounds_alone(world, components[0])
            if world.stage != "over":
                round_once(world, components)
        return False
    while world.stage != "over":
        if next_date(world) > until:
            return True
        round_once(world, components)
    return False


def next_date(world: World) -> float:
    """When the next round is; the present if something is to be told already."""
    now = world.now
    for seat in world.seats:
        if seat.outbox and seat.ready_at <= now:
            return now
    if world.fluid is not None and world.fluid.changed:
        settle(world)
    heap = world.heap
    while heap:
        entry = heap[0]
        version = entry[5]
        if version >= 0 and entry[4].version != version:
            heappop(heap)
            continue
        return entry[0] if world.open else now
    return now


def round_once(world: World, components: Sequence[Component]) -> None:
    """Hold one round."""
    try:
        if world.stage == "begun":
            _ask_all(world, components)
            _fill_calendar(world)
            return
        _happen(world)
        if world.offered:
            offer_jobs(world)
        if _ask_all(world, components):
            return
        if world.open == 0:
            _end(world, components)
        elif not world.heap and (world.fluid is None or not world.fluid.changed):
            raise DeadlockError(diagnose(world), now=world.now)
    except Stopped:
        _stop(world, components)


def _happen(world: World) -> None:
    """Everything in the calendar at the next instant (at this one, if something is to be told already)."""
    if world.fluid is not None and world.fluid.changed:
        settle(world)
    heap = world.heap
    horizon = world.horizon
    stays = world.open == 0 or _to_tell(world)
    while heap and (not stays or heap[0][0] <= horizon):
        date, _, _, kind, payload, version = heappop(heap)
        if version >= 0 and payload.version != version:
            continue
        if date > horizon:
            world.now = date
            world.horizon = horizon = date + 1e-9 + date * 1e-15
            world.rounds = 0
        stays = True
        _HANDLERS[kind](world, payload)


def _rounds_alone(world: World, component: Component) -> None:
    """Rounds with the one component there is, for as long as it has something to hear in each.

    The same as :func:`round_once` again and again, in one loop: long runs spend their time here. (CPython 3.11
    specialises the code of a loop that is entered once only if it ends in an unconditional jump: ``while True``.)
    """
    seat = world.seats[0]
    heap, jobs, told = world.heap, world.jobs, world.told
    calls = world.hooks.call
    decide = component.decide
    limit = world.options.max_rounds
    now, horizon, rounds = world.now, world.horizon, world.rounds
    spent = 0.0
    try:
        while True:
            if not world.open:
                return
            if world.fluid is not None and world.fluid.changed:
                settle(world)
            notices = seat.outbox
            if not notices or seat.ready_at > now:
                if not heap:
                    return
                date, _, _, kind, payload, version = heappop(heap)
                if version >= 0 and payload.version != version:
                    continue
                if date > horizon:
                    world.now = now = date
                    world.horizon = horizon = date + 1e-9 + date * 1e-15
                    rounds = 0
                _HANDLERS[kind](world, payload)
            while heap and heap[0][0] <= horizon:
                _, _, _, kind, payload, version = heappop(heap)
                if version < 0 or payload.version == version:
                    _HANDLERS[kind](world, payload)
            notices = seat.outbox
            if not notices or seat.ready_at > now or rounds >= limit:
                return
            rounds += 1
            seat.outbox = []
            if told:
                if world.profile_uses is None:
                    for job_id in told:
                        del jobs[job_id]
                    told.clear()
                else:
                    forget_told(world)
            start = perf_counter()
            try:
                reply = decide(now, notices)
            except (SimulationError, UsageError):
                raise
            except (Exception, SystemExit) as fault:
                raise raised(world, seat, notices, fault) from fault
            took = perf_counter() - start
            spent += took
            if type(reply) is not Reply or type(reply.decisions) is not list:
                check_reply(world, seat, reply)
            for hook in calls:
                hook(now, notices, reply, took)
            if reply.decisions or reply.now != now:
                take(world, seat, reply, notices[0].timestamp)
    except Stopped:
        _stop(world, (component,))
    finally:
        world.rounds = rounds
        seat.scheduling_time += spent


def _to_tell(world: World) -> bool:
    """Whether a component has something to hear at this instant."""
    seat = world.solo
    if seat is not None:
        return bool(seat.outbox) and seat.ready_at <= world.now
    return any(seat.outbox and seat.ready_at <= world.now for seat in world.seats)


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
    seat = world.solo
    if seat is not None:
        notices, seat.outbox = seat.outbox, []
        if world.told:
            forget_told(world)
        take(world, seat, ask(world, seat, components[0], notices), notices[0].timestamp)
        return True
    asked = [(seat, seat.outbox) for seat in world.seats if seat.outbox and seat.ready_at <= now]
    for seat, _ in asked:
        seat.outbox = []
    if world.told and not any(seat.outbox for seat in world.seats):
        forget_told(world)
    replies = [
        (seat, notices[0].timestamp, ask(world, seat, components[seat.rank], notices)) for seat, notices in asked
    ]
    for seat, earliest, reply in replies:
        take(world, seat, reply, earliest)
    if world.offered:
        offer_jobs(world)
    return True


def _end(world: World, components: Sequence[Component]) -> None:
    """Everything is over: say so; what the answers still ask for is done before the end."""
    if world.stage == "ending":
        world.stage = "over"
        return
    world.stage = "ending"
    world.heap.clear()
    for seat in world.seats:
        seat.outbox.append(SimulationEnds(world.now))
    _ask_all(world, components)
    if world.open == 0 and not any(seat.outbox for seat in world.seats):
        world.stage = "over"


def _stop(world: World, components: Sequence[Component]) -> None:
    """A component has stopped the run: nothing more happens, only the end is told (batsim-protocol.md 16)."""
    world.heap.clear()
    world.stage = "over"
    for seat in world.seats:
        seat.outbox.clear()
        ask(world, seat, components[seat.rank], [SimulationEnds(world.now)])
