"""``jobs.csv``: one row per job that ended or was rejected, in the order in which that happened.

Columns and formats are Batsim's (its documentation of outputs, and recorded files).
"""

from collections.abc import Sequence
from math import inf
from typing import Any, Final

from msgspec import ValidationError, convert

from windtunnel.model import JobState
from windtunnel.results.fields import behind, plain, plain_column
from windtunnel.results.job_batches import Batch
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.rows import ENCODER, Recorder, integers, joined

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
        submitted, times = _dates(batch)
        profiles = plain_column(batch.profiles) if self._v5 else _short(batch.profiles)
        limits = list(map(self._walltimes.__getitem__, batch.walltime))
        known = [*batch.names, profiles, submitted, integers(batch.requested), limits, _endings(batch.states)]
        columns = [*known, times, *self._rest(batch)]
        if -1.0 not in batch.start:
            text = joined(columns)
        else:
            rows = zip(batch.start, zip(*columns, strict=True), strict=True)
            text = "".join(
                f"{','.join(row)}\n" if start >= 0.0 else f"{','.join(row[: len(known)])},,,,,,,,,{row[-1]}\n"
                for start, row in rows
                if start >= 0.0 or not self._omit_rejected
            )
        self.rows.pending.append(text)
        self.rows.flush()

    def _rest(self, batch: Batch) -> list[Sequence[str]]:
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
        return [[hosts.text() for hosts in batch.hosts], energy, metadata]


def _short(profiles: Sequence[str]) -> Sequence[str]:
    """Their ids without the workload."""
    prefix = profiles[0].rpartition("!")[0] + "!"
    names = behind(profiles, prefix)
    return names if names is not None else [plain(profile.rpartition("!")[2]) for profile in profiles]


def _endings(states: Sequence[JobState]) -> Sequence[str]:
    """The columns ``success`` and ``final_state``."""
    if states.count(states[0]) == len(states):
        return [_ENDINGS[states[0]]] * len(states)
    return [_ENDINGS[state] for state in states]


def _dates(batch: Batch) -> tuple[Sequence[str], Sequence[str]]:
    """The column ``submission_time``, and those from ``starting_time`` to ``stretch`` in one."""
    submitted: Sequence[float] = batch.submitted
    start: Sequence[float] = batch.start
    finish: Sequence[float] = batch.finish
    execution = [f - s for f, s in zip(finish, start, strict=True)]
    if 0.0 in execution:
        execution = [seconds or SHORTEST for seconds in execution]
        finish = [f if f > s else s + SHORTEST for f, s in zip(finish, start, strict=True)]
    turnaround = [f - q for f, q in zip(finish, submitted, strict=True)]
    stretch = tuple([t / e for t, e in zip(turnaround, execution, strict=True)])
    values: list[Any] = [None] * (6 * len(start))
    values[0::6] = start
    values[1::6] = execution
    values[2::6] = finish
    values[3::6] = [s - q for s, q in zip(start, submitted, strict=True)]
    values[4::6] = turnaround
    try:  # whole seconds are written faster; null is where a row ends
        first = ENCODER.encode(convert(submitted, list[int], strict=False))[1:-1]
        rest = ENCODER.encode(convert(values, list[int | None], strict=False))[1 : -len(",null]")]
    except (ValidationError, OverflowError):
        values[5::6] = stretch
        text = ("%f,%f,%f,%f,%f,%f\n" * len(stretch))[:-1] % tuple(values)
        return [f"{date + 0.0:f}" for date in submitted], text.split("\n")  # no -0.0
    text = rest.replace(b",null,", b"]").replace(b",", b".000000,").replace(b"]", b".000000,%f\n").decode()
    dates = first.replace(b",", b".000000,").decode()
    return f"{dates}.000000".split(","), (f"{text}.000000,%f" % stretch).split("\n")
