"""``jobs.csv``: one row per job that ended or was rejected, in the order in which that happened.

Columns and formats are Batsim's (its documentation of outputs, and recorded files).
"""

from collections.abc import Sequence
from typing import Final

from windtunnel.model import JobState
from windtunnel.results.batch import Batch
from windtunnel.results.fields import behind, plain, plain_column
from windtunnel.results.job_columns import host_texts, rows_by_column
from windtunnel.results.job_rows import COMPILED, ENDINGS, quoted
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.rows import Recorder, integers

__all__ = ["HEADER", "JobsCsv"]

HEADER: Final = (
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
    "consumed_energy,metadata\n"
)


class JobsCsv(Recorder):
    """Writes ``jobs.csv``. With ``omit_rejected``, rejected jobs have no row."""

    def __init__(self, layout: Layout, *, omit_rejected: bool = False) -> None:
        self.rows = layout.open("jobs.csv", HEADER)
        self._v5 = layout.dialect is Dialect.BATSIM5
        self._omit_rejected = omit_rejected

    def take(self, batch: Batch) -> None:
        """Write a row for each job."""
        self.rows.pending.append(self._rows(batch))
        self.rows.flush()

    def _rows(self, batch: Batch) -> str | bytes:
        if COMPILED:
            from windtunnel.results.written_jobs import job_rows

            return job_rows(batch.records, batch.profiles, self._v5, self._omit_rejected)
        return self.by_column(batch)

    def by_column(self, batch: Batch) -> str:
        """The rows of a batch, made in pure Python."""
        known = [*batch.names, self.profiles(batch), integers(batch.requested), _endings(batch.states)]
        times = (batch.walltime, batch.submitted, batch.start, batch.finish)
        return rows_by_column(known, times, [host_texts(batch.hosts), *self._rest(batch)], self._omit_rejected)

    def profiles(self, batch: Batch) -> list[str]:
        """Their full ids for Batsim 5, and what stands behind the workload for others."""
        return plain_column(batch.profiles) if self._v5 else _short(batch.profiles)

    def _rest(self, batch: Batch) -> list[Sequence[str]]:
        """Energy and metadata."""
        joules = batch.energy
        if self._v5:
            metadata = [""] * len(joules)
            joules = [0.0 if d and j < 0.0 else j for d, j in zip(batch.dynamic, joules, strict=True)]
        elif not any(batch.metadata):
            metadata = ['""'] * len(joules)
        else:
            metadata = list(map(quoted, batch.metadata))
        same = joules.count(joules[0]) == len(joules)
        energy = [f"{joules[0]:f}"] * len(joules) if same else list(map("%f".__mod__, joules))
        return [energy, metadata]


def _short(profiles: list[str]) -> list[str]:
    """Their ids without the workload."""
    prefix = profiles[0].rpartition("!")[0] + "!"
    names = behind(profiles, prefix)
    return names if names is not None else [plain(profile.rpartition("!")[2]) for profile in profiles]


def _endings(states: Sequence[JobState]) -> Sequence[str]:
    """The columns ``success`` and ``final_state``."""
    if states.count(states[0]) == len(states):
        return [ENDINGS[states[0]]] * len(states)
    return [ENDINGS[state] for state in states]
