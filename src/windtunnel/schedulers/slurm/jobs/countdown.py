"""Priorities under ``priority/basic``: each job is one behind the job before it (§1)."""

from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.schedulers.slurm.jobs.pending import PendingJob

__all__ = ["Countdown"]

_TOP: Final = 2**32 - 2**16
_SPAN: Final = 2**32
"""Priorities are kept in 32 bits: what is raised beyond them begins again at 0."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Countdown:
    """Hands out priorities in the order of submission; a job keeps its own."""

    def __init__(self) -> None:
        self._lowest = _TOP

    def rank(self, job: PendingJob) -> None:
        """The priority of a job that has been submitted, the same in all of its partitions."""
        priority = 0 if job.held else job.fixed_priority
        if priority is None:
            priority = self._next(job.nice)
        for record in job.records:
            record.priority = priority

    def _next(self, nice: int) -> int:
        """The next priority, less a job's nice value unless too little would be left; others do not fall with it."""
        plain = self._lowest - 1 if self._lowest >= 2 else 1
        if nice <= 0 or plain > nice + 1:
            plain = (plain - nice) % _SPAN
        found = max(1, plain)
        self._lowest = min(self._lowest, (found + nice) % _SPAN)
        return found
