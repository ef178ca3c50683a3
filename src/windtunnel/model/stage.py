"""The options of a stage scheduler: in which order jobs are tried, and on which machine each is put.

Names and definitions: spec/opendc.md section 4 (OpenDC's 1.x policies, as the environment format spells them).
Case, hyphens and underscores do not matter: ``BEST-FIT``, ``bestfit`` and ``Best_Fit`` are the same.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from windtunnel.diagnostics import UsageError, did_you_mean

__all__ = ["Blocking", "Placement", "Selection", "StageOptions", "stage_options"]


class Selection(StrEnum):
    """In which order waiting jobs are tried; ties by arrival."""

    FIFO = "FIFO"
    """By arrival."""
    SJF = "SJF"
    """Shortest requested time first; unknown comes last."""
    LJF = "LJF"
    """Longest requested time first; unknown comes first."""
    SRTF = "SRTF"
    """Least remaining work first: known exactly of jobs that merely last, else the requested time. Not preemptive."""
    SMALLEST = "SMALLEST"
    """Fewest cores in all first."""
    LARGEST = "LARGEST"
    """Most cores in all first."""
    RANDOM = "RANDOM"
    """Shuffled anew in each round."""


class Placement(StrEnum):
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


class Blocking(StrEnum):
    """What happens when a job does not fit."""

    SKIP = "SKIP"
    """The next one is tried (OpenDC 1.x)."""
    HEAD = "HEAD"
    """All behind it wait (OpenDC 2.x)."""


class StageOptions(msgspec.Struct, frozen=True):
    """What a stage scheduler is told. ``quantum``: decide only at multiples of so many seconds (0: at once)."""

    selection: Selection = Selection.FIFO
    placement: Placement = Placement.FIRST_FIT
    blocking: Blocking = Blocking.SKIP
    seed: int = 0
    quantum: float = 0.0


def stage_options(options: Mapping[str, Any]) -> StageOptions:
    """Read options by name; :class:`UsageError` names what is not known, and what is."""
    values: dict[str, Any] = {}
    kinds: dict[str, type[StrEnum]] = {"selection": Selection, "placement": Placement, "blocking": Blocking}
    for name, value in options.items():
        if name in kinds:
            values[name] = _choice(name, value, kinds[name])
        elif name == "seed":
            if isinstance(value, bool) or not isinstance(value, int):
                raise UsageError(f"the seed of a stage scheduler must be a whole number, not {value!r}")
            values[name] = value
        elif name == "quantum":
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise UsageError(
                    f"the quantum of a stage scheduler must be a number of seconds from 0, not {value!r}"
                )
            values[name] = float(value)
        else:
            known = StageOptions.__struct_fields__
            raise UsageError(f"a stage scheduler has no option {name!r}", did_you_mean(name, known))
    return StageOptions(**values)


def _choice(name: str, value: object, kind: type[StrEnum]) -> StrEnum:
    plain = {_plain(member.value): member for member in kind}
    found = plain.get(_plain(value)) if isinstance(value, str) else None
    if found is None:
        valid = ", ".join(member.value for member in kind)
        raise UsageError(f"a stage scheduler knows no {name} {value!r}", f"known: {valid}")
    return found


def _plain(name: str) -> str:
    return name.upper().replace("-", "").replace("_", "")
