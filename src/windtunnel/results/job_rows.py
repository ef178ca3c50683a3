"""What the rows of ``jobs.csv`` and ``machine_states.csv`` are made of, and by which of two ways.

The compiled build writes them digit by digit (:mod:`windtunnel.results.written_jobs`, ``written_states``); in pure
Python it is faster to make whole columns of text (:mod:`windtunnel.results.job_columns`).
"""

from collections.abc import Sequence
from types import FunctionType
from typing import Any, Final

from windtunnel.model.job import JobState
from windtunnel.results.fields import plain

__all__ = ["COMPILED", "ENDINGS", "SHORTEST", "STATE_WIDTH", "Texts", "Times", "quoted"]

SHORTEST: Final = 1e-5
"""Seconds written (and counted) for an execution that took none, so that a stretch exists."""
ENDINGS: Final = [f"{int(s is JobState.COMPLETED_SUCCESSFULLY)},{s.name}" for s in JobState]
"""The columns ``success`` and ``final_state`` for each state."""
STATE_WIDTH: Final = 6
"""Values of a row of machine states: the date, and how many hosts sleep, switch on, switch off, idle and compute."""


Texts = Sequence[Sequence[str]]
"""Columns of texts."""
Times = tuple[list[Any], list[Any], list[Any], list[Any]]
"""Walltimes of jobs, and when they were submitted, started (-1: never) and ended (s)."""


def quoted(text: str) -> str:
    """Metadata as a field: Batsim quotes it always."""
    field = plain(text)
    return field if field[:1] == '"' else f'"{field}"'


COMPILED: Final = not isinstance(quoted, FunctionType)
"""Whether this is the compiled build."""
