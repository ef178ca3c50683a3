"""Jobs end: by themselves, by their walltime, killed, or rejected (batsim-protocol.md sections 5, 7 and 8)."""

from typing import Final

from windtunnel.engine.energy import accounting
from windtunnel.engine.jobs import execution
from windtunnel.engine.jobs.workflows import task_over
from windtunnel.engine.state.calendar import RELEASE_HELD
from windtunnel.engine.state.refusal import known_job, refuse
from windtunnel.engine.state.world import Priority, World
from windtunnel.model import JobRecord, JobState
from windtunnel.vocabulary import JobCompleted, JobsKilled, KillJobs, RejectJob

__all__ = ["end_job", "job_end", "kill_jobs", "reject_job", "walltime_reached"]

_SUSPENDED: Final = JobState.SUSPENDED
_SUBMITTED: Final = JobState.SUBMITTED
_RUNNING: Final = JobState.RUNNING
_SUCCESS: Final = JobState.COMPLETED_SUCCESSFULLY
_FAILED: Final = JobState.COMPLETED_FAILED


def job_end(world: World, record: JobRecord) -> None:
    """A job has run to its end."""
    code = record.job.profile.return_code
    if world.energy is not None:
        accounting.sleep_ended(world, record)
    end_job(world, record, _SUCCESS if code == 0 else _FAILED, code)


def walltime_reached(world: World, record: JobRecord) -> None:
    """A job is stopped because it has used up its walltime."""
    for hook in world.hooks.kill:
        hook(world.now, record)
    if record.execution is not None:
        execution.cancel_job(world, record)
    else:
        accounting.sleep_ended(world, record)
    end_job(world, record, JobState.COMPLETED_WALLTIME_REACHED, -1)


def end_job(world: World, record: JobRecord, state: JobState, code: int, *, tell: bool = True) -> None:
    """A job leaves its hosts; everyone is told (unless the component said so itself)."""
    now = world.now
    table = world.hosts
    hosts = record.hosts
    if record.state is not _SUSPENDED:
        if world.energy is not None:
            accounting.job_paused(world, record)
        if record.amounts is None:
            table.release(hosts, record.since, now)
        else:
            table.release_shares(hosts, record.amounts, now)
        world.nb_running -= 1
    record.state = state
    if code:
        record.return_code = code
    record.finish_time = now
    record.version += 1
    if record.execution is not None:
        record.execution = None
    world.nb_ended += 1
    world.last_end = now
    if world.energy is not None:
        accounting.job_ended(world, record)
    hooks = world.hooks
    for hook in hooks.ended:
        hook(now, record)
    for hook in hooks.states:
        hook(now, table.counts)
    if tell:
        notice = JobCompleted(now, record.job, state, code, hosts, record.starting_time)
        owner = world.private.get(record.job.id) if world.private else None
        if world.solo is not None:
            world.solo.outbox.append(notice)
        elif owner is None:
            world.tell(notice)
        else:
            world.seats[owner].outbox.append(notice)
    world.open -= 1
    world.told.append(record.job.id)
    if world.private or world.done_ids is not None or world.flows:
        _go_on(world, record.job.id)


def _go_on(world: World, job_id: str) -> None:
    """The job is over: what waited for it goes on."""
    world.private.pop(job_id, None)
    if world.done_ids is not None:
        for done in (job_id, *world.stands_for.pop(job_id, ())):
            world.done_ids.add(done)
            for job in world.waiting_for.pop(done, ()):
                world.push(world.now + job.think_time, Priority.SUBMISSION, RELEASE_HELD, job)
    if world.flows:
        task_over(world, job_id)


def kill_jobs(world: World, rank: int, decision: KillJobs) -> None:
    """Kill jobs; acknowledged by one notice after the ends it caused (batsim-protocol.md section 7)."""
    if not decision.job_ids:
        refuse(world, decision, "empty", "it names no job")
    records = []
    for job_id in dict.fromkeys(decision.job_ids):
        record = known_job(world, decision, job_id, rank)
        if record.state in (_SUBMITTED, JobState.REJECTED):
            refuse(
                world,
                decision,
                "state",
                f"job {job_id!r} is neither being executed nor completed, it is {record.state.name}",
            )
        if not record.kill_requests:
            record.kill_requests = 1
            records.append(record)
    progresses = {}
    for record in records:
        if record.state in (_RUNNING, JobState.SUSPENDED):
            progresses[record.job.id] = execution.progress_of_job(world, record)
            for hook in world.hooks.kill:
                hook(world.now, record)
            code = execution.cancel_job(world, record)
            if record.execution is None:
                accounting.sleep_ended(world, record)
            end_job(world, record, JobState.COMPLETED_KILLED, code)
    seat = world.seats[rank]
    profiles = None
    if seat.features.forward_profiles_on_jobs_killed:
        profiles = {r.job.profile.id: r.job.profile for r in records}
    seat.outbox.append(JobsKilled(world.now, tuple(r.job.id for r in records), progresses, profiles))


def reject_job(world: World, rank: int, decision: RejectJob) -> None:
    """Refuse a job for good."""
    record = known_job(world, decision, decision.job_id, rank)
    if record.state is not _SUBMITTED:
        refuse(world, decision, "state", f"job {decision.job_id!r} is {record.state.name}, not SUBMITTED")
    record.state = JobState.REJECTED
    world.nb_ended += 1
    for hook in world.hooks.rejected:
        hook(world.now, record)
    world.open -= 1
    world.told.append(record.job.id)
    _go_on(world, record.job.id)
