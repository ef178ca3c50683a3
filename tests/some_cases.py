"""Some of many cases for every run of the tests, the others for the longer one."""

from collections.abc import Sequence
from typing import TypeVar

import pytest

__all__ = ["PARTS", "part_of", "some_slow"]

Case = TypeVar("Case")

PARTS = pytest.mark.parametrize("part", ["some", pytest.param("others", marks=pytest.mark.slow)])


def part_of(cases: Sequence[Case], part: str, every: int = 5) -> list[Case]:
    """One of every so many cases, or the others."""
    return [case for rank, case in enumerate(cases) if (rank % every == 0) == (part == "some")]


def some_slow(cases: Sequence[Case], every: int = 4) -> list[object]:
    """All cases, of which one of every so many is not slow."""
    return [
        case if rank % every == 0 else pytest.param(case, marks=pytest.mark.slow) for rank, case in enumerate(cases)
    ]
