"""Profiles: what a job does when it runs (the kinds of both Batsim generations).

Names follow batprotocol (seed 001) where it has them; ``Send`` and ``Receive`` exist in Batsim 3 and 4 only. Amounts
are flops and bytes, durations seconds. Sub-profiles are named by their full id, ``workload!name``.
"""

from collections.abc import Mapping
from enum import IntEnum
from math import isqrt
from typing import Any, Final

import msgspec

__all__ = [
    "CompositionProfile",
    "DelayProfile",
    "ForkJoinCompositionProfile",
    "GenerationStrategy",
    "ParallelTaskDataStagingBetweenStoragesProfile",
    "ParallelTaskHomogeneousProfile",
    "ParallelTaskMergeCompositionProfile",
    "ParallelTaskOnStorageHomogeneousProfile",
    "ParallelTaskProfile",
    "Profile",
    "ReceiveProfile",
    "SendProfile",
    "SequentialCompositionProfile",
    "TraceReplayProfile",
    "TraceType",
    "executors",
    "parts_of",
    "too_deep",
]


class Profile(msgspec.Struct, kw_only=True, frozen=True):
    """What is common to all profiles. ``id`` is ``workload!name``; ``return_code`` is the one of a complete run.

    Many jobs may share a profile, which is immutable.
    """

    id: str = ""
    return_code: int = 0
    extra_data: str | None = None
    source: dict[str, Any] | None = None
    """The object of the input file, as read: Batsim 4 forwards it verbatim."""

    @property
    def name(self) -> str:
        """The id without its workload."""
        return self.id.rpartition("!")[2]


class DelayProfile(Profile, frozen=True):
    """Lasts ``delay`` seconds on any hosts."""

    delay: float

    def lasting(self, delay: float) -> "DelayProfile":
        """The same with another delay, which the object that it was read from says, too."""
        source = None if self.source is None else {**self.source, "delay": delay}
        return msgspec.structs.replace(self, delay=delay, source=source)


class ParallelTaskProfile(Profile, frozen=True):
    """One parallel task: flops per executor, bytes per ordered pair (row = sender); either may be missing."""

    computation_vector: tuple[float, ...] | None = None
    communication_matrix: tuple[float, ...] | None = None

    @property
    def executors(self) -> int:
        """The number of executors, which is rigid."""
        if self.computation_vector is not None:
            return len(self.computation_vector)
        return isqrt(len(self.communication_matrix or ()))


class GenerationStrategy(IntEnum):
    """How the amounts of a homogeneous task are divided among its n executors."""

    DefinedAmountsUsedForEachValue = 0
    DefinedAmountsSpreadUniformly = 1
    """Batsim 5: computation / n, communication / (n² - n)."""
    Batsim4Total = 2
    """Batsim 3 and 4 (parallel_homogeneous_total): computation / n, communication / n."""


class ParallelTaskHomogeneousProfile(Profile, frozen=True):
    """The same amount for each executor and each ordered pair of distinct executors."""

    computation_amount: float = 0.0
    communication_amount: float = 0.0
    generation_strategy: GenerationStrategy = GenerationStrategy.DefinedAmountsUsedForEachValue


class CompositionProfile(Profile, frozen=True):
    """What is common to profiles composed of others."""

    profile_ids: tuple[str, ...]
    """The full ids of the sub-profiles."""


class SequentialCompositionProfile(CompositionProfile, frozen=True):
    """Sub-profiles one after the other, the whole list ``repetition_count`` times."""

    repetition_count: int = 1


class ForkJoinCompositionProfile(CompositionProfile, frozen=True):
    """Sub-profiles in parallel; ends when the last one does (decisions.md 11)."""


class ParallelTaskMergeCompositionProfile(CompositionProfile, frozen=True):
    """Parallel tasks whose matrices are summed into one (decisions.md 11)."""


def parts_of(profile: Profile) -> tuple[str, ...]:
    """The full ids of the profiles that a profile is composed of; none if it is not a composition."""
    return profile.profile_ids if isinstance(profile, CompositionProfile) else ()


MOST_LEVELS: Final = 100
"""The maximum nesting depth of compositions."""


def too_deep(profile: Profile, profiles: Mapping[str, Profile]) -> bool:
    """Whether the compositions in a profile are nested too deeply; the profiles that it names must be known."""
    level = {profile.id: profile}
    for _ in range(MOST_LEVELS + 1):
        level = {sub: profiles[sub] for one in level.values() for sub in parts_of(one)}
        if not level:
            return False
    return True


def executors(profile: Profile, profiles: Mapping[str, Profile]) -> int | None:
    """The number of executors that a parallel task (or a merge of such tasks) fixes; None if it uses the job's."""
    if isinstance(profile, ParallelTaskProfile):
        return profile.executors
    if isinstance(profile, ParallelTaskMergeCompositionProfile):
        for sub in profile.profile_ids:
            if (count := executors(profiles[sub], profiles)) is not None:
                return count
    return None


class ParallelTaskOnStorageHomogeneousProfile(Profile, frozen=True):
    """Each host reads from and writes to one storage."""

    storage_name: str = "pfs"
    bytes_to_read: float = 0.0
    bytes_to_write: float = 0.0
    generation_strategy: GenerationStrategy = GenerationStrategy.DefinedAmountsUsedForEachValue


class ParallelTaskDataStagingBetweenStoragesProfile(Profile, frozen=True):
    """Bytes from one storage to another; the job's hosts are not involved."""

    bytes_to_transfer: float
    emitter_storage_name: str
    receiver_storage_name: str


class TraceType(IntEnum):
    """What a trace replays."""

    SMPI = 0
    FractionalComputation = 1


class TraceReplayProfile(Profile, frozen=True):
    """Replays one trace per executor; ``filename`` lists the files, ``traces`` holds their lines once read."""

    trace_type: TraceType
    filename: str
    traces: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """Per rank, the words of each line after the rank."""


class SendProfile(Profile, frozen=True):
    """Sends a message to the decision component, then sleeps (Batsim 3, 4)."""

    message: dict[str, Any]
    sleeptime: float = 1e-7


class ReceiveProfile(Profile, frozen=True):
    """Takes the oldest message sent to the job and branches on it (Batsim 3, 4); ids of sub-profiles, or ""."""

    regex: str = ".*"
    success: str = ""
    failure: str = ""
    timeout: str = ""
    polltime: float = 0.005
