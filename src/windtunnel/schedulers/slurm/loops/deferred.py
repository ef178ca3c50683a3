"""The plans that a cycle of backfill puts off: they keep no job from starting now."""

from collections.abc import Iterable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.plans.node_map import NodeMap

__all__ = ["Deferred"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Deferred:
    """Jobs whose plans are put off, and those that have started since, in order."""

    __slots__ = ("boundaries", "jobs")

    def __init__(self) -> None:
        self.jobs: list[Record | RunningJob] = []
        self.boundaries = 0
        """So many boundaries at the most the plans would make in the map."""

    def put_off(self, record: Record, end: int, node_map: NodeMap) -> None:
        """The plan of a job, which cannot end before a date; beyond the map its end makes no boundary."""
        self.jobs.append(record)
        self.boundaries += 1 if end >= node_map.end else 2

    def started(self, jobs: Iterable[RunningJob]) -> None:
        """Jobs have started before those whose plans are put off were planned."""
        self.jobs += jobs

    def take(self) -> list[Record | RunningJob]:
        """All of them, to be planned now."""
        found, self.jobs, self.boundaries = self.jobs, [], 0
        return found
