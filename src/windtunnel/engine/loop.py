"""The run loop: one causal round, one message (law 2).

A round is: everything in the calendar at this instant, then one message to each component that has something to hear,
then the decisions of all, in the order of the components. What these cause at the same instant is the next round.
"""

from collections.abc import Sequence
from heapq import heappop
from math import inf, isfinite
from time import perf_counter

from windtunnel.diagnostics import (
    ComponentError,
    DeadlockError,
    DecisionError,
    LivelockError,
    SimulationError,
    UsageError,
)
from windtunnel.engine.diagnosis import diagnose
from windtunnel.engine.events import DECISION, EXTERNAL, READY, SUBMIT
from windtunnel.engine.fluid import settle
from windtunnel.engine.power import make_power
from windtunnel.engine.registration import count_profile_uses, job_forgotten
from windtunnel.engine.tables import DECISIONS, EVENTS
from windtunnel.engine.world import Priority, Seat, Submitter, World
from windtunnel.vocabulary import (
    Component,
    Decision,
    DecisionRefused,
    ForceSimulationStop,
    Notice,
    Reply,
    SimulationBegins,
    SimulationEnds,
)

__all__ = ["begin", "next_date", "round_once", "run_to"]

_HANDLERS = tuple(EVENTS.get(kind) for kind in range(max(EVENTS) + 1))
"""By kind of event; None for delayed decisions, which the loop applies itself."""


class _Stopped(Exception):  # noqa: N818 -- not an error: it leaves a loop
    """A component has asked to stop the run."""


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
        submitter = Submitter(workload, len(workload))
        first = max(0.0, workload[0].submission_time) if submitter.size else 0.0
        world.push(first, Priority.SUBMISSION, SUBMIT, submitter)
        world.open += 1
        world.static_left += 1
    for events in world.event_lists:
        submitter = Submitter(events, len(events.events))
        first = events.events[0].timestamp if submitter.size else 0.0
        world.push(first, Priority.EXTERNAL, EXTERNAL, submitter)
        world.open += 1
        world.events_left += 1
    world.stage = "running"


def run_to(world: World, components: Sequence[Component], until: float) -> bool:
    """Hold rounds up to and including the date ``until``; False when the run is over."""
    if until == inf:
        while world.stage != "over":
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
        if _ask_all(world, components):
            return
        if world.open == 0:
            _end(world, components)
        elif not world.heap and (world.fluid is None or not world.fluid.changed):
            raise DeadlockError(diagnose(world), now=world.now)
    except _Stopped:
        _stop(world, components)


def _happen(world: World) -> None:
    """Everything in the calendar at the next instant (at this one, if something is to be told already)."""
    if world.fluid is not None and world.fluid.changed:
        settle(world)
    heap = world.heap
    handlers = _HANDLERS
    horizon = world.horizon
    moved = False
    while heap:
        date, _, _, kind, payload, version = heap[0]
        if version >= 0 and payload.version != version:
            heappop(heap)
            continue
        if date > horizon:
            if moved or world.open == 0 or _to_tell(world):
                return
            world.now = date
            world.horizon = horizon = date + 1e-9 + date * 1e-15
            world.rounds = 0
        moved = True
        heappop(heap)
        handler = handlers[kind]
        if handler is not None:
            handler(world, payload)
        else:
            _apply_delayed(world, payload)


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
            _forget_told(world)
        _take(world, seat, _ask(world, seat, components[0], notices), notices[0].timestamp)
        return True
    asked = [(seat, seat.outbox) for seat in world.seats if seat.outbox and seat.ready_at <= now]
    for seat, _ in asked:
        seat.outbox = []
    if world.told and not any(seat.outbox for seat in world.seats):
        _forget_told(world)
    replies = [
        (seat, notices[0].timestamp, _ask(world, seat, components[seat.rank], notices)) for seat, notices in asked
    ]
    for seat, earliest, reply in replies:
        _take(world, seat, reply, earliest)
    return True


def _forget_told(world: World) -> None:
    """The ends that are being told: naming these jobs is an error from now on."""
    jobs = world.jobs
    for job_id in world.told:
        record = jobs.pop(job_id)
        if world.profile_uses is not None:
            job_forgotten(world, record.job)
    world.told.clear()


def _ask(world: World, seat: Seat, component: Component, notices: list[Notice]) -> Reply:
    """Call one component."""
    start = perf_counter()
    try:
        reply = component.decide(world.now, notices)
    except (SimulationError, UsageError):
        raise
    except Exception as fault:
        raise ComponentError(
            f"the decision component {seat.name!r} raised {type(fault).__name__}: {fault}",
            now=world.now,
            event=type(notices[0]).__name__,
        ) from fault
    spent = perf_counter() - start
    seat.scheduling_time += spent
    for hook in world.hooks.call:
        hook(world.now, notices, reply, spent)
    return reply


def _take(world: World, seat: Seat, reply: Reply, earliest: float) -> None:
    """Apply the decisions of a reply that are due, and plan the others."""
    now = world.now
    done = reply.now
    if not done >= now or not isfinite(done):
        raise ComponentError(
            f"{seat.name!r} answered with now = {done!r}, which is before the date of the message", now=now
        )
    previous = earliest
    for decision in reply.decisions:
        when = decision.timestamp
        if when is None:
            _apply(world, seat, decision)
            continue
        if not previous <= when <= done:
            _refuse_date(world, when, previous, done, decision)
        previous = when
        if when <= now:
            _apply(world, seat, decision)
        else:
            world.open += 1
            world.push(when, Priority.DECISION, DECISION, (seat.rank, decision))
    if done > now:
        seat.ready_at = done
        world.open += 1
        world.push(done, Priority.READY, READY, seat.rank)


def _refuse_date(world: World, when: float, previous: float, done: float, decision: Decision) -> None:
    name = type(decision).__name__
    if when > done:
        reason, rule = f"its timestamp {when!r} is after the reply's now = {done!r}", "timestamp-after-now"
    else:
        reason = f"its timestamp {when!r} is before {previous!r}, that of what came before it: dates do not go back"
        rule = "timestamp-order"
    raise DecisionError(f"{name} refused: {reason}", rule=rule, now=world.now)


def _apply_delayed(world: World, payload: tuple[int, Decision]) -> None:
    world.open -= 1
    rank, decision = payload
    _apply(world, world.seats[rank], decision)


def _apply(world: World, seat: Seat, decision: Decision) -> None:
    """Carry out one decision, or refuse it."""
    handler = DECISIONS.get(type(decision))
    try:
        if handler is not None:
            handler(world, seat.rank, decision)
        elif type(decision) is ForceSimulationStop:
            raise _Stopped
        else:
            raise DecisionError(
                f"{type(decision).__name__} is not a decision that can be made here", rule="unknown", now=world.now
            )
    except DecisionError as refusal:
        if world.options.strict:
            raise
        seat.outbox.append(DecisionRefused(world.now, decision, refusal.rule, refusal.message))


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
        _ask(world, seat, components[seat.rank], [SimulationEnds(world.now)])
