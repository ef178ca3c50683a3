"""Starting, stopping, suspending and measuring the execution of a whole job."""

from math import inf

import windtunnel.engine.jobs.execution.kinds  # noqa: F401 -- it fills the table of kinds
from windtunnel.diagnostics import SimulationError, did_you_mean
from windtunnel.engine.jobs.execution import nodes
from windtunnel.engine.jobs.execution.nodes import Node
from windtunnel.engine.jobs.execution.tasks import task_of
from windtunnel.engine.jobs.execution.traces import replay_hosts
from windtunnel.engine.state.calendar import JOB_END, WALLTIME, Priority
from windtunnel.engine.state.refusal import refuse
from windtunnel.engine.state.world import World
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    HostSet,
    JobRecord,
    JobState,
    ParallelTaskMergeCompositionProfile,
    Profile,
    ReceiveProfile,
    SendProfile,
    SequentialCompositionProfile,
    TraceReplayProfile,
)
from windtunnel.model.application import ElasticProfile
from windtunnel.model.profiles import parts_of
from windtunnel.vocabulary import AtomicProgress, ExecuteJob, KillProgress
from windtunnel.vocabulary.checking import wrong_field

__all__ = ["begin_job", "cancel_job", "check_job", "freeze_job", "progress_of_job", "thaw_job"]


def begin_job(world: World, record: JobRecord, decision: ExecuteJob) -> None:
    """Start the profile of a job that has just been given its hosts."""
    job = record.job
    if reason := wrong_field(decision):  # what only tasks look at
        refuse(world, decision, "field", reason)
    _check_overrides(world, record, decision)
    if job.walltime < inf:
        priority = Priority.FIRST if isinstance(job.profile, ElasticProfile) else Priority.WALLTIME
        world.push(world.now + job.walltime, priority, WALLTIME, record, record.version)
    node = _root(world, record, decision)
    record.execution = node
    try:
        nodes.kind_of(world, job.profile).begin(world, node)
    except RecursionError:
        raise SimulationError(f"job {job.id!r}: its profile nests too deeply to be run", now=world.now) from None


def check_job(world: World, record: JobRecord, decision: ExecuteJob) -> None:
    """In a run that survives refusals: whatever beginning the job would refuse is refused before it has its hosts."""
    _check_overrides(world, record, decision)
    _check(world, _root(world, record, decision))


def _check_overrides(world: World, record: JobRecord, decision: ExecuteJob) -> None:
    """Placements of sub-profiles are for profiles that the job is made of, on hosts that can compute."""
    if not decision.profile_placements:
        return
    made_of, parts = {record.job.profile.id}, set[str]()
    todo = [record.job.profile]
    while todo:
        profile = todo.pop()
        inner = set(parts_of(profile))
        if isinstance(profile, ParallelTaskMergeCompositionProfile):
            parts |= inner
            continue
        todo += [world.profiles[name] for name in inner - made_of if name in world.profiles]
        made_of |= inner
    for name, placed in decision.profile_placements.items():
        where = f"job {record.job.id!r}: the placement of {name!r}"
        if name in parts - made_of:
            refuse(world, decision, "override", f"{where} is invalid: it is part of a merged task, which runs as one")
        if name not in made_of:
            hint = did_you_mean(name, sorted(made_of))
            refuse(world, decision, "override", f"{where} is invalid: the job does not contain it; {hint}")
        away = HostSet(
            host for host in placed.hosts - record.hosts if host < world.hosts.size and host not in world.hosts.free
        )
        if away:
            refuse(world, decision, "host-state", f"{where} names hosts that cannot compute jobs now: {away}")


def _check(world: World, node: Node) -> None:
    profile = node.profile
    if isinstance(profile, SequentialCompositionProfile | ForkJoinCompositionProfile):
        for node.index, name in enumerate(profile.profile_ids):
            _check(world, nodes.sub_node(world, node, nodes.sub_profile(world, node, name), node.left))
    elif isinstance(profile, TraceReplayProfile):
        replay_hosts(world, node, len(profile.traces))
    elif not isinstance(profile, DelayProfile | SendProfile | ReceiveProfile | ElasticProfile):
        task_of(world, node)


def _root(world: World, record: JobRecord, decision: ExecuteJob) -> Node:
    job = record.job
    node = Node(record, job.profile, None, job.walltime, world.now, decision, io=_additional(world, decision))
    nodes.check_io(world, node)
    return node


def _additional(world: World, decision: ExecuteJob) -> Profile | None:
    """The additional I/O profile, registered now when it came with the decision."""
    io = decision.additional_io
    if io is None:
        return None
    known = world.profiles.get(io.profile_id)
    if io.profile is not None:
        if known is not None and known is not io.profile:
            refuse(world, decision, "duplicate-profile", f"profile {io.profile_id!r} already exists in the workload")
        world.profiles[io.profile_id] = known = io.profile
    if known is None:
        refuse(world, decision, "unknown-profile", f"the additional I/O profile {io.profile_id!r} does not exist")
    return known


def cancel_job(world: World, record: JobRecord) -> int:
    """Stop a job's execution; returns the return code of a job killed like this (batsim-protocol.md 7)."""
    node = record.execution
    if isinstance(node, Node):
        return nodes.cancel(world, node)
    world.energy.sleep_ended(record)
    return -1


def progress_of_job(world: World, record: JobRecord) -> KillProgress:
    """How far a running or suspended job has come."""
    node = record.execution
    if isinstance(node, Node):
        return nodes.progress(world, node)
    profile = record.job.profile
    if not isinstance(profile, DelayProfile):
        return AtomicProgress(profile.id, -1.0)  # a component simulates this job itself
    done = record.done if record.state is JobState.SUSPENDED else record.done + world.now - record.since
    return AtomicProgress(profile.id, nodes.delay_done(done, profile.delay))


def freeze_job(world: World, record: JobRecord) -> None:
    """Suspend a job's execution, keeping its progress."""
    node = record.execution
    if isinstance(node, Node):
        nodes.freeze(world, node)
    record.done += world.now - record.since
    record.version += 1


def thaw_job(world: World, record: JobRecord) -> None:
    """Let a suspended job go on; its walltime counts only while it runs."""
    node = record.execution
    job = record.job
    record.since = now = world.now
    left = job.walltime - record.done
    if isinstance(node, Node):
        if left < inf:
            world.push(now + left, Priority.WALLTIME, WALLTIME, record, record.version)
        nodes.thaw(world, node)
    elif isinstance(job.profile, DelayProfile):
        delay = job.profile.delay
        if delay < job.walltime:
            world.push(now + delay - record.done, Priority.END, JOB_END, record, record.version)
        else:
            world.push(now + left, Priority.WALLTIME, WALLTIME, record, record.version)
