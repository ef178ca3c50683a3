"""What a run of one of the loops decides (§3, §4)."""

from collections.abc import Iterable

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.records import PendingJob
from windtunnel.schedulers.slurm.jobs.running import RunningJob
from windtunnel.schedulers.slurm.state import State

__all__ = ["Pass"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Pass:
    """What one run of a loop decided."""

    __slots__ = ("failed", "started", "suspended", "tested", "victims")

    def __init__(self) -> None:
        self.started: list[RunningJob] = []
        self.victims: list[tuple[RunningJob, PendingJob]] = []
        """Who has to go, and for whom."""
        self.suspended: list[RunningJob] = []
        """Who is suspended for a job that starts at once, components of heterogeneous jobs included."""
        self.failed: list[PendingJob] = []
        """Jobs that can never run (BadConstraints), or that are cancelled."""
        self.tested = 0

    def suspend(self, state: State, victims: Iterable[RunningJob]) -> None:
        """Jobs leave their nodes to one that starts at once, with all of their components."""
        stopped = {victim.pending.whole for victim in victims}
        for one in [one for one in state.running.values() if one.pending.whole in stopped]:
            self.suspended.append(one)
            state.give_up(one.id)

    def made_room_for(self, job: PendingJob) -> bool:
        """Whether others have just had to go for a job."""
        return bool(self.victims) and any(one is job for _, one in self.victims)
