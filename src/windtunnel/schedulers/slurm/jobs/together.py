"""Jobs that belong together: the tasks of an array, and the components of a heterogeneous job (§9)."""

from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

if TYPE_CHECKING:
    from windtunnel.schedulers.slurm.jobs.pending import PendingJob

__all__ = ["HetJob", "Siblings"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Siblings:
    """The tasks of an array that come as jobs of their own; only so many run at once (``--array=%n``)."""

    __slots__ = ("active", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.active = 0
        """How many of them run."""


@mypyc_attr(allow_interpreted_subclasses=True)
class HetJob:
    """A heterogeneous job: components that start together."""

    __slots__ = ("components", "leader", "rank")

    def __init__(self, leader: str) -> None:
        self.leader = leader
        """The id of the job, and of its first component."""
        self.components: list[PendingJob] = []
        self.rank: tuple[bool, int, int] | None = None
        """How all of it is ranked in the queue: backfill finds that out in its cycles (``bf_hetjob_prio``)."""

    def add(self, component: "PendingJob") -> None:
        """One more component."""
        component.het = self
        component.alone = False
        self.components.append(component)
