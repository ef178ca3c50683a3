"""Jobs end, or are rejected (batsim-protocol.md sections 5 and 8)."""

from typing import Any, Final

from windtunnel.engine.state.calendar import RELEASE_HELD, Priority
from windtunnel.engine.state.refusal import known_job, refuse
from windtunnel.engine.state.world import World
from windtunnel.model import JobRecord, JobState
from windtunnel.vocabulary import JobCompleted, JobRejected, RejectJob
from windtunnel.vocabulary.component import MOST_GATHERED

__all__ = ["end_job", "reject_job"]

_SUSPENDED: Final = JobState.SUSPENDED
_SUBMITTED: Final = JobState.SUBMITTED
_SUCCESS: Final = JobState.COMPLETED_SUCCESSFULLY
_FAILED: Final = JobState.COMPLETED_FAILED
_MOST_GATHERED: Final = MOST_GATHERED
_JobCompleted: Final = JobCompleted  # bound once: compiled code looks up what comes from other modules each time


def end_job(world: World, record: JobRecord, state: JobState | None = None, code: int = 0, tell: bool = True) -> None:
    """A job leaves its hosts; everyone is told (unless the component said so itself).

    Without a state it has run to its end, and its profile says how: a fixed run time costs one call less.
    """
    job_id = record.job_id
    if state is None:
        code = record.code
        state = _FAILED if code else _SUCCESS
    else:
        record.version += 1  # its end may be planned
    now = world.now
    table = world.hosts
    hosts = record.hosts
    leaves = record.state is not _SUSPENDED
    if leaves:
        if record.amounts is None:
            table.release(hosts, record.since, now)
        else:
            table.release_shares(hosts, record.amounts, record.since, now)
    record.state = state
    if code:
        record.return_code = code
    record.finish_time = now
    if record.execution is not None:
        record.execution = None
    world.last_end = now
    if world.metered:
        world.energy.job_ended(record, leaves)
    hooks = world.hooks
    moment: Any = now  # compiled code makes an object of a number wherever one is wanted
    jobs = hooks.gathered_jobs
    if jobs is not None and len(jobs) < _MOST_GATHERED:
        jobs.append(record)
    elif (only := hooks.only_ended) is not None:
        only(moment, record)
    else:
        for hook in hooks.ended:
            hook(moment, record)
    states = hooks.gathered_states
    if states is not None:
        states.append(now)
        states.extend(table.counts)
    elif (only := hooks.only_states) is not None:
        only(moment, table.counts)
    else:
        for hook in hooks.states:
            hook(moment, table.counts)
    if tell:
        notice = _JobCompleted(moment, record.job, state, code, hosts, record.starting_time)
        session = world.only_session
        if session is not None:
            session.outbox.append(notice)
        elif (owner := world.private_jobs.get(job_id)) is None:
            world.tell(notice)
        else:
            world.sessions[owner].outbox.append(notice)
            world.tell_others(owner, notice)  # they heard of its start
    world.to_forget.append(job_id)
    if world.linked:
        _go_on(world, job_id)


def _go_on(world: World, job_id: str) -> None:
    """The job is over: what waited for it goes on."""
    world.private_jobs.pop(job_id, None)
    if world.done_ids is not None:
        for done in (job_id, *world.replaced_ids.pop(job_id, ())):
            world.done_ids[done] = world.now
            for job in world.waiting_for.pop(done, ()):
                world.push(world.now + job.think_time, Priority.SUBMISSION, RELEASE_HELD, job)
    if world.workflow_tasks:
        from windtunnel.engine.jobs.workflows import task_over

        task_over(world, job_id)


def reject_job(world: World, rank: int, decision: RejectJob) -> None:
    """Refuse a job for good."""
    record = known_job(world, decision, decision.job_id, rank)
    if record.state is not _SUBMITTED:
        refuse(world, decision, "state", f"job {decision.job_id!r} is {record.state.name}, not SUBMITTED")
    record.state = JobState.REJECTED
    if decision.reason and not record.metadata:
        record.metadata = decision.reason
    for hook in world.hooks.rejected:
        hook(world.now, record)
    world.to_forget.append(record.job.id)
    if world.only_session is None:
        world.tell_others(rank, JobRejected(world.now, record.job))
    _go_on(world, record.job.id)
