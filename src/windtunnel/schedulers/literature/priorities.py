"""Orders of the queue by formulas of the literature; the least comes first, equal ones by arrival.

Symbols: s submission (s), r expected run time (s: the walltime, or a prediction), n processors (or hosts), w time
waited so far (s). Sources are named with each formula.
"""

from collections.abc import Callable
from math import inf, log2, log10, sqrt
from typing import Final, Literal, NamedTuple

from windtunnel.model import Job

__all__ = ["PRIORITIES", "Priority", "PriorityName", "Waiting"]


class Waiting:
    """A job that waits, and what is known and expected of it."""

    __slots__ = ("expected", "job", "rank", "requested", "size", "submitted")

    def __init__(self, job: Job, submitted: float, rank: int) -> None:
        self.job = job
        self.submitted = submitted
        """When it joined the queue (s)."""
        self.rank = rank
        """Its place by arrival."""
        self.size = job.request.hosts
        self.requested = job.walltime
        self.expected = job.walltime
        """The expected run time (s)."""


Key = Callable[[Waiting, float], tuple[float, ...]]
"""From a job and the present time (s) to its place: the least comes first."""


def _log10(value: float) -> float:
    """Of 0: minus infinity, so that what is submitted at 0 comes first."""
    return log10(value) if value > 0 else -inf


def _wfp3(one: Waiting, now: float) -> tuple[float, ...]:
    ratio = (one.submitted - now) / one.expected if one.expected else -inf
    return (one.size * ratio**3, one.submitted)


def _unicep(one: Waiting, now: float) -> tuple[float, ...]:
    work = max(1.0, log2(one.size)) * one.expected if one.size else 1.0
    return ((one.submitted - now) / work if work else -inf,)


def _lxf(one: Waiting, now: float) -> tuple[float, ...]:
    return ((one.submitted - now) / one.expected if one.expected else -inf,)


class Priority(NamedTuple):
    """An order of the queue."""

    key: Key
    formula: str
    source: str


PriorityName = Literal[
    "fcfs",
    "lcfs",
    "sjf",
    "sjf-narrow",
    "ljf",
    "smallest",
    "largest",
    "saf",
    "laf",
    "srd2f",
    "lxf",
    "lxf-whole",
    "wfp3",
    "unicep",
    "f1",
    "f2",
    "f3",
    "f4",
]

_CARASTAN: Final = "Carastan-Santos & de Camargo, SC 2017"

PRIORITIES: Final[dict[str, Priority]] = {
    "fcfs": Priority(lambda one, _: (one.submitted,), "s", "first come, first served"),
    "lcfs": Priority(lambda one, _: (-one.submitted,), "-s", "last come, first served"),
    "sjf": Priority(lambda one, _: (one.expected,), "r", "shortest job first"),
    "sjf-narrow": Priority(lambda one, _: (one.expected, one.size), "r, then n", "shortest job first, ties by size"),
    "ljf": Priority(lambda one, _: (-one.expected, -one.size, one.submitted), "-r, then -n, s", "longest job first"),
    "smallest": Priority(lambda one, _: (one.size, one.expected), "n, then r", "smallest job first"),
    "largest": Priority(lambda one, _: (-one.size, -one.expected, one.submitted), "-n, then -r, s", "largest first"),
    "saf": Priority(lambda one, _: (one.size * one.expected,), "n r", "smallest area first"),
    "laf": Priority(
        lambda one, _: (-one.size * one.expected, -one.expected, one.submitted),
        "-n r, then -r, s",
        "largest area first",
    ),
    "srd2f": Priority(
        lambda one, _: (one.size * one.expected**2, one.size * one.expected, one.size),
        "n r^2, then n r, n",
        "predictsim (Goponenko et al., DEBS 2024)",
    ),
    "lxf": Priority(_lxf, "-(w + r) / r", "largest expansion factor first"),
    "lxf-whole": Priority(
        lambda one, now: (-((now - one.submitted + one.expected) // max(one.expected, 1.0)),),
        "-(w + r) // r",
        "Maui's weight of the slowdown in pyss: whole expansion factors",
    ),
    "wfp3": Priority(_wfp3, "-(w / r)^3 n, then s", "Tang, Lan, Desai & Buettner, CLUSTER 2009"),
    "unicep": Priority(_unicep, "-w / (max(1, log2 n) r)", "Tang, Lan, Desai & Buettner, CLUSTER 2009"),
    "f1": Priority(
        lambda one, _: (_log10(one.expected) * one.size + 870 * _log10(one.submitted),),
        "log10(r) n + 870 log10(s)",
        _CARASTAN,
    ),
    "f2": Priority(
        lambda one, _: (sqrt(one.expected) * one.size + 25600 * _log10(one.submitted),),
        "sqrt(r) n + 25600 log10(s)",
        _CARASTAN,
    ),
    "f3": Priority(
        lambda one, _: (one.expected * one.size + 6860000 * _log10(one.submitted),),
        "r n + 6860000 log10(s)",
        _CARASTAN,
    ),
    "f4": Priority(
        lambda one, _: (one.expected * sqrt(one.size) + 530000 * _log10(one.submitted),),
        "r sqrt(n) + 530000 log10(s)",
        _CARASTAN,
    ),
}
"""By name. UNICEP counts the log2 of one processor as 1: the formula divides by 0 there, no two programs agree."""
