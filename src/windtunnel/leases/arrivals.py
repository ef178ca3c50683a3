"""Jobs as they come, as leases with numbers."""

from collections.abc import Sequence

import msgspec

from windtunnel.leases.decisions import DecisionWriter
from windtunnel.leases.jobs import lease_of
from windtunnel.model import Workload
from windtunnel.model.lease import Lease, LeaseSite
from windtunnel.model.lease_jobs import LeaseJobs
from windtunnel.vocabulary import JobSubmitted

__all__ = ["Arrivals"]


class Arrivals:
    """Knows which lease a job of the workloads is; what is none becomes one, with the next number that is free."""

    def __init__(self, site: LeaseSite, writer: DecisionWriter, workloads: Sequence[Workload]) -> None:
        self._site = site
        self._writer = writer
        self._asked: dict[str, Lease] = {}
        """The leases of the workloads, by job."""
        for work in workloads:
            if isinstance(work, LeaseJobs):
                self._asked.update(work.leases)
        self._last = 0
        """The last number given to a job that is not a lease."""

    def lease(self, notice: JobSubmitted) -> Lease | None:
        """What a job asks for, numbered; None if it is the continuation of a lease that is known."""
        job, writer = notice.job, self._writer
        if job.id in writer.numbers:
            return None
        asked = self._asked.pop(job.id, None) or lease_of(job, self._site)
        number = asked.id
        if number is None or number in writer.jobs:
            self._last += 1
            while self._last in writer.jobs:
                self._last += 1
            number = self._last
        writer.numbers[job.id] = number
        writer.jobs[number] = job
        return msgspec.structs.replace(asked, id=number, submit=notice.submission_time)
