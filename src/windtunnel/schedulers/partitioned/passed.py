"""A job that its partition admits, as the scheduler behind it sees it."""

from collections.abc import Mapping

from windtunnel.model import Job
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.jobs.running import RunningJob

__all__ = ["Passed"]


class Passed:
    """A job in the partition it goes to, and what it takes at most."""

    __slots__ = ("charge", "ends_after", "held", "job", "record", "resized", "tres")

    def __init__(self, job: Job, record: Record, tres: Mapping[str, float], ends_after: float) -> None:
        self.job = job
        """As the scheduler sees it: with the time limit, and the number of hosts, that its partition makes of it."""
        self.record = record
        self.tres = tres
        self.ends_after = ends_after
        """After how long (s) it is ended: without a limit of its own it has that of its partition. Else inf."""
        self.charge: RunningJob | None = None
        self.held = ""
        """The Reason for which it was held back."""
        self.resized = False
        """Whether it has another number of hosts than it asked for."""

    @property
    def partition(self) -> str:
        """The partition it goes to."""
        return self.record.table.name

    @property
    def key(self) -> tuple[object, ...]:
        """What limits look at: jobs of which this is the same meet the same."""
        record = self.record
        job = record.job
        qos = job.qos.name if job.qos is not None else ""
        return (id(job.member), job.account, job.user, qos, record.table.name, record.limit, *self.tres.items())
