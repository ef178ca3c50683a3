"""The run loop where there is one decision component: long runs spend their time here."""

from heapq import heappop
from math import inf
from time import perf_counter
from typing import Any, Final

from msgspec.structs import astuple

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine.jobs.ending import end_job
from windtunnel.engine.jobs.starting import execute_job
from windtunnel.engine.jobs.submission import plan_next, submit_next
from windtunnel.engine.rounds.dialogue import (
    FAULTS,
    Stopped,
    checked_reply,
    explain,
    forget_ended,
    raised,
    take,
)
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
    take_first,
)
from windtunnel.engine.state.feeds import Submitter
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord
from windtunnel.vocabulary import Component, ExecuteJob, Reply

__all__ = ["rounds_of_one"]

# Bound once: compiled code looks up what comes from other modules each time.
_HANDLERS: Final = HANDLERS
_SUBMISSION: Final = Priority.SUBMISSION
_heappop: Final = heappop
_perf_counter: Final = perf_counter
_Reply: Final = Reply
_ExecuteJob: Final = ExecuteJob
_astuple: Final = astuple

_COMING: Final = -1
"""In place of a kind of event: the next submission, which is beside the calendar."""


def rounds_of_one(world: World, component: Component, until: float) -> None:
    """Rounds up to a date with the one component there is, for as long as it has something to hear in each.

    The same as :func:`~.loop.round_once` again and again, in one loop. (CPython 3.11 specialises the code of a loop
    that is entered once only if it ends in an unconditional jump: ``while True``.) That both are equal is tested on
    random runs.

    Half of all that happens are submissions: the next one of a workload is kept beside the calendar, and put into it
    before anything is called that may look at what is planned.
    """
    session = world.sessions[0]
    heap: list[Any] = world.heap  # entries are looked into one by one: compiled code would read all of each
    jobs, told = world.jobs, world.to_forget
    calls = world.hooks.call
    decide: Any = component.decide
    limit = world.options.max_rounds
    strict = world.strict
    rounding = ROUNDING
    now, horizon, rounds = world.now, world.horizon, world.rounds
    spent = took = 0.0
    coming_date: float = inf
    coming_rank = 0
    alone = not world.submitters  # nobody but the calendar ends a workload
    entry: tuple[Any, ...]
    date: float
    priority: int
    rank: int
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
                    rounds = 1
                elif rounds < limit:
                    rounds += 1
                else:
                    return
                if kind == _COMING:  # the most frequent two are called directly
                    coming_date = submit_next(world, submitter)  # noqa: F821 -- known since coming_date is
                    coming_rank = world.sequence
                else:
                    if COMPILED:
                        take_first(heap)
                    else:
                        _heappop(heap)
                    if kind == JOB_END:
                        end_job(world, record)
                    elif kind == SUBMIT and alone and coming_date == inf:
                        submitter = payload
                        coming_date = submit_next(world, submitter)
                        coming_rank = world.sequence
                    else:
                        if coming_date < inf:
                            plan_next(world, submitter, coming_date, coming_rank)
                            coming_date = inf
                        _HANDLERS[kind](world, payload)
            elif rounds < limit:
                rounds += 1
            else:
                return
            while True:
                if coming_date <= horizon and coming_date < inf:
                    if not heap or (coming_date, _SUBMISSION, coming_rank) < heap[0][:3]:
                        coming_date = submit_next(world, submitter)
                        coming_rank = world.sequence
                        continue
                elif not heap:
                    break
                entry = heap[0]
                date = entry[0]
                if date > horizon:
                    break
                _, _, _, kind, payload, version = entry
                take_first(heap)
                if kind == JOB_END:
                    record = payload
                    if record.version == version:
                        end_job(world, record)
                elif version < 0 or payload.version == version:
                    if coming_date < inf:
                        plan_next(world, submitter, coming_date, coming_rank)
                        coming_date = inf
                    _HANDLERS[kind](world, payload)
            notices = session.outbox
            if not notices or session.ready_at > now:
                rounds -= 1  # it was none
                return
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
                start = _perf_counter()
                answer: Any = decide(now, notices)  # no declared type is taken on trust
                took = _perf_counter() - start
                spent += took
            except (SimulationError, UsageError):
                raise
            except (Exception, SystemExit) as fault:
                raise raised(world, session, notices, fault) from fault
            if type(answer) is not _Reply:
                answer = checked_reply(world, session, answer)
            reply: Reply = answer
            decisions: Any = reply.decisions
            if type(decisions) is not list:
                reply = checked_reply(world, session, reply)
            for hook in calls:
                hook(now, notices, reply, took)
            if reply.now != now or (decisions and not strict):
                if coming_date < inf:
                    plan_next(world, submitter, coming_date, coming_rank)
                    coming_date = inf
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
                if coming_date < inf:
                    plan_next(world, submitter, coming_date, coming_rank)
                    coming_date = inf
                take(world, session, _Reply(now, decisions), notices[0].timestamp, decision)
    except Stopped as stop:
        if coming_date < inf:
            plan_next(world, submitter, coming_date, coming_rank)
            coming_date = inf
        stop_run(world, (component,), stop)
    finally:
        if coming_date < inf:
            plan_next(world, submitter, coming_date, coming_rank)
        world.rounds = rounds
        session.scheduling_time += spent
