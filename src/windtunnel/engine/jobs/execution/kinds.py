"""Which functions run which kind of profile."""

from typing import Final

from windtunnel.engine.jobs.execution.delay import DELAY, leaf_end
from windtunnel.engine.jobs.execution.fork_join import FORK_JOIN
from windtunnel.engine.jobs.execution.messages import RECEIVE, SEND, sent
from windtunnel.engine.jobs.execution.nodes import Kind, Node, finish
from windtunnel.engine.jobs.execution.sequence import SEQUENCE
from windtunnel.engine.jobs.execution.tasks import TASK
from windtunnel.engine.jobs.execution.traces import TRACE
from windtunnel.engine.state.world import World
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    Profile,
    ReceiveProfile,
    SendProfile,
    SequentialCompositionProfile,
    TraceReplayProfile,
)

__all__ = ["KINDS", "leaf_ended"]

KINDS: Final[dict[type[Profile], Kind]] = {
    DelayProfile: DELAY,
    SequentialCompositionProfile: SEQUENCE,
    ForkJoinCompositionProfile: FORK_JOIN,
    SendProfile: SEND,
    ReceiveProfile: RECEIVE,
    TraceReplayProfile: TRACE,
    ParallelTaskProfile: TASK,
    ParallelTaskHomogeneousProfile: TASK,
    ParallelTaskMergeCompositionProfile: TASK,
    ParallelTaskOnStorageHomogeneousProfile: TASK,
    ParallelTaskDataStagingBetweenStoragesProfile: TASK,
}


def leaf_ended(world: World, node: Node) -> None:
    """A timed leaf has come to its end."""
    kind = type(node.profile)
    if kind is DelayProfile:
        leaf_end(world, node)
    elif kind is SendProfile:
        sent(world, node)
    else:
        finish(world, node, node.profile.return_code)
