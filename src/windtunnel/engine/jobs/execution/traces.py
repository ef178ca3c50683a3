"""Jobs that replay traces: of MPI calls, or of the use of cores (batsim-inputs.md 6, execution-model.md 4)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from windtunnel.diagnostics import DecisionError, UsageError
from windtunnel.engine.jobs.execution.nodes import Kind, Node, finish, profile_as
from windtunnel.engine.jobs.execution.placing import places
from windtunnel.engine.sharing.model import sharing_of
from windtunnel.engine.state.world import World
from windtunnel.model import TraceReplayProfile, TraceType
from windtunnel.vocabulary import AtomicProgress

if TYPE_CHECKING:
    from windtunnel.engine.replay import TraceReplay
    from windtunnel.engine.sharing import Action

__all__ = ["TRACE", "replay_hosts"]


def _refuse(world: World, node: Node, reason: str) -> DecisionError:
    return DecisionError(
        f"job {node.record.job.id!r}, profile {node.profile.id!r}: {reason}", rule="replay", now=world.now
    )


def replay_hosts(world: World, node: Node, ranks: int) -> Sequence[int]:
    """The host of each rank: as the job's own mapping says (Batsim 4), as its executors are placed, or in turn."""
    source = node.record.job.source
    mapping = None if source is None else source.get("smpi_ranks_to_hosts_mapping")
    allocated = list(node.record.hosts)
    if mapping is not None:
        if len(mapping) != ranks:
            raise _refuse(world, node, f"smpi_ranks_to_hosts_mapping places {len(mapping)} ranks, there are {ranks}")
        return [allocated[rank % len(allocated)] for rank in mapping]
    placed = places(world, node)
    if not placed:
        raise _refuse(world, node, "it has no host to replay its traces on")
    mapped = isinstance(node.decision.placement, tuple) and not world.options.check_sizes  # Batsim 4 does not look
    if mapped and len(placed) < ranks:
        raise _refuse(world, node, f"the mapping places {len(placed)} executors, and there are {ranks} traces")
    hosts = [placed[rank % len(placed)] for rank in range(ranks)]
    usage = profile_as(node, TraceReplayProfile).trace_type is TraceType.FractionalComputation
    if usage and len(set(hosts)) < len(hosts):
        raise _refuse(world, node, "its traces of usage need as many hosts as there are traces")
    return hosts


def _home(world: World, node: Node) -> int:
    """Where the end of each rank is told, if that takes time: the first host of the job."""
    return node.record.hosts.first if world.options.ranks_tell_their_end else -1


def _begin(world: World, node: Node) -> None:
    from windtunnel.engine.replay import TraceReplay

    profile = profile_as(node, TraceReplayProfile)
    sharing = sharing_of(world)
    hosts = replay_hosts(world, node, len(profile.traces))
    try:
        replay = TraceReplay(node, sharing.system, sharing.builder, profile.traces, hosts, _home(world, node))
    except UsageError as fault:
        raise _refuse(world, node, str(fault)) from fault
    node.action = replay
    replay.begin(_now(world))
    if replay.done:
        _end(world, node)


def _replayed(world: World, node: Node, action: "Action") -> None:
    """Something that the replay had started is complete."""
    if action.task is not None:
        world.energy.touch(sorted(set(action.task.hosts)))
    replay: TraceReplay = node.action
    replay.ended(max(world.now, replay.system.now), action)
    if replay.done:
        _end(world, node)


def _end(world: World, node: Node) -> None:
    node.action = None
    finish(world, node, node.profile.return_code)


def _now(world: World) -> float:
    """The date of a change that follows."""
    sharing = sharing_of(world)
    sharing.changed = True
    return sharing.date()


def _cancel(world: World, node: Node) -> int:
    now = _now(world)
    if node.action is not None:
        world.energy.touch(sorted(set(node.action.hosts)))
        node.action.cancel(now)
        node.action = None
    return -1


def _progress(world: World, node: Node) -> AtomicProgress:
    mpi = profile_as(node, TraceReplayProfile).trace_type is TraceType.SMPI
    now = max(world.now, sharing_of(world).system.now)
    return AtomicProgress(node.profile.id, 1.0 if node.action is None else node.action.progress(now), mpi)


def _freeze(world: World, node: Node) -> None:
    now = _now(world)
    node.action.suspend(now)


def _thaw(world: World, node: Node) -> None:
    now = _now(world)
    replay: TraceReplay = node.action
    replay.move(replay_hosts(world, node, len(replay.traces)), _home(world, node))  # it may go on elsewhere
    replay.resume(now)


TRACE: Final = Kind(_begin, _cancel, _progress, freeze=_freeze, thaw=_thaw, complete=_replayed)
