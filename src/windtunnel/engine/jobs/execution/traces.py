"""Jobs that replay traces: of MPI calls, or of the use of cores (batsim-inputs.md 6, execution-model.md 4)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windtunnel.diagnostics import DecisionError, UsageError
from windtunnel.engine.jobs.execution.nodes import Kind, Node, finish, profile_as
from windtunnel.engine.jobs.execution.tasks import places
from windtunnel.engine.sharing.model import Fluid, fluid_of
from windtunnel.engine.state.world import World
from windtunnel.model import TraceReplayProfile, TraceType
from windtunnel.vocabulary import AtomicProgress

if TYPE_CHECKING:
    from windtunnel.engine.replay import Replay
    from windtunnel.engine.sharing import Action

__all__ = ["TRACE", "replay_hosts", "replayed"]


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
    hosts = [placed[rank % len(placed)] for rank in range(ranks)]
    usage = profile_as(node, TraceReplayProfile).trace_type is TraceType.FractionalComputation
    if usage and len(set(hosts)) < len(hosts):
        raise _refuse(world, node, "its traces of usage need as many hosts as there are traces")
    return hosts


def _begin(world: World, node: Node) -> None:
    from windtunnel.engine.replay import Replay

    profile = profile_as(node, TraceReplayProfile)
    fluid = fluid_of(world)
    hosts = replay_hosts(world, node, len(profile.traces))
    try:
        replay = Replay(node, fluid.system, fluid.builder, profile.traces, hosts)
    except UsageError as fault:
        raise _refuse(world, node, str(fault)) from fault
    node.action = replay
    fluid.changed = True
    replay.begin(max(world.now, fluid.system.now))
    if replay.done:
        _end(world, node)


def replayed(world: World, node: Node, action: "Action") -> None:
    """Something that the replay had started is complete."""
    if world.energy is not None and action.task is not None:
        world.energy.touch(world.now, sorted(set(action.task.hosts)))
    replay: Replay = node.action
    replay.ended(max(world.now, replay.system.now), action)
    if replay.done:
        _end(world, node)


def _end(world: World, node: Node) -> None:
    node.action = None
    finish(world, node, node.profile.return_code)


def _fluid(world: World) -> tuple[Fluid, float]:
    fluid = fluid_of(world)
    fluid.changed = True
    return fluid, max(world.now, fluid.system.now)


def _cancel(world: World, node: Node) -> int:
    _, now = _fluid(world)
    if node.action is not None:
        if world.energy is not None:
            world.energy.touch(world.now, sorted(set(node.action.hosts)))
        node.action.cancel(now)
        node.action = None
    return -1


def _progress(world: World, node: Node) -> AtomicProgress:
    del world
    return AtomicProgress(node.profile.id, -1.0)  # not known, as upstream


def _freeze(world: World, node: Node) -> None:
    _, now = _fluid(world)
    node.action.suspend(now)


def _thaw(world: World, node: Node) -> None:
    _, now = _fluid(world)
    replay: Replay = node.action
    replay.move(replay_hosts(world, node, len(replay.traces)))  # it may go on elsewhere
    replay.resume(now)


TRACE = Kind(_begin, _cancel, _progress, None, _freeze, _thaw)
