"""Jobs are stopped: by their walltime, or because a component wants it (batsim-protocol.md sections 5 and 7)."""

from typing import Any

from windtunnel.engine.jobs.ending import end_job
from windtunnel.engine.jobs.execution.jobs import cancel_job, progress_of_job
from windtunnel.engine.jobs.submission import was_submitted
from windtunnel.engine.state.refusal import known_job, refuse
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord, JobState
from windtunnel.vocabulary import JobsKilled, KillJobs

__all__ = ["kill_jobs", "walltime_reached"]


def walltime_reached(world: World, record: JobRecord) -> None:
    """A job is stopped because it has used up its walltime."""
    for hook in world.hooks.kill:
        hook(world.now, record)
    cancel_job(world, record)
    end_job(world, record, JobState.COMPLETED_WALLTIME_REACHED, -1)


def kill_jobs(world: World, rank: int, decision: KillJobs) -> None:
    """Kill jobs; acknowledged by one notice after the ends it caused (batsim-protocol.md section 7)."""
    named: Any = decision  # any sequence of ids will do
    wanted: list[str] = list(dict.fromkeys(named.job_ids))
    if not wanted:
        refuse(world, decision, "empty", "it names no job")
    records = []
    over = []
    for job_id in wanted:
        if job_id not in world.jobs and was_submitted(world, job_id):
            over.append(job_id)  # it may have ended meanwhile, as the document says
            continue
        record = known_job(world, decision, job_id, rank)
        if record.state in (JobState.SUBMITTED, JobState.REJECTED):
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
        if record.state in (JobState.RUNNING, JobState.SUSPENDED):
            progresses[record.job.id] = progress_of_job(world, record)
            for hook in world.hooks.kill:
                hook(world.now, record)
            code = cancel_job(world, record)
            end_job(world, record, JobState.COMPLETED_KILLED, code)
    session = world.sessions[rank]
    profiles = None
    if session.features.forward_profiles_on_jobs_killed:
        profiles = {r.job.profile.id: r.job.profile for r in records}
    asked = {*over, *(record.job.id for record in records)}
    job_ids = tuple([job_id for job_id in wanted if job_id in asked])
    session.outbox.append(JobsKilled(world.now, job_ids, progresses, profiles))
