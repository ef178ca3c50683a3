"""What the engine and a scheduler in its own process tell each other in few words, in the hot path of a run.

A job that has been submitted or is over is told by its record; a job that starts, by what the scheduler notes of it.
Both are there anyway: the notices and decisions that say the same would be made for each job and dropped at once.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from windtunnel.model import JobRecord, JobState
from windtunnel.vocabulary.decisions import Decision, ExecuteJob
from windtunnel.vocabulary.held import Running
from windtunnel.vocabulary.notices import JobCompleted, JobSubmitted, Notice

__all__ = ["BriefDecision", "News", "decisions_in_full", "notices_in_full"]

News: TypeAlias = "Notice | JobRecord"
"""A notice, or the record of a job that has just been submitted or is just over."""
BriefDecision: TypeAlias = "Decision | Running"
"""A decision, or a job that starts now on whole hosts."""

_SUBMITTED: Final = JobState.SUBMITTED


def notices_in_full(news: Sequence[News], now: float) -> list[Notice]:
    """The notices of what happened now."""
    return [_notice(one, now) if type(one) is JobRecord else one for one in news]  # type: ignore[misc]


def _notice(record: JobRecord, now: float) -> Notice:
    if record.state is _SUBMITTED:
        return JobSubmitted(now, record.job, record.submission)
    code = record.return_code
    return JobCompleted(now, record.job, record.state, code, record.hosts, record.starting_time)


def decisions_in_full(made: Sequence[BriefDecision]) -> list[Decision]:
    """The decisions."""
    full: list[Any] = [ExecuteJob(one.job.id, one.hosts) if type(one) is Running else one for one in made]
    return full
