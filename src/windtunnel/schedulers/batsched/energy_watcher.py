"""batsched's energy_watcher (spec: schedulers.md section 5)."""

from collections import deque

from windtunnel.model import HostSet, Job
from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.vocabulary import EnergyAnswered, Notice, QueryEnergy, RejectJob

__all__ = ["EnergyWatcher"]


class EnergyWatcher(Batsched):
    """One job at a time in order of arrival; asks for the energy consumed whenever jobs arrive, and fails when an
    answer is less than the one before.
    """

    name = "batsched/energy_watcher"

    def __init__(self) -> None:
        super().__init__()

    def _reset(self) -> None:
        super()._reset()
        self._waiting: deque[Job] = deque()
        self._joules = 0.0

    def _on_other(self, notice: Notice) -> None:
        if isinstance(notice, EnergyAnswered):
            if notice.consumed_energy < self._joules - 1e-6:
                raise self._fault(f"energy fell from {self._joules!r} to {notice.consumed_energy!r} J")
            self._joules = notice.consumed_energy

    def _decide(self, now: float) -> None:
        del now  # dates play no part
        for job in self._released:
            if self._refuses(job):
                self._write(RejectJob(job_id=job.id))
            else:
                self._waiting.append(job)
        if self._released:
            self._write(QueryEnergy())
        if self._waiting and not self.site.running:
            job = self._waiting.popleft()
            self._execute(job, HostSet.span(job.request.hosts))
