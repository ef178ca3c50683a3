"""What a decision says of executors and storages that the job does not have: the account of the run tells of it."""

from collections.abc import Iterator

from windtunnel.engine.state.world import World
from windtunnel.model import (
    DelayProfile,
    JobRecord,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    Profile,
    ReceiveProfile,
    SendProfile,
)
from windtunnel.model.profiles import parts_of
from windtunnel.vocabulary import ExecuteJob

__all__ = ["tell_unused"]


def tell_unused(world: World, record: JobRecord, decision: ExecuteJob) -> None:
    """Tell of storages placed under names that no profile of the job has, and of executors that it has not."""
    job = record.job
    profiles = list(_profiles(world, job.profile, decision))
    if decision.storages:
        named = {name for profile in profiles for name in _storages(profile)}
        for name in decision.storages:
            if name not in named:
                reason = "a storage is placed that no profile of the job names"
                world.ignore("unused-storage", reason, f"{job.id}: {name}")
    if isinstance(decision.placement, tuple) and not any(_has_executors(profile) for profile in profiles):
        world.ignore("unused-mapping", "executors are placed of a job that has none", job.id)


def _profiles(world: World, profile: Profile, decision: ExecuteJob) -> Iterator[Profile]:
    """All profiles that the job is made of, each once."""
    todo, met = [profile], {profile.id}
    io = decision.additional_io
    if io is not None and (added := io.profile or world.profiles.get(io.profile_id)) is not None:
        todo.append(added)
    while todo:
        one = todo.pop()
        yield one
        for name in parts_of(one):
            if name not in met and name in world.profiles:
                met.add(name)
                todo.append(world.profiles[name])


def _storages(profile: Profile) -> tuple[str, ...]:
    if isinstance(profile, ParallelTaskOnStorageHomogeneousProfile):
        return (profile.storage_name,)
    if isinstance(profile, ParallelTaskDataStagingBetweenStoragesProfile):
        return (profile.emitter_storage_name, profile.receiver_storage_name)
    return ()


def _has_executors(profile: Profile) -> bool:
    if isinstance(profile, DelayProfile | SendProfile | ReceiveProfile):
        return False
    return not parts_of(profile) and not isinstance(profile, ParallelTaskDataStagingBetweenStoragesProfile)
