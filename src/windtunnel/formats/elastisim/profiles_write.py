"""What other jobs do, as an application of ElastiSim: delays, parallel tasks, and sequences of them."""

from collections.abc import Mapping

from windtunnel.diagnostics import UsageError
from windtunnel.model import (
    DelayProfile,
    ParallelTaskHomogeneousProfile,
    ParallelTaskProfile,
    Profile,
    SequentialCompositionProfile,
)
from windtunnel.model.application import (
    Application,
    ComputeTask,
    DelayTask,
    ElasticTask,
    Load,
    Pattern,
    Phase,
    SequenceTask,
)
from windtunnel.model.profiles import GenerationStrategy

__all__ = ["LASTS", "application_of"]

LASTS = Application(phases=(Phase(tasks=(DelayTask(load=Load("seconds", Pattern.UNIFORM)),)),))
"""What all jobs do that merely last: the seconds are an argument of each."""


def application_of(profile: Profile, profiles: Mapping[str, Profile]) -> Application:
    """What a rigid job does; ``profiles``: all of the workload, by id.

    Raises:
        UsageError: there is no such kind of task.
    """
    return Application(phases=(Phase(tasks=(_task(profile, profiles),)),))


def _task(profile: Profile, profiles: Mapping[str, Profile]) -> ElasticTask:
    if isinstance(profile, DelayProfile):
        return DelayTask(load=Load(profile.delay, Pattern.UNIFORM))
    if isinstance(profile, SequentialCompositionProfile):
        parts = tuple(_task(profiles[name], profiles) for name in profile.profile_ids)
        return SequenceTask(tasks=parts, iterations=profile.repetition_count)
    if isinstance(profile, ParallelTaskProfile):
        flops, moved = profile.computation_vector, profile.communication_matrix
        return ComputeTask(
            flops=None if flops is None else Load(tuple(flops), Pattern.VECTOR),
            bytes=None if moved is None else Load(tuple(moved), Pattern.MATRIX),
            coupled=True,
        )
    if isinstance(profile, ParallelTaskHomogeneousProfile):
        return _homogeneous(profile)
    raise UsageError(
        f"the profile {profile.id!r} has no form in ElastiSim: {type(profile).__name__.removesuffix('Profile')}",
        "delays, parallel tasks and sequences have one",
    )


def _homogeneous(profile: ParallelTaskHomogeneousProfile) -> ComputeTask:
    """As one parallel task; amounts of ElastiSim are those of all pairs together."""
    moved: float | str = profile.communication_amount
    spread = Pattern.UNIFORM
    if profile.generation_strategy is GenerationStrategy.DefinedAmountsUsedForEachValue:
        moved = f"{moved!r} * num_nodes * (num_nodes - 1)"
    else:
        spread = Pattern.ALL_RANKS
        if profile.generation_strategy is GenerationStrategy.Batsim4Total:
            moved = f"{moved!r} * (num_nodes - 1)"
    return ComputeTask(
        flops=Load(profile.computation_amount, spread),
        bytes=Load(moved, Pattern.ALL_TO_ALL) if profile.communication_amount else None,
        coupled=True,
    )
