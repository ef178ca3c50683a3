"""batsched's rejecter and waiting_time_estimator (spec: schedulers.md section 5)."""

from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.vocabulary import AnswerWaitingTime, Notice, RejectJob, WaitingTimeQueried

__all__ = ["Rejecter", "WaitingTimeEstimator"]


class Rejecter(Batsched):
    """Rejects every job."""

    name = "batsched/rejecter"

    def __init__(self) -> None:
        super().__init__()

    def _decide(self, now: float) -> None:
        del now  # dates play no part
        for job in self._released:
            self._write(RejectJob(job_id=job.id))


class WaitingTimeEstimator(Rejecter):
    """Answers -1 to every question how long a job would wait, and rejects every job."""

    name = "batsched/waiting_time_estimator"

    def _reset(self) -> None:
        super()._reset()
        self._queries: list[str] = []

    def _on_other(self, notice: Notice) -> None:
        if isinstance(notice, WaitingTimeQueried):
            self._queries.append(notice.job.id)

    def _decide(self, now: float) -> None:
        for job_id in self._queries:
            self._write(AnswerWaitingTime(job_id=job_id, estimated_waiting_time=-1.0))
        self._queries.clear()
        super()._decide(now)
