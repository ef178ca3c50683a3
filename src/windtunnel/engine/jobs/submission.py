"""Jobs enter the simulation (batsim-protocol.md sections 4 and 5)."""

from math import inf
from typing import Final

from windtunnel.engine.state.calendar import NO_MORE, RELEASE_HELD, SUBMIT, Priority, plan
from windtunnel.engine.state.feeds import Submitter
from windtunnel.engine.state.world import World
from windtunnel.model import Job, JobRecord, Workflow
from windtunnel.model.abilities import records_between
from windtunnel.model.job_record import new_record
from windtunnel.vocabulary import AllStaticJobsHaveBeenSubmitted, JobSubmitted, WaitingTimeQueried

__all__ = [
    "no_more",
    "plan_next",
    "release_held",
    "submit_due",
    "submit_job",
    "submit_next",
    "was_submitted",
    "workload_over",
]

_SUBMISSION: Final = Priority.SUBMISSION
_AHEAD: Final = 1024
"""Jobs that are made at once: each time costs as much as one or two of them."""

_JobSubmitted: Final = JobSubmitted  # bound once: compiled code looks up what comes from other modules each time


def submit_due(world: World, submitter: Submitter) -> None:
    """Submit all jobs of a workload that are due, and plan the next."""
    date = submit_next(world, submitter)
    if date < inf:
        plan(world.heap, (date, _SUBMISSION, world.sequence, SUBMIT, submitter, submitter.version))


def submit_next(world: World, submitter: Submitter) -> float:
    """Submit all jobs of a workload that are due, the first of which is; when the next is, infinite if there is none.

    The last number of the sequence is that of the next one.
    """
    ahead = submitter.ahead
    session = world.only_session
    while ahead or _look_ahead(submitter):
        record = ahead.pop()  # the caller knows that it is due
        if session is not None and world.hooks.no_news:
            world.jobs[record.job_id] = record  # what _enter does, without a call
            world.nb_submitted += 1
            if session.brief:
                session.outbox.append(record)
            else:
                session.outbox.append(_JobSubmitted(world.now, record.job, record.submission))
        elif world.done_ids is None or not _held_back(world, record.job):
            _enter(world, record)
        if not ahead and not _look_ahead(submitter):
            break
        date = ahead[-1].submission
        if date > world.horizon:
            world.sequence += 1
            if date == inf:  # it comes after all others, if the run gets that far
                plan(world.heap, (date, _SUBMISSION, world.sequence, SUBMIT, submitter, submitter.version))
            return date
    workload_over(world)
    return inf


def plan_next(world: World, submitter: Submitter, date: float, rank: int) -> None:
    """The next submission of a workload, which was kept beside the calendar, stands in it."""
    plan(world.heap, (date, _SUBMISSION, rank, SUBMIT, submitter, submitter.version))


def _look_ahead(submitter: Submitter) -> bool:
    """Make the next jobs, if there are any: some at a time, which is cheaper; all would fill the memory."""
    workload, first = submitter.source, submitter.made
    submitter.made = stop = min(first + _AHEAD, submitter.size)
    records = records_between(workload, first, stop)
    records.reverse()
    submitter.ahead += records
    return first < stop


def workload_over(world: World) -> None:
    """A static workload has no more jobs to submit."""
    world.static_left -= 1
    if world.static_left == 0:
        world.push(world.now, Priority.NO_MORE, NO_MORE, "jobs")
    else:
        world.unfinished -= 1


def no_more(world: World) -> None:
    """Say that the workloads are exhausted."""
    world.unfinished -= 1
    for session in world.sessions:
        notice = AllStaticJobsHaveBeenSubmitted(world.now)
        apart = world.options.no_more_jobs_apart and session.outbox and session.ready_at <= world.now
        (session.apart if apart else session.outbox).append(notice)


def submit_job(world: World, job: Job, owner: int = -1, dynamic: bool = False, tell: bool = True) -> JobRecord:
    """A job enters the simulation; ``owner`` is who decides on it, if it is a dynamic one."""
    return _enter(world, new_record(job), owner, dynamic, tell)


def _enter(world: World, record: JobRecord, owner: int = -1, dynamic: bool = False, tell: bool = True) -> JobRecord:
    """The same for a job whose record there is already."""
    now = world.now
    world.jobs[record.job_id] = record
    job = record.job
    if dynamic:
        record.dynamic = True
        record.owner = owner
    world.nb_submitted += 1
    if world.first_submission < 0 and not dynamic:
        world.first_submission = now
        world.energy.submission()
    hooks = world.hooks
    for hook in hooks.submitted:
        hook(now, record)
    if tell:
        for session in world.sessions:
            notice = _JobSubmitted(now, job, record.submission)
            if session.forwards_profiles:
                notice.profile = job.profile
            session.outbox.append(notice)
    if world.asks_waiting_times:
        world.tell(WaitingTimeQueried(now, job))
    if not dynamic and not world.linked and not hooks.submitted and not world.asks_waiting_times:
        hooks.no_news = not world.sessions[0].forwards_profiles
    return record


def was_submitted(world: World, job_id: str) -> bool:
    """Whether a job that is not alive has been in the simulation.

    Jobs are forgotten when they have ended: this is rarely asked, and looks through the workloads the first time.
    """
    if job_id in world.jobs:
        return True
    dates = world.static_dates
    if dates is None:
        dates = world.static_dates = {
            job.id: job.submission_time
            for workload in world.workloads
            if not isinstance(workload, Workflow)
            for job in workload
        }
    again, mark, attempt = job_id.rpartition("#")  # a requeued one
    date = dates.get(job_id, dates.get(again, inf) if mark and attempt.isdecimal() else inf)
    if date == inf:
        return world.used_ids is not None and job_id in world.used_ids
    held = any(job.id == job_id for jobs in world.waiting_for.values() for job in jobs)
    return max(date, world.options.first_submission) <= world.horizon and not held


def _held_back(world: World, job: Job) -> bool:
    """Whether the job must wait for another, or until the think time after the last of these is over; it is submitted
    then.
    """
    done = world.done_ids
    if done is None:
        return False
    for dependency in job.dependencies:
        if dependency not in done:
            waiters = world.waiting_for.setdefault(dependency, [])
            waiters.append(job)
            world.unfinished += 1
            return True
    if job.think_time > 0.0 and job.dependencies:
        ready = max([done[dependency] for dependency in job.dependencies]) + job.think_time
        if ready > world.horizon:
            world.unfinished += 1
            world.push(ready, _SUBMISSION, RELEASE_HELD, job)
            return True
    return False


def release_held(world: World, job: Job) -> None:
    """A held job's dependency has ended (and its think time is over): submit it, or hold it for the next."""
    world.unfinished -= 1
    if not _held_back(world, job):
        submitted = Job(**{f: getattr(job, f) for f in Job.__struct_fields__} | {"submission_time": world.now})
        submit_job(world, submitted)
