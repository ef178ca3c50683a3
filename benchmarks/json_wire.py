"""100,000 delay jobs served to a trivial scheduler over ZeroMQ: our CPU for each job (Batsim 4: 0.27 to 0.37 ms)."""

import json
import multiprocessing
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import Figure
from windtunnel import model as m
from windtunnel.api import Layout, RecordingOptions, Simulation
from windtunnel.wires.json.client import JsonComponent

JOBS = 100_000
HOSTS = 64


def workload(overlapping: bool) -> m.JobList:
    """Jobs of one host: one after the other, or so many at once that ends and submissions share messages."""
    profiles = [
        m.DelayProfile(id=f"w0!p{length}", delay=length * (16.0 if overlapping else 1.0)) for length in (1, 2)
    ]
    jobs = [
        m.Job(
            id=f"w0!{i}",
            request=m.Request(1),
            profile=profiles[i % 2],
            submission_time=float(i // 2) if overlapping else 4.0 * i,
            walltime=100.0,
            source={"id": i, "subtime": i, "res": 1, "profile": profiles[i % 2].name, "walltime": 100},
        )
        for i in range(JOBS)
    ]
    return m.JobList("w0", jobs, {profile.id: profile for profile in profiles})


def scheduler(endpoint: str) -> None:
    """First come, first served, on any free host."""
    import zmq

    socket = zmq.Context().socket(zmq.REP)
    socket.bind(endpoint)
    free = list(range(HOSTS))
    on: dict[str, int] = {}
    queue: list[str] = []
    ended = False
    while not ended:
        message: dict[str, Any] = json.loads(socket.recv())
        now = message["now"]
        events = []
        for event in message["events"]:
            kind = event["type"]
            if kind == "JOB_SUBMITTED":
                queue.append(event["data"]["job_id"])
            elif kind == "JOB_COMPLETED":
                free.append(on.pop(event["data"]["job_id"]))
            elif kind == "SIMULATION_ENDS":
                ended = True
        while queue and free:
            job = queue.pop(0)
            on[job] = host = free.pop()
            events.append(
                {"timestamp": now, "type": "EXECUTE_JOB", "data": {"job_id": job, "alloc": str(host)}},
            )
        socket.send(json.dumps({"now": now, "events": events}).encode())
    socket.close(1000)


class Near:
    """The same scheduler without a socket; its own CPU is measured, to be taken away."""

    def __init__(self) -> None:
        self.free = list(range(HOSTS))
        self.on: dict[str, int] = {}
        self.spent = 0.0

    def open(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""

    def ask(self, request: bytes, _: float) -> bytes:
        """A reply; there is always a free host."""
        start = time.process_time()
        message: dict[str, Any] = json.loads(request)
        events = []
        for event in message["events"]:
            data = event["data"]
            if event["type"] == "JOB_SUBMITTED":
                self.on[data["job_id"]] = host = self.free.pop()
                data = {"job_id": data["job_id"], "alloc": str(host)}
                events.append({"timestamp": message["now"], "type": "EXECUTE_JOB", "data": data})
            elif event["type"] == "JOB_COMPLETED":
                self.free.append(self.on.pop(data["job_id"]))
        reply = json.dumps({"now": message["now"], "events": events}).encode()
        self.spent += time.process_time() - start
        return reply


def alone(work: m.JobList, folder: Path) -> float:
    """CPU seconds of codec, engine and files, without the socket."""
    component, near = JsonComponent("ipc://near"), Near()
    component._peer = near
    simulation = Simulation(
        m.Platform.uniform(HOSTS),
        work,
        component,
        layout=Layout.batsim4(str(folder / "out")),
        record=RecordingOptions(machine_states=True, paje=False),
    )
    start = time.process_time()
    simulation.run()
    return time.process_time() - start - near.spent


def serve(work: m.JobList, folder: Path) -> float:
    """CPU seconds of this process for one run, files included."""
    endpoint = f"ipc://{folder}/socket"
    process = multiprocessing.get_context("spawn").Process(target=scheduler, args=(endpoint,))
    process.start()
    simulation = Simulation(
        m.Platform.uniform(HOSTS),
        work,
        JsonComponent(endpoint),
        layout=Layout.batsim4(str(folder / "out")),
        record=RecordingOptions(machine_states=True, paje=False),
    )
    start = time.process_time()
    simulation.run()
    spent = time.process_time() - start
    process.join()
    return spent


def run() -> list[Figure]:
    figures = []
    for what, overlapping, times in (("one after the other", False, 3), ("32 at once", True, 1)):
        work = workload(overlapping)
        with tempfile.TemporaryDirectory() as folder:
            spent = median(serve(work, Path(folder)) for _ in range(times))
            own = alone(work, Path(folder))
        name = f"{JOBS:,} delay jobs over the JSON protocol, {what}" + f" (median of {times})" * (times > 1)
        figures.append(Figure(name, spent / JOBS * 1e3, "ms/job", "at most 0.2, aim 0.1"))
        figures.append(
            Figure("    codec, engine and files of it (the rest is the wire's)", own / JOBS * 1e3, "ms/job")
        )
    return figures
