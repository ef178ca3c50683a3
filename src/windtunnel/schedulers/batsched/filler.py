"""batsched's filler (spec: schedulers.md section 4.5)."""

from math import ceil
from typing import Annotated

from msgspec import Meta

from windtunnel.model import HostPool, HostSet
from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.schedulers.orders import Policy, QueueOrder
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    Ability,
    ExecuteJob,
    HostsBecameAvailable,
    HostsBecameUnavailable,
    Notice,
    SetJobMetadata,
)

__all__ = ["FillerBatsched"]


class FillerBatsched(Batsched):
    """First fit in queue order; knows of unavailable hosts; gives executors by number when ``custom_mapping``.

    ``fraction_of_machines_to_use``: a job is given that part (rounded up) of the hosts that it must fit on.
    ``set_job_metadata`` attaches a text to each job started.
    """

    name = "filler-batsched"
    honours = HONOURED_BY_ALL | {Ability.UNAVAILABLE_HOSTS}

    def __init__(
        self,
        *,
        queue_order: QueueOrder = "fcfs",
        policy: Policy = "basic",
        fraction_of_machines_to_use: Annotated[float, Meta(gt=0, le=1)] = 1.0,
        custom_mapping: bool = True,
        set_job_metadata: bool = False,
        rjms_delay: float = 5.0,
    ) -> None:
        self.fraction_of_machines_to_use = fraction_of_machines_to_use
        self.custom_mapping = custom_mapping
        self.set_job_metadata = set_job_metadata
        super().__init__(queue_order=queue_order, policy=policy, rjms_delay=rjms_delay)

    def _reset(self) -> None:
        super()._reset()
        self._unavailable = HostSet()
        self._back = HostSet()
        self._gone = HostSet()

    def _on_other(self, notice: Notice) -> None:
        if isinstance(notice, HostsBecameAvailable):
            self._back |= notice.hosts
        elif isinstance(notice, HostsBecameUnavailable):
            self._gone |= notice.hosts

    def _decide(self, now: float) -> None:
        del now  # dates play no part
        self._give_back()
        self._unavailable = (self._unavailable - self._back) | self._gone
        self._back = self._gone = HostSet()
        self._admit()
        usable = self._free.copy()
        usable -= self._unavailable
        queue = self._queue
        k = 0
        while k < len(queue) and usable:
            item = queue[k][2]
            hosts = self._pick(usable, item.size)
            if hosts is None:
                k += 1
                continue
            del queue[k]
            self._give(item.job.id, item.size, hosts, usable)

    def _give(self, job_id: str, size: int, hosts: HostSet, usable: HostPool) -> None:
        given = hosts.lowest(ceil(self.fraction_of_machines_to_use * size))
        usable -= given
        self._free -= given
        count = len(given)
        mapping = tuple(k % count for k in range(size)) if self.custom_mapping else None
        self._write(ExecuteJob(job_id=job_id, hosts=given, placement=mapping))
        if self.set_job_metadata:
            self._write(SetJobMetadata(job_id=job_id, metadata=f"just some metadata for job {job_id}"))
