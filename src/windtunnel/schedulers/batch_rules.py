"""What tells batch schedulers apart, wherever it is that they decide."""

from typing import NamedTuple

__all__ = ["Rules"]


class Rules(NamedTuple):
    """What tells batch schedulers apart."""

    reservations: float
    """How many waiting jobs, from the front of the queue, have reservations."""
    overtaking: bool = True
    """Whether a job may start while one before it in the queue waits."""
    kept: bool = False
    """Whether reservations are kept, or moved to an earlier date, rather than made anew each time."""
