"""``jobs.csv``: one row per job that ended or was rejected, in the order in which that happened.

Columns and formats are Batsim's (spec: its documentation of outputs, and recorded files).
"""

from math import inf
from typing import Final

from windtunnel.model import JobRecord, JobState
from windtunnel.results.layout import Dialect, Layout
from windtunnel.results.rows import BATCH, Recorder

__all__ = ["HEADER", "SHORTEST", "JobsCsv", "plain"]

HEADER: Final = (
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
    "consumed_energy,metadata\n"
)
SHORTEST: Final = 1e-5
"""Seconds written (and counted) for an execution that took none, so that a stretch exists."""

_RAN: Final = "%s,%s,%s,%f,%d,%f,%s,%f,%f,%f,%f,%f,%f,%s,%f,%s\n"
_NEVER_RAN: Final = "%s,%s,%s,%f,%d,%f,%s,,,,,,,,,%s\n"
_ENDINGS: Final = tuple(f"{int(s is JobState.COMPLETED_SUCCESSFULLY)},{s.name}" for s in JobState)


def plain(text: str) -> str:
    """A CSV field: as it is, but quoted where a comma, a quote or a line break would break the row."""
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


class JobsCsv(Recorder):
    """Writes ``jobs.csv``. With ``omit_rejected``, rejected jobs have no row."""

    def __init__(self, layout: Layout, *, omit_rejected: bool = False) -> None:
        self.rows = layout.open("jobs.csv", HEADER)
        self._v5 = layout.dialect is Dialect.BATSIM5
        self._omit_rejected = omit_rejected

    def on_job_ended(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- the record has the dates
        """Write a row: this is the hot path, about one microsecond."""
        job = record.job
        workload, _, name = job.id.partition("!")
        profile = job.profile.id
        metadata = ""
        if not self._v5:
            profile = profile.rpartition("!")[2]
            metadata = '""' if not record.metadata else '"' + record.metadata.replace('"', '""') + '"'
        if not name.isalnum():
            workload, name = plain(workload), plain(name)
        submitted = job.submission_time
        walltime = job.walltime
        start = record.starting_time
        finish = record.finish_time
        execution = finish - start
        if execution == 0.0:
            execution = SHORTEST
            finish = start + SHORTEST
        turnaround = finish - submitted
        energy = record.consumed_energy
        if energy < 0.0 and self._v5 and record.dynamic:
            energy = 0.0
        pending = self.rows.pending
        pending.append(
            _RAN
            % (
                name,
                workload,
                profile if profile.isalnum() else plain(profile),
                submitted,
                job.request.hosts,
                -1.0 if walltime == inf else walltime,
                _ENDINGS[record.state],
                start,
                execution,
                finish,
                start - submitted,
                turnaround,
                turnaround / execution,
                record.hosts,
                energy,
                metadata,
            )
        )
        if len(pending) >= BATCH:
            self.rows.flush()

    def on_job_rejected(self, now: float, record: JobRecord) -> None:  # noqa: ARG002 -- there is no column for it
        """Write a row without dates."""
        if self._omit_rejected:
            return
        job = record.job
        profile = job.profile.id if self._v5 else job.profile.name
        walltime = -1.0 if job.walltime == inf else job.walltime
        metadata = "" if self._v5 else '"' + record.metadata.replace('"', '""') + '"'
        ending = _ENDINGS[record.state]
        who = (plain(job.name), plain(job.workload), plain(profile))
        row = (*who, job.submission_time, job.request.hosts, walltime, ending, metadata)
        self.rows.add(_NEVER_RAN % row)
