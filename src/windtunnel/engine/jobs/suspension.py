"""Suspending, resuming and migrating jobs, and sending images: the decisions that leases need."""

from math import isfinite

import msgspec

from windtunnel.engine.jobs.execution.jobs import freeze_job, thaw_job
from windtunnel.engine.jobs.starting import check_amounts
from windtunnel.engine.state.calendar import MIGRATED, TRANSFERRED, Priority
from windtunnel.engine.state.refusal import known_job, refuse
from windtunnel.engine.state.shared_hosts import Amounts
from windtunnel.engine.state.world import World
from windtunnel.model import HostSet, JobRecord, JobState
from windtunnel.vocabulary import (
    Decision,
    ImageTransferred,
    JobMigrated,
    JobResumed,
    JobSuspended,
    MigrateJob,
    ResumeJob,
    SuspendJob,
    TransferImage,
)

__all__ = ["image_transferred", "job_migrated", "migrate_job", "resume_job", "suspend_job", "transfer_image"]


def suspend_job(world: World, rank: int, decision: SuspendJob) -> None:
    """A running job leaves its hosts and keeps its progress."""
    record = known_job(world, decision, decision.job_id, rank)
    if record.state is not JobState.RUNNING:
        refuse(world, decision, "state", f"job {decision.job_id!r} is {record.state.name}, not RUNNING")
    freeze_job(world, record)
    world.energy.job_suspended(record)
    for hook in world.hooks.suspended:
        hook(world.now, record)
    record.state = JobState.SUSPENDED
    if record.amounts is None:
        world.hosts.release(record.hosts, record.since, world.now)
    else:
        world.hosts.release_shares(record.hosts, record.amounts, record.since, world.now)
    world.tell(JobSuspended(world.now, record.job, record.hosts))


def _suspended(world: World, rank: int, decision: SuspendJob | ResumeJob | MigrateJob) -> JobRecord:
    record = known_job(world, decision, decision.job_id, rank)
    if record.state is not JobState.SUSPENDED:
        refuse(world, decision, "state", f"job {decision.job_id!r} is {record.state.name}, not SUSPENDED")
    return record


def resume_job(world: World, rank: int, decision: ResumeJob) -> None:
    """A suspended job goes on, with whole hosts or with shares as before."""
    record = _suspended(world, rank, decision)
    spreads = record.execution is None and record.amounts is not None and decision.amounts is not None
    if len(decision.hosts) != len(record.hosts) and not spreads:  # only fixed run times may be spread otherwise
        refuse(
            world,
            decision,
            "allocation-size",
            f"job {decision.job_id!r} had {len(record.hosts)} hosts and is given {len(decision.hosts)}",
        )
    amounts = _amounts(world, decision, record)
    if amounts is None:
        _check_hosts(world, decision, decision.hosts)
    else:
        check_amounts(world, msgspec.structs.replace(decision, amounts=amounts), record.job)
    record.state = JobState.RUNNING
    record.hosts = decision.hosts
    record.amounts = amounts
    if amounts is None:
        world.hosts.occupy(decision.hosts, world.now)
    else:
        world.hosts.occupy_shares(decision.hosts, amounts, world.now)
    world.energy.job_resumed(record)
    thaw_job(world, record)
    for hook in world.hooks.resumed:
        hook(world.now, record)
    world.tell(JobResumed(world.now, record.job, record.hosts, record.amounts))


def _amounts(world: World, decision: ResumeJob, record: JobRecord) -> Amounts | None:
    """What a job with shares takes again: what is said, or what it had, host by host."""
    if record.amounts is None:
        if decision.amounts is not None:
            refuse(world, decision, "amounts", f"job {record.job.id!r} has whole hosts, not shares of them")
        return None
    if decision.amounts is not None:
        return decision.amounts
    had = record.amounts
    return {new: had[old] for old, new in zip(record.hosts, decision.hosts, strict=True) if old in had}


def _check_hosts(world: World, decision: Decision, hosts: HostSet) -> None:
    if not world.hosts.free.covers(hosts):
        refuse(world, decision, "host-busy", f"not all of the hosts {hosts} are free")


def _check_move(world: World, decision: MigrateJob | TransferImage, what: str) -> None:
    """Something moves to hosts that are there, and arrives some day."""
    if not (decision.duration >= 0 and isfinite(decision.duration)):
        refuse(world, decision, "duration", f"{what} cannot last {decision.duration} s")
    if beyond := decision.hosts - HostSet.span(world.hosts.size):
        refuse(world, decision, "unknown-host", f"there are no compute hosts {beyond}")


def migrate_job(world: World, rank: int, decision: MigrateJob) -> None:
    """The state of a suspended job starts moving to other hosts."""
    record = _suspended(world, rank, decision)
    _check_move(world, decision, "a migration")
    world.unfinished += 1
    world.push(world.now + decision.duration, Priority.SWITCHED, MIGRATED, (record, decision.hosts))


def job_migrated(world: World, payload: tuple[JobRecord, HostSet]) -> None:
    """It has arrived."""
    record, hosts = payload
    world.unfinished -= 1
    world.tell(JobMigrated(world.now, record.job, hosts))


def transfer_image(world: World, rank: int, decision: TransferImage) -> None:
    """An image starts moving to hosts."""
    del rank
    _check_move(world, decision, "a transfer")
    world.unfinished += 1
    world.push(world.now + decision.duration, Priority.SWITCHED, TRANSFERRED, decision)


def image_transferred(world: World, decision: TransferImage) -> None:
    """It has arrived."""
    world.unfinished -= 1
    world.tell(ImageTransferred(world.now, decision.image_id, decision.hosts))
