"""What recording costs per job: rows, machine states, metrics at the end. Part of the goals of the whole program."""

import random
import tempfile
from time import process_time

from benchmarks import Figure
from windtunnel.model import DelayProfile, HostSet, Job, JobRecord, JobState, Platform, Request
from windtunnel.results.layout import Layout
from windtunnel.results.recording import Recording
from windtunnel.vocabulary.component import Observer

_JOBS = 20_000


def _records(users: int) -> list[JobRecord]:
    """Jobs of whole seconds on random hosts of 256."""
    dice = random.Random(1)
    made = []
    date = 0.0
    for number in range(_JOBS):
        date += dice.randrange(100)
        run = float(dice.randrange(10, 36_000))
        size = 1 << dice.randrange(6)
        job = Job(
            id=f"w0!{number}",
            request=Request(size),
            profile=DelayProfile(id=f"w0!{number % 200}", delay=run),
            submission_time=date,
            walltime=2 * run,
            user=f"u{number % users}" if users else "",
        )
        start = date + float(dice.randrange(1000))
        made.append(
            JobRecord(
                job=job,
                state=JobState.COMPLETED_SUCCESSFULLY,
                hosts=HostSet.of_bits(((1 << size) - 1) << dice.randrange(220)),
                starting_time=start,
                finish_time=start + run,
            )
        )
    return made


def _seconds(users: int) -> float:
    records = _records(users)
    with tempfile.TemporaryDirectory() as folder:
        recording = Recording(Layout.directory(folder))
        hooks = {
            name: [
                getattr(o, name) for o in recording.observers if getattr(type(o), name) is not getattr(Observer, name)
            ]
            for name in ("on_begin", "on_job_ended", "on_machine_states", "on_end")
        }
        counts = [0, 0, 0, 120, 136]
        began = process_time()
        for hook in hooks["on_begin"]:
            hook(0.0, Platform.uniform(256), [])
        (ended,), (states,) = hooks["on_job_ended"], hooks["on_machine_states"]
        for record in records:
            states(record.starting_time, counts)
            states(record.finish_time, counts)
            ended(record.finish_time, record)
        for hook in hooks["on_end"]:
            hook(1e9, "complete", {})
        return process_time() - began


def run() -> list[Figure]:
    """Microseconds of CPU per job, the best of five."""
    return [
        Figure(f"recording a job{more}", min(_seconds(users) for _ in range(5)) / _JOBS * 1e6, "us", "aim 4")
        for users, more in ((0, ""), (50, ", with users"))
    ]
