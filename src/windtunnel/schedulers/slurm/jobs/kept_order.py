"""The queue as it was last put in order: most jobs go on waiting, and few come."""

from itertools import islice
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record

__all__ = ["KeptOrder", "only_queues"]

_USUAL: Final = ("Priority", "Resources", "None")
"""The Reasons that most jobs have."""


def only_queues(job: PendingJob, now: int) -> bool:
    """Whether there is nothing to refresh: the job was looked at before, and only the queue keeps it waiting."""
    return (
        job.alone
        and job.reason in _USUAL
        and not job.held
        and not job.reservation
        and job.begin <= now
        and job.eligible is not None
        and job.accrued_from is not None
    )


@mypyc_attr(allow_interpreted_subclasses=True)
class KeptOrder:
    """Jobs of one tier that only the queue keeps waiting, each in one partition that takes it, best first."""

    __slots__ = ("_last", "_priorities", "_records")

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._priorities: list[int] = []
        """Theirs, when they were put in order."""
        self._last = 0
        """The number of the last job to come."""

    def keep(self, records: list[Record]) -> None:
        """All that wait are in this order."""
        self._records = records
        self._priorities = [record.priority for record in records]
        self._last = max([record.job.number for record in records], default=0)

    def forget(self) -> None:
        """Some jobs need a closer look."""
        self._records = []
        self._priorities = []

    def waiting(self, pending: dict[str, PendingJob], now: int) -> tuple[list[Record], list[PendingJob]] | None:
        """Those that still wait, and the jobs that have come since; None: they have to be put in order anew.

        The former are what is kept from now on: the latter are put among them (:meth:`insert`).
        """
        if not self._records:
            return None
        found, priorities = self._records, self._priorities
        gone: list[int] = []
        for place, record in enumerate(found):
            job = record.job
            if job.id not in pending:
                gone.append(place)
            elif record.priority != priorities[place] or record.refusal is not None or not only_queues(job, now):
                return None
        if gone:
            found, priorities = found[:], priorities[:]
            for place in reversed(gone):
                del found[place], priorities[place]
        fresh = list(islice(reversed(pending.values()), len(pending) - len(found)))
        fresh.reverse()
        last = self._last
        for job in fresh:
            if job.number <= last:  # it had started, and waits again
                return None
            last = job.number
        self._records, self._priorities = found, priorities
        return found, fresh

    def insert(self, record: Record) -> None:
        """One more that came after all others: it goes behind those of its priority."""
        priorities, priority = self._priorities, record.priority
        low, high = 0, len(priorities)
        while low < high:
            middle = (low + high) // 2
            if priorities[middle] >= priority:
                low = middle + 1
            else:
                high = middle
        self._records.insert(low, record)
        priorities.insert(low, priority)
        self._last = record.job.number
