"""Jobs enter the simulation (batsim-protocol.md sections 4 and 5)."""

from heapq import heappush
from typing import Final

from windtunnel.engine.events import NO_MORE, SUBMIT
from windtunnel.engine.world import Priority, Submitter, World
from windtunnel.model import Job, JobRecord
from windtunnel.vocabulary import AllStaticJobsHaveBeenSubmitted, JobSubmitted, WaitingTimeQueried

__all__ = ["no_more", "release_held", "submit_due", "submit_job", "workload_over"]

_SUBMISSION: Final = Priority.SUBMISSION


def submit_due(world: World, submitter: Submitter) -> None:
    """Submit all jobs of a workload that are due, and plan the next."""
    workload = submitter.source
    index, size = submitter.next, submitter.size
    horizon = world.horizon
    job = submitter.upcoming
    while index < size:
        if job is None:
            job = workload[index]
        if job.submission_time > horizon:
            submitter.next = index
            submitter.upcoming = job
            world.sequence = sequence = world.sequence + 1
            heappush(world.heap, (job.submission_time, _SUBMISSION, sequence, SUBMIT, submitter, submitter.version))
            return
        index += 1
        if not job.dependencies or not _held_back(world, job):
            submit_job(world, job)
        job = None
    submitter.upcoming = None
    submitter.next = index
    workload_over(world)


def workload_over(world: World) -> None:
    """A static workload has no more jobs to submit."""
    world.static_left -= 1
    if world.static_left == 0:
        world.push(world.now, Priority.NO_MORE, NO_MORE, "jobs")
    else:
        world.open -= 1


def no_more(world: World) -> None:
    """Say that the workloads are exhausted."""
    world.open -= 1
    world.tell(AllStaticJobsHaveBeenSubmitted(world.now))


def submit_job(world: World, job: Job, *, owner: int = -1, dynamic: bool = False, tell: bool = True) -> JobRecord:
    """A job enters the simulation."""
    now = world.now
    world.jobs[job.id] = record = JobRecord(job=job, owner=owner, dynamic=dynamic)
    world.open += 1
    world.nb_submitted += 1
    if world.first_submission < 0 and not dynamic:
        world.first_submission = now
        if world.energy is not None:
            world.energy.first = world.energy.total(now)
    if hooks := world.hooks.submitted:
        for hook in hooks:
            hook(now, record)
    if tell:
        for seat in world.seats:
            profile = job.profile if seat.features.forward_profiles_on_job_submission else None
            seat.outbox.append(JobSubmitted(now, job, job.submission_time, profile))
    if world.options.ask_waiting_times:
        world.tell(WaitingTimeQueried(now, job))
    return record


def _held_back(world: World, job: Job) -> bool:
    """Whether the job must wait for another; then it is submitted when the last of those has ended."""
    done = world.done_ids
    if done is None:
        return False
    for dependency in job.dependencies:
        if dependency not in done:
            waiters = world.waiting_for.setdefault(dependency, [])
            waiters.append(job)
            world.open += 1
            return True
    return False


def release_held(world: World, job: Job) -> None:
    """A held job's dependency has ended (and its think time is over): submit it, or hold it for the next."""
    world.open -= 1
    if not _held_back(world, job):
        submitted = Job(**{f: getattr(job, f) for f in Job.__struct_fields__} | {"submission_time": world.now})
        submit_job(world, submitted)
