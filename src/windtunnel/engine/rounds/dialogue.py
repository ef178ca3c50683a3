"""Asking a decision component, and taking its reply."""

from collections.abc import Sequence
from math import inf
from numbers import Real
from time import perf_counter
from typing import Any, Final, NoReturn

from msgspec.structs import astuple

from windtunnel.diagnostics import ComponentError, DecisionError, SimulationError, UsageError, place_of
from windtunnel.engine.jobs.starting import execute_job
from windtunnel.engine.rounds.handlers import DECISIONS
from windtunnel.engine.state.calendar import COMPILED, DECISION, READY, Priority
from windtunnel.engine.state.refusal import refuse
from windtunnel.engine.state.sessions import Session
from windtunnel.engine.state.world import World
from windtunnel.model.plain import plain_numbers
from windtunnel.vocabulary import (
    Component,
    Decision,
    DecisionRefused,
    ExecuteJob,
    ForceSimulationStop,
    Notice,
    Reply,
)
from windtunnel.vocabulary.checking import wrong_field
from windtunnel.vocabulary.component import DecidesBriefly

__all__ = [
    "FAULTS",
    "Stopped",
    "apply_delayed",
    "ask",
    "checked_reply",
    "explain",
    "forget_ended",
    "is_brief",
    "raised",
    "take",
]

# Bound once: compiled code looks up what comes from other modules each time.
_ExecuteJob: Final = ExecuteJob
_astuple: Final = astuple

FAULTS: Final = (DecisionError, TypeError, AttributeError, ValueError, LookupError)
"""What an execution raises that is refused, or whose fields hold what they should not."""


class Stopped(Exception):  # noqa: N818 -- not an error: it leaves a loop
    """A component has asked to stop the run; ``dropped`` decisions of its reply came after that."""

    def __init__(self, session: Session) -> None:
        super().__init__(session.name)
        self.name = session.name
        self.dropped = 0


def forget_ended(world: World) -> None:
    """The ends that are being told: naming these jobs is an error from now on."""
    over = list(map(world.jobs.pop, world.to_forget))
    if world.profile_uses is not None:
        from windtunnel.engine.jobs.registration import job_forgotten

        for record in over:
            job_forgotten(world, record.job)
    world.to_forget.clear()


def ask(world: World, session: Session, component: Component, notices: list[Notice]) -> Reply:
    """Call one component."""
    asked: Any = component  # it may answer anything; were it a Reply, compiled code would raise an error of its own
    start = perf_counter()
    try:
        reply = asked.decide(world.now, notices)
    except (SimulationError, UsageError):
        raise
    except (Exception, SystemExit) as fault:  # a scheduler that leaves must not pass for a run that succeeded
        raise raised(world, session, notices, fault) from fault
    spent = perf_counter() - start
    answer = checked_reply(world, session, reply)
    session.scheduling_time += spent
    if hooks := world.hooks.call:
        for hook in hooks:
            hook(world.now, notices, answer, spent)
    return answer


def is_brief(world: World, component: Component) -> bool:
    """Whether the only component there is can be told in brief, and answers at once.

    A class derived from its own, or the object itself, may have a ``decide`` of its own: then that is what counts.
    """
    session, hooks = world.only_session, world.hooks
    usual = world.strict and not world.linked and not world.hosts.sharing and world.profile_uses is None
    usual = usual and not hooks.call
    if session is None or not usual or session.ready_at > world.now or not isinstance(component, DecidesBriefly):
        return False
    for kind in type(component).__mro__:
        known = vars(kind)
        if "decide" in known and "decide_briefly" in known:
            return bool(known["decide"].__get__(component) == component.decide)  # the object has none of its own
        if "decide" in known or "decide_briefly" in known:
            break
    return False


def raised(world: World, session: Session, notices: Sequence[Notice], fault: BaseException) -> ComponentError:
    """What a component that raised something is said to have done."""
    return ComponentError(
        f"the decision component {session.name!r} raised {type(fault).__name__}: {fault}{place_of(fault)}",
        now=world.now,
        event=type(notices[0]).__name__,
    )


def checked_reply(world: World, session: Session, reply: object) -> Reply:
    """A reply that is one at all.

    Raises:
        ComponentError: it is not.
    """
    if not isinstance(reply, Reply):
        raise ComponentError(f"{session.name!r} answered {reply!r:.50}, which is not a Reply", now=world.now)
    decisions = reply.decisions  # its fields may be anything
    if not isinstance(decisions, list | tuple):
        raise ComponentError(
            f"{session.name!r} answered decisions = {decisions!r:.50}, which is not a list", now=world.now
        )
    return reply


def take(world: World, session: Session, reply: Reply, earliest: float, first: Decision | None = None) -> None:
    """Apply the decisions of a reply that are due, and plan the others; those before the ``first`` were applied."""
    now = world.now
    answered = reply.now  # a component puts there what it likes: its fields are of any type
    if answered != now and not (isinstance(answered, Real) and now < float(answered) < inf):
        raise ComponentError(
            f"{session.name!r} answered with now = {answered!r}, which is before the time of the message", now=now
        )
    done: float = answered
    previous = earliest
    strict = world.strict
    try:
        made: Any = reply.decisions
        decisions: list[Any] = made if not COMPILED or type(made) is list else list(made)
        if first is not None:
            decisions = decisions[[decision is first for decision in decisions].index(True) :]
        for decision in decisions:
            if type(decision) is _ExecuteJob and strict:  # the common case: its fields are looked at if it fails
                given: tuple[Any, ...] = _astuple(decision)
                when = given[7]  # the timestamp, a keyword of the base, comes last
                if when is None:
                    try:
                        execute_job(world, session.rank, decision, given)
                    except FAULTS as fault:
                        explain(world, decision, fault)
                    continue
            else:
                try:
                    when = decision.timestamp
                except AttributeError:
                    reason = f"{session.name!r} answered {decision!r:.50}, which is not a decision"
                    raise ComponentError(reason, now=now) from None
            if when is None:
                _apply(world, session, decision)
                continue
            if not _is_number(when):
                _apply(world, session, decision)  # which refuses it
                continue
            if not previous <= when <= done:
                _refuse_date(world, when, previous, done, decision)
            previous = when
            if when <= now:
                _apply(world, session, decision)
            else:
                world.unfinished += 1
                world.push(when, Priority.DECISION, DECISION, (session.rank, decision))
    except Stopped as stop:
        stopping = [rank for rank, one in enumerate(reply.decisions) if type(one) is ForceSimulationStop]
        stop.dropped = len(reply.decisions) - stopping[0] - 1
        raise
    if done > now:
        session.ready_at = done
        world.unfinished += 1
        world.push(done, Priority.READY, READY, session.rank)


def _is_number(value: object) -> bool:
    return isinstance(value, Real)


def _refuse_date(world: World, when: float, previous: float, done: float, decision: Decision) -> None:
    name = type(decision).__name__
    if when > done:
        reason, rule = f"its timestamp {when!r} is after the reply's now = {done!r}", "timestamp-after-now"
    else:
        reason = (
            f"its timestamp {when!r} is before {previous!r}, that of the decision before it: time cannot go backwards"
        )
        rule = "timestamp-order"
    raise DecisionError(f"{name} refused: {reason}", rule=rule, now=world.now)


def explain(world: World, decision: Decision, fault: Exception) -> NoReturn:
    """A decision has failed: because of what its fields hold, or as the fault says."""
    if reason := wrong_field(decision):
        refuse(world, decision, "field", reason)
    raise fault


def apply_delayed(world: World, payload: tuple[int, Decision]) -> None:
    """A decision that was taken for this date."""
    world.unfinished -= 1
    rank, decision = payload
    _apply(world, world.sessions[rank], decision)


def _apply(world: World, session: Session, decision: Decision) -> None:
    """Carry out one decision, or refuse it."""
    handler = DECISIONS.get(type(decision))
    try:
        if handler is not None:
            if reason := wrong_field(decision):
                refuse(world, decision, "field", reason)
            handler(world, session.rank, plain_numbers(decision))
        elif type(decision) is ForceSimulationStop:
            raise Stopped(session)
        else:
            raise DecisionError(
                f"{type(decision).__name__} is not a decision that can be made here", rule="unknown", now=world.now
            )
    except DecisionError as refusal:
        if world.strict:
            raise
        session.outbox.append(DecisionRefused(world.now, decision, refusal.rule, refusal.message))
