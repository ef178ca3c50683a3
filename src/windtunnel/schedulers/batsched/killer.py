"""batsched's killer and killer2 (spec: schedulers.md section 5)."""

from typing import Annotated

from msgspec import Meta

from windtunnel.model import HostPool, HostSet
from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.schedulers.orders import Policy, QueueOrder
from windtunnel.vocabulary import KillJobs

__all__ = ["Killer", "Killer2"]


class Killer(Batsched):
    """Starts at most one job per message, the head, and asks that it be killed ``nb_kills_per_job`` times, every
    ``delay_before_kill`` seconds. Its answers lie in the future, so that it hears of nothing before the last kill.
    """

    name = "batsched/killer"

    def __init__(
        self,
        *,
        queue_order: QueueOrder = "fcfs",
        policy: Policy = "basic",
        nb_kills_per_job: Annotated[int, Meta(ge=0)] = 1,
        delay_before_kill: Annotated[float, Meta(ge=0, description="in seconds")] = 10.0,
        rjms_delay: float = 5.0,
    ) -> None:
        self.nb_kills_per_job = nb_kills_per_job
        self.delay_before_kill = delay_before_kill
        super().__init__(queue_order=queue_order, policy=policy, rjms_delay=rjms_delay)

    def _decide(self, now: float) -> None:
        self._admit()
        if not self._queue:
            return
        job = self._queue[0][2].job
        hosts = self._pick(self.site.free, job.request.hosts)
        if hosts is None:
            return
        del self._queue[0]
        self._execute(job, hosts)
        date = now
        for _ in range(self.nb_kills_per_job):
            date += self.delay_before_kill
            self._write(KillJobs(job_ids=(job.id,)), date)


class Killer2(Batsched):
    """At most one job at a time: when another one waits, the running one is killed, and five seconds later the head
    of the queue starts.
    """

    name = "batsched/killer2"

    def __init__(
        self, *, queue_order: QueueOrder = "fcfs", policy: Policy = "basic", rjms_delay: float = 5.0
    ) -> None:
        super().__init__(queue_order=queue_order, policy=policy, rjms_delay=rjms_delay)

    def _decide(self, now: float) -> None:
        self._admit()
        if not self._queue:
            return
        date = now
        last = next(reversed(self.site.running), None)
        if last is not None:
            self._write(KillJobs(job_ids=(last,)))
            date = now + 5
        job = self._queue.pop(0)[2].job
        hosts = self._pick(HostPool(HostSet.span(self._n)), job.request.hosts)
        assert hosts is not None
        self._execute(job, hosts, date)
