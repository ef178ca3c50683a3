"""What a decision says of storages that the job does not have: the account of the run tells of it."""

from collections.abc import Iterator

from windtunnel.engine.state.world import World
from windtunnel.model import (
    JobRecord,
    ParallelTaskDataStagingBetweenStoragesProfile,
    ParallelTaskOnStorageHomogeneousProfile,
    Profile,
)
from windtunnel.model.profiles import parts_of
from windtunnel.vocabulary import ExecuteJob

__all__ = ["tell_unused"]


def tell_unused(world: World, record: JobRecord, decision: ExecuteJob) -> None:
    """Tell of storages that are placed under names that no profile of the job has."""
    job = record.job
    named = {name for profile in _profiles(world, job.profile, decision) for name in _storages(profile)}
    for name in decision.storages:
        if name not in named:
            reason = "a storage is placed that no profile of the job names"
            world.ignore("unused-storage", reason, f"{job.id}: {name}")


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
