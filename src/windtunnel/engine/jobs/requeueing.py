"""Jobs that lose something they use: they end, and by option come back as new ones."""

from typing import Final

import msgspec

from windtunnel.engine.jobs.ending import end_job
from windtunnel.engine.jobs.execution.jobs import cancel_job
from windtunnel.engine.jobs.submission import submit_job
from windtunnel.engine.state.world import World
from windtunnel.model import DelayProfile, Job, JobRecord, JobState
from windtunnel.model.job import restated

__all__ = ["job_lost", "lose_job", "requeued"]

LOST: Final = -2
"""The return code of a job whose machine went away."""


def job_lost(world: World, record: JobRecord) -> None:
    """A job has lost a link or a storage that it uses."""
    lose_job(world, record, failed=True)


def lose_job(world: World, record: JobRecord, *, failed: bool) -> None:
    """A running job ends because something that it uses is gone; by option it comes back as a new one."""
    for hook in world.hooks.kill:
        hook(world.now, record)
    again = None
    if world.options.on_failure == "requeue" and _comes_back(record):
        options = world.options
        period = options.checkpoint_interval and options.checkpoint_interval + options.checkpoint_cost
        again = requeued(record, world.now, period)
    cancel_job(world, record)
    ending = JobState.COMPLETED_FAILED if failed else JobState.COMPLETED_KILLED
    if again is None:
        end_job(world, record, ending, LOST)
    else:
        _end_and_succeed(world, record, ending, again)


def _comes_back(record: JobRecord) -> bool:
    """Jobs that a component makes are its own affair, but for those in the place of others (``w0!7#2``)."""
    return not record.dynamic or "#" in record.job_id


def _end_and_succeed(world: World, record: JobRecord, ending: JobState, again: Job) -> None:
    """A lost job ends and comes back; whoever depends on it waits for the new one."""
    lost = record.job.id
    names = (lost, *world.replaced_ids.pop(lost, ()))
    waiters = {name: world.waiting_for.pop(name) for name in names if name in world.waiting_for}
    end_job(world, record, ending, LOST)
    if world.done_ids is not None:
        for name in names:
            world.done_ids.pop(name, None)
        world.waiting_for |= waiters
        world.replaced_ids[again.id] = names
    if world.profile_uses is not None:
        from windtunnel.engine.jobs.registration import job_counts  # few runs let jobs be registered

        job_counts(world, again)
    submit_job(world, again)


def requeued(record: JobRecord, now: float, period: float) -> Job:
    """The job that takes the place of one that was lost: ``w0!7#1`` after ``w0!7``, ``w0!7#2`` after that.

    ``period`` is the time from one checkpoint to the next (work and writing); a job that only lasts begins again
    after the last one. With 0, and for all other kinds of job, everything is done again.
    """
    job = record.job
    name, mark, attempt = job.id.rpartition("#")
    job_id = f"{name}#{int(attempt) + 1}" if mark and attempt.isdecimal() else f"{job.id}#1"
    profile = job.profile
    if period > 0 and isinstance(profile, DelayProfile):
        ran = record.done + now - record.since  # no checkpoint is written while it is suspended
        done = min(ran // period * period, profile.delay)
        profile = profile.lasting(profile.delay - done)
    again = msgspec.structs.replace(job, id=job_id, profile=profile, submission_time=now, dependencies=())
    return restated(again, job)
