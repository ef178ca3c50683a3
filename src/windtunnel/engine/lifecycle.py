"""The life of a job: submission, rejection, start, end, kill (batsim-protocol.md sections 4 to 8)."""

from heapq import heappush
from typing import Final

from windtunnel.engine import execution, power
from windtunnel.engine.events import JOB_END, NO_MORE, RELEASE_HELD, SUBMIT, WALLTIME
from windtunnel.engine.hosts import HostState
from windtunnel.engine.refusal import known_job, refuse
from windtunnel.engine.workflows import task_over
from windtunnel.engine.world import Priority, Submitter, World
from windtunnel.model import (
    DelayProfile,
    HostSet,
    Job,
    JobRecord,
    JobState,
    ParallelTaskHomogeneousProfile,
    Profile,
    SequentialCompositionProfile,
)
from windtunnel.model.profiles import GenerationStrategy
from windtunnel.vocabulary import (
    AllStaticJobsHaveBeenSubmitted,
    ExecuteJob,
    JobCompleted,
    JobsKilled,
    JobSubmitted,
    KillJobs,
    RejectJob,
    ResumeJob,
    WaitingTimeQueried,
)

__all__ = [
    "check_amounts",
    "end_job",
    "execute_job",
    "kill_jobs",
    "reject_job",
    "release_held",
    "submit_due",
    "submit_job",
    "walltime_reached",
    "workload_over",
]

_NO_HOSTS: Final = HostSet()
_SUBMISSION: Final = Priority.SUBMISSION
_SUSPENDED: Final = JobState.SUSPENDED
_SUBMITTED: Final = JobState.SUBMITTED
_RUNNING: Final = JobState.RUNNING
_SUCCESS: Final = JobState.COMPLETED_SUCCESSFULLY
_FAILED: Final = JobState.COMPLETED_FAILED


# -- submission ---------------------------------------------------------------------------------------------------


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


def reject_job(world: World, rank: int, decision: RejectJob) -> None:
    """Refuse a job for good."""
    record = known_job(world, decision, decision.job_id, rank)
    if record.state is not _SUBMITTED:
        refuse(world, decision, "state", f"job {decision.job_id!r} is {record.state.name}, not SUBMITTED")
    record.state = JobState.REJECTED
    world.nb_ended += 1
    for hook in world.hooks.rejected:
        hook(world.now, record)
    _forget(world, record)


# -- start --------------------------------------------------------------------------------------------------------


def execute_job(world: World, rank: int, decision: ExecuteJob) -> None:
    """Start a job, after the checks of batsim-protocol.md section 6."""
    record = world.jobs.get(decision.job_id)
    if record is None or record.owner != -1:
        record = known_job(world, decision, decision.job_id, rank)
    if record.state is not _SUBMITTED:
        refuse(world, decision, "state", f"job {decision.job_id!r} is {record.state.name}, not SUBMITTED")
    job = record.job
    hosts = decision.hosts
    table = world.hosts
    amounts = decision.amounts
    if amounts is not None:
        check_amounts(world, decision, job)
        if not job.request.processors and len(hosts) != job.request.hosts and world.options.check_sizes:
            _check_size(world, decision, job)
    elif not table.free.covers(hosts):
        _explain_hosts(world, decision)
    elif (hosts.size != job.request.hosts or decision.placement is not None) and world.options.check_sizes:
        _check_size(world, decision, job)
    now = world.now
    record.hosts = hosts
    if not world.options.strict and (type(job.profile) is not DelayProfile or decision.additional_io is not None):
        try:
            execution.check_job(world, record, decision)
        except Exception:
            record.hosts = _NO_HOSTS
            raise
    record.owner = rank
    record.state = _RUNNING
    if amounts is not None:
        record.amounts = amounts
    record.starting_time = record.since = now
    if world.energy is not None:
        power.job_started(world, record)
    if amounts is None:
        table.occupy(hosts, now)
    else:
        table.occupy_shares(hosts, amounts, now)
    world.nb_running += 1
    hooks = world.hooks
    if hooks.started:
        for hook in hooks.started:
            hook(now, record)
    for hook in hooks.states:
        hook(now, table.counts)
    profile = job.profile
    if type(profile) is DelayProfile and decision.additional_io is None:
        # The common case costs one event. A delay equal to the walltime is killed by it (batsim-inputs.md 5).
        world.sequence = sequence = world.sequence + 1
        if profile.delay < job.walltime:
            heappush(world.heap, (now + profile.delay, 0, sequence, JOB_END, record, record.version))
        else:
            heappush(world.heap, (now + job.walltime, 1, sequence, WALLTIME, record, record.version))
    else:
        execution.begin_job(world, record, decision)


def check_amounts(world: World, decision: ExecuteJob | ResumeJob, job: Job) -> None:
    """Whether the hosts have the amounts, and whether they are what the job asked for."""
    table = world.hosts
    hosts, amounts = decision.hosts, decision.amounts or {}
    known = HostSet.span(table.size)
    shared = HostSet(host for host in hosts if host in table.shares and host not in table.special)
    if not hosts <= known or not table.free.covers(hosts - shared):
        _explain_hosts(world, decision, shared)
    if reason := table.shares.refusal(hosts, amounts, world.platform.hosts):
        refuse(world, decision, "amounts", f"job {job.id!r}: {reason}")
    request = job.request
    if request.processors:
        cores = sum(amounts.get(host, {}).get("cores", 0.0) for host in hosts)
        if cores < request.processors:
            message = f"job {job.id!r} requests {request.processors} cores and is given {cores:g}"
            refuse(world, decision, "allocation-size", message)
    for name, amount in request.amounts:
        if any(amounts.get(host, {}).get(name, 0.0) < amount for host in hosts):
            refuse(world, decision, "amounts", f"job {job.id!r} requests {amount:g} {name!r} on each host")


def _explain_hosts(world: World, decision: ExecuteJob | ResumeJob, shared: HostSet = _NO_HOSTS) -> None:
    """Say which host cannot be given to the job, and why."""
    table = world.hosts
    for host in decision.hosts - shared:
        if host >= table.size:
            known = f"0-{table.size - 1}" if table.size else "none"
            refuse(
                world, decision, "unknown-host", f"job {decision.job_id!r}: there is no compute host {host} ({known})"
            )
        state = table.state(host)
        if state is HostState.COMPUTING and table.jobs_on is None:
            busy = next((j for j, r in world.jobs.items() if r.state is _RUNNING and host in r.hosts), "?")
            refuse(
                world,
                decision,
                "host-busy",
                f"job {decision.job_id!r}: host {host} is running job {busy!r} and "
                "time-sharing on compute machines is disabled",
            )
        if state not in (HostState.IDLE, HostState.COMPUTING):
            refuse(
                world,
                decision,
                "host-state",
                f"job {decision.job_id!r}: host {host} cannot compute jobs now (the machine is not computing nor "
                f"idle, its state is {state.name.lower()})",
            )
        if host not in table.free:  # its power state was changed, as Batsim 5 allows at any time
            reason = f"host {host} cannot compute jobs now: its power state {table.pstate[host]} is not for computing"
            refuse(world, decision, "host-pstate", f"job {decision.job_id!r}: {reason}")


def _check_size(world: World, decision: ExecuteJob, job: Job) -> None:
    """A rigid job gets as many hosts as it asked for, or a mapping of as many executors (Batsim 4)."""
    wanted = job.request.hosts
    if isinstance(decision.placement, tuple):
        beyond = [rank for rank in decision.placement if not 0 <= rank < len(decision.hosts)]
        if beyond:
            refuse(
                world,
                decision,
                "mapping",
                f"job {job.id!r}: the mapping names ranks {beyond} of {len(decision.hosts)} hosts",
            )
        if len(decision.placement) == wanted:
            return
        refuse(
            world,
            decision,
            "mapping-size",
            f"job {job.id!r}: the mapping places {len(decision.placement)} executors, the job has {wanted}",
        )
    if len(decision.hosts) != wanted and not _moldable(world, job.profile):
        refuse(
            world,
            decision,
            "allocation-size",
            f"job {job.id!r} requests {wanted} hosts and is given {len(decision.hosts)}",
        )


def _moldable(world: World, profile: Profile) -> bool:
    if isinstance(profile, ParallelTaskHomogeneousProfile):
        return profile.generation_strategy is not GenerationStrategy.DefinedAmountsUsedForEachValue
    if isinstance(profile, SequentialCompositionProfile):
        return all(_moldable(world, world.profiles[p]) for p in profile.profile_ids)
    return False


# -- end ----------------------------------------------------------------------------------------------------------


def job_end(world: World, record: JobRecord) -> None:
    """A job has run to its end."""
    code = record.job.profile.return_code
    if world.energy is not None:
        power.sleep_ended(world, record)
    end_job(world, record, _SUCCESS if code == 0 else _FAILED, code)


def walltime_reached(world: World, record: JobRecord) -> None:
    """A job is stopped because it has used up its walltime."""
    for hook in world.hooks.kill:
        hook(world.now, record)
    if record.execution is not None:
        execution.cancel_job(world, record)
    else:
        power.sleep_ended(world, record)
    end_job(world, record, JobState.COMPLETED_WALLTIME_REACHED, -1)


def end_job(world: World, record: JobRecord, state: JobState, code: int, *, tell: bool = True) -> None:
    """A job leaves its hosts; everyone is told (unless the component said so itself)."""
    now = world.now
    table = world.hosts
    hosts = record.hosts
    if record.state is not _SUSPENDED:
        if world.energy is not None:
            power.job_paused(world, record)
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
        power.job_ended(world, record)
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
    _forget(world, record)


def _forget(world: World, record: JobRecord) -> None:
    """The job is over: what waited for it goes on, and it is forgotten once that has been told."""
    world.open -= 1
    job_id = record.job.id
    world.told.append(job_id)
    if world.private:
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
                power.sleep_ended(world, record)
            end_job(world, record, JobState.COMPLETED_KILLED, code)
    seat = world.seats[rank]
    profiles = None
    if seat.features.forward_profiles_on_jobs_killed:
        profiles = {r.job.profile.id: r.job.profile for r in records}
    seat.outbox.append(JobsKilled(world.now, tuple(r.job.id for r in records), progresses, profiles))
