"""Running jobs as the core keeps them."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.nodes.holdings import Holding
from windtunnel.schedulers.slurm.shares.usage import Spending

__all__ = ["RunningJob"]


@mypyc_attr(allow_interpreted_subclasses=True)
class RunningJob:
    """A job, or a task of an array, that runs."""

    __slots__ = ("holding", "id", "licences", "limit", "pending", "record", "spending", "start", "tally", "task")

    def __init__(
        self, key: str, record: Record, holding: Holding, start: int, limit: int, spending: Spending, task: int | None
    ) -> None:
        self.id = key
        self.record = record
        self.pending = record.job
        self.holding = holding
        self.start = start
        self.limit = limit
        """Minutes."""
        self.spending = spending
        self.task = task
        self.licences = dict(record.job.licences)
        self.tally: dict[str, float] = {}
        """TRES-seconds of its limit that count against GrpTRESRunMins."""

    def count(self, change: int) -> None:
        """It has begun to run (1), or runs no more (-1), for the limit of its array."""
        if self.task is not None:
            self.pending.active_tasks += change
        if self.pending.siblings is not None:
            self.pending.siblings.active += change
