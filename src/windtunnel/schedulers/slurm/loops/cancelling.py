"""Waiting jobs that Slurm cancels: too late for ``--deadline``, or waiting for what never happens (§9)."""

from typing import Final

from windtunnel.schedulers.slurm.jobs.dependencies import Verdict
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.state import State

__all__ = ["CANCELLED", "cut", "drop_hopeless", "last_start", "may_be_dropped"]

_LATE: Final = "DeadLine"
_NEVER: Final = "DependencyNeverSatisfied"
CANCELLED: Final = frozenset({_LATE, _NEVER})
"""Slurm's Reasons of jobs that are cancelled."""


def may_be_dropped(state: State, job: PendingJob) -> bool:
    """Whether anything may cancel a waiting job."""
    return job.deadline is not None or bool(job.ask.dependencies and state.site.main.kill_invalid_depend)


def last_start(job: PendingJob) -> int | None:
    """When a job can start at the latest: with its least limit, its own, or DefaultTime; else for a minute (§9)."""
    if job.deadline is None:
        return None
    minutes = job.time_min or job.ask.time_limit or job.default_time or 1
    return job.deadline - minutes * 60


def drop_hopeless(state: State) -> list[PendingJob]:
    """The jobs that are cancelled now: they leave what is pending."""
    dropped = []
    for job in [state.pending[key] for key in state.watched if key in state.pending]:
        latest = last_start(job)
        if latest is not None and latest < state.now:
            job.reason = _LATE
        elif _waits_in_vain(state, job):
            job.reason = _NEVER
        else:
            continue
        del state.pending[job.id]
        dropped.append(job)
    return dropped


def _waits_in_vain(state: State, job: PendingJob) -> bool:
    """With ``kill_invalid_depend`` nobody waits for what cannot happen any more."""
    if not (state.site.main.kill_invalid_depend and job.ask.dependencies):
        return False
    return state.dependencies.verdict(job, state.now, state.pending.values()) is Verdict.NEVER


def cut(record: Record, minutes: int, now: int) -> int:
    """The time limit of a job that starts now: it ends at the deadline at the latest."""
    deadline = record.job.deadline
    return minutes if deadline is None else max(1, min(minutes, (deadline - now) // 60))
