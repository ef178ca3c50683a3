"""The run loop where one scheduler is told and decides in brief: long runs spend their time here."""

from heapq import heappop, heappush
from math import inf
from time import perf_counter
from typing import Any, Final

from windtunnel.diagnostics import SimulationError, UsageError
from windtunnel.engine.jobs.ending import end_job
from windtunnel.engine.jobs.starting import execute_job
from windtunnel.engine.jobs.submission import plan_next, submit_next
from windtunnel.engine.rounds.dialogue import Stopped, forget_ended, raised, take
from windtunnel.engine.rounds.happening import HANDLERS
from windtunnel.engine.rounds.stopping import stop_run
from windtunnel.engine.state.calendar import (
    CALL,
    COMPILED,
    JOB_END,
    ROUNDING,
    SUBMIT,
    WALLTIME,
    Priority,
    on_paper,
    plan,
    take_first,
)
from windtunnel.engine.state.feeds import Submitter
from windtunnel.engine.state.last_changes import MANY
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord, JobState
from windtunnel.vocabulary import Component, ExecuteJob, Reply
from windtunnel.vocabulary.brief import decisions_in_full, notices_in_full
from windtunnel.vocabulary.component import MOST_GATHERED
from windtunnel.vocabulary.held import Running

__all__ = ["rounds_in_brief"]

# Bound once: compiled code looks up what comes from other modules each time.
_HANDLERS: Final = HANDLERS
_SUBMISSION: Final = Priority.SUBMISSION
_heappop: Final = heappop
_heappush: Final = heappush
_SUBMITTED: Final = JobState.SUBMITTED
_RUNNING: Final = JobState.RUNNING
_SUCCESS: Final = JobState.COMPLETED_SUCCESSFULLY
_MOST_GATHERED: Final = MOST_GATHERED
_MANY: Final = MANY
_perf_counter: Final = perf_counter
_Running: Final = Running

_TIMED: Final = 1024
"""Calls of a scheduler of which each is timed; of later ones, one in sixteen, which stands for all."""

_COMING: Final = -1
"""In place of a kind of event: the next submission, which is beside the calendar."""


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
    jobs, told, hooks, table = world.jobs, world.to_forget, world.hooks, world.hosts
    ended, states = hooks.gathered_jobs, hooks.gathered_states
    free, counts, times = table.free, table.counts, table.times
    changed_hosts, changed_when = table.changes.hosts, table.changes.when
    limit = world.options.max_rounds
    rounding = ROUNDING
    now, horizon, rounds = world.now, world.horizon, world.rounds
    moment: Any = now  # compiled code makes an object of a number wherever one is wanted
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
    running: Running
    submitter: Submitter
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
                    moment = now
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
                        if (
                            record.state is not _RUNNING
                            or record.amounts is not None
                            or record.code
                            or record.execution is not None
                            or table.touched
                        ):
                            end_job(world, record)
                        else:  # what that does, without calls: most runs consist of such jobs
                            hosts = record.hosts
                            size = hosts.size
                            counts[3] = counts[3] + size  # augmented assignments to items are not compiled
                            counts[4] = counts[4] - size
                            times[4] = times[4] + (now - record.since) * size
                            free.put_back(hosts)
                            changed_hosts.append(hosts)
                            changed_when.append(moment)
                            if len(changed_when) > _MANY:
                                table.changes.settle()
                            record.state = _SUCCESS
                            record.finish_time = world.last_end = now
                            if world.metered:
                                world.energy.job_ended(record, True)
                            if ended is not None and len(ended) < _MOST_GATHERED:
                                ended.append(record)
                            else:
                                for hook in hooks.ended:
                                    hook(moment, record)
                            if states is not None:
                                states.append(moment)
                                states.extend(counts)
                            else:
                                for hook in hooks.states:
                                    hook(moment, counts)
                            news.append(record)
                            del jobs[record.job_id]  # it is told at this instant, and nothing decided before names it
                    elif kind == SUBMIT and alone and coming_date == inf:
                        submitter = payload
                        coming_date = submit_next(world, submitter)
                        coming_rank = world.sequence
                    else:
                        if coming_date < inf:
                            plan_next(world, submitter, coming_date, coming_rank)
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
                        running = decision
                        hosts = running.hosts
                        size = hosts.size
                        known = jobs.get(running.job.id)
                        if (
                            known is None
                            or known.owner != -1
                            or known.state is not _SUBMITTED
                            or known.delay < 0.0
                            or size != known.size
                            or not free.claim(hosts)
                        ):
                            execute_job(world, 0, ExecuteJob(running.job.id, hosts))
                            continue
                        counts[3] = counts[3] - size  # what that does, without calls
                        counts[4] = counts[4] + size
                        changed_hosts.append(hosts)
                        changed_when.append(moment)
                        known.hosts = hosts
                        known.owner = 0
                        known.state = _RUNNING
                        known.starting_time = known.since = now
                        if world.metered:
                            world.energy.job_started(known)
                        if hooks.started:
                            for hook in hooks.started:
                                hook(moment, known)
                        if states is not None:
                            states.append(moment)
                            states.extend(counts)
                        else:
                            for hook in hooks.states:
                                hook(moment, counts)
                        world.sequence = rank = world.sequence + 1
                        if known.delay < known.walltime:
                            entry = (now + known.delay, 0, rank, JOB_END, known, known.version)
                        else:  # a delay equal to the walltime is killed by it (batsim-inputs.md 5)
                            entry = (now + known.walltime, 1, rank, WALLTIME, known, known.version)
                        if COMPILED:
                            plan(heap, entry)
                        else:
                            _heappush(heap, entry)
                        continue
                    if coming_date < inf:
                        plan_next(world, submitter, coming_date, coming_rank)
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
            plan_next(world, submitter, coming_date, coming_rank)
            coming_date = inf
        stop_run(world, (component,), stop)
    finally:
        if coming_date < inf:
            plan_next(world, submitter, coming_date, coming_rank)
        world.rounds = rounds
        session.scheduling_time += spent
        session.brief = False
        session.outbox = [*notices_in_full(session.outbox, now)]
