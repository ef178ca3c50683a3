"""Waiting jobs that Slurm cancels: too late for ``--deadline``, or waiting for what never happens (§9)."""

from collections.abc import Iterable
from typing import Final

from windtunnel.schedulers.slurm.jobs.dependencies import Verdict
from windtunnel.schedulers.slurm.jobs.pending import PendingJob
from windtunnel.schedulers.slurm.jobs.records import Record
from windtunnel.schedulers.slurm.state import State

__all__ = ["CANCELLED", "cut", "drop_hopeless", "drop_if_late", "drop_late", "last_start", "may_be_dropped"]

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
    """The jobs that wait in vain leave what is pending."""
    dropped = []
    for job in [state.pending[key] for key in state.watched if key in state.pending]:
        if _waits_in_vain(state, job):
            job.reason = _NEVER
            del state.pending[job.id]
            dropped.append(job)
    return dropped


def drop_if_late(state: State, job: PendingJob) -> bool:
    """Whether it is too late for a job that a loop looks at: it leaves what is pending. Others stay (§9)."""
    latest = last_start(job)
    if latest is None or latest >= state.now:
        return False
    job.reason = _LATE
    del state.pending[job.id]
    return True


def drop_late(state: State, queue: Iterable[Record]) -> list[PendingJob]:
    """Of the jobs that backfill looks at, those for which it is too late: limits and licences let them start."""
    dropped: list[PendingJob] = []
    if not state.watched:
        return dropped
    for record in queue:
        job = record.job
        if job.deadline is None or job.id not in state.pending or _kept_back(state, record):
            continue
        if drop_if_late(state, job):
            dropped.append(job)
    return dropped


def _kept_back(state: State, record: Record) -> bool:
    """Whether backfill passes over a job before it looks at its deadline."""
    if not state.site.main.assoc_limit_stop and state.limits.before(record):
        return True
    licences = record.job.ask.licences
    return bool(licences) and not state.site.backfill.bf_licenses and not state.has_licences(licences)


def _waits_in_vain(state: State, job: PendingJob) -> bool:
    """With ``kill_invalid_depend`` nobody waits for what cannot happen any more."""
    if not (state.site.main.kill_invalid_depend and job.ask.dependencies):
        return False
    return state.dependencies.verdict(job, state.now, state.pending.values()) is Verdict.NEVER


def cut(record: Record, minutes: int, now: int) -> int:
    """The time limit of a job that starts now: it ends at the deadline at the latest."""
    deadline = record.job.deadline
    return minutes if deadline is None else max(1, min(minutes, (deadline - now) // 60))
