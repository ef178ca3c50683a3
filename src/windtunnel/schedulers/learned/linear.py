"""A policy that is a weighted sum of what is told of a job; the largest comes first."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from windtunnel.diagnostics import UsageError
from windtunnel.diagnostics.opening import read_input
from windtunnel.schedulers.learned.choosing import Choosing
from windtunnel.schedulers.learned.rules import RulesName
from windtunnel.schedulers.learned.sights import FEATURES, Choice, ViewName

__all__ = ["LinearPolicy", "PolicyFile"]

_LEARNED: Final = (-0.679, -1.136, -1.874, -0.955, -1.484, 1.103, -0.5, -0.712, -0.167, -0.28)
"""What docs/gallery/learned.md has learned on a workload of Lublin's model."""


class PolicyFile(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What stands in the file of a linear policy (JSON): numbers and choices, no code."""

    weights: tuple[float, ...]
    """One for each number that the view tells of a job."""
    rules: RulesName = "chosen-stays"
    view: ViewName = "windtunnel"
    window: Annotated[int, Meta(ge=1)] = 128
    backfill: bool = False
    longest: Annotated[float, Meta(gt=0)] = 172_800.0


def _read(path: str) -> PolicyFile:
    try:
        return msgspec.json.decode(read_input(Path(path)), type=PolicyFile)
    except OSError as error:
        raise UsageError(f"the policy {path} cannot be read: {error.strerror or error}") from None
    except msgspec.DecodeError as error:
        hint = f"its members: {', '.join(PolicyFile.__struct_fields__)}"
        raise UsageError(f"{path} is not a policy: {error}", hint) from None


class LinearPolicy(Choosing):
    """The job with the largest weighted sum of its features is chosen; equal ones by their place.

    Args:
        policy: a JSON file with ``weights`` and, if they are not the usual ones, ``rules``, ``view``, ``window``,
            ``backfill`` and ``longest`` (as ``windtunnel.learning`` writes it).
        weights: the weights themselves, in Python. Without either: those of docs/gallery/learned.md.
        **options: those of a policy that is given by its weights.

    Raises:
        UsageError: the file cannot be read or is not a policy, or there are not as many weights as features.
    """

    name = "learned/linear"
    python_only = frozenset({"weights", "rules", "view", "window", "backfill", "longest"})

    def __init__(
        self,
        *,
        policy: str = "",
        weights: Sequence[float] = (),
        rules: RulesName = "chosen-stays",
        view: ViewName = "windtunnel",
        window: Annotated[int, Meta(ge=1)] = 128,
        backfill: bool = False,
        longest: Annotated[float, Meta(gt=0)] = 172_800.0,
    ) -> None:
        if policy and len(weights):
            raise UsageError("a linear policy is given by a file (policy=FILE) or by its weights, not by both")
        given = PolicyFile(
            weights=tuple(map(float, weights)) if len(weights) else _LEARNED,
            rules=rules,
            view=view,
            window=window,
            backfill=backfill,
            longest=longest,
        )
        self.learned = _read(policy) if policy else given
        expected = FEATURES[self.learned.view]
        if len(self.learned.weights) != len(expected):
            raise UsageError(
                f"a policy has {len(self.learned.weights)} weights, and the view {self.learned.view!r} tells"
                f" {len(expected)} numbers of a job",
                ", ".join(expected),
            )
        super().__init__(**_options(self.learned))

    def chosen(self, choice: Choice) -> Sequence[int]:
        """All visible jobs, the one of the largest sum first."""
        weights = self.learned.weights
        sums = [sum(map(float.__mul__, weights, row)) for row in choice.rows]
        if self.rules_name == "ordered":
            return sorted(range(len(sums)), key=lambda place: -sums[place])
        return (sums.index(max(sums)),)


def _options(policy: PolicyFile) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in PolicyFile.__struct_fields__ if name != "weights"}
