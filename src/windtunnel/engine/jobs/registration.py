"""Jobs and profiles that components register, and what they declare about jobs (batsim-protocol.md 10, 13)."""

from typing import Final

from msgspec.structs import replace

from windtunnel.engine.jobs.ending import end_job, reject_job
from windtunnel.engine.jobs.execution.jobs import cancel_job
from windtunnel.engine.jobs.registration_checks import job_fault, profile_fault
from windtunnel.engine.jobs.submission import submit_job
from windtunnel.engine.state.refusal import known_job, refuse
from windtunnel.engine.state.sessions import Session
from windtunnel.engine.state.world import World
from windtunnel.model import Job, JobState, Profile
from windtunnel.model.profiles import parts_of
from windtunnel.vocabulary import (
    AnswerWaitingTime,
    ChangeJobState,
    ContinueRegistration,
    Decision,
    FinishRegistration,
    JobSubmitted,
    RegisterJob,
    RegisterProfile,
    RejectJob,
    ReportLeases,
    SetJobMetadata,
)

__all__ = [
    "answer_waiting_time",
    "change_job_state",
    "continue_registration",
    "count_profile_uses",
    "finish_registration",
    "job_counts",
    "job_forgotten",
    "offer_jobs",
    "register_job",
    "register_profile",
    "report_leases",
    "set_job_metadata",
]


NOT_ENABLED: Final = (
    "dynamic registration is not enabled (its component asks for it: Features(dynamic_registration=True); "
    "in Batsim 4's protocol -o dynamic_jobs=true, or --enable-dynamic-jobs of windtunnel batsim4)"
)
_LATER: Final = 1e-6
"""s; dates travel with six decimals."""
_DIGITS: Final = 10
"""Attempts are not counted further."""
_ALIVE: Final = (JobState.SUBMITTED, JobState.RUNNING, JobState.SUSPENDED)


def _uses(world: World, profile: Profile) -> list[str]:
    """The profile and all it is made of."""
    ids = [profile.id] if profile.id else []
    for name in parts_of(profile):
        if name in world.profiles:
            ids += _uses(world, world.profiles[name])
    return ids


def count_profile_uses(world: World) -> None:
    """Count how many jobs need each profile: static ones, and what came back of lost ones; called when jobs can be
    registered.
    """
    world.profile_uses = {}
    met = set()
    for workload in world.workloads:
        for job in workload:
            met.add(job.id)
            job_counts(world, job)
    for record in world.jobs.values():
        if record.job.id not in met:
            job_counts(world, record.job)
    world.used_ids = met


def job_counts(world: World, job: Job) -> None:
    """A job needs its profiles until it is over (:func:`job_forgotten`)."""
    uses = world.profile_uses
    if uses is not None:
        for name in _uses(world, job.profile):
            uses[name] = uses.get(name, 0) + 1


def job_forgotten(world: World, job: Job) -> None:
    """A job is over: profiles that nobody needs any more are forgotten, unless they may be used again."""
    uses = world.profile_uses
    if uses is None or any(session.features.profile_reuse for session in world.sessions):
        return
    for name in _uses(world, job.profile):
        uses[name] = uses.get(name, 0) - 1
        if uses[name] == 0:
            world.profiles.pop(name, None)


def _may_register(world: World, rank: int, decision: Decision) -> Session:
    session = world.sessions[rank]
    enabled = session.features.dynamic_registration
    if not session.registering and (enabled or world.options.check_registration):
        why = "registration was finished before" if enabled else NOT_ENABLED
        refuse(world, decision, "registration", why)
    if not enabled:
        reason = f"{session.name!r} registers jobs or profiles without having requested it, as Batsim 5 allows"
        world.ignore("registration", reason, f"t={world.now:g} s")
    if world.profile_uses is None:
        count_profile_uses(world)
    return session


def register_profile(world: World, rank: int, decision: RegisterProfile) -> None:
    """Make a profile known."""
    _may_register(world, rank, decision)
    _add_profile(world, decision, decision.profile)


def _add_profile(world: World, decision: Decision, profile: Profile) -> None:
    uses = world.profile_uses if world.profile_uses is not None else {}
    if profile.id in uses or profile.id in world.profiles:
        refuse(world, decision, "duplicate-profile", f"profile {profile.id!r} already exists in the workload")
    if fault := profile_fault(profile, world.profiles):
        refuse(world, decision, "profile", f"invalid registration of profile {profile.id!r}: {fault}")
    world.profiles[profile.id] = profile
    uses[profile.id] = 0


def register_job(world: World, rank: int, decision: RegisterJob) -> None:
    """Submit a job of the component's own."""
    session = _may_register(world, rank, decision)
    job = decision.job
    if job.id in (world.used_ids or ()):
        refuse(world, decision, "duplicate-job", f"job {job.id!r} already exists in the workload")
    if decision.profile_id:
        profile = world.profiles.get(decision.profile_id)
        if profile is None:
            gone = decision.profile_id in (world.profile_uses or {})
            refuse(
                world,
                decision,
                "unknown-profile",
                f"job {job.id!r}: profile {decision.profile_id!r} "
                + (
                    "existed some time ago but is no longer accessible (profile reuse is off)"
                    if gone
                    else "does not exist"
                ),
            )
        job = replace(job, profile=profile)
    elif job.profile is None:
        refuse(world, decision, "unknown-profile", f"job {job.id!r} has no profile, and none is named beside it")
    elif job.profile.id and job.profile.id not in world.profiles:
        _add_profile(world, decision, job.profile)
    if fault := job_fault(job, world.profiles):
        refuse(world, decision, "job", f"invalid registration of job {job.id!r}: {fault}")
    if world.used_ids is not None:
        world.used_ids.add(job.id)
    if job.submission_time > world.now + _LATER:
        world.ignore("subtime", "jobs are registered for a later time: they are submitted at once", job.id)
    if not job.submission_time <= world.now:  # jobs are registered at the present date; batprotocol tells none
        job = replace(job, submission_time=world.now)
    job_counts(world, job)
    owner = rank if world.only_session is not None or session.features.acknowledge_dynamic_jobs else -1
    record = submit_job(world, job, owner=owner, dynamic=True, tell=False)
    if world.done_ids is not None:
        _take_place(world, job.id)
    if world.only_session is None:
        world.private_jobs[job.id] = rank
        if owner == -1:
            world.unannounced.append(record)
    if session.features.acknowledge_dynamic_jobs:
        forwarded = job.profile if session.features.forward_profiles_on_job_submission else None
        session.outbox.append(JobSubmitted(world.now, job, job.submission_time, forwarded))


def _take_place(world: World, job_id: str) -> None:
    """Who depends on a job that was taken off at this instant waits for the one in its place (``7#2`` of ``7``)."""
    stem, _, attempt = job_id.rpartition("#")
    done = world.done_ids
    if done is None or not attempt.isdecimal():
        return
    before = f"{stem}#{int(attempt) - 1}" if len(attempt) < _DIGITS else stem
    names = tuple([name for name in dict.fromkeys((stem, before)) if done.get(name) == world.now])
    for name in names:
        del done[name]
    if names:
        world.replaced_ids[job_id] = names


def offer_jobs(world: World) -> None:
    """Tell the other components of registered jobs that their own has neither kept for itself nor started."""
    offered, world.unannounced = world.unannounced, []
    for record in offered:
        if record.state is JobState.SUBMITTED:
            rank, job = world.private_jobs.pop(record.job.id), record.job
            for session in world.sessions:
                if session.rank != rank:
                    forwarded = job.profile if session.features.forward_profiles_on_job_submission else None
                    session.outbox.append(JobSubmitted(world.now, job, job.submission_time, forwarded))


def finish_registration(world: World, rank: int, decision: FinishRegistration) -> None:
    """The component will register no more jobs."""
    session = world.sessions[rank]
    if session.registering:
        session.registering = False
        world.unfinished -= 1
    elif not session.features.dynamic_registration and world.options.check_registration:
        refuse(world, decision, "registration", NOT_ENABLED)


def continue_registration(world: World, rank: int, decision: ContinueRegistration) -> None:
    """The component goes on registering jobs after all."""
    session = world.sessions[rank]
    if not session.features.dynamic_registration:
        refuse(world, decision, "registration", NOT_ENABLED)
    if not session.registering:
        session.registering = True
        world.unfinished += 1


def set_job_metadata(world: World, rank: int, decision: SetJobMetadata) -> None:
    """Attach a text to a job."""
    record = known_job(world, decision, decision.job_id, rank)
    if record.state in _ALIVE:  # what is told of the others stands
        record.metadata = decision.metadata


def report_leases(world: World, rank: int, decision: ReportLeases) -> None:
    """Hand on what a lease manager reports."""
    del rank
    for hook in world.hooks.leases:
        hook(world.now, decision.facts)


def answer_waiting_time(world: World, rank: int, decision: AnswerWaitingTime) -> None:
    """Record an estimate."""
    del rank
    for hook in world.hooks.estimate:
        hook(world.now, decision.job_id, decision.estimated_waiting_time)


def change_job_state(world: World, rank: int, decision: ChangeJobState) -> None:
    """Declare the state of a job that the component simulates itself (batsim-protocol.md 13)."""
    record = known_job(world, decision, decision.job_id, rank)
    wanted, state = decision.job_state, record.state
    if state is JobState.SUBMITTED:
        if wanted is JobState.RUNNING:
            record.state = wanted
            record.owner = rank
            record.starting_time = world.now
            for hook in world.hooks.started:
                hook(world.now, record)
            return
        if wanted is JobState.REJECTED:
            reject_job(world, rank, RejectJob(job_id=decision.job_id))
            return
        refuse(world, decision, "state", f"a submitted job can only become running or rejected, not {wanted.name}")
    if state is not JobState.RUNNING:
        refuse(
            world,
            decision,
            "state",
            f"job {decision.job_id!r} is {state.name}: only a submitted or running job can be changed",
        )
    ends = (
        JobState.COMPLETED_SUCCESSFULLY,
        JobState.COMPLETED_FAILED,
        JobState.COMPLETED_WALLTIME_REACHED,
        JobState.COMPLETED_KILLED,
    )
    if wanted not in ends:
        refuse(world, decision, "state", f"a running job can only become completed, not {wanted.name}")
    if record.execution is not None or record.hosts:
        cancel_job(world, record)
    if decision.kill_reason and not record.metadata:
        record.metadata = decision.kill_reason
    end_job(world, record, wanted, 0 if wanted is JobState.COMPLETED_SUCCESSFULLY else -1, tell=False)
