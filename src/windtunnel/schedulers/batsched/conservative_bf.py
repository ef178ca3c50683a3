"""batsched's conservative_bf (spec: schedulers.md section 4.3)."""

from windtunnel.schedulers.batsched.easy_bf import ProfileBatsched
from windtunnel.schedulers.batsched.loop import Waiting
from windtunnel.schedulers.batsched.rationals import exact, nearest
from windtunnel.schedulers.orders import Policy, QueueOrder
from windtunnel.vocabulary import AnswerWaitingTime, Notice, WaitingTimeQueried

__all__ = ["ConservativeBatsched"]


class ConservativeBatsched(ProfileBatsched):
    """Conservative backfilling with host-exact reservations: new jobs are placed in order of the events; after an end
    each queued job is taken out and placed again, in queue order.
    """

    name = "batsched/conservative_bf"

    def __init__(
        self, *, queue_order: QueueOrder = "fcfs", policy: Policy = "basic", rjms_delay: float = 5.0
    ) -> None:
        super().__init__(queue_order=queue_order, policy=policy, rjms_delay=rjms_delay)

    def _reset(self) -> None:
        super()._reset()
        self._queries: list[WaitingTimeQueried] = []

    def _on_other(self, notice: Notice) -> None:
        if isinstance(notice, WaitingTimeQueried):
            self._queries.append(notice)

    def _decide(self, now: float) -> None:
        admitted = self._take_in(now)
        if self._ended:
            started = {item.id for _, _, item in self._queue if self._place(item)}
        else:
            started = {item.id for item in admitted if self._place(item)}
        if started:
            self._queue = [entry for entry in self._queue if entry[1] not in started]
        self._answer()

    def _place(self, item: Waiting) -> bool:
        """Place a job at its first fit; whether it starts now."""
        self._remove(item.id)
        hosts = self._add(item)
        if hosts is None:
            return False
        self._execute(item.job, hosts)
        return True

    def _answer(self) -> None:
        """Batsched answers with the date at which the job would start (-1: never), not with the wait."""
        for query in self._queries:
            job = query.job
            duration = exact(job.walltime) + exact(self.rjms_delay)
            found = self._profile.find(job.request.hosts, duration)
            date = -1.0 if found is None else nearest(self._profile.begins[found[0]])
            self._write(AnswerWaitingTime(job_id=job.id, estimated_waiting_time=date))
        self._queries.clear()
