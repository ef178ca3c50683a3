"""How far jobs were when they were killed, as their profiles are composed."""

import msgspec

__all__ = ["AtomicProgress", "ForkJoinProgress", "KillProgress", "SequentialProgress"]


class AtomicProgress(msgspec.Struct, frozen=True):
    """The progress of an indivisible profile when it was killed, in [0, 1]; -1 if unknown."""

    profile_id: str
    progress: float
    mpi: bool = False
    """Whether it replays MPI calls, for which Batsim does not report progress."""


class SequentialProgress(msgspec.Struct, frozen=True):
    """The progress of a sequence: the repetition, the task in it, and the progress of that task."""

    profile_id: str
    current_repetition: int
    current_task_index: int
    current_task_progress: "KillProgress"
    length: int = 0
    """The number of tasks of one repetition."""


class ForkJoinProgress(msgspec.Struct, frozen=True):
    """The progress of each task of a fork-join."""

    profile_id: str
    tasks_progress: tuple["KillProgress", ...]


KillProgress = AtomicProgress | SequentialProgress | ForkJoinProgress
"""The progress of a killed job."""
