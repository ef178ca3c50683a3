"""What a run of one of the loops decides (§3, §4)."""

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.running import RunningJob

__all__ = ["Pass"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Pass:
    """What one run of a loop decided."""

    __slots__ = ("failed", "started", "tested", "victims")

    def __init__(self) -> None:
        self.started: list[RunningJob] = []
        self.victims: list[tuple[RunningJob, PendingJob]] = []
        """Who has to go, and for whom."""
        self.failed: list[PendingJob] = []
        """Jobs that can never run (BadConstraints), or that are cancelled."""
        self.tested = 0

    def made_room_for(self, job: PendingJob) -> bool:
        """Whether others have just had to go for a job."""
        return bool(self.victims) and any(one is job for _, one in self.victims)
