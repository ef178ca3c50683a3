"""batsched's easy_bf (spec: schedulers.md section 4.2)."""

from typing import Any

from windtunnel.model import HostSet, Job
from windtunnel.schedulers.batsched.loop import Batsched, Waiting
from windtunnel.schedulers.batsched.profile import AvailabilityProfile
from windtunnel.schedulers.batsched.rationals import exact
from windtunnel.schedulers.orders import Policy, QueueOrder
from windtunnel.vocabulary import SimulationBegins

__all__ = ["EasyBatsched", "ProfileBatsched"]


class ProfileBatsched(Batsched):
    """What easy_bf and conservative_bf share: a profile that holds running jobs and reservations."""

    def __init__(self, *, queue_order: str = "fcfs", policy: str = "basic", rjms_delay: float = 5.0) -> None:
        super().__init__(queue_order=queue_order, policy=policy, rjms_delay=rjms_delay)

    def _reset(self) -> None:
        super()._reset()
        self._profile = AvailabilityProfile(0, 0)
        self._begins: dict[str, int] = {}  # where the jobs in the profile begin

    def _on_begin(self, notice: SimulationBegins) -> None:
        self._profile = AvailabilityProfile(self._n, exact(round(notice.timestamp, 6)), self.policy)

    def _refuses(self, job: Job) -> bool:
        return job.request.hosts > self._n or self._duration(job) is None

    def _take_in(self, now: float) -> list[Waiting]:
        """Ends, releases, present time; the jobs queued."""
        for notice in self._ended:
            self._remove(notice.job.id)
        admitted = self._admit()
        if not self._profile.advance(exact(now)):
            raise self._fault("a running job outlived its walltime and the margin")
        return admitted

    def _remove(self, job_id: str) -> None:
        begin = self._begins.pop(job_id, None)
        if begin is not None:
            self._profile.remove(job_id, begin)

    def _add(self, item: Waiting) -> HostSet | None:
        """Place a job at its first fit; its hosts when it starts now."""
        placed = self._profile.add(item.id, item.size, item.duration)
        if placed is None:
            return None
        k, hosts = placed
        self._begins[item.id] = self._profile.begins[k]
        return HostSet.of_bits(hosts, None, item.size) if k == 0 else None


class EasyBatsched(ProfileBatsched):
    """EASY with one host-exact reservation, made anew only when something ended or the head changed; predicted ends
    are ``rjms_delay`` seconds late; jobs without walltime are rejected.
    """

    name = "batsched/easy_bf"

    def __init__(
        self, *, queue_order: QueueOrder = "fcfs", policy: Policy = "basic", rjms_delay: float = 5.0
    ) -> None:
        super().__init__(queue_order=queue_order, policy=policy, rjms_delay=rjms_delay)

    def _decide(self, now: float) -> None:
        queue = self._queue
        old = queue[0][2] if queue else None
        admitted = self._take_in(now)
        head = queue[0][2] if queue else None
        if head is not old:
            if old is not None:
                self._remove(old.id)
            head = self._reserve_head()
        free = self._profile.counts[0]
        if not free:
            return
        if self._ended:
            self._backfill_all(head)
        else:
            self._backfill_new(admitted, head, free)

    def _reserve_head(self) -> Waiting | None:
        """Start jobs from the front; reserve the first that cannot start now, and return it."""
        queue = self._queue
        while queue:
            head = queue[0][2]
            hosts = self._add(head)
            if hosts is None:
                return head
            self._execute(head.job, hosts, self._last)
            del queue[0]
        return None

    def _backfill_new(self, admitted: list[Waiting], head: Waiting | None, free: int) -> None:
        """Without an end only new jobs are tried, in order of the events."""
        queue = self._queue
        waiting = {item.id for _, _, item in queue} if len(admitted) > 1 else None
        for item in admitted:
            if not free:
                return
            if item is head or item.size > free or not (item.id in waiting if waiting else _holds(queue, item)):
                continue
            hosts = self._add(item)
            if hosts is None:
                self._remove(item.id)
            else:
                self._execute(item.job, hosts)
                self._drop(item)
                free -= item.size

    def _backfill_all(self, head: Waiting | None) -> None:
        queue = self._queue
        k = 0
        while k < len(queue):
            item = queue[k][2]
            self._remove(item.id)
            hosts = self._add(item)
            if hosts is not None:
                self._execute(item.job, hosts)
                del queue[k]
                if item is head:
                    head = queue[k][2] if k < len(queue) else None
                continue
            if item is not head:
                self._remove(item.id)
            k += 1

    def _drop(self, item: Waiting) -> None:
        queue: list[tuple[Any, str, Waiting]] = self._queue
        del queue[next(k for k, entry in enumerate(queue) if entry[2] is item)]


def _holds(queue: list[tuple[Any, str, Waiting]], item: Waiting) -> bool:
    return any(entry[2] is item for entry in queue)
