"""What a test of the backfill loop comes to (§4.3)."""

from enum import Enum
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob

__all__ = [
    "DEFERRED",
    "FULL",
    "LATE",
    "NOTHING",
    "PLANNED",
    "REFUSED",
    "SHOWN",
    "STARTED",
    "Outcome",
    "Plan",
    "show_plan",
]


class Outcome(Enum):
    """How a test ends."""

    STARTED = "started"
    PLANNED = "planned"
    """Entered in the map."""
    SHOWN = "shown"
    """A start is known, but nothing is kept for it."""
    LATE = "late"
    """The same, beyond the window."""
    NOTHING = "nothing"
    DEFERRED = "deferred"
    """The same: when it is tried again its reservation has ended; what other partitions gave it is forgotten."""
    REFUSED = "refused"
    """Limits do not let it start now."""
    FULL = "full"


# Bound once: an enumeration takes long to say what its members are.
STARTED: Final = Outcome.STARTED
PLANNED: Final = Outcome.PLANNED
SHOWN: Final = Outcome.SHOWN
LATE: Final = Outcome.LATE
NOTHING: Final = Outcome.NOTHING
DEFERRED: Final = Outcome.DEFERRED
REFUSED: Final = Outcome.REFUSED
FULL: Final = Outcome.FULL


@mypyc_attr(allow_interpreted_subclasses=True)
class Plan:
    """What a test came to."""

    __slots__ = ("nodes", "outcome", "start")

    def __init__(self, outcome: Outcome, start: int = 0, nodes: int = 0) -> None:
        self.outcome = outcome
        self.start = start
        self.nodes = nodes


def show_plan(job: PendingJob, plan: Plan, before: int | None) -> None:
    """A job's expected start and nodes; ``before``: what other partitions gave it, which stays if earlier.

    A plan that is not entered in the map has no nodes, and those of an earlier task stay.
    """
    if plan.outcome in (NOTHING, REFUSED, DEFERRED):
        job.expected = None if plan.outcome is DEFERRED else before
        return
    earlier = before is None or plan.start < before
    if earlier and plan.nodes:
        job.planned = plan.nodes
    keeps = plan.outcome in (PLANNED, LATE) and not earlier
    job.expected = before if keeps else plan.start
