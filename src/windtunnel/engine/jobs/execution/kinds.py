"""Which functions run which kind of profile."""

from windtunnel.engine.jobs.execution.delay import DELAY
from windtunnel.engine.jobs.execution.fork_join import FORK_JOIN
from windtunnel.engine.jobs.execution.messages import RECEIVE, SEND
from windtunnel.engine.jobs.execution.nodes import KINDS, LATER, Kind
from windtunnel.engine.jobs.execution.sequence import SEQUENCE
from windtunnel.engine.jobs.execution.tasks import TASK
from windtunnel.engine.jobs.execution.traces import TRACE
from windtunnel.model import (
    DelayProfile,
    ForkJoinCompositionProfile,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskMergeCompositionProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    ParallelTaskProfile,
    ReceiveProfile,
    SendProfile,
    SequentialCompositionProfile,
    TraceReplayProfile,
)
from windtunnel.model.application import ElasticProfile

__all__: list[str] = []


def _elastic() -> Kind:
    from windtunnel.engine.jobs.elastic.kind import ELASTIC  # much code, for few runs

    return ELASTIC


LATER[ElasticProfile] = _elastic
KINDS.update(
    {
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
)
