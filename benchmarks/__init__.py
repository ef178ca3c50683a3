"""Benchmarks: seeded, run by ``python -m benchmarks [NAME...]``; figures in docs/reference/performance.md.

Each module here but :data:`NOT_RUN` has a function ``run()`` that gives :class:`Figure` objects; they are found by
name.
"""

from typing import NamedTuple

__all__ = ["AGAINST", "NOT_RUN", "Figure"]

AGAINST = "WINDTUNNEL_BENCH_AGAINST"
"""The variable that holds what ``--against`` gave."""
NOT_RUN = ("child", "generate", "slurm_sites", "yardstick")
"""Modules that serve the benchmarks and are none."""


class Figure(NamedTuple):
    """One measured figure: what was measured, the value, its unit, and the goal it is held against ("" if none)."""

    what: str
    value: float
    unit: str
    goal: str = ""
