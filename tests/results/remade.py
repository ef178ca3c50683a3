"""Job records made again from a recorded ``jobs.csv``, to feed recorders with."""

import csv
import io
from collections.abc import Iterator
from math import inf

from windtunnel.model import DelayProfile, HostSet, Job, JobRecord, JobState, Request


def records(text: str) -> Iterator[JobRecord]:
    """One record per row. Dates are those printed, so that what is derived from them may be off by a digit."""
    for row in csv.DictReader(io.StringIO(text)):
        workload = row["workload_name"]
        profile = row["profile"] if "!" in row["profile"] else f"{workload}!{row['profile']}"
        walltime = float(row["requested_time"])
        job = Job(
            id=f"{workload}!{row['job_id']}",
            request=Request(int(row["requested_number_of_resources"])),
            profile=DelayProfile(id=profile, delay=1.0),
            submission_time=float(row["submission_time"]),
            walltime=inf if walltime < 0 else walltime,
        )
        record = JobRecord(job=job, state=JobState[row["final_state"]], metadata=row["metadata"] or "")
        if row["starting_time"]:
            record.starting_time = float(row["starting_time"])
            record.finish_time = float(row["finish_time"])
            record.hosts = HostSet.parse(row["allocated_resources"])
            record.consumed_energy = float(row["consumed_energy"])
        yield record


def replay(recording, text: str, platform) -> None:
    """Let a recording see the jobs of a recorded file end, as an engine would."""
    observers = recording.observers
    for observer in observers:
        observer.on_begin(0.0, platform, [])
    last = 0.0
    for record in records(text):
        for observer in observers:
            if record.state is JobState.REJECTED:
                observer.on_job_rejected(last, record)
            else:
                last = record.finish_time
                observer.on_job_ended(last, record)
