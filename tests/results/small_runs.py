"""A small run to read again: made jobs under a scheduler of ours, recorded."""

import random

from windtunnel.engine import Simulation
from windtunnel.model import DelayProfile, EventList, ExternalEvent, HostSet, Job, JobList, Platform, Request
from windtunnel.results.layout import Layout
from windtunnel.results.recorders import RecordingOptions
from windtunnel.results.recording import Recording
from windtunnel.schedulers import make_scheduler


def workload(count: int = 60, hosts: int = 8, seed: int = 1, users: int = 3) -> JobList:
    """Jobs of 1 to 8 hosts that do not fit at once."""
    dice = random.Random(seed)
    jobs = []
    date = 0.0
    for number in range(count):
        date += dice.choice((0.0, 5.0, 12.5))
        run = dice.choice((4.0, 30.0, 62.25))
        jobs.append(
            Job(
                id=f"w0!{number}",
                request=Request(dice.choice((1, 1, 2, 4, hosts))),
                profile=DelayProfile(id=f"w0!d{run:g}", delay=run),
                submission_time=date,
                walltime=run * dice.choice((0.5, 1.5, 3.0)),
                user=f"user{number % users}" if users else "",
                queue="short" if users and run < 20 else "long" if users else "",
            )
        )
    return JobList("w0", jobs)


def outage(hosts: str = "6-7") -> EventList:
    """Some hosts are away between 100 and 200 s."""
    named = HostSet.parse(hosts)
    return EventList(
        name="e0",
        events=(
            ExternalEvent(timestamp=100.0, kind="machine_unavailable", hosts=named),
            ExternalEvent(timestamp=200.0, kind="machine_available", hosts=named),
        ),
    )


def record(layout=None, scheduler="easy", jobs=None, events=(), options=None, **more) -> Recording:
    """Simulate and record."""
    recording = Recording(
        layout or Layout(), options or RecordingOptions(), facts={"schedulers": [scheduler]}, **more
    )
    simulation = Simulation(
        Platform.uniform(8),
        [jobs or workload()],
        [make_scheduler(scheduler)],
        events=events,
        observers=recording.observers,
    )
    simulation.run()
    return recording
