"""Parallel tasks: profiles that compute and communicate, run by the sharing system (batsim-inputs.md 5, 11)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from windtunnel.diagnostics import DecisionError
from windtunnel.engine.jobs.execution.nodes import Kind, Node, finish, sub_profile
from windtunnel.engine.jobs.execution.placing import claim_storage, places, storage_of
from windtunnel.engine.sharing.model import sharing_of
from windtunnel.engine.state.world import World
from windtunnel.model import (
    HostSet,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    Profile,
)
from windtunnel.model.profiles import GenerationStrategy
from windtunnel.vocabulary import AtomicProgress

if TYPE_CHECKING:
    from windtunnel.engine.sharing import Action, Task

__all__ = ["TASK", "amounts", "homogeneous_amounts", "task_of"]


def homogeneous_amounts(profile: ParallelTaskHomogeneousProfile, count: int) -> tuple[float, float]:
    """Flops of each executor and bytes of each ordered pair."""
    flops, amount = profile.computation_amount, profile.communication_amount
    if profile.generation_strategy is GenerationStrategy.DefinedAmountsUsedForEachValue:
        return flops, amount
    if profile.generation_strategy is GenerationStrategy.Batsim4Total:
        return flops / count, amount / count
    return flops / count, amount / (count * count - count) if count > 1 else 0.0


def amounts(world: World, node: Node, profile: Profile, count: int) -> tuple[list[float], list[list[float]]]:
    """The vector and matrix of a task of ``count`` executors (the plain form, for tasks that are added up)."""
    flops = [0.0] * count
    sent = [[0.0] * count for _ in range(count)]
    if isinstance(profile, ParallelTaskHomogeneousProfile):
        each, pair = homogeneous_amounts(profile, count)
        flops = [each] * count
        sent = [[0.0 if i == j else pair for j in range(count)] for i in range(count)]
    elif isinstance(profile, ParallelTaskProfile):
        if profile.executors != count:
            _size(world, node, profile, count)
        if profile.computation_vector is not None:
            flops = list(profile.computation_vector)
        if profile.communication_matrix is not None:
            matrix = profile.communication_matrix
            sent = [list(matrix[i * count : (i + 1) * count]) for i in range(count)]
    elif isinstance(profile, ParallelTaskMergeCompositionProfile):
        for name in profile.profile_ids:
            more, moved = amounts(world, node, sub_profile(world, node, name), count)
            flops = [a + b for a, b in zip(flops, more, strict=True)]
            sent = [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(sent, moved, strict=True)]
    else:
        raise DecisionError(
            f"profile {profile.id!r}: a {type(profile).__name__} cannot be part of another task",
            rule="merge",
            now=world.now,
        )
    return flops, sent


def _size(world: World, node: Node, profile: ParallelTaskProfile, count: int) -> None:
    raise DecisionError(
        f"inconsistent placement for job={node.record.job.id!r}: profile {profile.id!r} is rigid "
        f"(profile_type='PTASK') but user-given custom mapping has size={count}, which is not equal to "
        f"nb_res={profile.executors} requested by the job",
        rule="mapping-size",
        now=world.now,
    )


def task_of(world: World, node: Node) -> "Task":
    """What this node asks of hosts and links."""
    profile = node.profile
    build = sharing_of(world).builder
    if isinstance(profile, ParallelTaskDataStagingBetweenStoragesProfile):
        source = storage_of(world, node, profile.emitter_storage_name, single=False)
        target = storage_of(world, node, profile.receiver_storage_name, single=False)
        return build.flows((source, target), [(source, target, profile.bytes_to_transfer)])
    positions = places(world, node)
    if isinstance(profile, ParallelTaskOnStorageHomogeneousProfile):
        return _storage_task(world, node, profile, positions)
    if node.io is not None:
        return _with_io(world, node, positions)
    if not positions:
        from windtunnel.engine.sharing import Task

        return Task(())
    if isinstance(profile, ParallelTaskHomogeneousProfile):
        return build.homogeneous(positions, *homogeneous_amounts(profile, len(positions)))
    flops, sent = amounts(world, node, profile, len(positions))
    return build.matrices(positions, flops, sent if any(map(any, sent)) else None)


def _storage_task(
    world: World, node: Node, profile: ParallelTaskOnStorageHomogeneousProfile, positions: Sequence[int]
) -> "Task":
    storage = storage_of(world, node, profile.storage_name, single=True)
    read, write = profile.bytes_to_read, profile.bytes_to_write
    if profile.generation_strategy is not GenerationStrategy.DefinedAmountsUsedForEachValue:
        read, write = read / len(positions), write / len(positions)
    flows = [(storage, host, read) for host in positions] + [(host, storage, write) for host in positions]
    return sharing_of(world).builder.flows((*positions, storage), flows)


def _with_io(world: World, node: Node, positions: Sequence[int]) -> "Task":
    """The task and an additional one, added up over the union of their hosts (batsim-protocol.md 6)."""
    io_hosts: list[int] = list(node.decision.additional_io.hosts)
    first = len(world.platform.hosts)
    beyond = node.decision.additional_io.hosts - HostSet.span(first + len(world.platform.storages))
    if beyond:
        reason = f"job {node.record.job.id!r}: its additional I/O names hosts that do not exist: {beyond}"
        raise DecisionError(reason, rule="unknown-host", now=world.now)
    executors: list[int] = [*positions, *io_hosts]
    for host in sorted({*executors}):
        if host >= first:
            claim_storage(world, node.record.job.id, host)
    rank = {host: i for i, host in reversed([*enumerate(executors)])}  # what two hosts exchange is added up
    flops: list[float] = []
    sent = [[0.0] * len(executors) for _ in executors]
    for profile, hosts in ((node.profile, positions), (node.io, io_hosts)):
        if profile is None:
            continue
        computed, moved = amounts(world, node, profile, len(hosts))
        flops += computed
        for i, source in enumerate(hosts):
            if computed[i] > 1e-10:
                _may_compute(world, node, source)
            for j, target in enumerate(hosts):
                sent[rank[source]][rank[target]] += moved[i][j]
    moves = len(rank) > 1 and any(map(any, sent))
    return sharing_of(world).builder.matrices(executors, flops, sent if moves else None)


def _may_compute(world: World, node: Node, host: int) -> None:
    """Additional I/O computes on compute hosts only, and where hosts are not shared on those of its job only."""
    job_id = node.record.job.id
    if host >= len(world.platform.hosts):
        reason, rule = f"job {job_id!r} would compute on storage {host}", "storage"
    elif host not in node.record.hosts and not world.options.compute_sharing:
        rule = "host-busy"
        reason = (
            f"job {job_id!r}: its additional I/O would compute on host {host}, which is not one of its own, and "
            "time-sharing on compute machines is disabled"
        )
    else:
        return
    raise DecisionError(reason, rule=rule, now=world.now)


def _begin(world: World, node: Node) -> None:
    task = task_of(world, node)
    sharing = sharing_of(world)
    if len(task.hosts) == 1:
        world.energy.touch(task.hosts)
    node.action = sharing.start(task, node)


def _complete(world: World, node: Node, action: "Action") -> None:
    """The sharing system has finished this task."""
    del action
    _touch(world, node)
    node.action = None
    finish(world, node, node.profile.return_code)


def _touch(world: World, node: Node) -> None:
    if node.action is not None and node.action.task is not None:
        world.energy.touch(sorted(set(node.action.task.hosts)))


def _cancel(world: World, node: Node) -> int:
    _touch(world, node)
    action: Any = node.action
    if action is not None:
        sharing_of(world).cancel(action)
        node.action = None
    return -2


def _progress(world: World, node: Node) -> AtomicProgress:
    done = 1.0 if node.action is None else sharing_of(world).done(node.action)
    return AtomicProgress(node.profile.id, min(1.0, max(0.0, done)))


def _freeze(world: World, node: Node) -> None:
    if node.action is not None:
        sharing_of(world).suspend(node.action)


def _thaw(world: World, node: Node) -> None:
    action = node.action
    if action is not None:
        if action.task is not None:  # it may go on elsewhere
            action.task = task_of(world, node)
            action.network_bound = action.task.network_bound
        sharing_of(world).resume(action)


TASK: Final = Kind(_begin, _cancel, _progress, freeze=_freeze, thaw=_thaw, complete=_complete, again=task_of)
