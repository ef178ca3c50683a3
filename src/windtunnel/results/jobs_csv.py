"""``jobs.csv``: one row per job that ended or was rejected, in the order in which that happened.

Columns and formats are Batsim's (its documentation of outputs, and recorded files).
"""

from collections.abc import Sequence
from itertools import chain
from math import inf
from operator import sub, truediv
from typing import Final

from windtunnel.model import JobState
from windtunnel.results.fields import behind, plain_column
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.ledger import Batch
from windtunnel.results.rows import INTEGER, WHOLE, Column, Recorder, formatted

__all__ = ["HEADER", "SHORTEST", "JobsCsv"]

HEADER: Final = (
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
    "consumed_energy,metadata\n"
)
SHORTEST: Final = 1e-5
"""Seconds written (and counted) for an execution that took none, so that a stretch exists."""

_ENDINGS: Final = tuple(f"{int(s is JobState.COMPLETED_SUCCESSFULLY)},{s.name}" for s in JobState)


class _Seconds(dict[float, str]):
    """Walltimes as fields, remembered: many jobs share one."""

    def __missing__(self, seconds: float) -> str:
        if len(self) >= 10_000:
            self.clear()
        text = self[seconds] = "-1.000000" if seconds == inf else f"{seconds:f}"
        return text


class JobsCsv(Recorder):
    """Writes ``jobs.csv``. With ``omit_rejected``, rejected jobs have no row."""

    def __init__(self, layout: Layout, *, omit_rejected: bool = False) -> None:
        self.rows = layout.open("jobs.csv", HEADER)
        self._v5 = layout.dialect is Dialect.BATSIM5
        self._omit_rejected = omit_rejected
        self._walltimes = _Seconds()

    def take(self, batch: Batch) -> None:
        """Write a row for each job."""
        columns = [
            *self._identity(batch),
            *_dates(batch, list(map(self._walltimes.__getitem__, batch.walltime))),
            *self._rest(batch),
        ]
        if -1.0 not in batch.start:
            text = formatted(columns)
        else:
            rows = zip(batch.start, zip(*(values for _, values in columns), strict=True), strict=True)
            template = ",".join([form for form, _ in columns]) + "\n"
            rejected = ",".join([form for form, _ in columns[:7]]) + ",,,,,,,,,%s\n"
            text = "".join(
                template % row if start >= 0.0 else "" if self._omit_rejected else rejected % (*row[:7], row[-1])
                for start, row in rows
            )
        self.rows.pending.append(text)
        self.rows.flush()

    def _identity(self, batch: Batch) -> list[Column]:
        names, workloads = batch.names
        profiles = batch.profiles if self._v5 else _short(batch.profiles)
        return [("%s", names), ("%s", workloads), ("%s", plain_column(profiles))]

    def _rest(self, batch: Batch) -> list[Column]:
        joules = batch.energy
        if self._v5:
            metadata = [""] * len(joules)
            joules = [0.0 if d and j < 0.0 else j for d, j in zip(batch.dynamic, joules, strict=True)]
        elif not any(batch.metadata):
            metadata = ['""'] * len(joules)
        else:
            metadata = ['""' if not text else '"' + text.replace('"', '""') + '"' for text in batch.metadata]
        same = joules.count(joules[0]) == len(joules)
        energy = [f"{joules[0]:f}"] * len(joules) if same else list(map("%f".__mod__, joules))
        return [("%s", [hosts.text() for hosts in batch.hosts]), ("%s", energy), ("%s", metadata)]


def _short(profiles: Sequence[str]) -> Sequence[str]:
    """Their ids without the workload."""
    prefix = profiles[0].rpartition("!")[0] + "!"
    names = behind(profiles, prefix)
    if names is None or "!" in "".join(names):
        return [profile.rpartition("!")[2] for profile in profiles]
    return names


def _dates(batch: Batch, walltimes: list[str]) -> list[Column]:
    """The columns from ``submission_time`` to ``stretch``; whole seconds are written as such, which is faster."""
    submitted: Sequence[float] = [date + 0.0 for date in batch.submitted]  # no -0.0
    start: Sequence[float] = batch.start
    finish: Sequence[float] = batch.finish
    execution = list(map(sub, finish, start))
    form = "%f"
    if 0.0 in execution:
        execution = [seconds or SHORTEST for seconds in execution]
        finish = [f if f > s else s + SHORTEST for f, s in zip(finish, start, strict=True)]
    elif _whole(submitted, start, finish):
        form = WHOLE
        submitted, start, finish = (list(map(int, dates)) for dates in (submitted, start, finish))
        execution = list(map(sub, finish, start))
    turnaround = list(map(sub, finish, submitted))
    return [
        (form, submitted),
        (INTEGER, batch.requested),
        ("%s", walltimes),
        ("%s", [_ENDINGS[state] for state in batch.states]),
        (form, start),
        (form, execution),
        (form, finish),
        (form, list(map(sub, start, submitted))),
        (form, turnaround),
        ("%f", list(map(truediv, turnaround, execution))),
    ]


def _whole(*columns: Sequence[float]) -> bool:
    try:
        return max(map(max, columns)) < 1e15 and all(map(float.is_integer, chain(*columns)))
    except TypeError:  # an int where a float is due: written all the same
        return False
