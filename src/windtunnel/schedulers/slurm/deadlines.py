"""``--deadline``: a job whose limit no longer fits before its deadline is cancelled; its limit may be cut (§9)."""

from windtunnel.schedulers.slurm.jobs import PendingJob, Record
from windtunnel.schedulers.slurm.state import State

__all__ = ["REASON", "cut", "drop_late", "last_start"]

REASON = "DeadLine"
"""Slurm's Reason of jobs that are cancelled for their deadline."""


def last_start(job: PendingJob) -> int | None:
    """When a job can start at the latest: with its least limit, or without a limit of its own at the deadline."""
    if job.deadline is None:
        return None
    minutes = job.time_min or job.ask.time_limit or 0
    return job.deadline - minutes * 60


def drop_late(state: State) -> list[PendingJob]:
    """The jobs that cannot meet their deadlines any more: they leave what is pending."""
    late = []
    for job in list(state.pending.values()):
        latest = last_start(job)
        if latest is not None and latest < state.now:
            del state.pending[job.id]
            job.reason = REASON
            late.append(job)
    return late


def cut(record: Record, minutes: int, now: int) -> int:
    """The time limit of a job that starts now: it ends at the deadline at the latest."""
    deadline = record.job.deadline
    return minutes if deadline is None else max(1, min(minutes, (deadline - now) // 60))
