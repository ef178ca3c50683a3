"""The options of a stage scheduler: in which order jobs are tried, and on which machine each is put.

Names and definitions: spec/opendc.md section 4 (OpenDC's 1.x policies, as the environment format spells them).
Case, hyphens and underscores do not matter: ``BEST-FIT``, ``bestfit`` and ``Best_Fit`` are the same.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

import msgspec

from windtunnel.options import checked_options

__all__ = ["Blocking", "PlacementPolicy", "Selection", "StageOptions", "stage_options"]


class _Choice(StrEnum):
    """Choices that may be spelled in several ways."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return next((one for one in cls if isinstance(value, str) and _plain(one.value) == _plain(value)), None)


def _plain(name: str) -> str:
    return name.upper().replace("-", "").replace("_", "")


class Selection(_Choice):
    """In which order waiting jobs are tried; ties by arrival."""

    FIFO = "FIFO"
    """By arrival."""
    SJF = "SJF"
    """Shortest requested time first; unknown comes last."""
    LJF = "LJF"
    """Longest requested time first; unknown comes first."""
    SRTF = "SRTF"
    """Least remaining work first: exact for fixed run times, else the requested time. Not preemptive."""
    SMALLEST = "SMALLEST"
    """Fewest cores in all first."""
    LARGEST = "LARGEST"
    """Most cores in all first."""
    RANDOM = "RANDOM"
    """Shuffled anew in each round."""


class PlacementPolicy(_Choice):
    """Which of the machines with room is taken; ties by number."""

    FIRST_FIT = "FIRST-FIT"
    """The first."""
    BEST_FIT = "BEST-FIT"
    """The one with the fewest free cores."""
    WORST_FIT = "WORST-FIT"
    """The one with the most free cores."""
    NEXT_FIT = "NEXT-FIT"
    """The first from the one used last on, round about."""
    RANDOM = "RANDOM"
    """Any, with equal chances."""


class Blocking(_Choice):
    """What happens when a job does not fit."""

    SKIP = "SKIP"
    """The next one is tried (OpenDC 1.x)."""
    HEAD = "HEAD"
    """All behind it wait (OpenDC 2.x)."""


class StageOptions(msgspec.Struct, frozen=True):
    """What a stage scheduler is told. ``quantum``: decide only at multiples of so many seconds (0: at once)."""

    selection: Selection = Selection.FIFO
    placement: PlacementPolicy = PlacementPolicy.FIRST_FIT
    blocking: Blocking = Blocking.SKIP
    seed: int = 0
    quantum: Annotated[float, msgspec.Meta(ge=0)] = 0.0


def stage_options(options: Mapping[str, Any]) -> StageOptions:
    """Read options by name.

    Raises:
        UsageError: an option is unknown or has no sensible value; all are named, with what is known.
    """
    return StageOptions(**checked_options("a stage scheduler", StageOptions, options))
