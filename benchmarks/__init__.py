"""Benchmarks: seeded, run by ``python -m benchmarks [NAME...]``; figures in docs/reference/performance.md.

Each module here has a function ``run() -> list[Figure]``; they are found by name.
"""

from typing import NamedTuple

__all__ = ["Figure"]


class Figure(NamedTuple):
    """One measured figure: what was measured, the value, its unit, and the goal it is held against ("" if none)."""

    what: str
    value: float
    unit: str
    goal: str = ""
