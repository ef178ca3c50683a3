"""The run loop where one scheduler is told and decides in brief: long runs spend their time here."""

from heapq import heappop
from math import inf
from time import perf_counter
from typing import Any, Final

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine.jobs.at_once import end_at_once, start_at_once
from windtunnel.engine.jobs.submission import submit_next
from windtunnel.engine.rounds.dialogue import Stopped, forget_ended, raised, take
from windtunnel.engine.rounds.happening import HANDLERS
from windtunnel.engine.rounds.stopping import stop_run
from windtunnel.engine.state.calendar import (
    CALL,
    COMPILED,
    JOB_END,
    ROUNDING,
    SUBMIT,
    Priority,
    on_paper,
    plan,
    take_first,
)
from windtunnel.engine.state.feeds import Submitter
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord
from windtunnel.vocabulary import Component, Reply
from windtunnel.vocabulary.brief import decisions_in_full, notices_in_full
from windtunnel.vocabulary.component import DecidesBriefly
from windtunnel.vocabulary.held import Running

__all__ = ["is_brief", "rounds_in_brief"]

# Bound once: compiled code looks up what comes from other modules each time.
_HANDLERS: Final = HANDLERS
_SUBMISSION: Final = Priority.SUBMISSION
_heappop: Final = heappop
_perf_counter: Final = perf_counter
_Running: Final = Running

_TIMED: Final = 1024
"""Calls of a scheduler of which each is timed; of later ones, one in sixteen, which stands for all."""

_COMING: Final = -1
"""In place of a kind of event: the next submission, which is beside the calendar."""


def is_brief(world: World, component: Component) -> bool:
    """Whether the only component there is can be told in brief, and answers at once.

    A class derived from its own, or the object itself, may have a ``decide`` of its own: then that is what counts.
    """
    session = world.only_session
    usual = world.strict and not world.linked and not world.hosts.sharing and not world.hooks.call
    if session is None or not usual or session.ready_at > world.now or not isinstance(component, DecidesBriefly):
        return False
    for kind in type(component).__mro__:
        known = vars(kind)
        if "decide" in known and "decide_briefly" in known:
            return bool(known["decide"].__get__(component) == component.decide)  # the object has none of its own
        if "decide" in known or "decide_briefly" in known:
            break
    return False


def rounds_in_brief(world: World, component: Component, until: float) -> None:
    """Rounds up to a date with the one component there is, for as long as it has something to hear in each.

    The same as :func:`~.loop.round_once` again and again, in one loop. (CPython 3.11 specialises the code of a loop
    that is entered once only if it ends in an unconditional jump: ``while True``.) That both are equal is tested on
    random runs.

    Half of all that happens are submissions: the next one of a workload is kept beside the calendar, and put into it
    before anything is called that may look at what is planned.
    """
    session = world.sessions[0]
    asked: Any = component
    decide = asked.decide_briefly
    heap: list[Any] = world.heap  # entries are looked into one by one: compiled code would read all of each
    jobs, told, hooks = world.jobs, world.to_forget, world.hooks
    limit = world.options.max_rounds
    rounding = ROUNDING
    now, horizon, rounds = world.now, world.horizon, world.rounds
    spent = 0.0
    timed = untimed = 0
    weight = 1.0
    coming_date: float = inf
    coming_rank = 0
    alone = not world.submitters  # nobody but the calendar ends a workload
    news: list[Any] = session.outbox
    entry: tuple[Any, ...]
    date: float
    priority: int
    rank: int
    kind: int
    version: int
    record: JobRecord
    submitter: Submitter
    ahead: list[JobRecord]
    if not world.unfinished and len(jobs) == len(told):
        return
    if world.sharing.changed:
        world.sharing.settle()
    if news:
        rounds += 1
    session.brief = True
    try:
        while True:
            if not news or coming_date <= horizon or (heap and heap[0][0] <= horizon):
                # What comes next.
                if heap:
                    entry = heap[0]
                    date = entry[0]
                    if coming_date < date:
                        date = coming_date
                        kind = _COMING
                    else:
                        _, priority, rank, kind, payload, version = entry
                        if coming_date == date and date < inf and (priority, rank) > (_SUBMISSION, coming_rank):
                            kind = _COMING
                        elif kind == JOB_END:
                            record = payload
                            if record.version != version:
                                take_first(heap)
                                continue
                        elif version >= 0 and payload.version != version:
                            take_first(heap)
                            continue
                elif coming_date < inf:
                    date = coming_date
                    kind = _COMING
                else:
                    return
                if date > horizon:
                    if date > until:
                        return
                    if (
                        date + rounding - rounding != date  # whole seconds are as they are, most others too
                        and date != (date * 1e6 + rounding - rounding) / 1e6
                        and kind != CALL
                    ):
                        date = on_paper(date)
                    world.now = now = date
                    world.horizon = horizon = date + 1e-9 + date * 1e-15
                    rounds = 1
                elif not news:
                    if rounds >= limit:
                        return
                    rounds += 1
                # It happens.
                if kind == _COMING:
                    ahead = submitter.ahead  # noqa: F821 -- known since coming_date is
                    if hooks.no_news and len(ahead) > 1 and horizon < ahead[-2].submission < inf:
                        record = ahead.pop()  # what submit_next does, without a call
                        jobs[record.job_id] = record
                        news.append(record)
                        coming_date = ahead[-1].submission
                        world.nb_submitted += 1
                        world.sequence = coming_rank = world.sequence + 1
                    else:
                        coming_date = submit_next(world, submitter)  # noqa: F821 -- as above
                        coming_rank = world.sequence
                else:
                    if COMPILED:
                        take_first(heap)
                    else:
                        _heappop(heap)
                    if kind == JOB_END:
                        end_at_once(world, record, news)
                    elif kind == SUBMIT and alone and coming_date == inf:
                        submitter = payload
                        coming_date = submit_next(world, submitter)
                        coming_rank = world.sequence
                    else:
                        if coming_date < inf:
                            _put_back(world, submitter, coming_date, coming_rank)
                            coming_date = inf
                        _HANDLERS[kind](world, payload)
                        news = session.outbox
                        if not news:  # it is for others to say what follows
                            rounds -= 1  # it was none
                            return
                if coming_date <= horizon or (heap and heap[0][0] <= horizon):
                    continue
            # The scheduler hears of all that has happened at this instant.
            session.outbox = []
            if session.apart:
                session.outbox, session.apart = session.apart, session.outbox
            if told:
                if world.profile_uses is None:
                    while told:
                        del jobs[told.pop()]
                else:
                    forget_ended(world)
            try:
                if untimed:
                    untimed -= 1
                    made: Any = decide(now, news)
                else:
                    start = _perf_counter()
                    made = decide(now, news)
                    spent += (_perf_counter() - start) * weight
                    timed += 1
                    if timed >= _TIMED:  # looking at the clock is some per cent of a short decision
                        untimed, weight = 15, 16.0
            except (SimulationError, UsageError):
                raise
            except (Exception, SystemExit) as fault:
                raise raised(world, session, notices_in_full(news[:1], now), fault) from fault
            if made:
                for decision in made:
                    if type(decision) is _Running:
                        start_at_once(world, decision)
                        continue
                    if coming_date < inf:
                        _put_back(world, submitter, coming_date, coming_rank)
                        coming_date = inf
                    earliest = notices_in_full(news[:1], now)[0].timestamp
                    take(world, session, Reply(now, decisions_in_full(made)), earliest, decision)
                    break
            if not world.unfinished and len(jobs) == len(told):
                return
            if world.sharing.changed:
                world.sharing.settle()
            news = session.outbox
            if news:  # which follow from the decisions
                if rounds >= limit:
                    return
                rounds += 1
    except Stopped as stop:
        if coming_date < inf:
            _put_back(world, submitter, coming_date, coming_rank)
            coming_date = inf
        stop_run(world, (component,), stop)
    finally:
        if coming_date < inf:
            _put_back(world, submitter, coming_date, coming_rank)
        world.rounds = rounds
        session.scheduling_time += spent
        session.brief = False
        session.outbox = [*notices_in_full(session.outbox, now)]


def _put_back(world: World, submitter: Submitter, date: float, rank: int) -> None:
    """The next submission of a workload stands in the calendar again."""
    plan(world.heap, (date, _SUBMISSION, rank, SUBMIT, submitter, submitter.version))
