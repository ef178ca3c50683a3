"""batsched's filler (spec: schedulers.md section 4.5)."""

from collections.abc import Sequence
from math import ceil
from typing import Annotated

from msgspec import Meta

from windtunnel.model import HostSet, Job
from windtunnel.schedulers.batsched.loop import Batsched
from windtunnel.schedulers.orders import Policy, QueueOrder
from windtunnel.vocabulary import (
    HONOURED_BY_ALL,
    Ability,
    ExecuteJob,
    HostsBecameUnavailable,
    Mirror,
    Notice,
    SetJobMetadata,
)

__all__ = ["FillerBatsched"]


class FillerBatsched(Batsched):
    """First fit in queue order; knows of unavailable hosts; gives executors by number when ``custom_mapping``.

    ``fraction_of_machines_to_use``: a job is given that part (rounded up) of the hosts that it must fit on.
    ``set_job_metadata`` attaches a text to each job started.
    """

    name = "batsched/filler"
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

    def _mirror(self) -> Mirror:
        return Mirror(power=False)

    def _in_order(self, notices: Sequence[Notice]) -> Sequence[Notice]:
        """Of one message, what has become unavailable counts last."""
        return sorted(notices, key=lambda notice: isinstance(notice, HostsBecameUnavailable))

    def _decide(self, now: float) -> None:
        del now  # dates play no part
        self._admit()
        usable = self.site.free
        queue = self._queue
        k = 0
        while k < len(queue) and usable:
            item = queue[k][2]
            hosts = self._pick(usable, item.size)
            if hosts is None:
                k += 1
                continue
            del queue[k]
            self._give(item.job, item.size, hosts)

    def _give(self, job: Job, size: int, hosts: HostSet) -> None:
        given = hosts.lowest(ceil(self.fraction_of_machines_to_use * size))
        self.site.start(job, given)
        count = len(given)
        mapping = tuple(k % count for k in range(size)) if self.custom_mapping else None
        self._write(ExecuteJob(job_id=job.id, hosts=given, placement=mapping))
        if self.set_job_metadata:
            self._write(SetJobMetadata(job_id=job.id, metadata=f"just some metadata for job {job.id}"))
